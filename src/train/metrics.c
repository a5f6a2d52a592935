/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c - metrics.jsonl of a run.
 * Lines are put together in our own buffer and leave it whole, by one write()
 * at least once a second, so that a reader and a kill see whole lines. */
#include "train/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES = 2048, TAIL_BYTES = 1 << 16 };

static const double line_every_s = 1e-3, flush_every_s = 1.0;

struct tt_metrics {
    int fd;
    int64_t file_bytes; /* whole lines in the file */
    char path[512];
    struct tt_error err; /* the first that could not be written */
    struct tt_metrics_line last;
    double last_s, flush_s; /* of tt_clock_s() */
    double epoch_offset_s;  /* from tt_clock_s() to seconds since 1970 */
    size_t used;
    char buffer[BUFFER_BYTES];
};

/* --- the table -------------------------------------------------------- */

/* What a line is made of: the loop's numbers and what they give. */
struct row {
    struct tt_metrics_line now;
    double step_s, samples_per_s, tokens_per_s, time;
};

enum format { COUNT, EXACT, ROUGH, TIME };

struct column {
    enum format format;
    size_t offset; /* in struct row */
};

#define NOW(field) offsetof(struct row, now.field)
#define ROW(field) offsetof(struct row, field)

/* In step with each other. */
const struct tt_metric tt_metrics_table[] = {
    {"step", "steps", "steps done since the run began"},
    {"epoch", "epochs", "passes over the training data, with its fraction"},
    {"samples", "samples", "training samples played since the run began"},
    {"tokens", "tokens", "training tokens since the run began"},
    {"loss", "", "mean loss over the valid targets of this step's batch"},
    {"lr", "", "learning rate of this step"},
    {"grad_norm", "", "norm of all gradients of this step before clipping"},
    {"loss_scale", "", "factor on the loss, in half precision"},
    {"samples_per_s", "1/s", "samples per second since the line before"},
    {"tokens_per_s", "1/s", "tokens per second since the line before"},
    {"step_s", "s", "mean time of a step since the line before"},
    {"data_wait_s", "s", "waited for data since the line before"},
    {"comm_wait_s", "s", "waited for other ranks since the line before"},
    {"save_s", "s", "spent on checkpoints since the line before"},
    {"flops_frac", "", "share of the machine's peak that the model used"},
    {"mem_bytes", "bytes", "memory in use on rank 0"},
    {"time", "s", "seconds since 1970, when the step ended"},
    {NULL, NULL, NULL},
};

static const struct column columns[] = {
    {COUNT, NOW(step)},          {ROUGH, NOW(epoch)},
    {COUNT, NOW(samples)},       {COUNT, NOW(tokens)},
    {EXACT, NOW(loss)},          {EXACT, NOW(lr)},
    {EXACT, NOW(grad_norm)},     {EXACT, NOW(loss_scale)},
    {ROUGH, ROW(samples_per_s)}, {ROUGH, ROW(tokens_per_s)},
    {ROUGH, ROW(step_s)},        {ROUGH, NOW(data_wait_s)},
    {ROUGH, NOW(comm_wait_s)},   {ROUGH, NOW(save_s)},
    {ROUGH, NOW(flops_frac)},    {COUNT, NOW(mem_bytes)},
    {TIME, ROW(time)},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

_Static_assert(sizeof(tt_metrics_table) / sizeof(tt_metrics_table[0]) ==
                   COLUMNS + 1,
               "a metric lacks its column");

void tt_metrics_line_init(struct tt_metrics_line *line)
{
    *line = (struct tt_metrics_line){
        .tokens = -1,
        .epoch = TT_METRIC_NONE,
        .loss = TT_METRIC_NONE,
        .lr = TT_METRIC_NONE,
        .grad_norm = TT_METRIC_NONE,
        .loss_scale = TT_METRIC_NONE,
        .data_wait_s = TT_METRIC_NONE,
        .comm_wait_s = TT_METRIC_NONE,
        .save_s = TT_METRIC_NONE,
        .flops_frac = TT_METRIC_NONE,
        .mem_bytes = -1,
    };
}

/* --- the file --------------------------------------------------------- */

static void note_failure(struct tt_metrics *m)
{
    if (m->err.code != TT_OK)
        return;
    tt_fail(&m->err, TT_EIO, "%s: %s", m->path, strerror(errno));
    tt_log_warn("%s: lines are lost, training goes on", m->err.text);
}

void tt_metrics_flush(struct tt_metrics *m)
{
    size_t done = 0;
    ssize_t put = 0;

    if (!m)
        return;
    while (done < m->used && put >= 0) {
        put = write(m->fd, m->buffer + done, m->used - done);
        if (put >= 0)
            done += (size_t)put;
        else if (errno == EINTR)
            put = 0;
    }
    if (put < 0) {
        note_failure(m);
        (void)!ftruncate(m->fd, m->file_bytes); /* half a line is worse */
    } else {
        m->file_bytes += (int64_t)done;
    }
    m->used = 0;
    m->flush_s = tt_clock_s();
}

static void line_put(struct tt_metrics *m, const char *line, size_t bytes)
{
    if (m->used + bytes > BUFFER_BYTES)
        tt_metrics_flush(m);
    memcpy(m->buffer + m->used, line, bytes);
    m->used += bytes;
}

/* Bytes up to and with the last newline; a line is shorter than the tail that
 * is looked at. */
static int64_t whole_bytes(struct tt_metrics *m, int64_t bytes)
{
    int64_t from = bytes > TAIL_BYTES ? bytes - TAIL_BYTES : 0;
    ssize_t got = pread(m->fd, m->buffer, TAIL_BYTES, (off_t)from);

    while (got > 0 && m->buffer[got - 1] != '\n')
        got--;
    return got < 0 ? bytes : from + got;
}

static int file_open(struct tt_metrics *m, const char *dir,
                     struct tt_error *err)
{
    struct stat st;

    if (snprintf(m->path, sizeof(m->path), "%s/metrics.jsonl", dir) >=
        (int)sizeof(m->path))
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", dir);
    m->fd = open(m->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (m->fd < 0 || fstat(m->fd, &st) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", m->path, strerror(errno));
    m->file_bytes = whole_bytes(m, st.st_size);
    if (m->file_bytes < st.st_size && ftruncate(m->fd, m->file_bytes) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", m->path, strerror(errno));
    return 0;
}

struct tt_metrics *tt_metrics_open(const char *dir, struct tt_error *err)
{
    struct tt_metrics *m = calloc(1, sizeof(*m));

    if (!m) {
        tt_fail(err, TT_ENOMEM, "%s: no memory for metrics", dir);
        return NULL;
    }
    m->fd = -1;
    if (file_open(m, dir, err) < 0) {
        tt_metrics_close(m, NULL);
        return NULL;
    }
    m->flush_s = tt_clock_s();
    m->last_s = m->flush_s;
    m->epoch_offset_s = tt_clock_epoch_s() - m->flush_s;
    tt_metrics_line_init(&m->last);
    m->last.step = -1;
    return m;
}

int tt_metrics_close(struct tt_metrics *m, struct tt_error *err)
{
    int rc = 0;

    if (!m)
        return 0;
    tt_metrics_flush(m);
    if (m->fd >= 0 && close(m->fd) < 0)
        note_failure(m);
    if (m->err.code != TT_OK)
        rc = tt_fail(err, (enum tt_code)m->err.code, "%s", m->err.text);
    free(m);
    return rc;
}

/* --- steps ------------------------------------------------------------ */

void tt_metrics_base(struct tt_metrics *m, const struct tt_metrics_line *line,
                     double now_s)
{
    double save_s;

    if (!m)
        return;
    save_s = m->last.save_s; /* not part of any step: the next line has it */
    m->last = *line;
    m->last.save_s = save_s;
    m->last_s = now_s;
}

bool tt_metrics_due(const struct tt_metrics *m, double now_s)
{
    return m && now_s - m->last_s >= line_every_s;
}

/* Shortest decimal that reads back to the same bits. */
static int exact_format(char *out, size_t room, double value)
{
    int used = snprintf(out, room, "%.9g", value);

    if (strtod(out, NULL) == value)
        return used;
    for (int digits = 15; digits <= 17; digits++) {
        used = snprintf(out, room, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return used;
}

static int real_format(char *out, size_t room, double value, enum format format)
{
    if (!isfinite(value))
        return snprintf(out, room, "null");
    switch (format) {
    case EXACT:
        return exact_format(out, room, value);
    case TIME:
        return snprintf(out, room, "%.3f", value);
    default:
        return snprintf(out, room, "%.6g", value);
    }
}

/* The value of a column into 'out'; 0 where it is absent. */
static int value_format(char *out, size_t room, const struct column *c,
                        const struct row *row)
{
    const char *field = (const char *)row + c->offset;
    int64_t count;
    double value;

    if (c->format == COUNT) {
        memcpy(&count, field, sizeof(count));
        return count < 0 ? 0 : snprintf(out, room, "%" PRId64, count);
    }
    memcpy(&value, field, sizeof(value));
    return value == TT_METRIC_NONE ? 0
                                   : real_format(out, room, value, c->format);
}

static size_t row_format(char *out, size_t room, const struct row *row)
{
    char value[64];
    size_t at = 0;

    for (int i = 0; i < COLUMNS; i++) {
        if (value_format(value, sizeof(value), &columns[i], row) == 0)
            continue;
        at += (size_t)snprintf(out + at, room - at, "%s\"%s\":%s",
                               at ? "," : "{", tt_metrics_table[i].name, value);
    }
    at += (size_t)snprintf(out + at, room - at, "}\n");
    return at;
}

static double since(double now, double last)
{
    if (now == TT_METRIC_NONE)
        return now;
    return last == TT_METRIC_NONE ? now : now - last;
}

static double rate(double count, double seconds)
{
    return seconds > 0 ? count / seconds : TT_METRIC_NONE;
}

static struct row row_of(const struct tt_metrics *m,
                         const struct tt_metrics_line *line, double now_s)
{
    const struct tt_metrics_line *last = &m->last;
    struct row row = {.now = *line,
                      .step_s = TT_METRIC_NONE,
                      .samples_per_s = TT_METRIC_NONE,
                      .tokens_per_s = TT_METRIC_NONE,
                      .time = now_s + m->epoch_offset_s};
    double passed_s = now_s - m->last_s;

    row.now.data_wait_s = since(line->data_wait_s, last->data_wait_s);
    row.now.comm_wait_s = since(line->comm_wait_s, last->comm_wait_s);
    row.now.save_s = since(line->save_s, last->save_s);
    if (last->step < 0 || line->step <= last->step)
        return row; /* nothing to count from */
    row.step_s = passed_s / (double)(line->step - last->step);
    row.samples_per_s = rate((double)(line->samples - last->samples), passed_s);
    if (line->tokens >= 0)
        row.tokens_per_s =
            rate((double)(line->tokens - last->tokens), passed_s);
    return row;
}

void tt_metrics_step(struct tt_metrics *m, const struct tt_metrics_line *line,
                     double now_s)
{
    char text[LINE_BYTES];
    struct row row;

    if (!m)
        return;
    row = row_of(m, line, now_s);
    line_put(m, text, row_format(text, sizeof(text), &row));
    m->last = *line;
    m->last_s = now_s;
    if (now_s - m->flush_s >= flush_every_s)
        tt_metrics_flush(m);
}

/* --- events ----------------------------------------------------------- */

json_t *tt_metrics_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Reals keep all their bits; time comes last, in milliseconds. */
static void event_put(struct tt_metrics *m, const json_t *event)
{
    char *text = json_dumps(event, JSON_COMPACT);
    char end[40];
    size_t bytes, end_bytes;

    if (!text)
        return;
    bytes = strlen(text) - 1; /* without the closing brace */
    end_bytes = (size_t)snprintf(end, sizeof(end), ",\"time\":%.3f}\n",
                                 tt_clock_epoch_s());
    if (bytes + end_bytes <= BUFFER_BYTES) {
        if (m->used + bytes + end_bytes > BUFFER_BYTES)
            tt_metrics_flush(m);
        line_put(m, text, bytes);
        line_put(m, end, end_bytes);
        tt_metrics_flush(m);
    }
    free(text);
}

void tt_metrics_event(struct tt_metrics *m, const char *event, int64_t step,
                      json_t *more)
{
    json_t *line = NULL;

    if (m)
        line =
            json_pack("{s:s, s:I}", "event", event, "step", (json_int_t)step);
    if (line && more)
        json_object_update_missing(line, more);
    if (line)
        event_put(m, line);
    json_decref(line);
    json_decref(more);
}
