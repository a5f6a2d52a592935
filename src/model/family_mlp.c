/* SPDX-License-Identifier: BSD-3-Clause */
/* family_mlp.c - dense layers: hidden ones with norm, activation and dropout,
 * then the output layer. */
#include <string.h>

#include "model/family.h"

static int no_memory(struct tt_error *err)
{
    return tt_fail(err, TT_ENOMEM, "out of memory for the model's layers");
}

static int add_norm(const struct tt_model_conf *conf, struct tt_spec *spec,
                    int number, struct tt_error *err)
{
    const struct tt_layer_type *type = NULL;

    if (strcmp(conf->norm, "batch") == 0)
        type = &tt_layer_batchnorm;
    else if (strcmp(conf->norm, "layer") == 0)
        type = &tt_layer_layernorm;
    if (type && !tt_spec_add(spec, type, false, "norm", number))
        return no_memory(err);
    return 0;
}

static int add_hidden(const struct tt_model_conf *conf, struct tt_spec *spec,
                      int number, struct tt_error *err)
{
    struct tt_layer *layer =
        tt_spec_add(spec, &tt_layer_dense, number > 0, "dense", number);

    if (!layer)
        return no_memory(err);
    layer->width = conf->widths.at[number];
    if (add_norm(conf, spec, number, err) < 0)
        return -1;
    layer = tt_spec_add(spec, &tt_layer_act, false, "act", number);
    if (!layer)
        return no_memory(err);
    layer->act = conf->act;
    if (conf->dropout > 0) {
        layer = tt_spec_add(spec, &tt_layer_dropout, false, "dropout", number);
        if (!layer)
            return no_memory(err);
        layer->p = conf->dropout;
    }
    return 0;
}

static int build(const struct tt_model_conf *conf, struct tt_spec *spec,
                 struct tt_error *err)
{
    struct tt_layer *layer;

    if (conf->tokens)
        return tt_fail(err, TT_EINVAL,
                       "model.family mlp reads rows of numbers,"
                       " the data is a token stream: use gpt2");
    if (conf->inputs > 0 && conf->inputs != spec->x_values)
        return tt_fail(err, TT_EINVAL,
                       "model.inputs is %lld, a sample of the data has %lld "
                       "values: leave model.inputs out",
                       (long long)conf->inputs, (long long)spec->x_values);
    if (spec->in.rows > 1 &&
        !tt_spec_add(spec, &tt_layer_flatten, false, "flatten", -1))
        return no_memory(err);
    for (int i = 0; i < conf->widths.count; i++)
        if (add_hidden(conf, spec, i, err) < 0)
            return -1;
    layer = tt_spec_add(spec, &tt_layer_dense, conf->widths.count > 0, "dense",
                        conf->widths.count);
    if (!layer)
        return no_memory(err);
    layer->width = conf->outputs > 0            ? conf->outputs
                   : conf->loss == TT_LOSS_XENT ? conf->classes
                                                : conf->y_values;
    return 0;
}

const struct tt_family tt_family_mlp = {"mlp", build};
