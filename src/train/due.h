/* SPDX-License-Identifier: BSD-3-Clause */
/* due.h - "every 500 steps or 30 min": by steps all ranks see it by themselves,
 * by time rank 0 asks the others through the verdict of a step. */
#ifndef TT_TRAIN_DUE_H
#define TT_TRAIN_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/build.h"

struct tt_due {
    int64_t every_steps[TT_LENGTHS_MAX];
    int32_t count;
    double every_s; /* 0: not by time */
    double last_s;
};

void tt_due_init(struct tt_due *due, const struct tt_plan *plan,
                 const struct tt_lengths *every, double now_s);

/* After 'step' steps: due by steps, the same answer on all ranks. */
bool tt_due_by_steps(const struct tt_due *due, int64_t step);

/* Due by time since the last tt_due_done(). */
bool tt_due_by_time(const struct tt_due *due, double now_s);
void tt_due_done(struct tt_due *due, double now_s);

#endif
