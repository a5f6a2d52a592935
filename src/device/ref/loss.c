/* SPDX-License-Identifier: BSD-3-Clause */
/* loss.c - losses, each with the gradient of its sum and a tally. */
#include <math.h>

#include "device/ref/ref_priv.h"

/* Operands of one row of softmax cross-entropy. */
struct xent {
    float *grad; /* or NULL */
    const float *logits, *weight;
    int64_t V, Vp, target;
    double smooth;
};

static double weight_of(const struct xent *x, int64_t c)
{
    return x->weight != NULL ? (double)x->weight[c] : 1;
}

static double total_weight(const struct xent *x)
{
    double sum = 0;

    for (int64_t c = 0; c < x->V; c++)
        sum += weight_of(x, c);
    return sum;
}

/* log of the sum of exp(logits), and the lowest index of the largest. */
static double log_sum(const struct xent *x, int64_t *best)
{
    double sum = 1; /* the largest itself */

    *best = 0;
    for (int64_t c = 1; c < x->V; c++)
        if (x->logits[c] > x->logits[*best])
            *best = c;
    for (int64_t c = 0; c < x->V; c++)
        if (c != *best)
            sum += exp((double)x->logits[c] - (double)x->logits[*best]);
    return log(sum) + (double)x->logits[*best];
}

/* The loss is sum_c q[c] (log_sum - logits[c]); this is q[c]. */
static double share_of(const struct xent *x, int64_t c)
{
    double spread = x->smooth / (double)x->V * weight_of(x, c);

    return spread + (c == x->target ? (1 - x->smooth) * weight_of(x, c) : 0);
}

static void xent_row(const struct xent *x, double *tally)
{
    int64_t best;
    double log_z = log_sum(x, &best), loss = 0;
    double share = (1 - x->smooth) * weight_of(x, x->target) +
                   x->smooth / (double)x->V * total_weight(x);

    for (int64_t c = 0; c < x->V; c++)
        if (share_of(x, c) > 0)
            loss += share_of(x, c) * (log_z - (double)x->logits[c]);
    tally[0] += loss;
    tally[1] += weight_of(x, x->target);
    tally[2] += best == x->target;
    tally[3] += 1;
    for (int64_t c = 0; x->grad != NULL && c < x->Vp; c++) {
        double p = c < x->V ? exp((double)x->logits[c] - log_z) : 0;

        x->grad[c] = (float)(c < x->V ? share * p - share_of(x, c) : 0);
    }
}

/* A masked row has no gradient; a target outside the classes spoils the sum
 * rather than memory. */
static void xent_masked(const struct xent *x, bool ignored, double *tally)
{
    for (int64_t c = 0; x->grad != NULL && c < x->Vp; c++)
        x->grad[c] = 0;
    if (!ignored)
        tally[0] = NAN;
}

void tt_ref_xent(TT_KERNEL_ARGS)
{
    double *tally = ptr[1];
    const int32_t *target = ptr[3];
    int64_t Vp = op->dim[2];

    (void)work;
    tally[0] = tally[1] = tally[2] = tally[3] = 0;
    for (int64_t r = 0; r < tt_op_rows(op, now); r++) {
        struct xent x = {
            .grad = ptr[0] != NULL ? (float *)ptr[0] + r * Vp : NULL,
            .logits = (const float *)ptr[2] + r * Vp,
            .weight = tt_ref_at(op, ptr, 4),
            .V = op->dim[1],
            .Vp = Vp,
            .target = target[r],
            .smooth = op->f[0],
        };
        bool ignored = target[r] == op->dim[3];

        if (ignored || target[r] < 0 || target[r] >= x.V)
            xent_masked(&x, ignored, tally);
        else
            xent_row(&x, tally);
    }
}

void tt_ref_mse(TT_KERNEL_ARGS)
{
    float *dx = ptr[0];
    double *tally = ptr[1];
    const float *x = ptr[2], *target = ptr[3];
    int64_t count = tt_op_rows(op, now);

    (void)work;
    tally[0] = tally[2] = 0;
    tally[1] = tally[3] = (double)count;
    for (int64_t i = 0; i < count; i++) {
        double d = (double)x[i] - (double)target[i];

        tally[0] += d * d;
        if (dx != NULL)
            dx[i] = (float)(2 * d);
    }
}

void tt_ref_bce(TT_KERNEL_ARGS)
{
    float *dx = ptr[0];
    double *tally = ptr[1];
    const float *logit = ptr[2], *target = ptr[3];
    int64_t count = tt_op_rows(op, now);

    (void)work;
    tally[0] = tally[2] = 0;
    tally[1] = tally[3] = (double)count;
    for (int64_t i = 0; i < count; i++) {
        double x = (double)logit[i], t = (double)target[i];

        tally[0] += fmax(x, 0) - x * t + log1p(exp(-fabs(x)));
        tally[2] += (x > 0) == (t > 0.5);
        if (dx != NULL)
            dx[i] = (float)(tt_ref_act_value(TT_ACT_SIGMOID, x) - t);
    }
}
