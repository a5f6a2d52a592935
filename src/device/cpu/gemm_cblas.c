/* SPDX-License-Identifier: BSD-3-Clause */
/* gemm_cblas.c - matrix products by whatever CBLAS there is. */
#include "config.h"

#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

#include <stdio.h>

#include <cblas.h> /* last: some include <complex.h>, whose I is a macro */

/* CBLAS counts in int; our shapes are bounded by memory well below that except
 * for rows, which are cut. */
static void product(const struct tt_gemm *g)
{
    cblas_sgemm(CblasRowMajor, g->ta ? CblasTrans : CblasNoTrans,
                g->tb ? CblasTrans : CblasNoTrans, (int)g->m, (int)g->n,
                (int)g->k, 1, g->a, (int)g->lda, g->b, (int)g->ldb,
                g->adds ? 1 : 0, g->c, (int)g->ldc);
}

void tt_gemm_lib(const struct tt_gemm *g)
{
    struct tt_gemm part = *g;
    int64_t most = 1 << 30;

    for (int64_t i = 0; i < g->m; i += most) {
        part.m = g->m - i < most ? g->m - i : most;
        part.a = g->a + i * (g->ta ? 1 : g->lda);
        part.c = g->c + i * g->ldc;
        product(&part);
    }
}

#ifdef HAVE_OPENBLAS
void tt_gemm_lib_start(int threads)
{
    openblas_set_num_threads(threads);
}

void tt_gemm_lib_describe(char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s, %s", openblas_get_config(),
             openblas_get_corename());
}
#else
void tt_gemm_lib_start(int threads)
{
    (void)threads;
}

void tt_gemm_lib_describe(char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "CBLAS");
}
#endif
