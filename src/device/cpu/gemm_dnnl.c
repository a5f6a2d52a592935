/* SPDX-License-Identifier: BSD-3-Clause */
/* gemm_dnnl.c - matrix products by oneDNN, which picks its kernels for the
 * processor at hand and follows OpenMP's threads. */
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>

#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

void tt_gemm_lib_start(int threads)
{
    (void)threads;
}

void tt_gemm_lib(const struct tt_gemm *g)
{
    dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, 1, g->a,
               g->lda, g->b, g->ldb, g->adds ? 1 : 0, g->c, g->ldc);
}

void tt_gemm_lib_describe(char *text, size_t text_bytes)
{
    const dnnl_version_t *v = dnnl_version();

    snprintf(text, text_bytes, "oneDNN %d.%d.%d isa %d", v->major, v->minor,
             v->patch, (int)dnnl_get_effective_cpu_isa());
}
