/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu.c - the tuned backend: hands each op to the level that start() picked. */
#include <stdio.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

static const struct tt_cpu_level *level = &tt_cpu_base_level;

#ifdef _OPENMP
static void start_threads(int threads)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(1);
    omp_set_num_threads(threads);
}
#else
static void start_threads(int threads)
{
    (void)threads;
}
#endif

static const char *denormals = "";

static void start(int threads)
{
    denormals = tt_cpu_flush_denormals() ? ", no denormals" : "";
    tt_cpu_set_threads(threads);
    start_threads(tt_cpu_threads());
    tt_gemm_lib_start(tt_cpu_threads());
    level = tt_cpu_level_at(0);
}

static void describe(char *text, size_t text_bytes)
{
    char lib[160];

    tt_gemm_lib_describe(lib, sizeof(lib));
    snprintf(text, text_bytes, "%s, %d threads%s, %s", tt_cpu_level_at(0)->name,
             tt_cpu_threads(), denormals, lib);
}

static void run(TT_KERNEL_ARGS)
{
    level->kernel[op->kind].run(op, ptr, now, work);
}

static size_t work_bytes(const struct tt_op *op, int64_t samples)
{
    const struct tt_kernel *kernel = &level->kernel[op->kind];

    return kernel->work_bytes != NULL ? kernel->work_bytes(op, samples) : 0;
}

const struct tt_backend tt_backend_cpu = {
    .name = "cpu",
    .start = start,
    .describe = describe,
    .kernel =
        {
            [TT_OP_DENSE] = {run, work_bytes},
            [TT_OP_DENSE_DX] = {run, work_bytes},
            [TT_OP_DENSE_DW] = {run, work_bytes},
            [TT_OP_ACT] = {run, work_bytes},
            [TT_OP_ACT_BWD] = {run, work_bytes},
            [TT_OP_DROPOUT] = {run, work_bytes},
            [TT_OP_ADD] = {run, work_bytes},
            [TT_OP_LAYERNORM] = {run, work_bytes},
            [TT_OP_LAYERNORM_BWD] = {run, work_bytes},
            [TT_OP_BATCHNORM] = {run, work_bytes},
            [TT_OP_BATCHNORM_BWD] = {run, work_bytes},
            [TT_OP_BATCHNORM_EVAL] = {run, work_bytes},
            [TT_OP_EMBED] = {run, work_bytes},
            [TT_OP_EMBED_BWD] = {run, work_bytes},
            [TT_OP_ATTENTION] = {run, work_bytes},
            [TT_OP_ATTENTION_BWD] = {run, work_bytes},
            [TT_OP_XENT] = {run, work_bytes},
            [TT_OP_MSE] = {run, work_bytes},
            [TT_OP_BCE] = {run, work_bytes},
            [TT_OP_CONV] = {run, work_bytes},
            [TT_OP_CONV_DX] = {run, work_bytes},
            [TT_OP_CONV_DW] = {run, work_bytes},
            [TT_OP_MAXPOOL] = {run, work_bytes},
            [TT_OP_MAXPOOL_BWD] = {run, work_bytes},
            [TT_OP_AVGPOOL] = {run, work_bytes},
            [TT_OP_AVGPOOL_BWD] = {run, work_bytes},
            [TT_OP_ZERO] = {run, work_bytes},
            [TT_OP_SUM] = {run, work_bytes},
            [TT_OP_SUMSQ] = {run, work_bytes},
            [TT_OP_RUNNING] = {run, work_bytes},
            [TT_OP_SGD] = {run, work_bytes},
            [TT_OP_ADAM] = {run, work_bytes},
        },
};
