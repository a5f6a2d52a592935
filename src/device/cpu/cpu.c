/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu.c - the table of tuned kernels. */
#include <stdio.h>

#include "device/ref/ref_priv.h"

static void start(int threads)
{
    (void)threads;
}

static void describe(char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "portable C");
}

const struct tt_backend tt_backend_cpu = {
    .name = "cpu",
    .start = start,
    .describe = describe,
    .kernel =
        {
            [TT_OP_DENSE] = {tt_ref_dense, NULL},
            [TT_OP_DENSE_DX] = {tt_ref_dense_dx, NULL},
            [TT_OP_DENSE_DW] = {tt_ref_dense_dw, NULL},
            [TT_OP_ACT] = {tt_ref_act, NULL},
            [TT_OP_ACT_BWD] = {tt_ref_act_bwd, NULL},
            [TT_OP_DROPOUT] = {tt_ref_dropout, NULL},
            [TT_OP_ADD] = {tt_ref_add, NULL},
            [TT_OP_LAYERNORM] = {tt_ref_layernorm, NULL},
            [TT_OP_LAYERNORM_BWD] = {tt_ref_layernorm_bwd, NULL},
            [TT_OP_BATCHNORM] = {tt_ref_batchnorm, NULL},
            [TT_OP_BATCHNORM_BWD] = {tt_ref_batchnorm_bwd, NULL},
            [TT_OP_BATCHNORM_EVAL] = {tt_ref_batchnorm_eval, NULL},
            [TT_OP_EMBED] = {tt_ref_embed, NULL},
            [TT_OP_EMBED_BWD] = {tt_ref_embed_bwd, NULL},
            [TT_OP_ATTENTION] = {tt_ref_attention, NULL},
            [TT_OP_ATTENTION_BWD] = {tt_ref_attention_bwd,
                                     tt_ref_attention_bwd_work},
            [TT_OP_XENT] = {tt_ref_xent, NULL},
            [TT_OP_MSE] = {tt_ref_mse, NULL},
            [TT_OP_BCE] = {tt_ref_bce, NULL},
            [TT_OP_CONV] = {tt_ref_conv, NULL},
            [TT_OP_CONV_DX] = {tt_ref_conv_dx, NULL},
            [TT_OP_CONV_DW] = {tt_ref_conv_dw, NULL},
            [TT_OP_MAXPOOL] = {tt_ref_maxpool, NULL},
            [TT_OP_MAXPOOL_BWD] = {tt_ref_maxpool_bwd, NULL},
            [TT_OP_AVGPOOL] = {tt_ref_avgpool, NULL},
            [TT_OP_AVGPOOL_BWD] = {tt_ref_avgpool_bwd, NULL},
            [TT_OP_ZERO] = {tt_ref_zero, NULL},
            [TT_OP_SUM] = {tt_ref_sum, NULL},
            [TT_OP_SUMSQ] = {tt_ref_sumsq, NULL},
            [TT_OP_RUNNING] = {tt_ref_running, NULL},
            [TT_OP_SGD] = {tt_ref_sgd, NULL},
            [TT_OP_ADAM] = {tt_ref_adam, NULL},
        },
};
