/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - what rank 0 writes and shows while a run goes on: the run
 * directory, metrics.jsonl, the bar or the log lines.  Other ranks hold a
 * silent one, so that the loop need not ask who it is. */
#ifndef TT_TRAIN_REPORT_H
#define TT_TRAIN_REPORT_H

#include "train/metrics.h"
#include "train/progress.h"
#include "train/run.h"
#include "train/rundir.h"

struct tt_report {
    bool speaks; /* on rank 0 */
    struct tt_rundir dir;
    struct tt_metrics *metrics;
    struct tt_progress progress;
    struct tt_metrics_line line;
    double total_steps; /* of the run, for the bar; 0: not known */
    double total_s;     /* likewise */
};

/* Collective.  Make and lock the run directory, open metrics.jsonl. */
int tt_report_open_all(struct tt_report *report, const struct tt_run *run,
                       struct tt_error *err);

/* Local; NULL-safe and fine after a failed open. */
void tt_report_close(struct tt_report *report);

/* The run begins or goes on, nothing stands against it: job.yaml, its line in
 * starts.jsonl, an event, the bar. */
int tt_report_start(struct tt_report *report, const struct tt_run *run,
                    struct tt_error *err);

/* After a step, at 'now_s'.  last: the line is written in any case. */
void tt_report_step(struct tt_report *report, const struct tt_run *run,
                    const struct tt_step_out *out, double lr, double now_s,
                    bool last);

/* An event of metrics.jsonl, 'more' is taken over; the bar makes way. */
void tt_report_event(struct tt_report *report, const char *event, int64_t step,
                     json_t *more);

/* Time since the last line that was no part of a step is left out of rates. */
void tt_report_rebase(struct tt_report *report, double now_s);

/* The verdict of this start. */
int tt_report_verdict(struct tt_report *report, enum tt_run_verdict verdict,
                      int64_t step, const char *reason, struct tt_error *err);

#endif
