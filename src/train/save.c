/* SPDX-License-Identifier: BSD-3-Clause */
/* save.c - when checkpoints are written and what happens around them. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "ckpt/steps.h"
#include "comm/watch.h"
#include "train/save.h"

void tt_saver_init(struct tt_saver *saver, struct tt_run *run,
                   struct tt_report *report)
{
    *saver = (struct tt_saver){.run = run, .report = report};
    tt_due_init(&saver->due, &run->plan, &run->job.checkpoint.every,
                tt_clock_s());
}

bool tt_saver_is_written(const struct tt_saver *saver)
{
    return saver->flight && tt_ckpt_is_written(saver->flight);
}

/* Rank 0, after a commit: older ones go, the best is pointed to. */
static void keep(const struct tt_saver *saver, int64_t step, int64_t best)
{
    const char *root = saver->report->dir.checkpoints;
    struct tt_error err = {0};

    if (!saver->report->speaks)
        return;
    if ((best == step && tt_ckpt_mark_best(root, step, &err) < 0) ||
        tt_ckpt_prune(root, saver->run->job.checkpoint.keep, best, &err) < 0)
        tt_log_warn("%s", err.text);
    tt_rundir_grant(&saver->report->dir, TT_WISH_SAVE);
}

static void count_lost(struct tt_saver *saver, double start_s)
{
    double now_s = tt_clock_s();

    saver->report->line.save_s += now_s - start_s;
    tt_report_rebase(saver->report, now_s);
}

static void saved(struct tt_saver *saver, int64_t step, int64_t best,
                  double start_s)
{
    saver->run->state.saved_step = step;
    saver->cost_s = tt_clock_s() - start_s;
    tt_report_event(saver->report, "save", step,
                    json_pack("{s:f}", "save_s", saver->cost_s));
    keep(saver, step, best);
}

static void warn_failed(int64_t step, const struct tt_error *err)
{
    tt_log_warn("checkpoint of step %" PRId64 " not written: %s; going on",
                step, err->text);
}

void tt_saver_begin_all(struct tt_saver *saver)
{
    struct tt_run *run = saver->run;
    struct tt_error err = {0};
    double start_s = tt_clock_s();

    if (saver->flight) {
        tt_log_say("step %" PRId64 ": no checkpoint, the one of step %" PRId64
                   " is still being written",
                   run->state.step, saver->flight_step);
        return;
    }
    tt_watch_note("the begin of a checkpoint", run->state.step);
    tt_due_done(&saver->due, start_s);
    saver->flight = tt_run_save_begin_all(run, &err);
    if (!saver->flight)
        warn_failed(run->state.step, &err);
    saver->flight_step = run->state.step;
    saver->flight_best = run->state.best_step;
    saver->flight_start_s = start_s;
    count_lost(saver, start_s);
}

void tt_saver_end_all(struct tt_saver *saver)
{
    struct tt_error err = {0};
    double start_s = tt_clock_s();

    if (!saver->flight)
        return;
    tt_watch_note("the end of a checkpoint", saver->flight_step);
    if (tt_ckpt_end_all(saver->flight, &err) < 0)
        warn_failed(saver->flight_step, &err);
    else
        saved(saver, saver->flight_step, saver->flight_best,
              saver->flight_start_s);
    saver->flight = NULL;
    count_lost(saver, start_s);
}

int tt_saver_last_all(struct tt_saver *saver, struct tt_error *err)
{
    struct tt_run *run = saver->run;
    double start_s = tt_clock_s();

    tt_saver_end_all(saver);
    if (run->state.saved_step == run->state.step)
        return 0;
    tt_watch_note("the last checkpoint", run->state.step);
    if (tt_run_save_all(run, err) < 0)
        return tt_fail_in(err, "checkpoint of step %" PRId64, run->state.step);
    saved(saver, run->state.step, run->state.best_step, start_s);
    count_lost(saver, start_s);
    return 0;
}
