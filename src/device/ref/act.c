/* SPDX-License-Identifier: BSD-3-Clause */
/* act.c - element-wise ops: activations, dropout, addition. */
#include <math.h>

#include "base/rng.h"
#include "device/ref/ref_priv.h"

static const double sqrt_2_over_pi = 0.79788456080286535588;
static const double one_over_sqrt_2 = 0.70710678118654752440;
static const double one_over_sqrt_2pi = 0.39894228040143267794;

static double gelu_inner(double x)
{
    return tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x));
}

static double gelu_slope(double x)
{
    double t = gelu_inner(x);
    double inner = sqrt_2_over_pi * (1 + 3 * 0.044715 * x * x);

    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x * one_over_sqrt_2);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

double tt_ref_act_value(enum tt_act act, double x)
{
    switch (act) {
    case TT_ACT_RELU:
        return x < 0 ? 0 : x;
    case TT_ACT_GELU:
        return 0.5 * x * (1 + gelu_inner(x));
    case TT_ACT_GELU_ERF:
        return x * normal_cdf(x);
    case TT_ACT_TANH:
        return tanh(x);
    case TT_ACT_SIGMOID:
        return sigmoid(x);
    default:
        return x;
    }
}

double tt_ref_act_slope(enum tt_act act, double x)
{
    switch (act) {
    case TT_ACT_RELU:
        return x > 0;
    case TT_ACT_GELU:
        return gelu_slope(x);
    case TT_ACT_GELU_ERF:
        return normal_cdf(x) + x * one_over_sqrt_2pi * exp(-0.5 * x * x);
    case TT_ACT_TANH:
        return 1 - tanh(x) * tanh(x);
    case TT_ACT_SIGMOID:
        return sigmoid(x) * sigmoid(-x);
    default:
        return 1;
    }
}

double tt_ref_keep(const struct tt_op *op, const struct tt_now *now,
                   int64_t sample, int64_t i, double p)
{
    uint32_t word = tt_rng_word(
        now->seed, op->site, (uint64_t)(now->position + sample), (uint64_t)i);

    return tt_rng_unit(word) >= (float)p ? 1 / (1 - p) : 0;
}

void tt_ref_act(TT_KERNEL_ARGS)
{
    float *y = ptr[0];
    const float *x = ptr[1];
    int64_t count = tt_op_rows(op, now);

    (void)work;
    for (int64_t i = 0; i < count; i++)
        y[i] = (float)tt_ref_act_value((enum tt_act)op->dim[1], (double)x[i]);
}

void tt_ref_act_bwd(TT_KERNEL_ARGS)
{
    float *dx = ptr[0];
    const float *dy = ptr[1], *x = ptr[2];
    int64_t count = tt_op_rows(op, now);

    (void)work;
    for (int64_t i = 0; i < count; i++)
        dx[i] =
            (float)((double)dy[i] *
                    tt_ref_act_slope((enum tt_act)op->dim[1], (double)x[i]));
}

void tt_ref_dropout(TT_KERNEL_ARGS)
{
    float *y = ptr[0];
    const float *x = ptr[1];
    int64_t count = op->dim[0];

    (void)work;
    for (int64_t s = 0; s < now->valid_rows; s++)
        for (int64_t i = 0; i < count; i++) {
            double keep = tt_ref_keep(op, now, s, i, op->f[0]);

            y[s * count + i] =
                keep > 0 ? (float)((double)x[s * count + i] * keep) : 0;
        }
}

void tt_ref_add(TT_KERNEL_ARGS)
{
    float *y = ptr[0];
    const float *a = ptr[1], *b = ptr[2];
    int64_t count = tt_op_rows(op, now);

    (void)work;
    for (int64_t i = 0; i < count; i++)
        y[i] = a[i] + b[i];
}
