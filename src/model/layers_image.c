/* SPDX-License-Identifier: BSD-3-Clause */
/* layers_image.c - convolution and pooling on (B, H, W, C). */
#include <math.h>

#include "model/layer.h"

static int64_t window_count(int64_t n, const struct tt_layer *layer)
{
    return (n + 2 * layer->pad - layer->kernel) / layer->stride + 1;
}

static int window_shape(struct tt_layer *layer, int64_t cols,
                        struct tt_error *err)
{
    const struct tt_shape *in = &layer->in;

    if (in->h == 0)
        return tt_fail(err, TT_EINVAL,
                       "needs an image (height, width[, channels]), gets %lld "
                       "values in a row",
                       (long long)in->cols);
    if (in->h + 2 * layer->pad < layer->kernel ||
        in->w + 2 * layer->pad < layer->kernel)
        return tt_fail(err, TT_EINVAL,
                       "a window of %lld does not fit an image of %lld x %lld "
                       "padded by %lld: use a smaller one or fewer pools",
                       (long long)layer->kernel, (long long)in->h,
                       (long long)in->w, (long long)layer->pad);
    layer->out.h = window_count(in->h, layer);
    layer->out.w = window_count(in->w, layer);
    layer->out.rows = layer->out.h * layer->out.w;
    layer->out.cols = cols;
    return 0;
}

/* --- conv: width output channels --- */

static int conv_shape(struct tt_layer *layer, struct tt_error *err)
{
    return window_shape(layer, layer->width, err);
}

/* Uniform in +-1/sqrt(inputs of one output), as PyTorch's Conv2d. */
static void conv_params(struct tt_params *params, struct tt_layer *layer)
{
    int64_t fan_in = layer->kernel * layer->kernel * layer->in.cols;
    struct tt_param *w = tt_params_add(params, layer, 0, "weight");
    struct tt_param *b = tt_params_add(params, layer, 1, "bias");

    w->dims = 4; /* (O, KH, KW, I) */
    w->dim[0] = layer->width;
    w->dim[1] = w->dim[2] = layer->kernel;
    w->dim[3] = layer->in.cols;
    w->decays = true;
    b->dims = 1;
    b->dim[0] = layer->width;
    w->init = b->init = TT_INIT_UNIFORM;
    w->init_scale = b->init_scale = 1.0 / sqrt((double)fan_in);
}

static void conv_dims(struct tt_op *op, const struct tt_layer *layer)
{
    const int64_t dim[] = {
        layer->in.h,   layer->in.w,   layer->in.cols, layer->width,
        layer->kernel, layer->kernel, layer->stride,  layer->pad,
        layer->out.h,  layer->out.w,
    };

    for (unsigned i = 0; i < sizeof(dim) / sizeof(dim[0]); i++)
        op->dim[i] = dim[i];
}

static void conv_fwd(const struct tt_emit *emit, const struct tt_layer *layer,
                     struct tt_layer_bufs *bufs)
{
    int w = tt_emit_weight(emit, layer->param[0]);
    int b = tt_emit_weight(emit, layer->param[1]);
    struct tt_op *op;

    bufs->out = tt_emit_act(emit, "conv", &layer->out);
    op = tt_prog_op(emit->prog, TT_OP_CONV);
    tt_op_ref(op, bufs->out, TT_REF_W);
    tt_op_ref(op, bufs->in, TT_REF_R);
    tt_op_ref(op, w, TT_REF_R);
    tt_op_ref(op, b, TT_REF_R);
    conv_dims(op, layer);
}

static int conv_dx(const struct tt_emit *emit, const struct tt_layer *layer,
                   int dy)
{
    int dx = tt_emit_act(emit, "d-conv", &layer->in);
    int w = tt_emit_weight(emit, layer->param[0]);
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_CONV_DX);

    tt_op_ref(op, dx, TT_REF_W);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, w, TT_REF_R);
    conv_dims(op, layer);
    return dx;
}

static int conv_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                    const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    int dw = tt_emit_grad(emit, layer->param[0]);
    int db = tt_emit_grad(emit, layer->param[1]);
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_CONV_DW);

    tt_op_ref(op, dw, TT_REF_ACC);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, bufs->in, TT_REF_R);
    tt_op_ref(op, db, TT_REF_ACC);
    conv_dims(op, layer);
    return need_dx ? conv_dx(emit, layer, dy) : -1;
}

const struct tt_layer_type tt_layer_conv = {
    "conv", conv_shape, conv_params, conv_fwd, conv_bwd,
};

/* --- pools --- */

static int pool_shape(struct tt_layer *layer, struct tt_error *err)
{
    return window_shape(layer, layer->in.cols, err);
}

static void pool_dims(struct tt_op *op, const struct tt_layer *layer)
{
    const int64_t dim[] = {
        layer->in.h,   layer->in.w, layer->in.cols, layer->kernel,
        layer->stride, layer->pad,  layer->out.h,   layer->out.w,
    };

    for (unsigned i = 0; i < sizeof(dim) / sizeof(dim[0]); i++)
        op->dim[i] = dim[i];
}

static void maxpool_fwd(const struct tt_emit *emit,
                        const struct tt_layer *layer,
                        struct tt_layer_bufs *bufs)
{
    struct tt_op *op;

    bufs->out = tt_emit_act(emit, "pool", &layer->out);
    bufs->keep[0] = tt_prog_buf(emit->prog, "pool-idx", TT_SCOPE_LIST, TT_I32,
                                layer->out.rows * layer->out.cols, 0);
    op = tt_prog_op(emit->prog, TT_OP_MAXPOOL);
    tt_op_ref(op, bufs->out, TT_REF_W);
    tt_op_ref(op, bufs->keep[0], TT_REF_W);
    tt_op_ref(op, bufs->in, TT_REF_R);
    pool_dims(op, layer);
}

static int maxpool_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                       const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    int dx;
    struct tt_op *op;

    if (!need_dx)
        return -1;
    dx = tt_emit_act(emit, "d-pool", &layer->in);
    op = tt_prog_op(emit->prog, TT_OP_MAXPOOL_BWD);
    tt_op_ref(op, dx, TT_REF_W);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, bufs->keep[0], TT_REF_R);
    pool_dims(op, layer);
    return dx;
}

const struct tt_layer_type tt_layer_maxpool = {
    "maxpool", pool_shape, NULL, maxpool_fwd, maxpool_bwd,
};

static void avgpool_fwd(const struct tt_emit *emit,
                        const struct tt_layer *layer,
                        struct tt_layer_bufs *bufs)
{
    struct tt_op *op;

    bufs->out = tt_emit_act(emit, "pool", &layer->out);
    op = tt_prog_op(emit->prog, TT_OP_AVGPOOL);
    tt_op_ref(op, bufs->out, TT_REF_W);
    tt_op_ref(op, bufs->in, TT_REF_R);
    pool_dims(op, layer);
}

static int avgpool_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                       const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    int dx;
    struct tt_op *op;

    (void)bufs;
    if (!need_dx)
        return -1;
    dx = tt_emit_act(emit, "d-pool", &layer->in);
    op = tt_prog_op(emit->prog, TT_OP_AVGPOOL_BWD);
    tt_op_ref(op, dx, TT_REF_W);
    tt_op_ref(op, dy, TT_REF_R);
    pool_dims(op, layer);
    return dx;
}

const struct tt_layer_type tt_layer_avgpool = {
    "avgpool", pool_shape, NULL, avgpool_fwd, avgpool_bwd,
};
