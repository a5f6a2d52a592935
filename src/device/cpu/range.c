/* SPDX-License-Identifier: BSD-3-Clause */
/* range.c - ops on fixed ranges of elements: zero, sum, norms, statistics. */
#include <string.h>

#include "base/exact.h"
#include "device/cpu/cpu_priv.h"

/* Elements that are worth a thread; a multiple of the 512 that are one block
 * of an exact sum. */
enum { GRAIN = 32768, BLOCK = 512, LANES = 16 };

struct range {
    float *y;
    const float *x;
    struct tt_exact *sum; /* per part */
};

static void zero_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct range *r = ctx;

    (void)part;
    memset(r->y + begin, 0, (size_t)(end - begin) * sizeof(float));
}

void TT_CPU(zero)(TT_KERNEL_ARGS)
{
    struct range r = {.y = ptr[0]};

    (void)now;
    (void)work;
    tt_cpu_split(op->dim[0], GRAIN, zero_part, &r);
}

static void sum_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct range *r = ctx;
    float *y = r->y;
    const float *x = r->x;

    (void)part;
#pragma omp simd
    for (int64_t i = begin; i < end; i++)
        y[i] += x[i];
}

void TT_CPU(sum)(TT_KERNEL_ARGS)
{
    struct range r = {.y = ptr[0], .x = ptr[1]};

    (void)now;
    (void)work;
    tt_cpu_split(op->dim[0], GRAIN, sum_part, &r);
}

/* Sum of squares of one block in LANES partial sums, whatever the vectors. */
static double block_sumsq(const float *x, int64_t count)
{
    double lane[LANES] = {0}, sum = 0;
    int64_t whole = count / LANES * LANES;

    for (int64_t i = 0; i < whole; i += LANES) {
#pragma omp simd
        for (int j = 0; j < LANES; j++)
            lane[j] += (double)x[i + j] * (double)x[i + j];
    }
    for (int64_t i = whole; i < count; i++)
        lane[i - whole] += (double)x[i] * (double)x[i];
    for (int j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

static void sumsq_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct range *r = ctx;

    for (int64_t first = begin; first < end; first += BLOCK)
        tt_exact_add(&r->sum[part],
                     block_sumsq(r->x + first,
                                 end - first < BLOCK ? end - first : BLOCK));
}

void TT_CPU(sumsq)(TT_KERNEL_ARGS)
{
    struct range r = {.x = ptr[1], .sum = ptr[0]};
    int parts = tt_cpu_parts(op->dim[0], GRAIN);

    (void)now;
    if (parts == 1) {
        sumsq_part(&r, 0, op->dim[0], 0);
        return;
    }
    r.sum = work;
    memset(work, 0, (size_t)parts * sizeof(*r.sum));
    tt_cpu_split(op->dim[0], GRAIN, sumsq_part, &r);
    for (int i = 0; i < parts; i++)
        tt_exact_merge(ptr[0], &r.sum[i]);
}

size_t TT_CPU(sumsq_work)(const struct tt_op *op, int64_t samples)
{
    (void)op;
    (void)samples;
    return (size_t)tt_cpu_threads() * sizeof(struct tt_exact);
}

void TT_CPU(running)(TT_KERNEL_ARGS)
{
    float *running = ptr[0];
    const float *stat = ptr[1];
    float momentum = (float)op->f[0];
    float share = 1.0f / (float)(now->micro_count > 0 ? now->micro_count : 1);

    (void)work;
    if (now->micro_count <= 0)
        return;
#pragma omp simd
    for (int64_t i = 0; i < op->dim[0]; i++)
        running[i] += momentum * (stat[i] * share - running[i]);
}
