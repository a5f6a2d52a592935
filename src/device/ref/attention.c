/* SPDX-License-Identifier: BSD-3-Clause */
/* attention.c - multi-head attention:
 * p = softmax(q k^T / sqrt(D)), y = dropout(p) v. */
#include <math.h>

#include "device/ref/ref_priv.h"

/* One head of one sample. */
struct head {
    const struct tt_op *op;
    const struct tt_now *now;
    int64_t sample, head;
    int64_t T, H, D;
    double scale;
};

static struct head head_of(const struct tt_op *op, const struct tt_now *now,
                           int64_t i)
{
    int64_t H = op->dim[1];

    return (struct head){
        op,         now, i / H,      i % H,
        op->dim[0], H,   op->dim[2], 1 / sqrt((double)op->dim[2])};
}

/* Offset of row t in qkv: which = 0, 1, 2 for q, k, v. */
static int64_t in_qkv(const struct head *h, int which, int64_t t)
{
    return (((h->sample * h->T + t) * 3 + which) * h->H + h->head) * h->D;
}

static int64_t in_y(const struct head *h, int64_t t)
{
    return ((h->sample * h->T + t) * h->H + h->head) * h->D;
}

static int64_t in_p(const struct head *h, int64_t t)
{
    return ((h->sample * h->H + h->head) * h->T + t) * h->T;
}

/* How many positions row t looks at. */
static int64_t seen(const struct head *h, int64_t t)
{
    return h->op->dim[3] ? t + 1 : h->T;
}

static double keep(const struct head *h, int64_t t, int64_t s)
{
    if (h->op->f[0] <= 0)
        return 1;
    return tt_ref_keep(h->op, h->now, h->sample,
                       (h->head * h->T + t) * h->T + s, h->op->f[0]);
}

static double dot(const float *a, const float *b, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* p[0 .. T-1] of row t: softmax of the scores, 0 where it does not look. */
static void probabilities(const struct head *h, const float *qkv, int64_t t,
                          float *p)
{
    const float *q = qkv + in_qkv(h, 0, t);
    double max = -INFINITY, sum = 0;

    for (int64_t s = 0; s < seen(h, t); s++)
        max = fmax(max, dot(q, qkv + in_qkv(h, 1, s), h->D) * h->scale);
    for (int64_t s = 0; s < seen(h, t); s++)
        sum += exp(dot(q, qkv + in_qkv(h, 1, s), h->D) * h->scale - max);
    for (int64_t s = 0; s < h->T; s++) {
        double e = dot(q, qkv + in_qkv(h, 1, s), h->D) * h->scale - max;

        p[s] = s < seen(h, t) ? (float)(exp(e) / sum) : 0;
    }
}

void tt_ref_attention(TT_KERNEL_ARGS)
{
    float *y = ptr[0], *p = ptr[1];
    const float *qkv = ptr[2];

    (void)work;
    for (int64_t i = 0; i < now->valid_rows * op->dim[1]; i++) {
        struct head h = head_of(op, now, i);

        for (int64_t t = 0; t < h.T; t++) {
            float *row = p + in_p(&h, t);

            probabilities(&h, qkv, t, row);
            for (int64_t d = 0; d < h.D; d++) {
                double sum = 0;

                for (int64_t s = 0; s < seen(&h, t); s++)
                    sum += (double)row[s] * keep(&h, t, s) *
                           (double)qkv[in_qkv(&h, 2, s) + d];
                y[in_y(&h, t) + d] = (float)sum;
            }
        }
    }
}

/* Gradient of the score (t, s) before scaling; 'mean' is the row's sum of
 * p dp, see row_mean(). */
struct row {
    const float *dy, *qkv, *p;
    double mean;
};

/* Gradient of p[s] in row t. */
static double dp_of(const struct head *h, const struct row *row, int64_t t,
                    int64_t s)
{
    return keep(h, t, s) *
           dot(row->dy + in_y(h, t), row->qkv + in_qkv(h, 2, s), h->D);
}

static double row_mean(const struct head *h, const struct row *row, int64_t t)
{
    double sum = 0;

    for (int64_t s = 0; s < seen(h, t); s++)
        sum += (double)row->p[in_p(h, t) + s] * dp_of(h, row, t, s);
    return sum;
}

/* Row t's share of dq, dk and dv, in f64: grad is (T, 3, D) of this head. */
static void row_backward(const struct head *h, const struct row *row, int64_t t,
                         double *grad)
{
    int64_t D = h->D;

    for (int64_t s = 0; s < seen(h, t); s++) {
        double p = (double)row->p[in_p(h, t) + s];
        double ds = p * (dp_of(h, row, t, s) - row->mean) * h->scale;

        for (int64_t d = 0; d < D; d++) {
            grad[(t * 3 + 0) * D + d] +=
                ds * (double)row->qkv[in_qkv(h, 1, s) + d];
            grad[(s * 3 + 1) * D + d] +=
                ds * (double)row->qkv[in_qkv(h, 0, t) + d];
            grad[(s * 3 + 2) * D + d] +=
                p * keep(h, t, s) * (double)row->dy[in_y(h, t) + d];
        }
    }
}

size_t tt_ref_attention_bwd_work(const struct tt_op *op, int64_t samples)
{
    (void)samples;
    return (size_t)(op->dim[0] * 3 * op->dim[2]) * sizeof(double);
}

void tt_ref_attention_bwd(TT_KERNEL_ARGS)
{
    float *dqkv = ptr[0];
    struct row row = {ptr[1], ptr[2], ptr[3], 0};
    double *grad = work;

    for (int64_t i = 0; i < now->valid_rows * op->dim[1]; i++) {
        struct head h = head_of(op, now, i);

        for (int64_t j = 0; j < h.T * 3 * h.D; j++)
            grad[j] = 0;
        for (int64_t t = 0; t < h.T; t++) {
            row.mean = row_mean(&h, &row, t);
            row_backward(&h, &row, t, grad);
        }
        for (int64_t j = 0; j < h.T * 3 * h.D; j++)
            dqkv[in_qkv(&h, (int)(j / h.D % 3), j / h.D / 3) + j % h.D] =
                (float)grad[j];
    }
}
