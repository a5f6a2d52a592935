/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c - the story of a run: step, look what is due, go on or stop. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "ckpt/steps.h"
#include "comm/agree.h"
#include "comm/watch.h"
#include "train/due.h"
#include "train/report.h"
#include "train/run.h"
#include "train/save.h"
#include "train/source.h"

enum { SLURM_MARGIN_S = 60 };

/* Why the loop ended. */
enum end { GOES_ON, LENGTH_DONE, TIME_DONE, NO_BETTER, STOPPED, REQUEUED };

struct loop {
    struct tt_run *run;
    struct tt_report report;
    struct tt_saver saver;
    struct tt_due eval;
    struct tt_step_out out; /* of the last step */
    double started_s, elapsed_before_s;
    double step_cost_s, eval_cost_s; /* what the last one took */
    enum end end;
};

/* --- what is due --- */

static bool slurm_time_is_up(const struct loop *loop)
{
    double margin = SLURM_MARGIN_S + 2 * loop->saver.cost_s +
                    2 * loop->step_cost_s + loop->eval_cost_s;
    double limit = loop->run->slurm.end_time;

    return limit > 0 && limit - tt_clock_epoch_s() < margin;
}

/* Signals are asked for by whichever rank got one; files and clocks by rank 0.
 */
static void ask(struct loop *loop, double now_s, int64_t asks[TT_ASK_COUNT])
{
    struct tt_run *run = loop->run;
    enum tt_wish file;

    asks[TT_ASK_STOP] = tt_signals_wish() == TT_WISH_STOP;
    asks[TT_ASK_WRITTEN] = tt_saver_is_written(&loop->saver);
    if (!loop->report.speaks)
        return;
    file = tt_rundir_wish(&loop->report.dir, now_s);
    asks[TT_ASK_SAVE] =
        file == TT_WISH_SAVE || tt_due_by_time(&loop->saver.due, now_s);
    asks[TT_ASK_EVAL] = tt_due_by_time(&loop->eval, now_s);
    asks[TT_ASK_END] =
        file == TT_WISH_STOP ||
        (run->plan.total_s > 0 && run->state.elapsed_s >= run->plan.total_s);
    if (run->slurm.end_time > 0)
        asks[TT_ASK_STOP] |= slurm_time_is_up(loop);
}

/* --- one step --- */

static int64_t micro_count(const struct tt_run *run)
{
    if (run->plan.params.stats.count == 0)
        return 1; /* nobody asks */
    return tt_source_micro_count(&run->plan, run->state.step);
}

static int step(struct loop *loop, double now_s, struct tt_error *err)
{
    struct tt_run *run = loop->run;
    struct tt_feed feed = {tt_source_feed_train, &run->train,
                           tt_source_blame_train};
    struct tt_step_in in = {
        .step = run->state.step,
        .update = run->state.step + 1,
        .micro_count = micro_count(run),
        .lr = tt_schedule_lr(&run->plan.schedule, run->state.step),
    };

    ask(loop, now_s, in.asks);
    if (tt_loader_begin_step(run->train.loader, in.step, err) < 0 ||
        tt_step_run(run->step, &in, &feed, &loop->out, err) < 0)
        return -1;
    if (!loop->out.finite)
        return tt_fail(err, TT_EINVAL,
                       "step %" PRId64 ": the %s is not finite (loss %g, "
                       "gradient norm %g): use a smaller optimizer.lr, a "
                       "longer schedule.warmup or optimizer.clip-norm, and "
                       "resume from the last checkpoint",
                       in.step, isfinite(loop->out.loss) ? "gradient" : "loss",
                       loop->out.loss, loop->out.grad_norm);
    run->state.samples +=
        tt_order_step_samples(&run->plan.order, run->state.step);
    run->state.step++;
    return 0;
}

/* --- evaluation --- */

int tt_run_evaluate_all(struct tt_run *run, struct tt_source *source,
                        struct tt_eval_out *out, struct tt_error *err)
{
    struct tt_feed feed = {tt_source_feed_eval, source, tt_source_blame_eval};
    struct tt_eval_conf conf = {
        .exec = &run->exec,
        .list = run->eval_list,
        .sample_count = tt_set_info(source->set)->sample_count,
        .micro_samples = run->plan.eval_samples,
        .comm = run->world->comm,
        .rank = run->world->rank,
        .size = run->world->size,
    };

    return tt_eval_run(&conf, &feed, out, err);
}

/* Keep count of the best; whether this one is it. */
static bool note_best(struct tt_run *run, const struct tt_eval_out *out)
{
    struct tt_run_state *s = &run->state;
    bool by_loss = strcmp(run->job.eval.best, "loss") == 0;
    double value = by_loss ? -out->loss : out->accuracy;
    double before = by_loss ? -s->best : s->best;
    bool better = s->best_step < 0 ||
                  value > before + run->job.train.early_stop.min_delta;

    s->eval_loss = isfinite(out->loss) ? out->loss : DBL_MAX;
    s->eval_accuracy = out->accuracy;
    s->stale = better ? 0 : s->stale + 1;
    if (better) {
        s->best = by_loss ? s->eval_loss : out->accuracy;
        s->best_step = s->step;
    }
    return better;
}

static void report_eval(struct loop *loop, const struct tt_eval_out *out,
                        double seconds)
{
    struct tt_run *run = loop->run;
    bool counts = run->plan.spec.loss == TT_LOSS_XENT ||
                  run->plan.spec.loss == TT_LOSS_BCE;
    json_t *more =
        json_pack("{s:f, s:I, s:f}", "valid.loss", out->loss, "valid.targets",
                  (json_int_t)out->targets, "eval_s", seconds);

    if (counts && more)
        json_object_set_new(more, "valid.accuracy",
                            tt_metrics_real(out->accuracy));
    if (run->plan.spec.tokens && more)
        json_object_set_new(more, "valid.perplexity",
                            tt_metrics_real(exp(out->loss)));
    tt_report_event(&loop->report, "eval", run->state.step, more);
    if (counts)
        tt_log_say("step %" PRId64 ": valid loss %.5g, accuracy %.2f %%%s",
                   run->state.step, out->loss, 100 * out->accuracy,
                   run->state.best_step == run->state.step ? " (best)" : "");
    else
        tt_log_say("step %" PRId64 ": valid loss %.5g%s", run->state.step,
                   out->loss,
                   run->state.best_step == run->state.step ? " (best)" : "");
}

static int evaluate(struct loop *loop, bool *better, struct tt_error *err)
{
    struct tt_run *run = loop->run;
    double start = tt_clock_s();
    struct tt_eval_out out;

    *better = false;
    if (!run->valid.set || run->state.eval_step == run->state.step)
        return 0;
    tt_watch_note("an evaluation", run->state.step);
    if (tt_run_evaluate_all(run, &run->valid, &out, err) < 0)
        return -1;
    run->state.eval_step = run->state.step;
    *better = note_best(run, &out);
    loop->eval_cost_s = tt_clock_s() - start;
    report_eval(loop, &out, loop->eval_cost_s);
    tt_due_done(&loop->eval, tt_clock_s());
    tt_report_rebase(&loop->report, tt_clock_s());
    return 0;
}

/* --- the end --- */

static enum end find_end(const struct loop *loop)
{
    const struct tt_run *run = loop->run;

    if (loop->out.asks[TT_ASK_STOP])
        return REQUEUED;
    if (run->state.step >= run->plan.total_steps)
        return LENGTH_DONE;
    if (loop->out.asks[TT_ASK_END])
        return run->plan.total_s > 0 &&
                       run->state.elapsed_s >= run->plan.total_s
                   ? TIME_DONE
                   : STOPPED;
    return GOES_ON;
}

static bool is_stale(const struct tt_run *run)
{
    int64_t patience = run->job.train.early_stop.patience;

    return run->job.train.early_stop.on && patience > 0 &&
           run->state.stale >= patience;
}

/* A stop leaves no time for an evaluation: the next start makes up for it. */
static bool is_eval_due(const struct loop *loop)
{
    if (loop->end == REQUEUED)
        return false;
    return loop->end != GOES_ON || loop->out.asks[TT_ASK_EVAL] ||
           tt_due_by_steps(&loop->eval, loop->run->state.step);
}

/* After a step: evaluate, save, decide. */
static int look(struct loop *loop, struct tt_error *err)
{
    struct tt_run *run = loop->run;
    bool better = false;

    loop->end = find_end(loop);
    if (is_eval_due(loop) && evaluate(loop, &better, err) < 0)
        return -1;
    if (loop->end == GOES_ON && is_stale(run))
        loop->end = NO_BETTER;
    if (loop->end != GOES_ON)
        return tt_saver_last_all(&loop->saver, err);
    if (better || loop->out.asks[TT_ASK_WRITTEN] == run->world->size)
        tt_saver_end_all(&loop->saver);
    if (better || loop->out.asks[TT_ASK_SAVE] ||
        tt_due_by_steps(&loop->saver.due, run->state.step))
        tt_saver_begin_all(&loop->saver);
    return 0;
}

/* How soon the work began: what users of a queue wait for. */
static void report_first(struct loop *loop, double now_s)
{
    struct tt_run *run = loop->run;

    tt_report_event(&loop->report, "first-step", run->state.step,
                    json_pack("{s:f, s:f}", "mpi_init_s", run->world->init_s,
                              "after_init_s", now_s - run->opened_s));
}

/* An evaluation that was due when the run was stopped. */
static int catch_up(struct loop *loop, struct tt_error *err)
{
    struct tt_run *run = loop->run;
    bool better = false;

    if (run->state.step == 0 || !tt_due_by_steps(&loop->eval, run->state.step))
        return 0;
    if (evaluate(loop, &better, err) < 0)
        return -1;
    if (better)
        tt_saver_begin_all(&loop->saver);
    if (!is_stale(run))
        return 0;
    loop->end = NO_BETTER;
    return tt_saver_last_all(&loop->saver, err);
}

static int play(struct loop *loop, struct tt_error *err)
{
    struct tt_run *run = loop->run;
    double now_s = tt_clock_s(), before_s;
    bool first = true;

    while (loop->end == GOES_ON) {
        double lr = tt_schedule_lr(&run->plan.schedule, run->state.step);

        if (step(loop, now_s, err) < 0)
            return -1;
        before_s = now_s;
        now_s = tt_clock_s();
        if (first)
            report_first(loop, now_s);
        first = false;
        loop->step_cost_s = now_s - before_s;
        run->state.elapsed_s = loop->elapsed_before_s + now_s - loop->started_s;
        tt_report_step(&loop->report, run, &loop->out, lr, now_s,
                       run->state.step == run->plan.total_steps);
        if (look(loop, err) < 0)
            return -1;
    }
    return 0;
}

/* Collective.  Rank 0 writes; whether it could is everybody's answer, so that
 * all leave with one status. */
static int write_verdict_all(struct loop *loop, enum tt_run_verdict verdict,
                             const char *reason, struct tt_error *err)
{
    int rc = tt_report_verdict(&loop->report, verdict, loop->run->state.step,
                               reason, err);

    return tt_agree_root(rc, err, loop->run->world->comm);
}

static int finish(struct loop *loop, struct tt_error *err)
{
    static const char *const reason[] = {
        [LENGTH_DONE] = "the length of training is reached",
        [TIME_DONE] = "the time of training is over",
        [NO_BETTER] = "early stop: the validation set gets no better",
        [STOPPED] = "stopped by the file STOP",
        [REQUEUED] = "stopped by a signal or the job's time limit",
    };
    struct tt_run *run = loop->run;
    bool again = loop->end == REQUEUED;

    if (loop->report.speaks)
        tt_rundir_grant(&loop->report.dir, TT_WISH_STOP);
    if (write_verdict_all(loop, again ? TT_VERDICT_REQUEUE : TT_VERDICT_DONE,
                          reason[loop->end], err) < 0)
        return 1;
    tt_log_say("%s after step %" PRId64 ": %s", again ? "saved" : "done",
               run->state.step, reason[loop->end]);
    return again ? 75 : 0;
}

static int train(struct loop *loop, struct tt_error *err)
{
    struct tt_run *run = loop->run;

    if (run->state.step >= run->plan.total_steps || is_stale(run) ||
        (run->plan.total_s > 0 && run->state.elapsed_s >= run->plan.total_s)) {
        tt_log_say(
            "this run is finished (step %" PRId64 "); a larger %s continues it",
            run->state.step,
            is_stale(run) ? "train.early-stop.patience" : "train.length");
        return write_verdict_all(loop, TT_VERDICT_DONE, "finished before",
                                 err) < 0
                   ? 1
                   : 0;
    }
    loop->started_s = tt_clock_s();
    loop->elapsed_before_s = run->state.elapsed_s;
    tt_saver_init(&loop->saver, run, &loop->report);
    tt_due_init(&loop->eval, &run->plan, &run->job.eval.every, loop->started_s);
    if (catch_up(loop, err) < 0 || play(loop, err) < 0) {
        tt_saver_end_all(&loop->saver); /* all ranks failed together */
        return 1;
    }
    return finish(loop, err);
}

/* Checkpoints newer than where this run goes on would be taken for its own. */
static int set_newer_aside(const struct tt_run *run, const char *root,
                           struct tt_error *err)
{
    int64_t moved = tt_ckpt_set_aside(root, run->state.saved_step, err);

    if (moved > 0)
        tt_log_say("%" PRId64 " newer checkpoints renamed to step-*.aside",
                   moved);
    return moved < 0 ? -1 : 0;
}

/* Collective.  From a checkpoint, from weights alone, or from the seed. */
static int find_start(struct loop *loop, struct tt_error *err)
{
    struct tt_run *run = loop->run;
    int rc = 0;

    if (tt_run_resume_all(run, err) < 0)
        return -1;
    if (run->state.saved_step < 0 && !run->job.model.init)
        tt_run_init(run);
    else if (run->state.saved_step < 0 &&
             tt_run_init_from_all(run, run->job.model.init, err) < 0)
        return -1;
    if (loop->report.speaks)
        rc = set_newer_aside(run, loop->report.dir.checkpoints, err);
    return tt_agree_root(rc, err, run->world->comm);
}

int tt_run_train_all(struct tt_run *run, struct tt_error *err)
{
    struct loop loop = {.run = run};
    struct tt_error late = {0};
    int rc = 1;

    if (tt_report_open_all(&loop.report, run, err) < 0 ||
        find_start(&loop, err) < 0 || tt_run_start_data_all(run, err) < 0)
        goto out;
    tt_run_summary(run);
    if (tt_agree_root(tt_report_start(&loop.report, run, err), err,
                      run->world->comm) < 0)
        goto out;
    rc = train(&loop, err);
out:
    if (rc == 1)
        tt_report_verdict(&loop.report, TT_VERDICT_FAILED, run->state.step,
                          err->text, &late);
    tt_report_close(&loop.report);
    return rc;
}
