/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - samples of a set as a feed for steps and evaluations. */
#include "train/source.h"
#include "comm/watch.h"

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Samples of a micro-batch: how many, and in 'first' where in the lane's share
 * of the step. */
static int64_t train_part(const struct tt_plan *plan, int64_t step,
                          int32_t lane, int64_t micro, int64_t *first)
{
    int64_t epoch, index;

    *first = micro * plan->micro_samples;
    return min64(tt_order_step(&plan->order, step, lane, &epoch, &index) -
                     *first,
                 plan->micro_samples);
}

int64_t tt_source_feed_train(void *from, int64_t step, int32_t lane,
                             int64_t micro, void *x, void *y,
                             struct tt_error *err)
{
    struct tt_source *source = from;
    int64_t first;
    int64_t count = train_part(source->plan, step, lane, micro, &first);

    if (count <= 0)
        return 0;
    tt_watch_note("a training step", step);
    if (tt_loader_fetch(source->loader, step, lane, first, count, x, y, err) <
        0)
        return -1;
    return count;
}

int tt_source_blame_train(void *from, int64_t step, int32_t lane, int64_t micro,
                          const void *x, const void *y, struct tt_error *err)
{
    struct tt_source *source = from;
    int64_t first;
    int64_t count = train_part(source->plan, step, lane, micro, &first);
    bool in_y;
    int64_t odd = tt_set_find_odd(source->set, count, x, y, &in_y);

    if (odd < 0)
        return 0;
    return tt_set_fail_odd(
        source->set, tt_loader_sample(source->loader, step, lane, first + odd),
        in_y, err);
}

static int64_t eval_part(const struct tt_source *source, int64_t micro,
                         int64_t *first)
{
    *first = micro * source->plan->eval_samples;
    return min64(tt_set_info(source->set)->sample_count - *first,
                 source->plan->eval_samples);
}

int64_t tt_source_feed_eval(void *from, int64_t step, int32_t lane,
                            int64_t micro, void *x, void *y,
                            struct tt_error *err)
{
    struct tt_source *source = from;
    int64_t first, count = eval_part(source, micro, &first);

    (void)step;
    (void)lane;
    tt_watch_note("an evaluation, micro-batch", micro);
    if (tt_loader_fetch_plain(source->loader, first, count, x, y, err) < 0)
        return -1;
    return count;
}

int tt_source_blame_eval(void *from, int64_t step, int32_t lane, int64_t micro,
                         const void *x, const void *y, struct tt_error *err)
{
    struct tt_source *source = from;
    int64_t first, count = eval_part(source, micro, &first);
    bool in_y;
    int64_t odd = tt_set_find_odd(source->set, count, x, y, &in_y);

    (void)step;
    (void)lane;
    if (odd < 0)
        return 0;
    return tt_set_fail_odd(source->set, first + odd, in_y, err);
}

int64_t tt_source_micro_count(const struct tt_plan *plan, int64_t step)
{
    int64_t micros = 0;

    for (int32_t lane = 0; lane < plan->lanes; lane++) {
        int64_t epoch, index;
        int64_t samples =
            tt_order_step(&plan->order, step, lane, &epoch, &index);

        micros += (samples + plan->micro_samples - 1) / plan->micro_samples;
    }
    return micros;
}
