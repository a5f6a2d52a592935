/* SPDX-License-Identifier: BSD-3-Clause */
/* embed.c - rows of a table by token, plus rows of another by position.  A
 * token outside the table makes its row NaN and has no gradient. */
#include <math.h>
#include <string.h>

#include "device/ref/ref_priv.h"

void tt_ref_embed(TT_KERNEL_ARGS)
{
    float *y = ptr[0];
    const int32_t *token = ptr[1];
    const float *wte = ptr[2], *wpe = tt_ref_at(op, ptr, 3);
    int64_t rows = tt_op_rows(op, now), C = op->dim[1];

    (void)work;
    for (int64_t r = 0; r < rows; r++) {
        bool known = token[r] >= 0 && token[r] < op->dim[2];

        for (int64_t c = 0; c < C; c++) {
            double value = known ? (double)wte[token[r] * C + c] : NAN;

            value += wpe != NULL ? (double)wpe[r % op->dim[0] * C + c] : 0;
            y[r * C + c] = (float)value;
        }
    }
}

/* Sum over samples of the gradient at one position and column. */
static double over_samples(const struct tt_op *op, const struct tt_now *now,
                           const float *dy)
{
    double sum = 0;

    for (int64_t s = 0; s < now->valid_rows; s++)
        sum += (double)dy[s * op->dim[0] * op->dim[1]];
    return sum;
}

void tt_ref_embed_bwd(TT_KERNEL_ARGS)
{
    float *dwte = ptr[0], *dwpe = tt_ref_at(op, ptr, 1);
    const float *dy = ptr[2];
    const int32_t *token = ptr[3];
    int64_t T = op->dim[0], C = op->dim[1], V = op->dim[2];

    (void)work;
    if (!tt_op_adds(op, 0, now))
        memset(dwte, 0, (size_t)(V * C) * sizeof(*dwte));
    for (int64_t r = 0; r < tt_op_rows(op, now); r++)
        for (int64_t c = 0; c < C; c++)
            if (token[r] >= 0 && token[r] < V)
                dwte[token[r] * C + c] += dy[r * C + c];
    for (int64_t i = 0; dwpe != NULL && i < T * C; i++)
        tt_ref_put(&dwpe[i], tt_op_adds(op, 1, now),
                   over_samples(op, now, dy + i));
}
