/* SPDX-License-Identifier: BSD-3-Clause */
/* conv.c - two-dimensional convolution of NHWC images. */
#include "device/ref/ref_priv.h"

/* First element of x that tap (kh, kw) of output (b, oh, ow) reads, or -1 in
 * the padding. */
static int64_t in_x(const struct tt_conv_dims *c, int64_t pixel, int64_t tap)
{
    int64_t b = pixel / (c->OH * c->OW);
    int64_t oh = pixel / c->OW % c->OH, ow = pixel % c->OW;
    int64_t ih = oh * c->stride - c->pad + tap / c->KW;
    int64_t iw = ow * c->stride - c->pad + tap % c->KW;

    if (ih < 0 || ih >= c->H || iw < 0 || iw >= c->W)
        return -1;
    return ((b * c->H + ih) * c->W + iw) * c->I;
}

void tt_ref_conv(TT_KERNEL_ARGS)
{
    struct tt_conv_dims c = tt_conv_dims_of(op);
    float *y = ptr[0];
    const float *x = ptr[1], *w = ptr[2], *b = tt_ref_at(op, ptr, 3);
    int64_t pixels = now->valid_rows * c.OH * c.OW, taps = c.KH * c.KW;

    (void)work;
    for (int64_t j = 0; j < pixels * c.O; j++) {
        double sum = b != NULL ? (double)b[j % c.O] : 0;

        for (int64_t tap = 0; tap < taps; tap++) {
            int64_t from = in_x(&c, j / c.O, tap);

            for (int64_t i = 0; from >= 0 && i < c.I; i++)
                sum += (double)x[from + i] *
                       (double)w[(j % c.O * taps + tap) * c.I + i];
        }
        y[j] = (float)sum;
    }
}

/* Which output reads position 'at' of x with its tap 'tap', along one axis, or
 * -1 where none does. */
static int64_t reader(const struct tt_conv_dims *c, int64_t at, int64_t tap,
                      int64_t outputs)
{
    int64_t from = at + c->pad - tap;

    if (from < 0 || from % c->stride != 0 || from / c->stride >= outputs)
        return -1;
    return from / c->stride;
}

/* dx[(b, ih, iw, i)]: over the outputs that read it. */
static double dx_of(const struct tt_conv_dims *c, const float *dy,
                    const float *w, int64_t at)
{
    int64_t i = at % c->I, iw = at / c->I % c->W, ih = at / c->I / c->W % c->H;
    int64_t b = at / c->I / c->W / c->H, taps = c->KH * c->KW;
    double sum = 0;

    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t oh = reader(c, ih, tap / c->KW, c->OH);
        int64_t ow = reader(c, iw, tap % c->KW, c->OW);
        int64_t pixel = (b * c->OH + oh) * c->OW + ow;

        for (int64_t o = 0; oh >= 0 && ow >= 0 && o < c->O; o++)
            sum += (double)dy[pixel * c->O + o] *
                   (double)w[(o * taps + tap) * c->I + i];
    }
    return sum;
}

void tt_ref_conv_dx(TT_KERNEL_ARGS)
{
    struct tt_conv_dims c = tt_conv_dims_of(op);
    float *dx = ptr[0];
    const float *dy = ptr[1], *w = ptr[2];

    (void)work;
    for (int64_t at = 0; at < now->valid_rows * c.H * c.W * c.I; at++)
        tt_ref_put(&dx[at], tt_op_adds(op, 0, now), dx_of(&c, dy, w, at));
}

/* dw[(o, tap, i)]: over the pixels. */
static double dw_of(const struct tt_conv_dims *c, const float *dy,
                    const float *x, int64_t at, int64_t pixels)
{
    int64_t taps = c->KH * c->KW, o = at / (taps * c->I);
    double sum = 0;

    for (int64_t pixel = 0; pixel < pixels; pixel++) {
        int64_t from = in_x(c, pixel, at / c->I % taps);

        if (from >= 0)
            sum += (double)dy[pixel * c->O + o] * (double)x[from + at % c->I];
    }
    return sum;
}

void tt_ref_conv_dw(TT_KERNEL_ARGS)
{
    struct tt_conv_dims c = tt_conv_dims_of(op);
    float *dw = ptr[0], *db = tt_ref_at(op, ptr, 3);
    const float *dy = ptr[1], *x = ptr[2];
    int64_t pixels = now->valid_rows * c.OH * c.OW;

    (void)work;
    for (int64_t at = 0; at < c.O * c.KH * c.KW * c.I; at++)
        tt_ref_put(&dw[at], tt_op_adds(op, 0, now),
                   dw_of(&c, dy, x, at, pixels));
    for (int64_t o = 0; db != NULL && o < c.O; o++) {
        double sum = 0;

        for (int64_t pixel = 0; pixel < pixels; pixel++)
            sum += (double)dy[pixel * c.O + o];
        tt_ref_put(&db[o], tt_op_adds(op, 3, now), sum);
    }
}
