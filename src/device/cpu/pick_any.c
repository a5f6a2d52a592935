/* SPDX-License-Identifier: BSD-3-Clause */
/* pick_any.c - one level only: what the compiler was told. */
#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

const struct tt_cpu_level *tt_cpu_level_at(int idx)
{
    return idx == 0 ? &tt_cpu_base_level : NULL;
}

bool tt_cpu_flush_denormals(void)
{
    return false;
}
