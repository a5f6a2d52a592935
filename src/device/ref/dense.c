/* SPDX-License-Identifier: BSD-3-Clause */
/* dense.c - fully connected layers: y = act(x w^T + b). */
#include "device/ref/ref_priv.h"

/* Sum of a[i stride_a] b[i stride_b]. */
static double dot(const float *a, int64_t stride_a, const float *b,
                  int64_t stride_b, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += (double)a[i * stride_a] * (double)b[i * stride_b];
    return sum;
}

void tt_ref_dense(TT_KERNEL_ARGS)
{
    float *y = ptr[0], *z = tt_ref_at(op, ptr, 4);
    const float *x = ptr[1], *w = ptr[2], *b = tt_ref_at(op, ptr, 3);
    int64_t rows = tt_op_rows(op, now), N = op->dim[1], K = op->dim[2];

    (void)work;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t n = 0; n < N; n++) {
            double sum = dot(x + r * K, 1, w + n * K, 1, K);

            sum += b != NULL ? (double)b[n] : 0;
            if (z != NULL)
                z[r * N + n] = (float)sum;
            y[r * N + n] =
                (float)tt_ref_act_value((enum tt_act)op->dim[3], sum);
        }
}

void tt_ref_dense_dx(TT_KERNEL_ARGS)
{
    float *dx = ptr[0];
    const float *dy = ptr[1], *w = ptr[2];
    int64_t rows = tt_op_rows(op, now), N = op->dim[1], K = op->dim[2];

    (void)work;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < K; k++)
            tt_ref_put(&dx[r * K + k], tt_op_adds(op, 0, now),
                       dot(dy + r * N, 1, w + k, K, N));
}

void tt_ref_dense_dw(TT_KERNEL_ARGS)
{
    static const float one = 1;
    float *dw = ptr[0], *db = tt_ref_at(op, ptr, 3);
    const float *dy = ptr[1], *x = ptr[2];
    int64_t rows = tt_op_rows(op, now), N = op->dim[1], K = op->dim[2];

    (void)work;
    for (int64_t n = 0; n < N; n++) {
        for (int64_t k = 0; k < K; k++)
            tt_ref_put(&dw[n * K + k], tt_op_adds(op, 0, now),
                       dot(dy + n, N, x + k, K, rows));
        if (db != NULL)
            tt_ref_put(&db[n], tt_op_adds(op, 3, now),
                       dot(dy + n, N, &one, 0, rows));
    }
}
