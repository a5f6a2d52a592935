/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - time. */
#include <time.h>

#include "base/clock.h"

static double read_s(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tt_clock_s(void)
{
    return read_s(CLOCK_MONOTONIC);
}

double tt_clock_epoch_s(void)
{
    return read_s(CLOCK_REALTIME);
}
