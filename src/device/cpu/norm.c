/* SPDX-License-Identifier: BSD-3-Clause */
/* norm.c - layer norm and batch norm.
 *
 * Sums over columns (gradients of gamma and beta, batch statistics) are made in
 * a fixed number of row blocks, as in colsum.c. */
#include <math.h>

#include "device/cpu/reduce_priv.h"

struct norm {
    float *y, *mean, *rstd;
    float *dx, *dgamma, *dbeta;
    const float *dy, *x, *gamma, *beta;
    float *partial; /* (blocks, 2, C) */
    int64_t rows, C, block_rows;
    double eps;
    bool adds; /* to dx */
};

size_t TT_CPU(norm_work)(const struct tt_op *op, int64_t samples)
{
    (void)samples;
    return (size_t)(TT_COL_BLOCKS * 2 + 2) * (size_t)op->dim[1] * sizeof(float);
}

/* Rows that are worth a thread. */
static int64_t row_grain(int64_t C)
{
    return 8192 / C + 1;
}

static void set_blocks(struct norm *n)
{
    n->block_rows = (n->rows / TT_COL_BLOCKS + 64) / 64 * 64;
}

static int64_t block_count(const struct norm *n)
{
    return (n->rows + n->block_rows - 1) / n->block_rows;
}

/* first .. end of a block's rows. */
static int64_t block_end(const struct norm *n, int64_t block)
{
    int64_t end = (block + 1) * n->block_rows;

    return end < n->rows ? end : n->rows;
}

/* out[c] = [out[c] +] sum over blocks of partial[which][c], in order. */
static void gather(const struct norm *n, int which, float *out, bool adds)
{
    int64_t C = n->C;

    if (!adds)
        memset(out, 0, (size_t)C * sizeof(*out));
    for (int64_t b = 0; b < block_count(n); b++) {
        const float *from = n->partial + (b * 2 + which) * C;

#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            out[c] += from[c];
    }
}

/* ---- layer norm ---- */

static void layernorm_row(const struct norm *n, int64_t r)
{
    int64_t C = n->C;
    float *y = n->y + r * C;
    const float *x = n->x + r * C, *gamma = n->gamma, *beta = n->beta;
    float mean = tt_row_sum(x, C) / (float)C;
    float var = tt_row_spread(x, mean, C) / (float)C;
    float rstd = (float)(1 / sqrt((double)var + n->eps));

    n->mean[r] = mean;
    n->rstd[r] = rstd;
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        y[c] = (x[c] - mean) * rstd * gamma[c] + beta[c];
}

static void layernorm_part(const void *ctx, int64_t begin, int64_t end,
                           int part)
{
    (void)part;
    for (int64_t r = begin; r < end; r++)
        layernorm_row(ctx, r);
}

void TT_CPU(layernorm)(TT_KERNEL_ARGS)
{
    struct norm n = {
        .y = ptr[0],
        .mean = ptr[1],
        .rstd = ptr[2],
        .x = ptr[3],
        .gamma = ptr[4],
        .beta = ptr[5],
        .C = op->dim[1],
        .eps = op->f[0],
    };

    (void)work;
    tt_cpu_split(tt_op_rows(op, now), row_grain(n.C), layernorm_part, &n);
}

/* Both norms' backward passes have the same refs. */
static struct norm norm_bwd_of(const struct tt_op *op, void *const *ptr,
                               const struct tt_now *now, void *work)
{
    struct norm n = {
        .dx = ptr[0],
        .dgamma = ptr[1],
        .dbeta = ptr[2],
        .dy = ptr[3],
        .x = ptr[4],
        .mean = ptr[5],
        .rstd = ptr[6],
        .gamma = ptr[7],
        .partial = work,
        .rows = tt_op_rows(op, now),
        .C = op->dim[1],
        .adds = tt_op_adds(op, 0, now),
    };

    set_blocks(&n);
    return n;
}

/* Sums over a row. */
struct row_sums {
    tt_vec sum, dot;
};

/* TT_VL columns: their share of dgamma, dbeta and of the row's sums. */
TT_INLINE void layernorm_columns(const struct norm *n, int64_t at, int64_t c,
                                 float *dgamma, struct row_sums *s)
{
    int64_t r = at / n->C;
    tt_vec dy = tt_vec_load(n->dy + at);
    tt_vec xhat = (tt_vec_load(n->x + at) - n->mean[r]) * n->rstd[r];
    tt_vec g = dy * tt_vec_load(n->gamma + c);
    float *dbeta = dgamma + n->C;

    s->sum += g;
    s->dot += g * xhat;
    tt_vec_store(dgamma + c, tt_vec_load(dgamma + c) + dy * xhat);
    tt_vec_store(dbeta + c, tt_vec_load(dbeta + c) + dy);
}

/* Row r's share of dgamma and dbeta (behind it), and the means that dx needs.
 */
static void layernorm_sums(const struct norm *n, int64_t r, float *dgamma,
                           float mean_of[2])
{
    int64_t C = n->C, c = 0;
    const float *dy = n->dy + r * C, *x = n->x + r * C;
    struct row_sums s = {{0}, {0}};
    float sum = 0, dot = 0;

    for (; c + TT_VL <= C; c += TT_VL)
        layernorm_columns(n, r * C + c, c, dgamma, &s);
    for (; c < C; c++) {
        float xhat = (x[c] - n->mean[r]) * n->rstd[r];
        float g = dy[c] * n->gamma[c];

        sum += g;
        dot += g * xhat;
        dgamma[c] += dy[c] * xhat;
        dgamma[C + c] += dy[c];
    }
    mean_of[0] = (sum + tt_vec_total(s.sum)) / (float)C;
    mean_of[1] = (dot + tt_vec_total(s.dot)) / (float)C;
}

static void layernorm_dx(const struct norm *n, int64_t r,
                         const float mean_of[2])
{
    int64_t C = n->C;
    float *dx = n->dx + r * C;
    const float *dy = n->dy + r * C, *x = n->x + r * C, *gamma = n->gamma;
    float mean = n->mean[r], rstd = n->rstd[r];
    float sum = mean_of[0], dot = mean_of[1];

    if (n->adds) {
#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            dx[c] +=
                rstd * (dy[c] * gamma[c] - sum - (x[c] - mean) * rstd * dot);
        return;
    }
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        dx[c] = rstd * (dy[c] * gamma[c] - sum - (x[c] - mean) * rstd * dot);
}

static void layernorm_bwd_part(const void *ctx, int64_t begin, int64_t end,
                               int part)
{
    const struct norm *n = ctx;
    float mean_of[2];

    (void)part;
    for (int64_t block = begin; block < end; block++) {
        float *dgamma = n->partial + block * 2 * n->C;

        memset(dgamma, 0, (size_t)n->C * 2 * sizeof(float));
        for (int64_t r = block * n->block_rows; r < block_end(n, block); r++) {
            layernorm_sums(n, r, dgamma, mean_of);
            layernorm_dx(n, r, mean_of);
        }
    }
}

void TT_CPU(layernorm_bwd)(TT_KERNEL_ARGS)
{
    struct norm n = norm_bwd_of(op, ptr, now, work);

    tt_cpu_split(block_count(&n), 1 + 8192 / (n.block_rows * n.C),
                 layernorm_bwd_part, &n);
    gather(&n, 0, n.dgamma, tt_op_adds(op, 1, now));
    gather(&n, 1, n.dbeta, tt_op_adds(op, 2, now));
}

/* ---- batch norm ---- */

static void spread_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct norm *n = ctx;
    const float *mean = n->mean;
    int64_t C = n->C;

    (void)part;
    for (int64_t block = begin; block < end; block++) {
        float *sum = n->partial + block * 2 * C;
        const float *x = n->x + block * n->block_rows * C;

        memset(sum, 0, (size_t)C * sizeof(float));
        for (int64_t r = block * n->block_rows; r < block_end(n, block);
             r++, x += C) {
#pragma omp simd
            for (int64_t c = 0; c < C; c++)
                sum[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
        }
    }
}

static int64_t block_grain(const struct norm *n)
{
    return 1 + 8192 / (n->block_rows * n->C);
}

/* mean (C), and rstd (C) that still holds the sum of squared distances. */
static void batch_sums(struct norm *n)
{
    float count = (float)(n->rows > 0 ? n->rows : 1);

    TT_CPU(colsum)(n->x, n->rows, n->C, n->partial, n->mean, false);
    for (int64_t c = 0; c < n->C; c++)
        n->mean[c] /= count;
    tt_cpu_split(block_count(n), block_grain(n), spread_part, n);
    gather(n, 0, n->rstd, false);
}

static void put(float *to, float value, bool adds)
{
    *to = adds ? *to + value : value;
}

static void batch_y_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct norm *n = ctx;
    int64_t C = n->C;
    const float *mean = n->mean, *gamma = n->gamma, *beta = n->beta,
                *rstd = n->rstd;

    (void)part;
    for (int64_t r = begin; r < end; r++) {
        float *y = n->y + r * C;
        const float *x = n->x + r * C;

#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            y[c] = (x[c] - mean[c]) * (rstd[c] * gamma[c]) + beta[c];
    }
}

void TT_CPU(batchnorm)(TT_KERNEL_ARGS)
{
    struct norm n = {
        .y = ptr[0],
        .mean = ptr[1],
        .rstd = ptr[2],
        .x = ptr[5],
        .gamma = ptr[6],
        .beta = ptr[7],
        .partial = work,
        .rows = tt_op_rows(op, now),
        .C = op->dim[1],
        .eps = op->f[0],
    };
    double rows = (double)(n.rows > 0 ? n.rows : 1);
    float *stat_mean = ptr[3], *stat_var = ptr[4];

    set_blocks(&n);
    batch_sums(&n);
    for (int64_t c = 0; c < n.C; c++) {
        double spread = (double)n.rstd[c];

        put(&stat_mean[c], n.mean[c], tt_op_adds(op, 3, now));
        put(&stat_var[c], (float)(spread / (rows > 1 ? rows - 1 : 1)),
            tt_op_adds(op, 4, now));
        n.rstd[c] = (float)(1 / sqrt(spread / rows + n.eps));
    }
    tt_cpu_split(n.rows, row_grain(n.C), batch_y_part, &n);
}

static void batch_sums_part(const void *ctx, int64_t begin, int64_t end,
                            int part)
{
    const struct norm *n = ctx;
    const float *mean = n->mean, *rstd = n->rstd;
    int64_t C = n->C;

    (void)part;
    for (int64_t block = begin; block < end; block++) {
        float *dot = n->partial + block * 2 * C, *sum = dot + C;

        memset(dot, 0, (size_t)C * 2 * sizeof(float));
        for (int64_t r = block * n->block_rows; r < block_end(n, block); r++) {
            const float *x = n->x + r * C, *dy = n->dy + r * C;

#pragma omp simd
            for (int64_t c = 0; c < C; c++) {
                dot[c] += dy[c] * ((x[c] - mean[c]) * rstd[c]);
                sum[c] += dy[c];
            }
        }
    }
}

/* partial's first two rows now hold the means over rows of dy xhat and dy. */
static void batch_dx_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct norm *n = ctx;
    int64_t C = n->C;
    bool adds = n->adds;
    const float *mean = n->mean, *rstd = n->rstd, *gamma = n->gamma;
    const float *dot = n->partial, *sum = n->partial + C;

    (void)part;
    for (int64_t r = begin; r < end; r++) {
        float *dx = n->dx + r * C;
        const float *x = n->x + r * C, *dy = n->dy + r * C;

#pragma omp simd
        for (int64_t c = 0; c < C; c++) {
            float xhat = (x[c] - mean[c]) * rstd[c];
            float d = (dy[c] - sum[c] - xhat * dot[c]) * (rstd[c] * gamma[c]);

            dx[c] = adds ? dx[c] + d : d;
        }
    }
}

void TT_CPU(batchnorm_bwd)(TT_KERNEL_ARGS)
{
    struct norm n = norm_bwd_of(op, ptr, now, work);
    float *total = n.partial + TT_COL_BLOCKS * 2 * n.C;
    int64_t C = n.C;
    float share = 1.0f / (float)(n.rows > 0 ? n.rows : 1);

    tt_cpu_split(block_count(&n), block_grain(&n), batch_sums_part, &n);
    gather(&n, 0, total, false);
    gather(&n, 1, total + C, false);
    for (int64_t c = 0; c < C; c++) {
        put(&n.dgamma[c], total[c], tt_op_adds(op, 1, now));
        put(&n.dbeta[c], total[C + c], tt_op_adds(op, 2, now));
    }
    for (int64_t c = 0; c < 2 * C; c++)
        n.partial[c] = total[c] * share;
    tt_cpu_split(n.rows, row_grain(C), batch_dx_part, &n);
}

void TT_CPU(batchnorm_eval)(TT_KERNEL_ARGS)
{
    const float *var = ptr[3];
    struct norm n = {
        .y = ptr[0],
        .x = ptr[1],
        .mean = ptr[2],
        .gamma = ptr[4],
        .beta = ptr[5],
        .rstd = work,
        .C = op->dim[1],
    };

    for (int64_t c = 0; c < n.C; c++)
        n.rstd[c] = (float)(1 / sqrt((double)var[c] + op->f[0]));
    tt_cpu_split(tt_op_rows(op, now), row_grain(n.C), batch_y_part, &n);
}
