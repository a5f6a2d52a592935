/* SPDX-License-Identifier: BSD-3-Clause */
/* colsum.c - sums over the columns of a matrix.
 *
 * Rows are dealt into a fixed number of blocks, each block sums into its own
 * row of 'partial', four rows at a time, and the blocks are added in order:
 * few roundings in a chain, and bits that do not depend on threads. */
#include <string.h>

#include "device/cpu/cpu_priv.h"

struct colsum {
    const float *x;
    float *partial;
    int64_t rows, C, block_rows;
};

static void add_rows(float *sum, const float *x, int64_t C, int64_t rows)
{
    for (; rows >= 4; rows -= 4, x += 4 * C) {
#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            sum[c] += (x[c] + x[C + c]) + (x[2 * C + c] + x[3 * C + c]);
    }
    for (; rows > 0; rows--, x += C) {
#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            sum[c] += x[c];
    }
}

static void block_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct colsum *s = ctx;

    (void)part;
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block * s->block_rows;
        int64_t left = s->rows - first;
        float *sum = s->partial + block * s->C;

        memset(sum, 0, (size_t)s->C * sizeof(*sum));
        add_rows(sum, s->x + first * s->C, s->C,
                 left < s->block_rows ? left : s->block_rows);
    }
}

void TT_CPU(colsum)(const float *x, int64_t rows, int64_t C, float *partial,
                    float *out, bool adds)
{
    int64_t block_rows = (rows / TT_COL_BLOCKS + 64) / 64 * 64;
    int64_t blocks = (rows + block_rows - 1) / block_rows;
    struct colsum s = {x, partial, rows, C, block_rows};

    if (!adds)
        memset(out, 0, (size_t)C * sizeof(*out));
    if (blocks == 1) {
        add_rows(out, x, C, rows);
        return;
    }
    tt_cpu_split(blocks, 1 + 16384 / (block_rows * C), block_part, &s);
    add_rows(out, partial, C, blocks);
}
