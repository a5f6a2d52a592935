/* SPDX-License-Identifier: BSD-3-Clause */
/* layer.h - one table entry per kind of layer: its shape, its parameters, and
 * the ops of its forward and backward pass, written by hand. */
#ifndef TT_MODEL_LAYER_H
#define TT_MODEL_LAYER_H

#include "model/param.h"
#include "model/prog.h"
#include "model/spec.h"

/* While a list is being made. */
struct tt_emit {
    struct tt_prog *prog;
    const struct tt_spec *spec;
    const struct tt_params *params;
    bool train; /* else evaluation: no dropout, running statistics */
};

/* What a layer's forward leaves for its backward. */
struct tt_layer_bufs {
    int in, out;
    int keep[TT_LAYER_BUFS];
};

struct tt_layer_type {
    const char *name;
    /* Set layer->out from layer->in; fail where they do not fit. */
    int (*shape)(struct tt_layer *layer, struct tt_error *err);
    /* Add the layer's parameters; NULL: none. */
    void (*params)(struct tt_params *params, struct tt_layer *layer);
    /* Emit forward ops from bufs->in; set bufs->out. */
    void (*fwd)(const struct tt_emit *emit, const struct tt_layer *layer,
                struct tt_layer_bufs *bufs);
    /* Emit backward ops from the gradient 'dy' of bufs->out; return the
     * gradient of bufs->in, -1 where need_dx is false. */
    int (*bwd)(const struct tt_emit *emit, const struct tt_layer *layer,
               const struct tt_layer_bufs *bufs, int dy, bool need_dx);
};

extern const struct tt_layer_type tt_layer_dense, tt_layer_act,
    tt_layer_dropout, tt_layer_layernorm, tt_layer_batchnorm, tt_layer_conv,
    tt_layer_maxpool, tt_layer_avgpool, tt_layer_flatten, tt_layer_embed,
    tt_layer_transformer, tt_layer_lmhead;

/* Views of a parameter's weight and gradient in the flat arrays. */
int tt_emit_weight(const struct tt_emit *emit, int param);
int tt_emit_grad(const struct tt_emit *emit, int param);

/* A list buffer shaped as one activation. */
int tt_emit_act(const struct tt_emit *emit, const char *name,
                const struct tt_shape *shape);

/* Common ops, used by several layers.  Returned buffers are new ones.
 * wb: weight and bias (or gamma and beta), parameter indices, -1 for no bias.
 * y (rows, width) = x (rows, cols) w^T + b: */
int tt_emit_dense(const struct tt_emit *emit, int x, const int wb[2],
                  const struct tt_shape *in, int64_t width);
/* its gradients; returns dx, or -1 where it is not needed. */
int tt_emit_dense_bwd(const struct tt_emit *emit, int dy, int x,
                      const int wb[2], const struct tt_shape *in, int64_t width,
                      bool need_dx);

/* Layer norm; stat receives the buffers of mean and rstd. */
int tt_emit_norm(const struct tt_emit *emit, int x, const int wb[2],
                 const struct tt_shape *shape, double eps, int stat[2]);

/* Backward of a layer or batch norm into dx, written or added. */
struct tt_norm_bwd {
    int dx, dy, x;
    const int *wb, *stat;
    const struct tt_shape *shape;
    bool adds;
};
void tt_emit_norm_bwd(const struct tt_emit *emit, enum tt_op_kind kind,
                      const struct tt_norm_bwd *norm);

/* In place, except on a sample from the loader.  Returns where the result is.
 */
int tt_emit_dropout(const struct tt_emit *emit, int x, int64_t values, double p,
                    uint32_t site);

/* y = a + b; y = act(x); dy becomes dx in place. */
void tt_emit_add(const struct tt_emit *emit, int y, int a, int b,
                 int64_t values);
void tt_emit_act_op(const struct tt_emit *emit, int y, int x, int64_t values,
                    int act);
void tt_emit_act_bwd(const struct tt_emit *emit, int dy, int x, int64_t values,
                     int act);

#endif
