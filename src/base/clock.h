/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - time. */
#ifndef TT_BASE_CLOCK_H
#define TT_BASE_CLOCK_H

/* Monotonic seconds, for differences. */
double tt_clock_s(void);

/* Seconds since the epoch, for records. */
double tt_clock_epoch_s(void);

#endif
