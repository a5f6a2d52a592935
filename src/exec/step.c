/* SPDX-License-Identifier: BSD-3-Clause */
/* step.c - one step of training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "comm/agree.h"
#include "exec/step.h"

enum { NORM_BLOCK = 512 };

struct tt_step {
    struct tt_step_conf conf;
    struct tt_list **train;    /* one per accumulator */
    struct tt_list **lane_end; /* likewise; NULL where nothing is tied */
    struct tt_list *update;
    struct tt_op sum, sumsq;
    int64_t norm_first; /* this rank's share of the gradient norm */
};

static int bind_lists(struct tt_step *step, struct tt_error *err)
{
    const struct tt_step_conf *conf = &step->conf;
    int count = conf->exec->conf.memory.accumulators;

    step->train = calloc((size_t)count, sizeof(*step->train));
    step->lane_end = calloc((size_t)count, sizeof(*step->lane_end));
    if (!step->train || !step->lane_end)
        return tt_fail(err, TT_ENOMEM, "out of memory for the step's lists");
    for (int i = 0; i < count; i++) {
        step->train[i] = tt_list_create(conf->exec, conf->train, i, err);
        step->lane_end[i] = tt_list_create(conf->exec, conf->lane_end, i, err);
        if (!step->train[i] || !step->lane_end[i])
            return -1;
    }
    step->update = tt_list_create(conf->exec, conf->update, 0, err);
    return step->update ? 0 : -1;
}

/* The norm is summed once: each rank takes a run of whole blocks. */
static void share_norm(struct tt_step *step)
{
    const struct tt_step_conf *conf = &step->conf;
    struct tt_block mine = tt_block_of(conf->params->weights.count / NORM_BLOCK,
                                       conf->size, conf->rank);

    step->norm_first = mine.first * NORM_BLOCK;
    step->sumsq = (struct tt_op){.kind = TT_OP_SUMSQ, .ref_count = 2};
    step->sumsq.ref[0].mode = TT_REF_ADD;
    step->sumsq.dim[0] = mine.count * NORM_BLOCK;
    step->sum = (struct tt_op){.kind = TT_OP_SUM, .ref_count = 2};
    step->sum.ref[0].mode = TT_REF_ADD;
    step->sum.dim[0] = conf->exec->accumulator_count;
}

struct tt_step *tt_step_create(const struct tt_step_conf *conf,
                               struct tt_error *err)
{
    struct tt_step *step = calloc(1, sizeof(*step));

    if (!step) {
        tt_fail(err, TT_ENOMEM, "out of memory for a step");
        return NULL;
    }
    step->conf = *conf;
    share_norm(step);
    if (bind_lists(step, err) < 0) {
        tt_step_destroy(step);
        return NULL;
    }
    return step;
}

void tt_step_destroy(struct tt_step *step)
{
    if (!step)
        return;
    for (int i = 0; i < step->conf.exec->conf.memory.accumulators; i++) {
        if (step->train)
            tt_list_destroy(step->train[i]);
        if (step->lane_end)
            tt_list_destroy(step->lane_end[i]);
    }
    free(step->train);
    free(step->lane_end);
    tt_list_destroy(step->update);
    free(step);
}

static void run_range(const struct tt_step *step, const struct tt_op *op,
                      void *written, void *read, const struct tt_now *now)
{
    const struct tt_exec *exec = step->conf.exec;
    void *ptr[TT_OP_REFS] = {written, read};

    exec->conf.memory.backend->kernel[op->kind].run(op, ptr, now, exec->work);
}

static void add_tally(struct tt_verdict *verdict, const double tally[4])
{
    tt_exact_add(&verdict->loss, tally[0]);
    tt_exact_add(&verdict->weight, tally[1]);
    verdict->correct += (int64_t)tally[2];
    verdict->targets += (int64_t)tally[3];
}

static int play_micro(struct tt_step *step, const struct tt_beat *beat,
                      const struct tt_feed *feed, struct tt_now *now,
                      struct tt_verdict *verdict, struct tt_error *err)
{
    const struct tt_deal *deal = step->conf.deal;
    struct tt_exec *exec = step->conf.exec;
    int64_t index = beat->lane * deal->micro_per_lane + beat->micro;
    int64_t valid = feed->feed(feed->source, now->step, beat->lane, beat->micro,
                               exec->x, exec->y, err);

    if (valid <= 0)
        return (int)valid;
    now->valid_rows = valid;
    now->lane = beat->lane;
    now->position = (now->step * deal->lanes * deal->micro_per_lane + index) *
                    deal->micro_samples;
    tt_list_run(step->train[beat->acc], now);
    add_tally(verdict, exec->tally);
    now->first_in_lane = false;
    if (feed->blame && !isfinite(exec->tally[0]))
        return feed->blame(feed->source, now->step, beat->lane, beat->micro,
                           exec->x, exec->y, err);
    return 0;
}

/* A lane without a single sample counts as zeros. */
static void end_lane(struct tt_step *step, int acc, struct tt_now *now)
{
    const struct tt_exec *exec = step->conf.exec;

    if (now->first_in_lane)
        memset(exec->accumulator[acc], 0,
               (size_t)exec->accumulator_count * sizeof(float));
    else
        tt_list_run(step->lane_end[acc], now);
    now->first_in_lane = true;
}

/* An error on the way is kept for the verdict: nobody leaves the step alone. */
static int play(struct tt_step *step, const struct tt_feed *feed,
                struct tt_now *now, struct tt_verdict *verdict,
                struct tt_error *err)
{
    const struct tt_score *score = step->conf.score;
    float *const *acc = step->conf.exec->accumulator;
    int rc = 0;

    for (int64_t i = 0; i < score->count; i++) {
        const struct tt_beat *beat = &score->beat[i];

        switch (beat->kind) {
        case TT_BEAT_MICRO:
            if (rc == 0)
                rc = play_micro(step, beat, feed, now, verdict, err);
            break;
        case TT_BEAT_LANE_END:
            end_lane(step, beat->acc, now);
            break;
        case TT_BEAT_SUM:
            run_range(step, &step->sum, acc[beat->acc], acc[beat->src], now);
            break;
        }
    }
    return rc;
}

static double clip_factor(double norm, double limit)
{
    double factor = limit / (norm + 1e-6);

    return limit > 0 && factor < 1.0 ? factor : 1.0;
}

/* What the verdict says, and the update it allows. */
static void decide(struct tt_step *step, const struct tt_verdict *verdict,
                   struct tt_now *now, struct tt_step_out *out)
{
    double weight = tt_exact_value(&verdict->weight);
    double loss = tt_exact_value(&verdict->loss);
    double sumsq = tt_exact_value(&verdict->sumsq);

    out->targets = verdict->targets;
    memcpy(out->asks, verdict->asks, sizeof(out->asks));
    out->loss = weight > 0 ? loss / weight : 0.0;
    out->grad_norm = weight > 0 ? sqrt(sumsq) / weight : 0.0;
    out->accuracy = verdict->targets > 0
                        ? (double)verdict->correct / (double)verdict->targets
                        : 0.0;
    out->finite = isfinite(loss) && isfinite(sumsq);
    if (!out->finite || weight <= 0)
        return;
    now->grad_scale =
        clip_factor(out->grad_norm, step->conf.clip_norm) / weight;
    tt_list_run(step->update, now);
}

static void reduce(struct tt_step *step, struct tt_step_out *out)
{
    const struct tt_exec *exec = step->conf.exec;
    double start;

    if (!step->conf.treesum)
        return;
    start = tt_clock_s();
    tt_treesum_run(step->conf.treesum, exec->accumulator, exec->flat_count);
    out->comm_wait_s += tt_clock_s() - start;
}

int tt_step_run(struct tt_step *step, const struct tt_step_in *in,
                const struct tt_feed *feed, struct tt_step_out *out,
                struct tt_error *err)
{
    struct tt_exec *exec = step->conf.exec;
    struct tt_verdict verdict = {0};
    struct tt_now now = {
        .seed = step->conf.seed,
        .step = in->step,
        .update = in->update,
        .micro_count = in->micro_count,
        .first_in_lane = true,
        .lr = in->lr,
    };
    int rc;

    *out = (struct tt_step_out){0};
    rc = play(step, feed, &now, &verdict, err);
    reduce(step, out);
    *exec->norm = (struct tt_exact){0};
    run_range(step, &step->sumsq, exec->norm,
              exec->accumulator[0] + step->norm_first, &now);
    verdict.sumsq = *exec->norm;
    memcpy(verdict.asks, in->asks, sizeof(verdict.asks));
    verdict.asks[TT_ASK_FAILED] = rc < 0;
    tt_verdict_all(&verdict, step->conf.size, step->conf.comm);
    if (verdict.asks[TT_ASK_FAILED])
        return tt_agree(rc, err, step->conf.comm);
    decide(step, &verdict, &now, out);
    return 0;
}
