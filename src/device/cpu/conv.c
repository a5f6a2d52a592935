/* SPDX-License-Identifier: BSD-3-Clause */
/* conv.c - convolution of NHWC images: by a library where it has them, else as
 * matrix products.
 *
 * The pixels that each output reads are copied side by side into "col"
 * (outputs, KH KW I), some lines of outputs at a time so that it stays in the
 * second cache; then y = col w^T, dw = dy^T col, and dx = dy w added back. */
#include <string.h>

#include "device/cpu/conv_lib_priv.h"
#include "device/cpu/cpu_priv.h"

enum { COL_FLOATS = 131072 };

struct conv {
    struct tt_conv_dims d;
    float *y, *dx, *dw;
    const float *x, *w, *dy;
    float *work;
    int64_t taps, lines; /* KH KW I; lines of outputs in one col */
    int64_t col_floats;
    bool direct; /* 1 x 1: x is its own col */
    bool adds;
};

/* A run of lines of outputs: line = sample x OH + oh. */
struct run {
    int64_t line, lines;
};

static struct conv conv_of(const struct tt_op *op, void *work)
{
    struct conv c = {.d = tt_conv_dims_of(op), .work = work};
    const struct tt_conv_dims *d = &c.d;

    c.taps = d->KH * d->KW * d->I;
    c.lines = COL_FLOATS / (d->OW * c.taps);
    if (c.lines < 1)
        c.lines = 1;
    c.col_floats = c.lines * d->OW * c.taps;
    c.direct = d->KH * d->KW == 1 && d->stride == 1 && d->pad == 0;
    return c;
}

size_t TT_CPU(conv_work)(const struct tt_op *op, int64_t samples)
{
    struct conv c = conv_of(op, NULL);

    (void)samples;
    return (size_t)(c.col_floats * tt_cpu_threads()) * sizeof(float);
}

static int64_t dw_floats(const struct conv *c)
{
    return c->d.O * c->taps;
}

size_t TT_CPU(conv_dw_work)(const struct tt_op *op, int64_t samples)
{
    struct conv c = conv_of(op, NULL);
    int64_t each = c.col_floats + dw_floats(&c);

    (void)samples;
    return (size_t)(each * tt_cpu_threads() + TT_COL_BLOCKS * c.d.O) *
           sizeof(float);
}

/* Tap row kh of output (line, ow): where its KW pixels begin in x, and which
 * of them are in the image.  false where none is. */
struct span {
    int64_t at, first, last;
};

static bool span_of(const struct tt_conv_dims *d, int64_t line, int64_t ow,
                    int64_t kh, struct span *s)
{
    int64_t ih = line % d->OH * d->stride - d->pad + kh;
    int64_t iw = ow * d->stride - d->pad;

    if (ih < 0 || ih >= d->H)
        return false;
    s->at = ((line / d->OH * d->H + ih) * d->W + iw) * d->I;
    s->first = iw < 0 ? -iw : 0;
    s->last = d->W - iw < d->KW ? d->W - iw : d->KW;
    return s->first < s->last;
}

static void zero(float *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = 0;
}

static void copy(float *to, const float *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* One output's row of col. */
static void gather_pixel(const struct conv *c, int64_t line, int64_t ow,
                         float *col)
{
    int64_t I = c->d.I, width = c->d.KW * I;
    struct span s;

    for (int64_t kh = 0; kh < c->d.KH; kh++, col += width) {
        if (!span_of(&c->d, line, ow, kh, &s)) {
            zero(col, width);
            continue;
        }
        zero(col, s.first * I);
        copy(col + s.first * I, c->x + s.at + s.first * I,
             (s.last - s.first) * I);
        zero(col + s.last * I, width - s.last * I);
    }
}

static const float *gather(const struct conv *c, struct run run, float *col)
{
    if (c->direct)
        return c->x + run.line * c->d.OW * c->d.I;
    for (int64_t l = 0; l < run.lines; l++)
        for (int64_t ow = 0; ow < c->d.OW; ow++)
            gather_pixel(c, run.line + l, ow,
                         col + (l * c->d.OW + ow) * c->taps);
    return col;
}

/* Add col back to the pixels that it came from. */
static void scatter_pixel(const struct conv *c, int64_t line, int64_t ow,
                          const float *col)
{
    int64_t I = c->d.I, width = c->d.KW * I;
    struct span s;

    for (int64_t kh = 0; kh < c->d.KH; kh++, col += width) {
        if (!span_of(&c->d, line, ow, kh, &s))
            continue;
        float *dx = c->dx + s.at;

#pragma omp simd
        for (int64_t i = s.first * I; i < s.last * I; i++)
            dx[i] += col[i];
    }
}

static struct run run_at(const struct conv *c, int64_t line, int64_t end)
{
    return (struct run){line, end - line < c->lines ? end - line : c->lines};
}

/* Samples that are worth a thread. */
static int64_t sample_grain(const struct conv *c)
{
    return 1 + 65536 / (c->d.OH * c->d.OW * c->taps * c->d.O + 1);
}

static void forward_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct conv *c = ctx;
    const struct tt_conv_dims *d = &c->d;
    float *col = c->work + part * c->col_floats;
    struct tt_gemm g = {.tb = true,
                        .n = d->O,
                        .k = c->taps,
                        .b = c->w,
                        .lda = c->taps,
                        .ldb = c->taps,
                        .ldc = d->O};

    for (int64_t line = begin * d->OH; line < end * d->OH; line += c->lines) {
        struct run run = run_at(c, line, end * d->OH);

        g.m = run.lines * d->OW;
        g.a = gather(c, run, col);
        g.c = c->y + line * d->OW * d->O;
        TT_CPU(gemm)(&g);
    }
}

void TT_CPU(conv)(TT_KERNEL_ARGS)
{
    struct conv c = conv_of(op, work);
    float *b = tt_ref_at(op, ptr, 3);

    if (tt_conv_lib_run(&(struct tt_conv_call){TT_CONV_FORWARD, now->valid_rows,
                                               c.d, ptr[1], ptr[2], ptr[0], b}))
        return;
    c.y = ptr[0];
    c.x = ptr[1];
    c.w = ptr[2];
    tt_cpu_split(now->valid_rows, sample_grain(&c), forward_part, &c);
    if (b != NULL)
        TT_CPU(bias_act)
    (&(struct tt_bias_act){TT_ACT_NONE, c.y, b, c.y,
                           now->valid_rows * c.d.OH * c.d.OW, c.d.O});
}

static void dx_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct conv *c = ctx;
    const struct tt_conv_dims *d = &c->d;
    int64_t image = d->H * d->W * d->I;
    float *col = c->work + part * c->col_floats;
    struct tt_gemm g = {.n = c->taps,
                        .k = d->O,
                        .b = c->w,
                        .lda = d->O,
                        .ldb = c->taps,
                        .c = col,
                        .ldc = c->taps};

    if (!c->adds)
        memset(c->dx + begin * image, 0,
               (size_t)((end - begin) * image) * sizeof(float));
    for (int64_t line = begin * d->OH; line < end * d->OH; line += c->lines) {
        struct run run = run_at(c, line, end * d->OH);

        g.m = run.lines * d->OW;
        g.a = c->dy + line * d->OW * d->O;
        TT_CPU(gemm)(&g);
        for (int64_t i = 0; i < g.m; i++)
            scatter_pixel(c, line + i / d->OW, i % d->OW, col + i * c->taps);
    }
}

void TT_CPU(conv_dx)(TT_KERNEL_ARGS)
{
    struct conv c = conv_of(op, work);

    c.adds = tt_op_adds(op, 0, now);
    if (!c.adds &&
        tt_conv_lib_run(&(struct tt_conv_call){TT_CONV_DX, now->valid_rows, c.d,
                                               ptr[0], ptr[2], ptr[1], NULL}))
        return;
    c.dx = ptr[0];
    c.dy = ptr[1];
    c.w = ptr[2];
    tt_cpu_split(now->valid_rows, sample_grain(&c), dx_part, &c);
}

/* Each part sums its samples into its own dw. */
static void dw_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct conv *c = ctx;
    const struct tt_conv_dims *d = &c->d;
    float *dw = c->work + part * (c->col_floats + dw_floats(c));
    float *col = dw + dw_floats(c);
    struct tt_gemm g = {.ta = true,
                        .m = d->O,
                        .n = c->taps,
                        .lda = d->O,
                        .ldb = c->taps,
                        .c = dw,
                        .ldc = c->taps};

    memset(dw, 0, (size_t)dw_floats(c) * sizeof(*dw));
    g.adds = true;
    for (int64_t line = begin * d->OH; line < end * d->OH; line += c->lines) {
        struct run run = run_at(c, line, end * d->OH);

        g.k = run.lines * d->OW;
        g.a = c->dy + line * d->OW * d->O;
        g.b = gather(c, run, col);
        TT_CPU(gemm)(&g);
    }
}

/* to = [to +] from. */
static void take(float *to, const float *from, int64_t count, bool adds)
{
    if (!adds)
        memcpy(to, from, (size_t)count * sizeof(*to));
#pragma omp simd
    for (int64_t i = 0; i < (adds ? count : 0); i++)
        to[i] += from[i];
}

/* dw = [dw +] the parts' sums, in order. */
static void collect(const struct conv *c, int parts)
{
    for (int part = 0; part < parts; part++)
        take(c->dw, c->work + part * (c->col_floats + dw_floats(c)),
             dw_floats(c), c->adds || part > 0);
}

/* By the library into 'work', and from there to dw and db. */
static bool dw_by_library(const struct conv *c, float *db, bool db_adds,
                          int64_t samples)
{
    struct tt_conv_call call = {
        TT_CONV_DW,
        samples,
        c->d,
        (float *)c->x,
        c->work,
        (float *)c->dy,
        db != NULL ? c->work + dw_floats(c) : NULL,
    };

    if (!tt_conv_lib_run(&call))
        return false;
    take(c->dw, call.w, dw_floats(c), c->adds);
    if (db != NULL)
        take(db, call.b, c->d.O, db_adds);
    return true;
}

void TT_CPU(conv_dw)(TT_KERNEL_ARGS)
{
    struct conv c = conv_of(op, work);
    float *db = tt_ref_at(op, ptr, 3);
    int64_t samples = now->valid_rows, grain = sample_grain(&c);
    int64_t each = c.col_floats + dw_floats(&c);

    c.dw = ptr[0];
    c.dy = ptr[1];
    c.x = ptr[2];
    c.adds = tt_op_adds(op, 0, now);
    if (dw_by_library(&c, db, db != NULL && tt_op_adds(op, 3, now), samples))
        return;
    tt_cpu_split(samples, grain, dw_part, &c);
    collect(&c, tt_cpu_parts(samples, grain));
    if (db != NULL)
        TT_CPU(colsum)
    (c.dy, samples * c.d.OH * c.d.OW, c.d.O, c.work + each * tt_cpu_threads(),
     db, tt_op_adds(op, 3, now));
}
