/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_priv.h - the tuned backend's inside.
 *
 * Kernels are compiled once per level of the instruction set (the archives of
 * local.mk say which), the names of each level made by TT_CPU; cpu.c picks a
 * level when it starts.  Loops are plain C with "omp simd", sums have partial
 * sums of a fixed number, and threads live in split.c alone. */
#ifndef TT_DEVICE_CPU_PRIV_H
#define TT_DEVICE_CPU_PRIV_H

#include "device/device_priv.h"

#define TT_CPU_JOIN_(level, name) tt_cpu_##level##_##name
#define TT_CPU_JOIN(level, name) TT_CPU_JOIN_(level, name)
#define TT_CPU(name) TT_CPU_JOIN(TT_CPU_LEVEL, name)

/* For helpers whose constant arguments must reach the loops in them. */
#define TT_INLINE static inline __attribute__((always_inline))

/* ---- threads (split.c) ---- */

/* Do elements begin .. end-1 of something, as part number 'part'. */
typedef void (*tt_part_fn)(const void *ctx, int64_t begin, int64_t end,
                           int part);

void tt_cpu_set_threads(int threads);
int tt_cpu_threads(void);

/* Into how many parts tt_cpu_split() would cut. */
int tt_cpu_parts(int64_t count, int64_t grain);

/* Cut 0 .. count-1 into at most one part a thread, every part but the last a
 * multiple of 'grain', and do them at once; without delay where there is only
 * one.  The cut depends on count, grain and the number of threads only. */
void tt_cpu_split(int64_t count, int64_t grain, tt_part_fn fn, const void *ctx);

/* ---- matrix products ---- */

/* c (m, n) = op(a) (m, k) . op(b) (k, n) [+ c] [+ bias (n) in every row]; all
 * row-major with leading dimensions lda, ldb, ldc.  Transposed means that a is
 * stored (k, m), b (n, k). */
struct tt_gemm {
    bool ta, tb;
    int64_t m, n, k;
    const float *a, *b;
    int64_t lda, ldb;
    const float *bias; /* or NULL; not with 'adds' */
    float *c;
    int64_t ldc;
    bool adds;
};

/* The library's (gemm_dnnl.c or gemm_cblas.c); ignores bias. */
void tt_gemm_lib(const struct tt_gemm *g);
void tt_gemm_lib_start(int threads);
void tt_gemm_lib_describe(char *text, size_t text_bytes);

/* ---- one level ---- */

struct tt_cpu_level {
    const char *name;
    const struct tt_kernel *kernel; /* TT_OP_KIND_COUNT of them */
    void (*gemm)(const struct tt_gemm *g);
};

/* Level 'idx' of those that this processor has, the best first; NULL behind
 * the last (pick_x86.c or pick_any.c). */
const struct tt_cpu_level *tt_cpu_level_at(int idx);

/* From here on numbers below 2^-126 count as zero in this thread and in those
 * it starts: an operation on one takes 100 times as long, and moments of dead
 * units decay through them.  False: not here, they stay. */
bool tt_cpu_flush_denormals(void);

extern const struct tt_cpu_level tt_cpu_base_level, tt_cpu_v3_level,
    tt_cpu_v4_level;

/* Chooses by shape only between gemm_small and the library; c must not overlap
 * a or b. */
void TT_CPU(gemm)(const struct tt_gemm *g);
bool TT_CPU(gemm_is_small)(const struct tt_gemm *g);
void TT_CPU(gemm_small)(const struct tt_gemm *g);

/* to (k, width) = from (rows, k) turned over, 'step' between its rows; width is
 * rows, or the next multiple of a vector, and then filled with 0. */
struct tt_turn {
    const float *from;
    int64_t rows, k, step;
    float *to;
    int64_t width;
};
void TT_CPU(turn)(const struct tt_turn *t);

void TT_CPU(dense)(TT_KERNEL_ARGS);
void TT_CPU(dense_dx)(TT_KERNEL_ARGS);
void TT_CPU(dense_dw)(TT_KERNEL_ARGS);
size_t TT_CPU(dense_dw_work)(const struct tt_op *op, int64_t samples);
void TT_CPU(act)(TT_KERNEL_ARGS);
void TT_CPU(act_bwd)(TT_KERNEL_ARGS);
void TT_CPU(dropout)(TT_KERNEL_ARGS);
void TT_CPU(add)(TT_KERNEL_ARGS);
void TT_CPU(layernorm)(TT_KERNEL_ARGS);
void TT_CPU(layernorm_bwd)(TT_KERNEL_ARGS);
void TT_CPU(batchnorm)(TT_KERNEL_ARGS);
void TT_CPU(batchnorm_bwd)(TT_KERNEL_ARGS);
void TT_CPU(batchnorm_eval)(TT_KERNEL_ARGS);
size_t TT_CPU(norm_work)(const struct tt_op *op, int64_t samples);
void TT_CPU(embed)(TT_KERNEL_ARGS);
void TT_CPU(embed_bwd)(TT_KERNEL_ARGS);
void TT_CPU(attention)(TT_KERNEL_ARGS);
void TT_CPU(attention_bwd)(TT_KERNEL_ARGS);
size_t TT_CPU(attention_work)(const struct tt_op *op, int64_t samples);
void TT_CPU(xent)(TT_KERNEL_ARGS);
void TT_CPU(mse)(TT_KERNEL_ARGS);
void TT_CPU(bce)(TT_KERNEL_ARGS);
void TT_CPU(conv)(TT_KERNEL_ARGS);
void TT_CPU(conv_dx)(TT_KERNEL_ARGS);
void TT_CPU(conv_dw)(TT_KERNEL_ARGS);
size_t TT_CPU(conv_work)(const struct tt_op *op, int64_t samples);
size_t TT_CPU(conv_dw_work)(const struct tt_op *op, int64_t samples);
void TT_CPU(maxpool)(TT_KERNEL_ARGS);
void TT_CPU(maxpool_bwd)(TT_KERNEL_ARGS);
void TT_CPU(avgpool)(TT_KERNEL_ARGS);
void TT_CPU(avgpool_bwd)(TT_KERNEL_ARGS);
void TT_CPU(zero)(TT_KERNEL_ARGS);
void TT_CPU(sum)(TT_KERNEL_ARGS);
void TT_CPU(sumsq)(TT_KERNEL_ARGS);
size_t TT_CPU(sumsq_work)(const struct tt_op *op, int64_t samples);
void TT_CPU(running)(TT_KERNEL_ARGS);
void TT_CPU(sgd)(TT_KERNEL_ARGS);
void TT_CPU(adam)(TT_KERNEL_ARGS);

/* z (rows, N) += b (N) where b is not NULL, y = act(z); y may be z. */
struct tt_bias_act {
    int act; /* enum tt_act */
    float *z;
    const float *b;
    float *y;
    int64_t rows, N;
};
void TT_CPU(bias_act)(const struct tt_bias_act *a);

/* out (C) = [out +] sums over the columns of x (rows, C).  Rows are summed in
 * blocks that do not depend on threads; 'partial' holds TT_COL_BLOCKS x C. */
enum { TT_COL_BLOCKS = 16 };
void TT_CPU(colsum)(const float *x, int64_t rows, int64_t C, float *partial,
                    float *out, bool adds);

#endif
