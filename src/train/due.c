/* SPDX-License-Identifier: BSD-3-Clause */
/* due.c - "every 500 steps or 30 min". */
#include "train/due.h"

void tt_due_init(struct tt_due *due, const struct tt_plan *plan,
                 const struct tt_lengths *every, double now_s)
{
    *due = (struct tt_due){.last_s = now_s};
    for (int i = 0; i < every->count; i++) {
        int64_t steps = tt_plan_steps(plan, every->at[i]);

        if (every->at[i].unit == TT_SECONDS)
            due->every_s = every->at[i].value;
        else if (steps > 0)
            due->every_steps[due->count++] = steps;
    }
}

bool tt_due_by_steps(const struct tt_due *due, int64_t step)
{
    for (int i = 0; i < due->count; i++)
        if (step % due->every_steps[i] == 0)
            return true;
    return false;
}

bool tt_due_by_time(const struct tt_due *due, double now_s)
{
    return due->every_s > 0 && now_s - due->last_s >= due->every_s;
}

void tt_due_done(struct tt_due *due, double now_s)
{
    due->last_s = now_s;
}
