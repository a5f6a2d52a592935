/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - the threads of a rank, and how work is dealt to them.  Parts are
 * numbered and fixed beforehand: what a part computes does not depend on who
 * computes it or when. */
#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

static int thread_count = 1;

void tt_cpu_set_threads(int threads)
{
    thread_count = threads > 1 ? threads : 1;
}

int tt_cpu_threads(void)
{
    return thread_count;
}

int tt_cpu_parts(int64_t count, int64_t grain)
{
    int64_t units = count / grain;

    if (units <= 1)
        return 1;
    return units < thread_count ? (int)units : thread_count;
}

/* Where part 'part' of 'parts' begins. */
static int64_t begin_of(int64_t count, int64_t grain, int parts, int part)
{
    int64_t units = (count + grain - 1) / grain;
    int64_t begin = units * part / parts * grain;

    return begin < count ? begin : count;
}

void tt_cpu_split(int64_t count, int64_t grain, tt_part_fn fn, const void *ctx)
{
    int parts = thread_count > 1 ? tt_cpu_parts(count, grain) : 1;

    if (parts == 1) {
        fn(ctx, 0, count, 0);
        return;
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; part++)
        fn(ctx, begin_of(count, grain, parts, part),
           begin_of(count, grain, parts, part + 1), part);
}
