/* SPDX-License-Identifier: BSD-3-Clause */
/* family_cnn.c - a network written as a list of layers in model.net, e.g.
 *   - {conv: 32, kernel: 3, pad: 1}
 *   - {norm: batch}
 *   - {act: relu}
 *   - {pool: max, size: 2}
 *   - flatten
 *   - {dense: auto}                  # as many outputs as the data has classes
 */
#include <string.h>

#include "model/family.h"

/* One kind of line: its key, what may stand beside it, what it adds. */
struct line_kind {
    const char *key;
    const char *extra[4];
    int (*add)(const struct tt_model_conf *conf, struct tt_spec *spec,
               const struct tt_node *line, struct tt_error *err);
};

static struct tt_layer *append(struct tt_spec *spec,
                               const struct tt_layer_type *type, bool new_block,
                               const char *prefix)
{
    return tt_spec_add(spec, type, new_block, prefix, spec->layer_count);
}

static int no_memory(struct tt_error *err)
{
    return tt_fail(err, TT_ENOMEM, "out of memory for the model's layers");
}

/* The whole number under 'key', 'def' where it is absent. */
static int number(const struct tt_node *line, const char *key, int64_t def,
                  int64_t *value, struct tt_error *err)
{
    const struct tt_node *node = tt_node_find(line, key);
    struct tt_error why = {0};

    *value = def;
    if (!node)
        return 0;
    if (node->kind != TT_NODE_SCALAR ||
        tt_i64_parse(node->text, value, &why) < 0 || *value < 0 ||
        *value > 1 << 24)
        return tt_node_fail(node, err, "%s must be a whole number from 0 to %d",
                            key, 1 << 24);
    return 0;
}

static int add_conv(const struct tt_model_conf *conf, struct tt_spec *spec,
                    const struct tt_node *line, struct tt_error *err)
{
    struct tt_layer *layer =
        append(spec, &tt_layer_conv, spec->layer_count > 0, "conv");

    (void)conf;
    if (!layer)
        return no_memory(err);
    if (number(line, "conv", 0, &layer->width, err) < 0 ||
        number(line, "kernel", 3, &layer->kernel, err) < 0 ||
        number(line, "stride", 1, &layer->stride, err) < 0 ||
        number(line, "pad", 0, &layer->pad, err) < 0)
        return -1;
    if (layer->width < 1 || layer->kernel < 1 || layer->stride < 1)
        return tt_node_fail(line, err,
                            "conv, kernel and stride must be at least 1");
    return 0;
}

static int add_pool(const struct tt_model_conf *conf, struct tt_spec *spec,
                    const struct tt_node *line, struct tt_error *err)
{
    const char *kind = tt_node_find(line, "pool")->text;
    struct tt_layer *layer;

    (void)conf;
    if (!kind || (strcmp(kind, "max") != 0 && strcmp(kind, "avg") != 0))
        return tt_node_fail(line, err, "pool must be max or avg");
    layer = append(spec, kind[0] == 'm' ? &tt_layer_maxpool : &tt_layer_avgpool,
                   false, "pool");
    if (!layer)
        return no_memory(err);
    if (number(line, "size", 2, &layer->kernel, err) < 0 ||
        number(line, "stride", layer->kernel, &layer->stride, err) < 0 ||
        number(line, "pad", 0, &layer->pad, err) < 0)
        return -1;
    if (layer->kernel < 1 || layer->stride < 1 ||
        layer->pad > layer->kernel / 2)
        return tt_node_fail(line, err,
                            "size and stride must be at least 1, "
                            "pad at most half of size");
    return 0;
}

static int add_norm(const struct tt_model_conf *conf, struct tt_spec *spec,
                    const struct tt_node *line, struct tt_error *err)
{
    const char *kind = tt_node_find(line, "norm")->text;
    bool batch = kind && strcmp(kind, "batch") == 0;

    (void)conf;
    if (!batch && (!kind || strcmp(kind, "layer") != 0))
        return tt_node_fail(line, err, "norm must be batch or layer");
    if (!append(spec, batch ? &tt_layer_batchnorm : &tt_layer_layernorm, false,
                "norm"))
        return no_memory(err);
    return 0;
}

static int add_act(const struct tt_model_conf *conf, struct tt_spec *spec,
                   const struct tt_node *line, struct tt_error *err)
{
    const char *name = tt_node_find(line, "act")->text;
    int act = name ? tt_act_find(name) : -1;
    struct tt_layer *layer;

    (void)conf;
    if (act < 0)
        return tt_node_fail(line, err,
                            "act must be relu, gelu, gelu-erf, tanh "
                            "or sigmoid");
    layer = append(spec, &tt_layer_act, false, "act");
    if (!layer)
        return no_memory(err);
    layer->act = act;
    return 0;
}

static int add_dropout(const struct tt_model_conf *conf, struct tt_spec *spec,
                       const struct tt_node *line, struct tt_error *err)
{
    const char *text = tt_node_find(line, "dropout")->text;
    struct tt_error why = {0};
    struct tt_layer *layer = append(spec, &tt_layer_dropout, false, "dropout");

    (void)conf;
    if (!layer)
        return no_memory(err);
    if (!text || tt_f64_parse(text, &layer->p, &why) < 0 || !(layer->p >= 0) ||
        !(layer->p < 1))
        return tt_node_fail(line, err, "dropout must be in [0, 1)");
    return 0;
}

static int add_flatten(const struct tt_model_conf *conf, struct tt_spec *spec,
                       const struct tt_node *line, struct tt_error *err)
{
    (void)conf;
    (void)line;
    if (!append(spec, &tt_layer_flatten, false, "flatten"))
        return no_memory(err);
    return 0;
}

static int add_dense(const struct tt_model_conf *conf, struct tt_spec *spec,
                     const struct tt_node *line, struct tt_error *err)
{
    const struct tt_node *node = tt_node_find(line, "dense");
    struct tt_layer *layer =
        append(spec, &tt_layer_dense, spec->layer_count > 0, "dense");

    if (!layer)
        return no_memory(err);
    if (node->text && strcmp(node->text, "auto") == 0)
        layer->width =
            conf->loss == TT_LOSS_XENT ? conf->classes : conf->y_values;
    else if (number(line, "dense", 0, &layer->width, err) < 0)
        return -1;
    if (layer->width < 1)
        return tt_node_fail(line, err, "dense must be at least 1, or auto");
    return 0;
}

static const struct line_kind kinds[] = {
    {"conv", {"kernel", "stride", "pad"}, add_conv},
    {"pool", {"size", "stride", "pad"}, add_pool},
    {"norm", {0}, add_norm},
    {"act", {0}, add_act},
    {"dropout", {0}, add_dropout},
    {"dense", {0}, add_dense},
    {"flatten", {0}, add_flatten},
    {0},
};

static const struct line_kind *kind_of(const struct tt_node *line)
{
    for (const struct line_kind *kind = kinds; kind->key; kind++)
        if (line->kind == TT_NODE_SCALAR
                ? strcmp(line->text, kind->key) == 0
                : tt_node_find(line, kind->key) != NULL)
            return kind;
    return NULL;
}

static int check_keys(const struct tt_node *line, const struct line_kind *kind,
                      struct tt_error *err)
{
    for (const struct tt_node *n = line->first; n; n = n->next) {
        bool known = strcmp(n->key, kind->key) == 0;

        for (int i = 0; i < 4 && kind->extra[i]; i++)
            known |= strcmp(n->key, kind->extra[i]) == 0;
        if (!known)
            return tt_node_fail(n, err, "a %s layer has no '%s'", kind->key,
                                n->key);
    }
    return 0;
}

static int add_line(const struct tt_model_conf *conf, struct tt_spec *spec,
                    const struct tt_node *line, struct tt_error *err)
{
    const struct line_kind *kind =
        line->kind == TT_NODE_LIST ? NULL : kind_of(line);

    if (!kind || (line->kind == TT_NODE_SCALAR && kind->add != add_flatten))
        return tt_node_fail(line, err,
                            "a layer is one of {conv: N}, {pool: max}, {norm: "
                            "batch}, {act: relu}, {dropout: P}, flatten, "
                            "{dense: N}");
    if (check_keys(line, kind, err) < 0)
        return -1;
    return kind->add(conf, spec, line, err);
}

static int build(const struct tt_model_conf *conf, struct tt_spec *spec,
                 struct tt_error *err)
{
    if (conf->tokens)
        return tt_fail(err, TT_EINVAL,
                       "model.family cnn reads images or rows, "
                       "the data is a token stream: use gpt2");
    if (!conf->net || conf->net->kind != TT_NODE_LIST || !conf->net->first)
        return tt_fail(err, TT_EINVAL,
                       "model.family cnn needs model.net, the "
                       "list of its layers");
    for (const struct tt_node *line = conf->net->first; line; line = line->next)
        if (add_line(conf, spec, line, err) < 0)
            return -1;
    return 0;
}

const struct tt_family tt_family_cnn = {"cnn", build};
