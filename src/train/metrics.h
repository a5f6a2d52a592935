/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.h - metrics.jsonl of a run: one JSON object a line, a step or an
 * event.  Rank 0 writes it; the other ranks pass NULL where a writer is asked
 * for.  Format: tutti-run(5). */
#ifndef TT_TRAIN_METRICS_H
#define TT_TRAIN_METRICS_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"

/* A number that is not known: its key is left out.  A number that is known and
 * not finite is written as null. */
#define TT_METRIC_NONE (-DBL_MAX)

/* What the loop knows after a step.  Counters run from the start of the run
 * (not of this job), times in seconds from the start of this process. */
struct tt_metrics_line {
    int64_t step;    /* steps done, the one just ended included */
    int64_t samples; /* samples played so far */
    int64_t tokens;  /* tokens so far, -1 where the data has none */
    double epoch;    /* epochs so far, as a fraction */
    double loss;     /* of the step's global batch, mean per valid target */
    double lr;
    double grad_norm;
    double loss_scale;
    double data_wait_s; /* total so far: waited for samples */
    double comm_wait_s; /* total so far: waited in collectives */
    double save_s;      /* total so far: spent on checkpoints */
    double flops_frac;  /* share of the machine's peak */
    int64_t mem_bytes;  /* in use on rank 0, -1 where not known */
};

/* All absent, to be filled in. */
void tt_metrics_line_init(struct tt_metrics_line *line);

/* One column of a step's line. */
struct tt_metric {
    const char *name;
    const char *unit;
    const char *help;
};

/* All of them, in the order of the line; ends with a NULL name. */
extern const struct tt_metric tt_metrics_table[];

struct tt_metrics;

/* Open dir/metrics.jsonl for appending; half a line that a killed writer left
 * at its end is cut off. */
struct tt_metrics *tt_metrics_open(const char *dir, struct tt_error *err);

/* Flush and close.  Fails, once, where a line could not be written. */
int tt_metrics_close(struct tt_metrics *m, struct tt_error *err);

/* Count what is per second, and what was waited, from here: before the first
 * step, and after what is no part of steps (an evaluation, a save).  save_s
 * still counts from the line before. */
void tt_metrics_base(struct tt_metrics *m, const struct tt_metrics_line *line,
                     double now_s);

/* Whether a line is to be written for a step that ends at 'now_s' (of
 * tt_clock_s()): not if 1,000 were in this second, not by NULL.  Costs a
 * comparison, so that a loop of microseconds may ask every step. */
bool tt_metrics_due(const struct tt_metrics *m, double now_s);

/* Write the line of a step, due or not (the last of a run should be).  What is
 * per second, and what was waited, is counted from the line before. */
void tt_metrics_step(struct tt_metrics *m, const struct tt_metrics_line *line,
                     double now_s);

/* Write an event ("start", "resume", "save", "eval", "warn", "stop") with
 * further fields ('more': an object that is taken over, or NULL), and flush. */
void tt_metrics_event(struct tt_metrics *m, const char *event, int64_t step,
                      json_t *more);

/* A JSON number, or null where it is not finite. */
json_t *tt_metrics_real(double value);

/* Write out what is buffered. */
void tt_metrics_flush(struct tt_metrics *m);

#endif
