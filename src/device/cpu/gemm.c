/* SPDX-License-Identifier: BSD-3-Clause */
/* gemm.c - matrix products: small ones here, others by the library.
 *
 * A library spends about half a microsecond before the first multiplication;
 * a layer of 10 x 50 needs a tenth of that.  c is made in tiles of MR rows and
 * one or two vectors, held in registers over all of k.  b is read in place;
 * where it is transposed, a panel of it is first turned over on the stack. */
#include "device/cpu/simd_priv.h"

/* Measured against oneDNN: up to here ours is as quick, and starts at once. */
enum { PANEL_MAX_K = 512, SMALL = 64 * 64 * 64 };

bool TT_CPU(gemm_is_small)(const struct tt_gemm *g)
{
    return g->k <= PANEL_MAX_K && g->m * g->n * g->k <= SMALL;
}

/* A tile's operands: row i of a at a + i row_a, its element p at p step_a
 * further; row p of b at b + p step_b. */
struct tile {
    const float *a, *b, *bias;
    float *c;
    int64_t row_a, step_a, step_b, ldc, k;
    int last; /* elements of the last vector */
    bool adds;
};

TT_INLINE tt_vec tile_start(const struct tile *t, const float *c, int v,
                            int part)
{
    if (t->adds)
        return tt_vec_load_part(c + v * TT_VL, part);
    if (t->bias != NULL)
        return tt_vec_load_part(t->bias + v * TT_VL, part);
    return (tt_vec){0};
}

/* Vector v of a row of b. */
TT_INLINE tt_vec tile_b(const struct tile *t, const float *b, bool whole)
{
    return whole ? tt_vec_load(b) : tt_vec_load_part(b, t->last);
}

/* rows, vectors and whole (b may be read past 'last') are constants where this
 * is inlined. */
TT_INLINE void tile_run(const struct tile *t, int rows, int vectors, bool whole)
{
    tt_vec sum[TT_MR][2];

#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[i][v] = tile_start(t, t->c + i * t->ldc, v,
                                   v == vectors - 1 ? t->last : TT_VL);
    for (int64_t p = 0; p < t->k; p++) {
        const float *a = t->a + p * t->step_a, *b = t->b + p * t->step_b;
        tt_vec b0 = tile_b(t, b, whole || vectors > 1);
        tt_vec b1 = vectors > 1 ? tile_b(t, b + TT_VL, whole) : b0;

#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            sum[i][0] += a[i * t->row_a] * b0;
            if (vectors > 1)
                sum[i][1] += a[i * t->row_a] * b1;
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            tt_vec_store_part(t->c + i * t->ldc + v * TT_VL, sum[i][v],
                              v == vectors - 1 ? t->last : TT_VL);
}

TT_INLINE void tile_down(struct tile *t, int rows)
{
    t->a += rows * t->row_a;
    t->c += rows * t->ldc;
}

/* All rows of c under one panel. */
TT_INLINE void panel_run(struct tile t, int64_t m, int vectors, bool whole)
{
    for (; m >= TT_MR; m -= TT_MR, tile_down(&t, TT_MR))
        tile_run(&t, TT_MR, vectors, whole);
    if (m & 4 && TT_MR > 4) {
        tile_run(&t, 4, vectors, whole);
        tile_down(&t, 4);
    }
    if (m & 2) {
        tile_run(&t, 2, vectors, whole);
        tile_down(&t, 2);
    }
    if (m & 1)
        tile_run(&t, 1, vectors, whole);
}

/* A vector of rows, from 'row' on. */
static void turn_vector(const struct tt_turn *t, int64_t row)
{
    const float *from = t->from + row * t->step;
    float *to = t->to + row;
    int64_t k = t->k / 4 * 4;

    for (int64_t p = 0; p < k; p += 4)
        tt_vec_turn(from + p, t->step, to + p * t->width, t->width);
    for (int64_t p = k; p < t->k; p++)
        for (int64_t i = 0; i < TT_VL; i++)
            to[p * t->width + i] = from[i * t->step + p];
}

/* Fewer rows than a vector has. */
static void turn_few(const struct tt_turn *t)
{
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t p = 0; p < t->k; p++)
            t->to[p * t->width + i] = t->from[i * t->step + p];
}

void TT_CPU(turn)(const struct tt_turn *t)
{
    int64_t row = 0, whole = t->rows / TT_VL * TT_VL;

    for (int64_t p = 0; whole + TT_VL <= t->width && p < t->k; p++)
        tt_vec_store(t->to + p * t->width + whole, (tt_vec){0});
    for (; row < whole; row += TT_VL)
        turn_vector(t, row);
    if (whole == 0)
        turn_few(t);
    else if (row < t->rows)
        turn_vector(t, t->rows - TT_VL);
}

/* Columns j and on, up to two vectors of them. */
static void panel_columns(const struct tt_gemm *g, int64_t j, float *panel)
{
    int64_t left = g->n - j;
    int vectors = left > TT_VL ? 2 : 1;
    int64_t width = vectors * TT_VL;
    bool whole = g->tb || left >= width;
    struct tile t = {
        .a = g->a,
        .b = g->tb ? panel : g->b + j,
        .bias = g->bias != NULL ? g->bias + j : NULL,
        .c = g->c + j,
        .row_a = g->ta ? 1 : g->lda,
        .step_a = g->ta ? g->lda : 1,
        .step_b = g->tb ? width : g->ldb,
        .ldc = g->ldc,
        .k = g->k,
        .last = (int)(left >= width ? TT_VL : left - width + TT_VL),
        .adds = g->adds,
    };

    if (g->tb)
        TT_CPU(turn)
    (&(struct tt_turn){g->b + j * g->ldb, left < width ? left : width, g->k,
                       g->ldb, panel, width});
    if (vectors == 2 && whole)
        panel_run(t, g->m, 2, true);
    else if (vectors == 2)
        panel_run(t, g->m, 2, false);
    else if (whole)
        panel_run(t, g->m, 1, true);
    else
        panel_run(t, g->m, 1, false);
}

void TT_CPU(gemm_small)(const struct tt_gemm *g)
{
    float panel[PANEL_MAX_K * 2 * TT_VL];

    for (int64_t j = 0; j < g->n; j += 2 * TT_VL)
        panel_columns(g, j, panel);
}

/* An empty sum (k = 0) is small, so the library never sees one. */
void TT_CPU(gemm)(const struct tt_gemm *g)
{
    if (g->m <= 0 || g->n <= 0)
        return;
    if (TT_CPU(gemm_is_small)(g)) {
        TT_CPU(gemm_small)(g);
        return;
    }
    tt_gemm_lib(g);
    if (g->bias != NULL)
        TT_CPU(bias_act)
    (&(struct tt_bias_act){TT_ACT_NONE, g->c, g->bias, g->c, g->m, g->n});
}
