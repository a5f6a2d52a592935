/* SPDX-License-Identifier: BSD-3-Clause */
/* layers.c - the simple layers: dense, activation, dropout, norms, flatten.
 * Slots of parameters: 0 weight, 1 bias, 2 and 3 running mean and variance. */
#include <math.h>

#include "base/rng.h"
#include "model/layer.h"

static int same_shape(struct tt_layer *layer, struct tt_error *err)
{
    (void)err;
    layer->out = layer->in;
    return 0;
}

static int64_t values_of(const struct tt_shape *shape)
{
    return shape->rows * shape->cols;
}

/* --- dense: width outputs --- */

static int dense_shape(struct tt_layer *layer, struct tt_error *err)
{
    if (layer->in.h > 0)
        return tt_fail(err, TT_EINVAL,
                       "a dense layer behind an image: put flatten before it");
    layer->out =
        (struct tt_shape){.rows = layer->in.rows, .cols = layer->width};
    return 0;
}

/* Uniform in +-1/sqrt(inputs), weight and bias, as PyTorch's Linear. */
static void dense_params(struct tt_params *params, struct tt_layer *layer)
{
    double scale = 1.0 / sqrt((double)layer->in.cols);
    struct tt_param *w = tt_params_add(params, layer, 0, "weight");
    struct tt_param *b = tt_params_add(params, layer, 1, "bias");

    w->dims = 2;
    w->dim[0] = layer->width;
    w->dim[1] = layer->in.cols;
    w->decays = true;
    b->dims = 1;
    b->dim[0] = layer->width;
    w->init = b->init = TT_INIT_UNIFORM;
    w->init_scale = b->init_scale = scale;
}

static void dense_fwd(const struct tt_emit *emit, const struct tt_layer *layer,
                      struct tt_layer_bufs *bufs)
{
    bufs->out =
        tt_emit_dense(emit, bufs->in, layer->param, &layer->in, layer->width);
}

static int dense_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                     const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    return tt_emit_dense_bwd(emit, dy, bufs->in, layer->param, &layer->in,
                             layer->width, need_dx);
}

const struct tt_layer_type tt_layer_dense = {
    "dense", dense_shape, dense_params, dense_fwd, dense_bwd,
};

/* --- act --- */

static void act_fwd(const struct tt_emit *emit, const struct tt_layer *layer,
                    struct tt_layer_bufs *bufs)
{
    bufs->out = tt_emit_act(emit, "act", &layer->out);
    tt_emit_act_op(emit, bufs->out, bufs->in, values_of(&layer->in),
                   layer->act);
}

static int act_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                   const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    if (!need_dx)
        return -1;
    tt_emit_act_bwd(emit, dy, bufs->in, values_of(&layer->in), layer->act);
    return dy;
}

const struct tt_layer_type tt_layer_act = {
    "act", same_shape, NULL, act_fwd, act_bwd,
};

/* --- dropout: p --- */

static uint32_t dropout_site(const struct tt_emit *emit,
                             const struct tt_layer *layer)
{
    return tt_rng_site(TT_RNG_DROPOUT,
                       (uint32_t)(layer - emit->spec->layer) * 4);
}

static void dropout_fwd(const struct tt_emit *emit,
                        const struct tt_layer *layer,
                        struct tt_layer_bufs *bufs)
{
    bufs->out = bufs->in;
    if (emit->train && layer->p > 0)
        bufs->out = tt_emit_dropout(emit, bufs->in, values_of(&layer->in),
                                    layer->p, dropout_site(emit, layer));
}

static int dropout_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                       const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    (void)bufs;
    if (!need_dx)
        return -1;
    if (layer->p > 0)
        tt_emit_dropout(emit, dy, values_of(&layer->in), layer->p,
                        dropout_site(emit, layer));
    return dy;
}

const struct tt_layer_type tt_layer_dropout = {
    "dropout", same_shape, NULL, dropout_fwd, dropout_bwd,
};

/* --- norms over the columns --- */

static void norm_params(struct tt_params *params, struct tt_layer *layer)
{
    struct tt_param *w = tt_params_add(params, layer, 0, "weight");
    struct tt_param *b = tt_params_add(params, layer, 1, "bias");

    w->dims = b->dims = 1;
    w->dim[0] = b->dim[0] = layer->in.cols;
    w->init = TT_INIT_ONE;
}

static void layernorm_fwd(const struct tt_emit *emit,
                          const struct tt_layer *layer,
                          struct tt_layer_bufs *bufs)
{
    bufs->out = tt_emit_norm(emit, bufs->in, layer->param, &layer->in,
                             layer->eps, bufs->keep);
}

static int norm_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                    const struct tt_layer_bufs *bufs, int dy,
                    enum tt_op_kind kind)
{
    struct tt_norm_bwd n = {
        .dx = tt_emit_act(emit, "d-norm", &layer->in),
        .dy = dy,
        .x = bufs->in,
        .wb = layer->param,
        .stat = bufs->keep,
        .shape = &layer->in,
    };

    tt_emit_norm_bwd(emit, kind, &n);
    return n.dx;
}

static int layernorm_bwd(const struct tt_emit *emit,
                         const struct tt_layer *layer,
                         const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    (void)need_dx;
    return norm_bwd(emit, layer, bufs, dy, TT_OP_LAYERNORM_BWD);
}

const struct tt_layer_type tt_layer_layernorm = {
    "layernorm", same_shape, norm_params, layernorm_fwd, layernorm_bwd,
};

static void batchnorm_params(struct tt_params *params, struct tt_layer *layer)
{
    static const char *const suffix[] = {"running_mean", "running_var"};

    norm_params(params, layer);
    for (int i = 0; i < 2; i++) {
        struct tt_param *p = tt_params_add(params, layer, 2 + i, suffix[i]);

        p->kind = TT_PARAM_STAT;
        p->dims = 1;
        p->dim[0] = layer->in.cols;
        p->init = i == 0 ? TT_INIT_ZERO : TT_INIT_ONE;
    }
}

static void batchnorm_train(const struct tt_emit *emit,
                            const struct tt_layer *layer,
                            struct tt_layer_bufs *bufs)
{
    int sum[2], wb[2];
    struct tt_op *op;

    for (int i = 0; i < 2; i++) {
        bufs->keep[i] = tt_prog_buf(emit->prog, i ? "rstd" : "mean",
                                    TT_SCOPE_LIST, TT_F32, 0, layer->in.cols);
        sum[i] = tt_emit_grad(emit, layer->param[2 + i]);
        wb[i] = tt_emit_weight(emit, layer->param[i]);
    }
    op = tt_prog_op(emit->prog, TT_OP_BATCHNORM);
    tt_op_ref(op, bufs->out, TT_REF_W);
    tt_op_ref(op, bufs->keep[0], TT_REF_W);
    tt_op_ref(op, bufs->keep[1], TT_REF_W);
    tt_op_ref(op, sum[0], TT_REF_ACC);
    tt_op_ref(op, sum[1], TT_REF_ACC);
    tt_op_ref(op, bufs->in, TT_REF_R);
    tt_op_ref(op, wb[0], TT_REF_R);
    tt_op_ref(op, wb[1], TT_REF_R);
    op->dim[0] = layer->in.rows;
    op->dim[1] = layer->in.cols;
    op->f[0] = layer->eps;
}

static void batchnorm_eval(const struct tt_emit *emit,
                           const struct tt_layer *layer,
                           struct tt_layer_bufs *bufs)
{
    static const int order[] = {2, 3, 0, 1}; /* running ones first */
    int view[4];
    struct tt_op *op;

    for (int i = 0; i < 4; i++)
        view[i] = tt_emit_weight(emit, layer->param[order[i]]);
    op = tt_prog_op(emit->prog, TT_OP_BATCHNORM_EVAL);
    tt_op_ref(op, bufs->out, TT_REF_W);
    tt_op_ref(op, bufs->in, TT_REF_R);
    for (int i = 0; i < 4; i++)
        tt_op_ref(op, view[i], TT_REF_R);
    op->dim[0] = layer->in.rows;
    op->dim[1] = layer->in.cols;
    op->f[0] = layer->eps;
}

static void batchnorm_fwd(const struct tt_emit *emit,
                          const struct tt_layer *layer,
                          struct tt_layer_bufs *bufs)
{
    bufs->out = tt_emit_act(emit, "norm", &layer->in);
    if (emit->train)
        batchnorm_train(emit, layer, bufs);
    else
        batchnorm_eval(emit, layer, bufs);
}

static int batchnorm_bwd(const struct tt_emit *emit,
                         const struct tt_layer *layer,
                         const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    (void)need_dx;
    return norm_bwd(emit, layer, bufs, dy, TT_OP_BATCHNORM_BWD);
}

const struct tt_layer_type tt_layer_batchnorm = {
    "batchnorm", same_shape, batchnorm_params, batchnorm_fwd, batchnorm_bwd,
};

/* --- flatten: (H, W, C) seen as one row --- */

static int flatten_shape(struct tt_layer *layer, struct tt_error *err)
{
    (void)err;
    layer->out = (struct tt_shape){.rows = 1, .cols = values_of(&layer->in)};
    return 0;
}

static void flatten_fwd(const struct tt_emit *emit,
                        const struct tt_layer *layer,
                        struct tt_layer_bufs *bufs)
{
    (void)emit;
    (void)layer;
    bufs->out = bufs->in;
}

static int flatten_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                       const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    (void)emit;
    (void)layer;
    (void)bufs;
    return need_dx ? dy : -1;
}

const struct tt_layer_type tt_layer_flatten = {
    "flatten", flatten_shape, NULL, flatten_fwd, flatten_bwd,
};
