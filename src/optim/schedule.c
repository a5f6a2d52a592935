/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - learning rate as a function of the step. */
#include "optim/schedule.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* How much of the way down 'step' has left, 1 to 0, of a fall over the last
 * 'fall' steps of the run. */
static double way_left(const struct tt_schedule *s, int64_t step, int64_t fall)
{
    int64_t left = s->total_steps - step;

    if (left <= 0)
        return 0;
    return left >= fall ? 1 : (double)left / (double)fall;
}

static double fall_linear(const struct tt_schedule *s, int64_t step)
{
    return way_left(s, step, s->total_steps - s->warmup_steps);
}

static double fall_cosine(const struct tt_schedule *s, int64_t step)
{
    return 0.5 * (1 - cos(pi * fall_linear(s, step)));
}

static double fall_wsd(const struct tt_schedule *s, int64_t step)
{
    int64_t free_steps = s->total_steps - s->warmup_steps;
    int64_t fall = s->decay_steps < free_steps ? s->decay_steps : free_steps;

    return fall > 0 ? way_left(s, step, fall) : 1;
}

double tt_schedule_lr(const struct tt_schedule *schedule, int64_t step)
{
    const struct tt_schedule *s = schedule;
    double way = 1;

    if (step < s->warmup_steps)
        return s->lr * (double)(step + 1) / (double)s->warmup_steps;
    if (strcmp(s->name, "linear") == 0)
        way = fall_linear(s, step);
    else if (strcmp(s->name, "cosine") == 0)
        way = fall_cosine(s, step);
    else if (strcmp(s->name, "wsd") == 0)
        way = fall_wsd(s, step);
    else
        return s->lr;
    return way < 1 ? s->min_lr + (s->lr - s->min_lr) * way : s->lr;
}
