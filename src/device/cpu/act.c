/* SPDX-License-Identifier: BSD-3-Clause */
/* act.c - element-wise ops: activations, dropout, addition. */
#include "device/cpu/math_priv.h"
#include "device/cpu/philox_priv.h"

/* Elements that are worth a thread. */
enum { GRAIN = 16384 };

/* ---- y = act(z + b) ---- */

TT_INLINE void value_row(int act, float *z, const float *b, float *y,
                         int64_t count)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        float sum = z[i] + b[i];

        z[i] = sum;
        y[i] = tt_act_value(act, sum);
    }
}

TT_INLINE void value_flat(int act, const float *z, float *y, int64_t count)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        y[i] = tt_act_value(act, z[i]);
}

TT_INLINE void value_rows(int act, const struct tt_bias_act *a, int64_t begin,
                          int64_t end)
{
    float *z = a->z + begin * a->N, *y = a->y + begin * a->N;

    if (a->b == NULL)
        value_flat(act, z, y, (end - begin) * a->N);
    else
        for (int64_t r = begin; r < end; r++, z += a->N, y += a->N)
            value_row(act, z, a->b, y, a->N);
}

/* One loop for each activation. */
static void bias_act_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct tt_bias_act *a = ctx;

    (void)part;
    switch (a->act) {
    case TT_ACT_RELU:
        value_rows(TT_ACT_RELU, a, begin, end);
        break;
    case TT_ACT_GELU:
        value_rows(TT_ACT_GELU, a, begin, end);
        break;
    case TT_ACT_GELU_ERF:
        value_rows(TT_ACT_GELU_ERF, a, begin, end);
        break;
    case TT_ACT_TANH:
        value_rows(TT_ACT_TANH, a, begin, end);
        break;
    case TT_ACT_SIGMOID:
        value_rows(TT_ACT_SIGMOID, a, begin, end);
        break;
    default:
        value_rows(TT_ACT_NONE, a, begin, end);
    }
}

void TT_CPU(bias_act)(const struct tt_bias_act *a)
{
    if (a->b == NULL && a->act == TT_ACT_NONE && a->y == a->z)
        return;
    tt_cpu_split(a->rows, a->N < GRAIN ? GRAIN / a->N + 1 : 1, bias_act_part,
                 a);
}

void TT_CPU(act)(TT_KERNEL_ARGS)
{
    (void)work;
    TT_CPU(bias_act)
    (&(struct tt_bias_act){(int)op->dim[1], ptr[1], NULL, ptr[0],
                           tt_op_rows(op, now), 1});
}

/* ---- dx = dy act'(x) ---- */

struct act_bwd {
    int act;
    float *dx;
    const float *dy, *x;
};

TT_INLINE void slope_loop(int act, const struct act_bwd *a, int64_t begin,
                          int64_t end)
{
    float *dx = a->dx;
    const float *dy = a->dy, *x = a->x;

#pragma omp simd
    for (int64_t i = begin; i < end; i++)
        dx[i] = dy[i] * tt_act_slope(act, x[i]);
}

static void act_bwd_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct act_bwd *a = ctx;

    (void)part;
    switch (a->act) {
    case TT_ACT_RELU:
        slope_loop(TT_ACT_RELU, a, begin, end);
        break;
    case TT_ACT_GELU:
        slope_loop(TT_ACT_GELU, a, begin, end);
        break;
    case TT_ACT_GELU_ERF:
        slope_loop(TT_ACT_GELU_ERF, a, begin, end);
        break;
    case TT_ACT_TANH:
        slope_loop(TT_ACT_TANH, a, begin, end);
        break;
    case TT_ACT_SIGMOID:
        slope_loop(TT_ACT_SIGMOID, a, begin, end);
        break;
    default:
        slope_loop(TT_ACT_NONE, a, begin, end);
    }
}

void TT_CPU(act_bwd)(TT_KERNEL_ARGS)
{
    struct act_bwd a = {(int)op->dim[1], ptr[0], ptr[1], ptr[2]};

    (void)work;
    tt_cpu_split(tt_op_rows(op, now), GRAIN, act_bwd_part, &a);
}

/* ---- dropout ---- */

struct dropout {
    const struct tt_op *op;
    const struct tt_now *now;
    float *y;
    const float *x;
};

/* One run of one sample. */
static void dropout_run(const struct dropout *d, int64_t sample, int64_t first,
                        int64_t count)
{
    uint32_t room[TT_RUN_ROOM], below = tt_drop_below(d->op->f[0]);
    const uint32_t *word =
        tt_stream_run(tt_stream_of(d->op, d->now, sample), first, count, room);
    float scale = (float)(1 / (1 - d->op->f[0]));
    float *y = d->y + sample * d->op->dim[0] + first;
    const float *x = d->x + sample * d->op->dim[0] + first;

#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        y[i] = word[i] >> 8 >= below ? x[i] * scale : 0.0f;
}

static int64_t runs_of(const struct tt_op *op)
{
    return (op->dim[0] + TT_RUN_WORDS - 1) / TT_RUN_WORDS;
}

static void dropout_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct dropout *d = ctx;
    int64_t runs = runs_of(d->op), count = d->op->dim[0];

    (void)part;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = i % runs * TT_RUN_WORDS;
        int64_t left = count - first;

        dropout_run(d, i / runs, first,
                    left < TT_RUN_WORDS ? left : TT_RUN_WORDS);
    }
}

void TT_CPU(dropout)(TT_KERNEL_ARGS)
{
    struct dropout d = {op, now, ptr[0], ptr[1]};
    int64_t count = op->dim[0];

    (void)work;
    tt_cpu_split(now->valid_rows * runs_of(op),
                 count < TT_RUN_WORDS ? 8 * TT_RUN_WORDS / (count + 1) + 1 : 8,
                 dropout_part, &d);
}

/* ---- addition ---- */

struct add {
    float *y;
    const float *a, *b;
};

static void add_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct add *s = ctx;
    float *y = s->y;
    const float *a = s->a, *b = s->b;

    (void)part;
#pragma omp simd
    for (int64_t i = begin; i < end; i++)
        y[i] = a[i] + b[i];
}

void TT_CPU(add)(TT_KERNEL_ARGS)
{
    struct add s = {ptr[0], ptr[1], ptr[2]};

    (void)work;
    tt_cpu_split(tt_op_rows(op, now), GRAIN, add_part, &s);
}
