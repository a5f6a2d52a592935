/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h - how far a run is, on stderr: a bar on a terminal, one line now
 * and then in a batch log; and the rows of the summary at the start. */
#ifndef TT_TRAIN_PROGRESS_H
#define TT_TRAIN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/metrics.h"

struct tt_progress_conf {
    int64_t total_steps; /* 0 where not known */
    double every_s;      /* between lines of a log; 0: not by time */
    int64_t every_steps; /* between lines of a log; 0: not by steps */
    bool terminal;       /* draw a bar */
    double done_frac;    /* of the run before this process */
    double now_s;
};

/* Zeroed, it is silent: for ranks other than 0 and for log.level quiet. */
struct tt_progress {
    struct tt_progress_conf conf;
    bool on;
    bool drawn; /* a bar stands on the terminal's last line */
    double next_s, last_s, wait_s;
    int64_t next_step, last_step, last_samples;
};

/* Whether stderr leads to a terminal that can redraw a line, by itself or
 * through a launcher on this host. */
bool tt_progress_terminal(void);

void tt_progress_init(struct tt_progress *p,
                      const struct tt_progress_conf *conf);

/* Whether tt_progress_show() should be called; costs two comparisons. */
static inline bool tt_progress_due(const struct tt_progress *p, int64_t step,
                                   double now_s)
{
    return p->on && (now_s >= p->next_s || step >= p->next_step);
}

/* Draw the bar or print the line.  done_frac: share of the run that is done,
 * by whichever length ends it; < 0 where not known. */
void tt_progress_show(struct tt_progress *p, const struct tt_metrics_line *line,
                      double done_frac, double now_s);

/* Take the bar away, before something else is printed. */
void tt_progress_hide(struct tt_progress *p);

/* The text of a line or bar, at most 'columns' wide (0: no bar, any width). */
void tt_progress_format(const struct tt_progress *p,
                        const struct tt_metrics_line *line, double done_frac,
                        double now_s, int columns, char *out, size_t out_bytes);

/* One row of the start-up summary, "  label       text". */
void tt_summary_row(const char *label, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
