/* SPDX-License-Identifier: BSD-3-Clause */
/* spec.h - a model as a list of layers, grouped in blocks.  Letters in shape
 * comments everywhere: B samples of a micro-batch, T positions (context), C
 * channels (hidden width), L layers, H heads, D = C / H, V vocabulary or
 * classes, Vp = V padded to 64.  A block is the unit of gradient buckets and,
 * later, of recompute, gathering and pipeline cuts. */
#ifndef TT_MODEL_SPEC_H
#define TT_MODEL_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/doc.h"
#include "base/err.h"
#include "base/units.h"
#include "device/op.h"

enum tt_loss { TT_LOSS_XENT, TT_LOSS_MSE, TT_LOSS_BCE };

/* What a user asked for and what the data says. */
struct tt_model_conf {
    const char *family;
    int64_t layers, hidden, heads, context, vocab;
    double dropout, init_std;
    bool tied;
    struct tt_i64_list widths;
    int64_t inputs, outputs; /* -1: from the data */
    int act;                 /* enum tt_act */
    const char *norm;        /* none | batch | layer */
    const struct tt_node *net;
    int loss; /* enum tt_loss */
    double label_smoothing;
    int64_t ignore_index;
    bool class_weights;
    /* of the data */
    bool tokens;
    int x_dims;
    int64_t x_dim[4]; /* one sample; images (H, W, C) */
    bool y_is_class;
    int64_t y_values, classes;
};

/* One sample's activation between two layers: (rows, cols), and for images
 * rows = h w, cols = channels. */
struct tt_shape {
    int64_t rows, cols, h, w; /* h 0: no image */
};

struct tt_layer_type;

enum { TT_LAYER_BUFS = 12, TT_LAYER_PARAMS = 12, TT_NAME = 64 };

struct tt_layer {
    const struct tt_layer_type *type;
    char name[32]; /* "conv4": in front of parameter names */
    int block;
    struct tt_shape in, out;
    /* what the type makes of these is said in layers.c */
    int64_t width, kernel, stride, pad, heads, vocab;
    int act, tied; /* tied: index of the layer whose weight is shared, or -1 */
    double p, eps, init_std;
    int param[TT_LAYER_PARAMS]; /* indices into the parameter table, -1 */
};

struct tt_spec {
    struct tt_layer *layer;
    int layer_count, block_count;
    bool tokens;
    struct tt_shape in, out;
    int64_t x_values, y_values; /* per sample; y of tokens: context */
    int loss;
    int64_t classes; /* V: real columns of the logits */
    int64_t ignore_index;
    double label_smoothing;
    bool class_weights;
};

/* Build the layers of conf->family and their shapes.  Fails with what does not
 * fit: a layer list line, a kernel larger than its input, heads that do not
 * divide hidden ... */
int tt_spec_build(const struct tt_model_conf *conf, struct tt_spec *spec,
                  struct tt_error *err);
void tt_spec_clear(struct tt_spec *spec);

/* Columns in memory of V classes or tokens. */
int64_t tt_pad_vocab(int64_t vocab);

#endif
