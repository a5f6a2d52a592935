/* SPDX-License-Identifier: BSD-3-Clause */
/* range.c - ops on fixed ranges of elements: zero, sum, norms, statistics. */
#include <string.h>

#include "base/exact.h"
#include "device/ref/ref_priv.h"

enum { BLOCK = 512 };

void tt_ref_zero(TT_KERNEL_ARGS)
{
    (void)now;
    (void)work;
    memset(ptr[0], 0, (size_t)op->dim[0] * sizeof(float));
}

void tt_ref_sum(TT_KERNEL_ARGS)
{
    float *y = ptr[0];
    const float *x = ptr[1];

    (void)now;
    (void)work;
    for (int64_t i = 0; i < op->dim[0]; i++)
        y[i] += x[i];
}

void tt_ref_sumsq(TT_KERNEL_ARGS)
{
    const float *x = ptr[1];
    int64_t count = op->dim[0];

    (void)now;
    (void)work;
    for (int64_t first = 0; first < count; first += BLOCK) {
        int64_t end = first + BLOCK < count ? first + BLOCK : count;
        double sum = 0;

        for (int64_t i = first; i < end; i++)
            sum += (double)x[i] * (double)x[i];
        tt_exact_add(ptr[0], sum);
    }
}

void tt_ref_running(TT_KERNEL_ARGS)
{
    float *running = ptr[0];
    const float *stat = ptr[1];

    (void)work;
    if (now->micro_count <= 0)
        return;
    for (int64_t i = 0; i < op->dim[0]; i++) {
        double mean = (double)stat[i] / (double)now->micro_count;

        running[i] += (float)(op->f[0] * (mean - (double)running[i]));
    }
}
