/* SPDX-License-Identifier: BSD-3-Clause */
/* embed.c - rows of a table by token, plus rows of another by position. */
#include <math.h>
#include <string.h>

#include "device/cpu/cpu_priv.h"

struct embed {
    float *y, *dwte, *dwpe;
    const int32_t *token;
    const float *wte, *wpe, *dy;
    int64_t T, C, V, samples;
    bool adds; /* to dwpe */
};

static void embed_row(const struct embed *e, int64_t r)
{
    int64_t C = e->C;
    bool known = e->token[r] >= 0 && e->token[r] < e->V;
    float *y = e->y + r * C;
    const float *wte = e->wte + (known ? e->token[r] : 0) * C;

    if (e->wpe != NULL) {
        const float *wpe = e->wpe + r % e->T * C;

#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            y[c] = wte[c] + wpe[c];
    } else {
        memcpy(y, wte, (size_t)C * sizeof(*y));
    }
    for (int64_t c = 0; !known && c < C; c++)
        y[c] = NAN;
}

static void embed_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    (void)part;
    for (int64_t r = begin; r < end; r++)
        embed_row(ctx, r);
}

void TT_CPU(embed)(TT_KERNEL_ARGS)
{
    struct embed e = {
        .y = ptr[0],
        .token = ptr[1],
        .wte = ptr[2],
        .wpe = tt_ref_at(op, ptr, 3),
        .T = op->dim[0],
        .C = op->dim[1],
        .V = op->dim[2],
    };

    (void)work;
    tt_cpu_split(tt_op_rows(op, now), 16384 / e.C + 1, embed_part, &e);
}

/* Columns begin .. end-1 of dwte: rows of one token are added in order. */
static void token_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct embed *e = ctx;
    int64_t C = e->C;

    (void)part;
    for (int64_t r = 0; r < e->samples * e->T; r++) {
        float *to = e->dwte + e->token[r] * C;
        const float *dy = e->dy + r * C;

        if (e->token[r] < 0 || e->token[r] >= e->V)
            continue;
#pragma omp simd
        for (int64_t c = begin; c < end; c++)
            to[c] += dy[c];
    }
}

/* Elements begin .. end-1 of dwpe. */
static void position_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct embed *e = ctx;
    float *to = e->dwpe;

    (void)part;
    if (!e->adds)
        memset(to + begin, 0, (size_t)(end - begin) * sizeof(*to));
    for (int64_t s = 0; s < e->samples; s++) {
        const float *dy = e->dy + s * e->T * e->C;

#pragma omp simd
        for (int64_t i = begin; i < end; i++)
            to[i] += dy[i];
    }
}

static void clear_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct embed *e = ctx;

    (void)part;
    memset(e->dwte + begin, 0, (size_t)(end - begin) * sizeof(float));
}

void TT_CPU(embed_bwd)(TT_KERNEL_ARGS)
{
    struct embed e = {
        .dwte = ptr[0],
        .dwpe = ptr[1],
        .dy = ptr[2],
        .token = ptr[3],
        .T = op->dim[0],
        .C = op->dim[1],
        .V = op->dim[2],
        .samples = now->valid_rows,
        .adds = tt_op_adds(op, 1, now),
    };

    (void)work;
    if (!tt_op_adds(op, 0, now))
        tt_cpu_split(e.V * e.C, 65536, clear_part, &e);
    tt_cpu_split(e.C, 16384 / (e.samples * e.T + 1) / 64 * 64 + 64, token_part,
                 &e);
    if (e.dwpe != NULL)
        tt_cpu_split(e.T * e.C, 8192, position_part, &e);
}
