/* SPDX-License-Identifier: BSD-3-Clause */
/* dense.c - fully connected layers: y = act(x w^T + b). */
#include "device/cpu/cpu_priv.h"

void TT_CPU(dense)(TT_KERNEL_ARGS)
{
    float *y = ptr[0], *z = tt_ref_at(op, ptr, 4);
    const float *b = tt_ref_at(op, ptr, 3);
    int64_t rows = tt_op_rows(op, now), N = op->dim[1], K = op->dim[2];
    struct tt_gemm g = {.tb = true, .m = rows, .n = N, .k = K};
    struct tt_bias_act a = {(int)op->dim[3], z != NULL ? z : y, b, y, rows, N};

    (void)work;
    g.a = ptr[1];
    g.lda = K;
    g.b = ptr[2];
    g.ldb = K;
    g.c = a.z;
    g.ldc = N;
    if (TT_CPU(gemm_is_small)(&g)) {
        g.bias = b;
        a.b = NULL;
    }
    TT_CPU(gemm)(&g);
    TT_CPU(bias_act)(&a);
}

void TT_CPU(dense_dx)(TT_KERNEL_ARGS)
{
    int64_t rows = tt_op_rows(op, now), N = op->dim[1], K = op->dim[2];
    struct tt_gemm g = {.m = rows,
                        .n = K,
                        .k = N,
                        .a = ptr[1],
                        .b = ptr[2],
                        .lda = N,
                        .ldb = K,
                        .c = ptr[0],
                        .ldc = K,
                        .adds = tt_op_adds(op, 0, now)};

    (void)work;
    TT_CPU(gemm)(&g);
}

void TT_CPU(dense_dw)(TT_KERNEL_ARGS)
{
    int64_t rows = tt_op_rows(op, now), N = op->dim[1], K = op->dim[2];
    struct tt_gemm g = {.ta = true,
                        .m = N,
                        .n = K,
                        .k = rows,
                        .a = ptr[1],
                        .b = ptr[2],
                        .lda = N,
                        .ldb = K,
                        .c = ptr[0],
                        .ldc = K,
                        .adds = tt_op_adds(op, 0, now)};

    TT_CPU(gemm)(&g);
    if (tt_ref_at(op, ptr, 3) != NULL)
        TT_CPU(colsum)(ptr[1], rows, N, work, ptr[3], tt_op_adds(op, 3, now));
}

size_t TT_CPU(dense_dw_work)(const struct tt_op *op, int64_t samples)
{
    (void)samples;
    return (size_t)(TT_COL_BLOCKS * op->dim[1]) * sizeof(float);
}
