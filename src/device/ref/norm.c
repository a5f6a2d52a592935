/* SPDX-License-Identifier: BSD-3-Clause */
/* norm.c - layer norm (statistics of a row) and batch norm (of a column).
 * Both are the same arithmetic on a "line" of 'count' elements a 'stride'
 * apart: xhat = (x - mean) rstd, y = gamma xhat + beta. */
#include <math.h>

#include "device/ref/ref_priv.h"

struct line {
    int64_t count, stride;
};

static double line_mean(struct line line, const float *x)
{
    double sum = 0;

    for (int64_t i = 0; i < line.count; i++)
        sum += (double)x[i * line.stride];
    return line.count > 0 ? sum / (double)line.count : 0;
}

/* Sum of squared distances from the mean. */
static double line_spread(struct line line, const float *x, double mean)
{
    double sum = 0;

    for (int64_t i = 0; i < line.count; i++) {
        double d = (double)x[i * line.stride] - mean;

        sum += d * d;
    }
    return sum;
}

static double rstd_of(double spread, int64_t count, double eps)
{
    double var = count > 0 ? spread / (double)count : 0;

    return 1 / sqrt(var + eps);
}

void tt_ref_layernorm(TT_KERNEL_ARGS)
{
    float *mean = ptr[1], *rstd = ptr[2];
    const float *gamma = ptr[4], *beta = ptr[5];
    int64_t rows = tt_op_rows(op, now), C = op->dim[1];
    struct line line = {C, 1};

    (void)work;
    for (int64_t r = 0; r < rows; r++) {
        float *y = (float *)ptr[0] + r * C;
        const float *x = (const float *)ptr[3] + r * C;
        double m = line_mean(line, x);
        double s = rstd_of(line_spread(line, x, m), C, op->f[0]);

        mean[r] = (float)m;
        rstd[r] = (float)s;
        for (int64_t c = 0; c < C; c++)
            y[c] = (float)(((double)x[c] - m) * s * (double)gamma[c] +
                           (double)beta[c]);
    }
}

/* Operands of a backward pass, either norm's. */
struct norm_bwd {
    float *dx, *dgamma, *dbeta;
    const float *dy, *x, *mean, *rstd, *gamma;
    int64_t rows, C;
};

static struct norm_bwd norm_bwd_of(const struct tt_op *op, void *const *ptr,
                                   const struct tt_now *now)
{
    return (struct norm_bwd){
        .dx = ptr[0],
        .dgamma = ptr[1],
        .dbeta = ptr[2],
        .dy = ptr[3],
        .x = ptr[4],
        .mean = ptr[5],
        .rstd = ptr[6],
        .gamma = ptr[7],
        .rows = tt_op_rows(op, now),
        .C = op->dim[1],
    };
}

static double xhat(const struct norm_bwd *n, int64_t i, int64_t stat)
{
    return ((double)n->x[i] - (double)n->mean[stat]) * (double)n->rstd[stat];
}

void tt_ref_layernorm_bwd(TT_KERNEL_ARGS)
{
    struct norm_bwd n = norm_bwd_of(op, ptr, now);
    int64_t C = n.C;

    (void)work;
    for (int64_t c = 0; c < C; c++) {
        double dgamma = 0, dbeta = 0;

        for (int64_t r = 0; r < n.rows; r++) {
            dgamma += (double)n.dy[r * C + c] * xhat(&n, r * C + c, r);
            dbeta += (double)n.dy[r * C + c];
        }
        tt_ref_put(&n.dgamma[c], tt_op_adds(op, 1, now), dgamma);
        tt_ref_put(&n.dbeta[c], tt_op_adds(op, 2, now), dbeta);
    }
    for (int64_t r = 0; r < n.rows; r++) {
        double sum = 0, dot = 0;

        for (int64_t c = 0; c < C; c++) {
            double g = (double)n.dy[r * C + c] * (double)n.gamma[c];

            sum += g;
            dot += g * xhat(&n, r * C + c, r);
        }
        for (int64_t c = 0; c < C; c++) {
            double g = (double)n.dy[r * C + c] * (double)n.gamma[c];
            double d = g - (sum + xhat(&n, r * C + c, r) * dot) / (double)C;

            tt_ref_put(&n.dx[r * C + c], tt_op_adds(op, 0, now),
                       d * (double)n.rstd[r]);
        }
    }
}

void tt_ref_batchnorm(TT_KERNEL_ARGS)
{
    float *y = ptr[0], *mean = ptr[1], *rstd = ptr[2];
    float *stat_mean = ptr[3], *stat_var = ptr[4];
    const float *x = ptr[5], *gamma = ptr[6], *beta = ptr[7];
    int64_t rows = tt_op_rows(op, now), C = op->dim[1];
    struct line line = {rows, C};

    (void)work;
    for (int64_t c = 0; c < C; c++) {
        double m = line_mean(line, x + c);
        double spread = line_spread(line, x + c, m);
        double s = rstd_of(spread, rows, op->f[0]);

        mean[c] = (float)m;
        rstd[c] = (float)s;
        tt_ref_put(&stat_mean[c], tt_op_adds(op, 3, now), m);
        tt_ref_put(&stat_var[c], tt_op_adds(op, 4, now),
                   spread / (double)(rows > 1 ? rows - 1 : 1));
        for (int64_t i = c; i < rows * C; i += C)
            y[i] = (float)(((double)x[i] - m) * s * (double)gamma[c] +
                           (double)beta[c]);
    }
}

void tt_ref_batchnorm_bwd(TT_KERNEL_ARGS)
{
    struct norm_bwd n = norm_bwd_of(op, ptr, now);
    int64_t C = n.C, end = n.rows * C;

    (void)work;
    for (int64_t c = 0; c < C; c++) {
        double scale = (double)n.gamma[c] * (double)n.rstd[c];
        double sum = 0, dot = 0;

        for (int64_t i = c; i < end; i += C) {
            sum += (double)n.dy[i];
            dot += (double)n.dy[i] * xhat(&n, i, c);
        }
        for (int64_t i = c; i < end; i += C) {
            double d =
                (double)n.dy[i] - (sum + xhat(&n, i, c) * dot) / (double)n.rows;

            tt_ref_put(&n.dx[i], tt_op_adds(op, 0, now), d * scale);
        }
        tt_ref_put(&n.dgamma[c], tt_op_adds(op, 1, now), dot);
        tt_ref_put(&n.dbeta[c], tt_op_adds(op, 2, now), sum);
    }
}

void tt_ref_batchnorm_eval(TT_KERNEL_ARGS)
{
    float *y = ptr[0];
    const float *x = ptr[1], *mean = ptr[2], *var = ptr[3];
    const float *gamma = ptr[4], *beta = ptr[5];
    int64_t rows = tt_op_rows(op, now), C = op->dim[1];

    (void)work;
    for (int64_t c = 0; c < C; c++) {
        double scale = (double)gamma[c] / sqrt((double)var[c] + op->f[0]);

        for (int64_t i = c; i < rows * C; i += C)
            y[i] = (float)(((double)x[i] - (double)mean[c]) * scale +
                           (double)beta[c]);
    }
}
