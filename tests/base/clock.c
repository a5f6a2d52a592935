/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - the clocks against the system's own. */
#include <time.h>

#include "../lib/tap.h"
#include "base/clock.h"

int main(void)
{
    const struct timespec nap = {0, 20000000};
    double before = tt_clock_s(), slept;
    double off = tt_clock_epoch_s() - (double)time(NULL);

    nanosleep(&nap, NULL);
    slept = tt_clock_s() - before;
    tap_ok(slept >= 0.02 && slept < 10, "a nap of 20 ms takes %g s", slept);
    tap_ok(off > -1.5 && off < 1.5, "the epoch clock is time()'s");
    return tap_done();
}
