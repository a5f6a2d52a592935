/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - what rank 0 writes and shows while a run goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "comm/agree.h"
#include "train/report.h"

static int open_here(struct tt_report *report, const struct tt_run *run,
                     struct tt_error *err)
{
    if (tt_rundir_open(&report->dir, run->job.run.dir, &run->slurm, err) < 0 ||
        tt_rundir_clear_verdict(&report->dir, err) < 0)
        return -1;
    report->metrics = tt_metrics_open(report->dir.dir, err);
    return report->metrics ? 0 : -1;
}

int tt_report_open_all(struct tt_report *report, const struct tt_run *run,
                       struct tt_error *err)
{
    int rc = 0;

    *report = (struct tt_report){.speaks = run->world->rank == 0};
    tt_metrics_line_init(&report->line);
    if (report->speaks)
        rc = open_here(report, run, err);
    return tt_agree_root(rc, err, run->world->comm);
}

void tt_report_close(struct tt_report *report)
{
    struct tt_error err = {0};

    tt_progress_hide(&report->progress);
    if (report->metrics && tt_metrics_close(report->metrics, &err) < 0)
        tt_log_warn("%s", err.text);
    report->metrics = NULL;
    tt_rundir_close(&report->dir);
}

/* The shortest of log.every, by time and by steps. */
static void start_progress(struct tt_report *report, const struct tt_run *run)
{
    const struct tt_lengths *every = &run->job.log.every;
    struct tt_progress_conf conf = {
        .total_steps =
            run->plan.total_steps == INT64_MAX ? 0 : run->plan.total_steps,
        .terminal = tt_progress_terminal(),
        .now_s = tt_clock_s(),
    };

    for (int i = 0; i < every->count; i++)
        if (every->at[i].unit == TT_SECONDS)
            conf.every_s = every->at[i].value;
        else
            conf.every_steps = tt_plan_steps(&run->plan, every->at[i]);
    if (conf.total_steps > 0)
        conf.done_frac = (double)run->state.step / (double)conf.total_steps;
    report->total_steps = (double)conf.total_steps;
    report->total_s = run->plan.total_s;
    if (strcmp(run->job.log.level, "quiet") != 0)
        tt_progress_init(&report->progress, &conf);
}

static void fill_counters(struct tt_report *report, const struct tt_run *run)
{
    struct tt_metrics_line *line = &report->line;

    line->step = run->state.step;
    line->samples = run->state.samples;
    line->tokens = run->plan.spec.tokens
                       ? run->state.samples * run->plan.spec.x_values
                       : -1;
    line->epoch =
        (double)run->state.samples / (double)run->plan.order.sample_count;
    line->mem_bytes = run->exec.bytes;
    line->data_wait_s =
        run->train.loader ? tt_loader_wait_s(run->train.loader) : 0.0;
}

static int write_job(const struct tt_report *report, const struct tt_run *run,
                     struct tt_error *err)
{
    char *yaml = tt_job_format(&run->job, false);
    int rc;

    if (!yaml)
        return tt_fail(err, TT_ENOMEM, "out of memory for job.yaml");
    rc = tt_rundir_write_job(&report->dir, yaml, err);
    free(yaml);
    return rc;
}

int tt_report_start(struct tt_report *report, const struct tt_run *run,
                    struct tt_error *err)
{
    bool resumed = run->state.step > 0;
    json_t *start;

    if (!report->speaks)
        return 0;
    if (write_job(report, run, err) < 0)
        return -1;
    start = tt_start_create(&run->slurm, run->world->size, run->threads);
    if (start)
        json_object_set_new(start, "step", json_integer(run->state.step));
    if (tt_rundir_add_start(&report->dir, start, err) < 0)
        return -1;
    tt_metrics_event(report->metrics, resumed ? "resume" : "start",
                     run->state.step, NULL);
    start_progress(report, run);
    fill_counters(report, run);
    report->line.comm_wait_s = report->line.save_s = 0;
    tt_metrics_base(report->metrics, &report->line, tt_clock_s());
    return 0;
}

static double done_frac(const struct tt_report *report,
                        const struct tt_run *run)
{
    double by_steps = -1, by_time = -1;

    if (report->total_steps > 0)
        by_steps = (double)run->state.step / report->total_steps;
    if (report->total_s > 0)
        by_time = run->state.elapsed_s / report->total_s;
    return by_steps > by_time ? by_steps : by_time;
}

void tt_report_step(struct tt_report *report, const struct tt_run *run,
                    const struct tt_step_out *out, double lr, double now_s,
                    bool last)
{
    struct tt_metrics_line *line = &report->line;
    bool write = last || tt_metrics_due(report->metrics, now_s);
    bool show = tt_progress_due(&report->progress, run->state.step, now_s);

    line->comm_wait_s += out->comm_wait_s;
    if (!report->speaks || (!write && !show))
        return;
    fill_counters(report, run);
    line->loss = out->loss;
    line->grad_norm = out->grad_norm;
    line->lr = lr;
    if (write)
        tt_metrics_step(report->metrics, line, now_s);
    if (show)
        tt_progress_show(&report->progress, line, done_frac(report, run),
                         now_s);
    tt_rundir_beat(&report->dir, now_s);
}

void tt_report_event(struct tt_report *report, const char *event, int64_t step,
                     json_t *more)
{
    if (!report->speaks) {
        json_decref(more);
        return;
    }
    tt_progress_hide(&report->progress);
    tt_metrics_event(report->metrics, event, step, more);
}

void tt_report_rebase(struct tt_report *report, double now_s)
{
    if (report->speaks)
        tt_metrics_base(report->metrics, &report->line, now_s);
}

int tt_report_verdict(struct tt_report *report, enum tt_run_verdict verdict,
                      int64_t step, const char *reason, struct tt_error *err)
{
    if (!report->speaks || !report->metrics)
        return 0;
    tt_metrics_event(report->metrics, "stop", step,
                     json_pack("{s:s}", "reason", reason));
    return tt_rundir_write_verdict(&report->dir, verdict, step, reason, err);
}
