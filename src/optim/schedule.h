/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h - learning rate as a function of the step.  Pure. */
#ifndef TT_OPTIM_SCHEDULE_H
#define TT_OPTIM_SCHEDULE_H

#include <stdint.h>

/* All lengths in steps, already resolved. */
struct tt_schedule {
    const char *name; /* constant | linear | cosine | wsd */
    double lr, min_lr;
    int64_t warmup_steps;
    int64_t decay_steps; /* of wsd: the last phase */
    int64_t total_steps;
};

/* The rate for step 'step' (from 0).  Warm-up is linear and ends at lr:
 * lr (step + 1) / warmup.  linear and cosine fall from lr to min_lr over the
 * steps after warm-up, the last step having min_lr + 1/n of the way; wsd holds
 * lr and falls linearly over the last decay_steps, which are cut to what
 * warm-up leaves.  From total_steps on all but constant (and wsd without a
 * decay) stay at min_lr. */
double tt_schedule_lr(const struct tt_schedule *schedule, int64_t step);

#endif
