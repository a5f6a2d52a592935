/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c - maximum and average over windows of NHWC images; vectors run over
 * the channels of a pixel. */
#include <string.h>

#include "device/cpu/cpu_priv.h"

struct pool {
    struct tt_pool_dims d;
    float *y, *dx;
    int32_t *idx;
    const float *x, *dy;
};

/* A window of one output pixel, cut at the borders of the image. */
struct window {
    int64_t h0, h1, w0, w1;
};

static struct window window_at(const struct tt_pool_dims *d, int64_t oh,
                               int64_t ow)
{
    int64_t h = oh * d->stride - d->pad, w = ow * d->stride - d->pad;

    return (struct window){h < 0 ? 0 : h, h + d->K < d->H ? h + d->K : d->H,
                           w < 0 ? 0 : w, w + d->K < d->W ? w + d->K : d->W};
}

/* Output pixels that are worth a thread. */
static int64_t line_grain(const struct tt_pool_dims *d)
{
    return 1 + 8192 / (d->OW * d->C * d->K);
}

static void start_max(float *y, int32_t *idx, int64_t C, const float *x,
                      int32_t at)
{
#pragma omp simd
    for (int64_t c = 0; c < C; c++) {
        y[c] = x[c];
        idx[c] = at + (int32_t)c;
    }
}

static void take_max(float *y, int32_t *idx, int64_t C, const float *x,
                     int32_t at)
{
#pragma omp simd
    for (int64_t c = 0; c < C; c++) {
        bool more = x[c] > y[c];

        y[c] = more ? x[c] : y[c];
        idx[c] = more ? at + (int32_t)c : idx[c];
    }
}

/* A whole window of 2 x 2, the usual one, in one go; 'line' is what lies
 * between its lines. */
static void max_of_four(float *y, int32_t *idx, int64_t C, const float *x,
                        int32_t at, int64_t line)
{
    const float *below = x + line;
    int32_t at_below = at + (int32_t)line, next = (int32_t)C;

#pragma omp simd
    for (int32_t c = 0; c < next; c++) {
        bool right = x[c + C] > x[c], right_below = below[c + C] > below[c];
        float top = right ? x[c + C] : x[c];
        float bottom = right_below ? below[c + C] : below[c];
        int32_t top_at = right ? at + next : at;
        int32_t bottom_at = right_below ? at_below + next : at_below;

        y[c] = bottom > top ? bottom : top;
        idx[c] = (bottom > top ? bottom_at : top_at) + c;
    }
}

static void max_pixel(const struct pool *p, int64_t out, struct window w,
                      const float *x)
{
    const struct tt_pool_dims *d = &p->d;
    float *y = p->y + out * d->C;
    int32_t *idx = p->idx + out * d->C;
    bool first = true;

    if (w.h1 - w.h0 == 2 && w.w1 - w.w0 == 2) {
        int64_t at = (w.h0 * d->W + w.w0) * d->C;

        max_of_four(y, idx, d->C, x + at, (int32_t)at, d->W * d->C);
        return;
    }

    for (int64_t ih = w.h0; ih < w.h1; ih++)
        for (int64_t iw = w.w0; iw < w.w1; iw++) {
            int64_t at = (ih * d->W + iw) * d->C;

            (first ? start_max : take_max)(y, idx, d->C, x + at, (int32_t)at);
            first = false;
        }
    for (int64_t c = 0; first && c < d->C; c++) {
        y[c] = 0;
        idx[c] = -1;
    }
}

/* Lines of outputs: line = sample x OH + oh. */
static void maxpool_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct pool *p = ctx;
    const struct tt_pool_dims *d = &p->d;

    (void)part;
    for (int64_t line = begin; line < end; line++)
        for (int64_t ow = 0; ow < d->OW; ow++)
            max_pixel(p, line * d->OW + ow, window_at(d, line % d->OH, ow),
                      p->x + line / d->OH * d->H * d->W * d->C);
}

void TT_CPU(maxpool)(TT_KERNEL_ARGS)
{
    struct pool p = {
        .d = tt_pool_dims_of(op), .y = ptr[0], .idx = ptr[1], .x = ptr[2]};

    (void)work;
    tt_cpu_split(now->valid_rows * p.d.OH, line_grain(&p.d), maxpool_part, &p);
}

/* dx += dy where idx says so, for one pixel of the window. */
static void give_max(float *dx, const float *dy, const int32_t *idx, int64_t C,
                     int32_t at)
{
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        dx[c] += idx[c] == at + (int32_t)c ? dy[c] : 0.0f;
}

/* Windows of 2 x 2 that tile the image: every pixel is written once. */
static bool tiles(const struct tt_pool_dims *d)
{
    return d->K == 2 && d->stride == 2 && d->pad == 0 && d->H == 2 * d->OH &&
           d->W == 2 * d->OW;
}

static void give_four(float *dx, const float *dy, const int32_t *idx,
                      int32_t at, const struct tt_pool_dims *d)
{
    int32_t C = (int32_t)d->C, line = (int32_t)(d->W * d->C);
    float *below = dx + line;

#pragma omp simd
    for (int32_t c = 0; c < C; c++) {
        int32_t which = idx[c] - c - at;

        dx[c] = which == 0 ? dy[c] : 0.0f;
        dx[c + C] = which == C ? dy[c] : 0.0f;
        below[c] = which == line ? dy[c] : 0.0f;
        below[c + C] = which == line + C ? dy[c] : 0.0f;
    }
}

static void maxpool_bwd_tiles(const struct pool *p, int64_t sample)
{
    const struct tt_pool_dims *d = &p->d;
    float *dx = p->dx + sample * d->H * d->W * d->C;
    int64_t from = sample * d->OH * d->OW * d->C;

    for (int64_t oh = 0; oh < d->OH; oh++)
        for (int64_t ow = 0; ow < d->OW; ow++, from += d->C) {
            int64_t at = (oh * 2 * d->W + ow * 2) * d->C;

            give_four(dx + at, p->dy + from, p->idx + from, (int32_t)at, d);
        }
}

static void maxpool_bwd_image(const struct pool *p, int64_t sample)
{
    const struct tt_pool_dims *d = &p->d;
    int64_t image = d->H * d->W * d->C;
    float *dx = p->dx + sample * image;

    if (tiles(d)) {
        maxpool_bwd_tiles(p, sample);
        return;
    }
    memset(dx, 0, (size_t)image * sizeof(*dx));
    for (int64_t out = 0; out < d->OH * d->OW; out++) {
        struct window w = window_at(d, out / d->OW, out % d->OW);
        int64_t from = (sample * d->OH * d->OW + out) * d->C;

        for (int64_t ih = w.h0; ih < w.h1; ih++)
            for (int64_t iw = w.w0; iw < w.w1; iw++) {
                int64_t at = (ih * d->W + iw) * d->C;

                give_max(dx + at, p->dy + from, p->idx + from, d->C,
                         (int32_t)at);
            }
    }
}

static void maxpool_bwd_part(const void *ctx, int64_t begin, int64_t end,
                             int part)
{
    (void)part;
    for (int64_t sample = begin; sample < end; sample++)
        maxpool_bwd_image(ctx, sample);
}

/* Samples that are worth a thread. */
static int64_t image_grain(const struct tt_pool_dims *d)
{
    return 1 + 8192 / (d->H * d->W * d->C);
}

void TT_CPU(maxpool_bwd)(TT_KERNEL_ARGS)
{
    struct pool p = {
        .d = tt_pool_dims_of(op), .dx = ptr[0], .dy = ptr[1], .idx = ptr[2]};

    (void)work;
    tt_cpu_split(now->valid_rows, image_grain(&p.d), maxpool_bwd_part, &p);
}

/* y += scale x. */
static void add_scaled(float *y, const float *x, int64_t C, float scale)
{
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        y[c] += scale * x[c];
}

static void avg_pixel(const struct pool *p, int64_t out, struct window w,
                      const float *x)
{
    const struct tt_pool_dims *d = &p->d;
    float *y = p->y + out * d->C;
    float scale = 1.0f / (float)(d->K * d->K);

    memset(y, 0, (size_t)d->C * sizeof(*y));
    for (int64_t ih = w.h0; ih < w.h1; ih++)
        for (int64_t iw = w.w0; iw < w.w1; iw++)
            add_scaled(y, x + (ih * d->W + iw) * d->C, d->C, scale);
}

static void avgpool_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct pool *p = ctx;
    const struct tt_pool_dims *d = &p->d;

    (void)part;
    for (int64_t line = begin; line < end; line++)
        for (int64_t ow = 0; ow < d->OW; ow++)
            avg_pixel(p, line * d->OW + ow, window_at(d, line % d->OH, ow),
                      p->x + line / d->OH * d->H * d->W * d->C);
}

void TT_CPU(avgpool)(TT_KERNEL_ARGS)
{
    struct pool p = {.d = tt_pool_dims_of(op), .y = ptr[0], .x = ptr[1]};

    (void)work;
    tt_cpu_split(now->valid_rows * p.d.OH, line_grain(&p.d), avgpool_part, &p);
}

static void avgpool_bwd_image(const struct pool *p, int64_t sample)
{
    const struct tt_pool_dims *d = &p->d;
    int64_t image = d->H * d->W * d->C;
    float *dx = p->dx + sample * image, scale = 1.0f / (float)(d->K * d->K);

    memset(dx, 0, (size_t)image * sizeof(*dx));
    for (int64_t out = 0; out < d->OH * d->OW; out++) {
        struct window w = window_at(d, out / d->OW, out % d->OW);
        const float *dy = p->dy + (sample * d->OH * d->OW + out) * d->C;

        for (int64_t ih = w.h0; ih < w.h1; ih++)
            for (int64_t iw = w.w0; iw < w.w1; iw++)
                add_scaled(dx + (ih * d->W + iw) * d->C, dy, d->C, scale);
    }
}

static void avgpool_bwd_part(const void *ctx, int64_t begin, int64_t end,
                             int part)
{
    (void)part;
    for (int64_t sample = begin; sample < end; sample++)
        avgpool_bwd_image(ctx, sample);
}

void TT_CPU(avgpool_bwd)(TT_KERNEL_ARGS)
{
    struct pool p = {.d = tt_pool_dims_of(op), .dx = ptr[0], .dy = ptr[1]};

    (void)work;
    tt_cpu_split(now->valid_rows, image_grain(&p.d), avgpool_bwd_part, &p);
}
