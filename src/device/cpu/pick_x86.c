/* SPDX-License-Identifier: BSD-3-Clause */
/* pick_x86.c - the best level of this x86-64 processor: v3 is AVX2 and FMA, v4
 * the AVX-512 of servers. */
#include <immintrin.h>

#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

const struct tt_cpu_level *tt_cpu_level_at(int idx)
{
    const struct tt_cpu_level *usable[4] = {NULL};
    int count = 0;

    if (has_v4())
        usable[count++] = &tt_cpu_v4_level;
    if (has_v3())
        usable[count++] = &tt_cpu_v3_level;
    usable[count] = &tt_cpu_base_level;
    return idx <= count ? usable[idx] : NULL;
}

bool tt_cpu_flush_denormals(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
    return true;
}
