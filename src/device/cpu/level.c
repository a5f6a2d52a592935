/* SPDX-License-Identifier: BSD-3-Clause */
/* level.c - the kernels of one level of the instruction set. */
#include "device/cpu/cpu_priv.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const struct tt_kernel kernels[TT_OP_KIND_COUNT] = {
    [TT_OP_DENSE] = {TT_CPU(dense), NULL},
    [TT_OP_DENSE_DX] = {TT_CPU(dense_dx), NULL},
    [TT_OP_DENSE_DW] = {TT_CPU(dense_dw), TT_CPU(dense_dw_work)},
    [TT_OP_ACT] = {TT_CPU(act), NULL},
    [TT_OP_ACT_BWD] = {TT_CPU(act_bwd), NULL},
    [TT_OP_DROPOUT] = {TT_CPU(dropout), NULL},
    [TT_OP_ADD] = {TT_CPU(add), NULL},
    [TT_OP_LAYERNORM] = {TT_CPU(layernorm), NULL},
    [TT_OP_LAYERNORM_BWD] = {TT_CPU(layernorm_bwd), TT_CPU(norm_work)},
    [TT_OP_BATCHNORM] = {TT_CPU(batchnorm), TT_CPU(norm_work)},
    [TT_OP_BATCHNORM_BWD] = {TT_CPU(batchnorm_bwd), TT_CPU(norm_work)},
    [TT_OP_BATCHNORM_EVAL] = {TT_CPU(batchnorm_eval), TT_CPU(norm_work)},
    [TT_OP_EMBED] = {TT_CPU(embed), NULL},
    [TT_OP_EMBED_BWD] = {TT_CPU(embed_bwd), NULL},
    [TT_OP_ATTENTION] = {TT_CPU(attention), TT_CPU(attention_work)},
    [TT_OP_ATTENTION_BWD] = {TT_CPU(attention_bwd), TT_CPU(attention_work)},
    [TT_OP_XENT] = {TT_CPU(xent), NULL},
    [TT_OP_MSE] = {TT_CPU(mse), NULL},
    [TT_OP_BCE] = {TT_CPU(bce), NULL},
    [TT_OP_CONV] = {TT_CPU(conv), TT_CPU(conv_work)},
    [TT_OP_CONV_DX] = {TT_CPU(conv_dx), TT_CPU(conv_work)},
    [TT_OP_CONV_DW] = {TT_CPU(conv_dw), TT_CPU(conv_dw_work)},
    [TT_OP_MAXPOOL] = {TT_CPU(maxpool), NULL},
    [TT_OP_MAXPOOL_BWD] = {TT_CPU(maxpool_bwd), NULL},
    [TT_OP_AVGPOOL] = {TT_CPU(avgpool), NULL},
    [TT_OP_AVGPOOL_BWD] = {TT_CPU(avgpool_bwd), NULL},
    [TT_OP_ZERO] = {TT_CPU(zero), NULL},
    [TT_OP_SUM] = {TT_CPU(sum), NULL},
    [TT_OP_SUMSQ] = {TT_CPU(sumsq), TT_CPU(sumsq_work)},
    [TT_OP_RUNNING] = {TT_CPU(running), NULL},
    [TT_OP_SGD] = {TT_CPU(sgd), NULL},
    [TT_OP_ADAM] = {TT_CPU(adam), NULL},
};

const struct tt_cpu_level TT_CPU(level) = {
    .name = TEXT(TT_CPU_LEVEL),
    .kernel = kernels,
    .gemm = TT_CPU(gemm),
};
