/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.c - one pass over a whole set, by exact counts. */
#include <math.h>

#include "comm/agree.h"
#include "exec/step.h"
#include "layout/block.h"

static int play(const struct tt_eval_conf *conf, const struct tt_feed *feed,
                struct tt_verdict *sums, struct tt_error *err)
{
    struct tt_exec *exec = conf->exec;
    int64_t micros =
        (conf->sample_count + conf->micro_samples - 1) / conf->micro_samples;
    struct tt_block mine = tt_block_of(micros, conf->size, conf->rank);

    for (int64_t m = mine.first; m < mine.first + mine.count; m++) {
        struct tt_now now = {.first_in_lane = true};

        now.valid_rows =
            feed->feed(feed->source, -1, 0, m, exec->x, exec->y, err);
        if (now.valid_rows < 0)
            return -1;
        tt_list_run(conf->list, &now);
        tt_exact_add(&sums->loss, exec->tally[0]);
        tt_exact_add(&sums->weight, exec->tally[1]);
        sums->correct += (int64_t)exec->tally[2];
        sums->targets += (int64_t)exec->tally[3];
        if (feed->blame && !isfinite(exec->tally[0]) &&
            feed->blame(feed->source, -1, 0, m, exec->x, exec->y, err) < 0)
            return -1;
    }
    return 0;
}

int tt_eval_run(const struct tt_eval_conf *conf, const struct tt_feed *feed,
                struct tt_eval_out *out, struct tt_error *err)
{
    struct tt_verdict sums = {0};
    int rc = play(conf, feed, &sums, err);
    double weight;

    sums.asks[TT_ASK_FAILED] = rc < 0;
    tt_verdict_all(&sums, conf->size, conf->comm);
    if (sums.asks[TT_ASK_FAILED])
        return tt_agree(rc, err, conf->comm);
    weight = tt_exact_value(&sums.weight);
    out->loss = weight > 0 ? tt_exact_value(&sums.loss) / weight : 0.0;
    out->targets = sums.targets;
    out->accuracy =
        sums.targets > 0 ? (double)sums.correct / (double)sums.targets : 0.0;
    return 0;
}
