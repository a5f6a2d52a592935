/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - how far a run is, on stderr. */
#include "train/progress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"

enum { BAR_CELLS = 8, DEFAULT_COLUMNS = 80, TEXT_BYTES = 512 };

static const double redraw_s = 0.1;

/* Launchers give their processes pipes and pass on what comes through them, so
 * our terminal may be our parent's stderr.  The descriptor of it, or -1. */
static int parent_stderr(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%ld/fd/2", (long)getppid());
    return open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

static bool is_parents(void)
{
    int fd = parent_stderr();
    bool found = fd >= 0 && isatty(fd);

    if (fd >= 0)
        close(fd);
    return found;
}

bool tt_progress_terminal(void)
{
    const char *term = getenv("TERM");

    if (!term || strcmp(term, "dumb") == 0)
        return false;
    return isatty(STDERR_FILENO) || is_parents();
}

void tt_progress_init(struct tt_progress *p,
                      const struct tt_progress_conf *conf)
{
    *p = (struct tt_progress){.conf = *conf,
                              .on = true,
                              .next_s = conf->now_s,
                              .next_step = INT64_MAX,
                              .last_s = conf->now_s,
                              .last_step = -1};
}

/* --- text ------------------------------------------------------------- */

struct text {
    char *out;
    size_t used, room;
};

static void text_add(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void text_add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    int put;

    va_start(ap, fmt);
    put = vsnprintf(t->out + t->used, t->room - t->used, fmt, ap);
    va_end(ap);
    t->used += (size_t)put;
    if (t->used >= t->room)
        t->used = t->room - 1;
}

static void bar_add(struct text *t, double frac, int cells)
{
    int full = (int)(frac * cells);

    text_add(t, "[");
    for (int i = 0; i < cells; i++)
        text_add(t, "%c", i < full ? '=' : i == full ? '>' : ' ');
    text_add(t, "] ");
}

static void step_add(struct text *t, const struct tt_progress *p, int64_t step)
{
    text_add(t, "%" PRId64, step);
    if (p->conf.total_steps > 0)
        text_add(t, "/%" PRId64, p->conf.total_steps);
}

static void value_add(struct text *t, const char *name, int digits,
                      double value)
{
    if (value != TT_METRIC_NONE)
        text_add(t, "  %s %.*g", name, digits, value);
}

static void rate_add(struct text *t, const struct tt_progress *p,
                     const struct tt_metrics_line *line, double now_s)
{
    double passed_s = now_s - p->last_s;
    char number[40];

    if (p->last_step < 0 || passed_s <= 0)
        return;
    tt_count_format((double)(line->samples - p->last_samples) / passed_s,
                    number, sizeof(number));
    text_add(t, "  %s samples/s", number);
}

/* Waits are worth a word where they cost more than a hundredth. */
static void wait_add(struct text *t, const struct tt_progress *p,
                     const struct tt_metrics_line *line, double now_s)
{
    double passed_s = now_s - p->last_s;
    double wait_s = line->data_wait_s - p->wait_s;

    if (p->last_step < 0 || passed_s <= 0 ||
        line->data_wait_s == TT_METRIC_NONE || wait_s < 0.01 * passed_s)
        return;
    text_add(t, "  waiting for data %.0f%%", 100 * wait_s / passed_s);
}

/* "1:02:03" is shorter than "1 h 2 min 3 s", for the bar. */
static void clock_format(int64_t seconds, char *text, size_t text_bytes)
{
    int64_t hours = seconds / 3600, minutes = seconds / 60 % 60;

    if (hours > 0)
        snprintf(text, text_bytes, "%" PRId64 ":%02d:%02d", hours, (int)minutes,
                 (int)(seconds % 60));
    else
        snprintf(text, text_bytes, "%d:%02d", (int)minutes,
                 (int)(seconds % 60));
}

/* By the pace of this process since it started. */
static void left_add(struct text *t, const struct tt_progress *p, double frac,
                     double now_s, bool bar)
{
    double done = frac - p->conf.done_frac;
    double left_s;
    char left[40];

    if (frac < 0 || done <= 0 || frac >= 1)
        return;
    left_s = ceil((now_s - p->conf.now_s) * (1 - frac) / done);
    if (bar && left_s < 1e9)
        clock_format((int64_t)left_s, left, sizeof(left));
    else
        tt_time_format(left_s, left, sizeof(left));
    text_add(t, "  %s left", left);
}

void tt_progress_format(const struct tt_progress *p,
                        const struct tt_metrics_line *line, double done_frac,
                        double now_s, int columns, char *out, size_t out_bytes)
{
    struct text t = {out, 0, out_bytes};

    if (columns > 0 && (size_t)columns < t.room)
        t.room = (size_t)columns;
    if (columns > 0 && done_frac >= 0)
        bar_add(&t, done_frac, columns < 100 ? BAR_CELLS : 2 * BAR_CELLS);
    else
        text_add(&t, "step ");
    step_add(&t, p, line->step);
    if (columns == 0 && done_frac >= 0)
        text_add(&t, " %.1f%%", 100 * done_frac);
    value_add(&t, "loss", columns ? 4 : 5, line->loss);
    value_add(&t, "lr", 3, line->lr);
    rate_add(&t, p, line, now_s);
    wait_add(&t, p, line, now_s);
    left_add(&t, p, done_frac, now_s, columns > 0);
}

/* --- screen ----------------------------------------------------------- */

static int columns_of(int fd)
{
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
        return 0;
    return size.ws_col;
}

static int terminal_columns(void)
{
    int columns = columns_of(STDERR_FILENO);
    int fd = columns ? -1 : parent_stderr();

    if (fd >= 0) {
        columns = columns_of(fd);
        close(fd);
    }
    return columns ? columns : DEFAULT_COLUMNS;
}

void tt_progress_hide(struct tt_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

/* The cursor goes back, so that what another rank prints stands on top. */
static void bar_draw(struct tt_progress *p, const char *text)
{
    fprintf(stderr, "\r\033[K%s\r", text);
    fflush(stderr);
    p->drawn = true;
}

/* What is counted per second needs a second of counting. */
static void count_from(struct tt_progress *p,
                       const struct tt_metrics_line *line, double now_s)
{
    if (p->conf.terminal && p->last_step >= 0 && now_s - p->last_s < 1)
        return;
    p->last_s = now_s;
    p->last_step = line->step;
    p->last_samples = line->samples;
    p->wait_s = line->data_wait_s == TT_METRIC_NONE ? 0 : line->data_wait_s;
}

void tt_progress_show(struct tt_progress *p, const struct tt_metrics_line *line,
                      double done_frac, double now_s)
{
    char text[TEXT_BYTES];

    if (!p->on)
        return;
    tt_progress_format(p, line, done_frac, now_s,
                       p->conf.terminal ? terminal_columns() : 0, text,
                       sizeof(text));
    if (p->conf.terminal)
        bar_draw(p, text);
    else
        tt_log_say("%s", text);
    count_from(p, line, now_s);
    p->next_s = p->conf.terminal      ? now_s + redraw_s
                : p->conf.every_s > 0 ? now_s + p->conf.every_s
                                      : 1e300;
    p->next_step = !p->conf.terminal && p->conf.every_steps > 0
                       ? line->step + p->conf.every_steps
                       : INT64_MAX;
}

void tt_summary_row(const char *label, const char *fmt, ...)
{
    char text[TEXT_BYTES];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    tt_log_say("  %-12s %s", label, text);
}
