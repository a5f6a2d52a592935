/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - the names of ops and activations. */
#include <stddef.h>
#include <string.h>

#include "device/op.h"

static const char *const op_names[TT_OP_KIND_COUNT] = {
    [TT_OP_DENSE] = "dense",
    [TT_OP_DENSE_DX] = "dense-dx",
    [TT_OP_DENSE_DW] = "dense-dw",
    [TT_OP_ACT] = "act",
    [TT_OP_ACT_BWD] = "act-bwd",
    [TT_OP_DROPOUT] = "dropout",
    [TT_OP_ADD] = "add",
    [TT_OP_LAYERNORM] = "layernorm",
    [TT_OP_LAYERNORM_BWD] = "layernorm-bwd",
    [TT_OP_BATCHNORM] = "batchnorm",
    [TT_OP_BATCHNORM_BWD] = "batchnorm-bwd",
    [TT_OP_BATCHNORM_EVAL] = "batchnorm-eval",
    [TT_OP_EMBED] = "embed",
    [TT_OP_EMBED_BWD] = "embed-bwd",
    [TT_OP_ATTENTION] = "attention",
    [TT_OP_ATTENTION_BWD] = "attention-bwd",
    [TT_OP_XENT] = "xent",
    [TT_OP_MSE] = "mse",
    [TT_OP_BCE] = "bce",
    [TT_OP_CONV] = "conv",
    [TT_OP_CONV_DX] = "conv-dx",
    [TT_OP_CONV_DW] = "conv-dw",
    [TT_OP_MAXPOOL] = "maxpool",
    [TT_OP_MAXPOOL_BWD] = "maxpool-bwd",
    [TT_OP_AVGPOOL] = "avgpool",
    [TT_OP_AVGPOOL_BWD] = "avgpool-bwd",
    [TT_OP_ZERO] = "zero",
    [TT_OP_SUM] = "sum",
    [TT_OP_SUMSQ] = "sumsq",
    [TT_OP_RUNNING] = "running",
    [TT_OP_SGD] = "sgd",
    [TT_OP_ADAM] = "adam",
};

static const char *const act_names[TT_ACT_COUNT] = {
    [TT_ACT_NONE] = "none", [TT_ACT_RELU] = "relu",
    [TT_ACT_GELU] = "gelu", [TT_ACT_GELU_ERF] = "gelu-erf",
    [TT_ACT_TANH] = "tanh", [TT_ACT_SIGMOID] = "sigmoid",
};

const char *tt_op_name(enum tt_op_kind kind)
{
    if (kind == TT_OP_REDUCE_TREE)
        return "reduce-tree";
    if (kind == TT_OP_REDUCE_EXACT)
        return "reduce-exact";
    return kind < TT_OP_KIND_COUNT ? op_names[kind] : "?";
}

const char *tt_act_name(enum tt_act act)
{
    return act < TT_ACT_COUNT ? act_names[act] : "?";
}

int tt_act_find(const char *name)
{
    for (int i = 0; i < TT_ACT_COUNT; i++)
        if (strcmp(act_names[i], name) == 0)
            return i;
    return -1;
}
