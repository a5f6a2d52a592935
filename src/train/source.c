/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - samples of a set as a feed for steps and evaluations. */
#include "train/source.h"
#include "comm/watch.h"

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t tt_source_feed_train(void *from, int64_t step, int32_t lane,
                             int64_t micro, void *x, void *y,
                             struct tt_error *err)
{
    struct tt_source *source = from;
    const struct tt_plan *plan = source->plan;
    int64_t epoch, index, first = micro * plan->micro_samples;
    int64_t left =
        tt_order_step(&plan->order, step, lane, &epoch, &index) - first;
    int64_t count = min64(left, plan->micro_samples);

    if (count <= 0)
        return 0;
    tt_watch_note("a training step", step);
    if (tt_loader_fetch(source->loader, step, lane, first, count, x, y, err) <
        0)
        return -1;
    return count;
}

int64_t tt_source_feed_eval(void *from, int64_t step, int32_t lane,
                            int64_t micro, void *x, void *y,
                            struct tt_error *err)
{
    struct tt_source *source = from;
    int64_t first = micro * source->plan->eval_samples;
    int64_t count = min64(tt_set_info(source->set)->sample_count - first,
                          source->plan->eval_samples);

    (void)step;
    (void)lane;
    tt_watch_note("an evaluation, micro-batch", micro);
    if (tt_loader_fetch_plain(source->loader, first, count, x, y, err) < 0)
        return -1;
    return count;
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
