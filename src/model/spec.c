/* SPDX-License-Identifier: BSD-3-Clause */
/* spec.c - a model as a list of layers, grouped in blocks. */
#include <stdlib.h>
#include <string.h>

#include "model/family.h"

static const struct tt_family *const families[] = {
    &tt_family_mlp,
    &tt_family_cnn,
    &tt_family_gpt2,
    NULL,
};

int64_t tt_pad_vocab(int64_t vocab)
{
    return (vocab + 63) / 64 * 64;
}

struct tt_layer *tt_spec_add(struct tt_spec *spec,
                             const struct tt_layer_type *type, bool new_block,
                             const char *prefix, int number)
{
    size_t room = (size_t)(spec->layer_count + 1) * sizeof(*spec->layer);
    struct tt_layer *layers = realloc(spec->layer, room);
    struct tt_layer *layer;

    if (!layers)
        return NULL;
    spec->layer = layers;
    layer = &layers[spec->layer_count++];
    *layer = (struct tt_layer){.type = type, .tied = -1, .eps = 1e-5};
    spec->block_count += new_block || spec->block_count == 0;
    layer->block = spec->block_count - 1;
    for (int i = 0; i < TT_LAYER_PARAMS; i++)
        layer->param[i] = -1;
    if (number < 0)
        snprintf(layer->name, sizeof(layer->name), "%s", prefix);
    else
        snprintf(layer->name, sizeof(layer->name), "%s%d", prefix, number);
    return layer;
}

/* Shapes run from the input through the layers. */
static int set_shapes(struct tt_spec *spec, struct tt_error *err)
{
    struct tt_shape shape = spec->in;

    for (int i = 0; i < spec->layer_count; i++) {
        struct tt_layer *layer = &spec->layer[i];

        layer->in = shape;
        if (layer->type->shape(layer, err) < 0)
            return tt_fail_in(err, "model layer %s", layer->name);
        shape = layer->out;
    }
    spec->out = shape;
    return 0;
}

static int64_t wanted_outputs(const struct tt_spec *spec)
{
    if (spec->loss == TT_LOSS_XENT)
        return spec->tokens ? tt_pad_vocab(spec->classes) : spec->classes;
    return spec->y_values;
}

/* What comes out must be what the loss compares with the targets. */
static int check_head(const struct tt_spec *spec, struct tt_error *err)
{
    int64_t got =
        spec->tokens ? spec->out.cols : spec->out.rows * spec->out.cols;

    if (got != wanted_outputs(spec))
        return tt_fail(err, TT_EINVAL,
                       "the model ends in %lld values, the loss needs %lld (%s)"
                       ": set the last dense layer's width to that",
                       (long long)got, (long long)wanted_outputs(spec),
                       spec->loss == TT_LOSS_XENT ? "the classes of the data"
                                                  : "the values of a target");
    return 0;
}

static const struct tt_family *find_family(const char *name)
{
    for (int i = 0; families[i]; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}

static void set_io(const struct tt_model_conf *conf, struct tt_spec *spec)
{
    spec->tokens = conf->tokens;
    spec->loss = conf->loss;
    spec->ignore_index = conf->ignore_index;
    spec->label_smoothing = conf->label_smoothing;
    spec->class_weights = conf->class_weights;
    spec->classes = conf->tokens ? conf->vocab : conf->classes;
    spec->y_values = conf->y_values;
    if (conf->tokens) {
        spec->in = (struct tt_shape){.rows = conf->context, .cols = 1};
        spec->x_values = conf->context;
        spec->y_values = conf->context;
        return;
    }
    spec->x_values = 1;
    for (int i = 0; i < conf->x_dims; i++)
        spec->x_values *= conf->x_dim[i];
    spec->in = (struct tt_shape){.rows = 1, .cols = spec->x_values};
    if (conf->x_dims == 2 || conf->x_dims == 3)
        spec->in = (struct tt_shape){
            .h = conf->x_dim[0],
            .w = conf->x_dim[1],
            .rows = conf->x_dim[0] * conf->x_dim[1],
            .cols = conf->x_dims == 3 ? conf->x_dim[2] : 1,
        };
}

int tt_spec_build(const struct tt_model_conf *conf, struct tt_spec *spec,
                  struct tt_error *err)
{
    const struct tt_family *family = find_family(conf->family);

    *spec = (struct tt_spec){0};
    if (!family)
        return tt_fail(err, TT_EINVAL, "no model family is called '%s'",
                       conf->family);
    set_io(conf, spec);
    if (family->build(conf, spec, err) < 0 || set_shapes(spec, err) < 0 ||
        check_head(spec, err) < 0) {
        tt_spec_clear(spec);
        return -1;
    }
    return 0;
}

void tt_spec_clear(struct tt_spec *spec)
{
    free(spec->layer);
    *spec = (struct tt_spec){0};
}
