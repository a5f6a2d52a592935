/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - records of text fields out of a CSV file. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/table_priv.h"

enum { BUFFER_BYTES = 1 << 16, GUESS_BYTES = 1 << 16, NONE = -1, FAILED = -2 };

static int fail_memory(const struct tt_table *t, struct tt_error *err)
{
    return tt_fail(err, TT_ENOMEM, "%s: out of memory", t->path);
}

/* The next byte without taking it, NONE at the end, FAILED. */
static inline int peek(struct tt_table *t, struct tt_error *err)
{
    if (t->at == t->filled) {
        t->at = 0;
        t->filled = tt_stream_read(t->stream, t->buffer, BUFFER_BYTES, err);
        if (t->filled < 0) {
            t->filled = 0;
            return FAILED;
        }
        if (t->filled == 0)
            return NONE;
    }
    return (unsigned char)t->buffer[t->at];
}

static inline int take(struct tt_table *t, struct tt_error *err)
{
    int c = peek(t, err);

    if (c >= 0)
        t->at++;
    if (c == '\n')
        t->next_line++;
    return c;
}

static int put(struct tt_table *t, int c, struct tt_error *err)
{
    if (t->text_bytes == t->text_room) {
        int64_t room = t->text_room ? 2 * t->text_room : 256;
        char *more = realloc(t->text, (size_t)room);

        if (!more)
            return fail_memory(t, err);
        t->text = more;
        t->text_room = room;
    }
    t->text[t->text_bytes++] = (char)c;
    return 0;
}

static int begin_field(struct tt_table *t, struct tt_error *err)
{
    if (t->field_count == t->field_room) {
        int64_t room = t->field_room ? 2 * t->field_room : 64;
        int64_t *start = realloc(t->start, (size_t)room * sizeof(*start));
        char **field = realloc(t->field, (size_t)room * sizeof(*field));

        t->start = start ? start : t->start;
        t->field = field ? field : t->field;
        if (!start || !field)
            return fail_memory(t, err);
        t->field_room = room;
    }
    t->start[t->field_count++] = t->text_bytes;
    return 0;
}

static bool ends_line(const struct tt_table *t, int c)
{
    return c == NONE || c == '\n' || c == '\r' || c == t->form.separator;
}

/* The rest of a quoted field, behind its opening quote. */
static int read_quoted(struct tt_table *t, struct tt_error *err)
{
    int64_t line = t->next_line;
    int c;

    for (;;) {
        if ((c = take(t, err)) == FAILED)
            return -1;
        if (c == NONE)
            return tt_fail(err, TT_EFORMAT,
                           "%s:%" PRId64 ": a quote is opened and not closed "
                           "(--quotes=no reads quotes as text)",
                           t->path, line);
        if (c == '"' && peek(t, err) != '"')
            break;
        if (c == '"')
            take(t, err);
        if (put(t, c, err) < 0)
            return -1;
    }
    while (peek(t, err) == ' ')
        take(t, err);
    if (!ends_line(t, peek(t, err)))
        return tt_fail(err, TT_EFORMAT,
                       "%s:%" PRId64 ": text behind a closing quote "
                       "(--quotes=no reads quotes as text)",
                       t->path, t->next_line);
    return put(t, 0, err);
}

static bool is_blank(const struct tt_table *t, int c)
{
    return c == ' ' || (c == '\t' && t->form.separator != '\t');
}

static int read_plain(struct tt_table *t, struct tt_error *err)
{
    int64_t start = t->start[t->field_count - 1];
    int c;

    while (!ends_line(t, c = peek(t, err))) {
        if (c == FAILED || put(t, c, err) < 0)
            return -1;
        take(t, err);
    }
    while (t->text_bytes > start && is_blank(t, t->text[t->text_bytes - 1]))
        t->text_bytes--;
    return put(t, 0, err);
}

static int read_field(struct tt_table *t, struct tt_error *err)
{
    if (begin_field(t, err) < 0)
        return -1;
    while (is_blank(t, peek(t, err)))
        take(t, err);
    if (t->form.quotes && peek(t, err) == '"') {
        take(t, err);
        return read_quoted(t, err);
    }
    return read_plain(t, err);
}

/* 1 at the end of the record, 0 where another field follows. */
static int end_field(struct tt_table *t, struct tt_error *err)
{
    int c = take(t, err);

    if (c == FAILED)
        return -1;
    if (c == '\r' && peek(t, err) == '\n')
        take(t, err);
    return c != t->form.separator;
}

void tt_table_begin_record(struct tt_table *t)
{
    t->field_count = t->text_bytes = 0;
}

void tt_table_end_record(struct tt_table *t)
{
    for (int64_t i = 0; i < t->field_count; i++)
        t->field[i] = t->text + t->start[i];
}

int tt_table_add_field(struct tt_table *t, const char *text,
                       struct tt_error *err)
{
    if (begin_field(t, err) < 0)
        return -1;
    do {
        if (put(t, *text, err) < 0)
            return -1;
    } while (*text++);
    return 0;
}

int tt_table_read_line(struct tt_table *t, struct tt_error *err)
{
    int c = peek(t, err);

    tt_table_begin_record(t);
    if (c < 0)
        return c == NONE ? 0 : -1;
    while ((c = take(t, err)) >= 0 && c != '\n')
        if (put(t, c, err) < 0)
            return -1;
    if (t->text_bytes > 0 && t->text[t->text_bytes - 1] == '\r')
        t->text_bytes--;
    return c == FAILED || put(t, 0, err) < 0 ? -1 : 1;
}

static int read_record(struct tt_table *t, struct tt_error *err)
{
    int ended;

    tt_table_begin_record(t);
    t->line = t->next_line;
    do {
        if (read_field(t, err) < 0 || (ended = end_field(t, err)) < 0)
            return -1;
    } while (!ended);
    tt_table_end_record(t);
    return 0;
}

int tt_table_next(struct tt_table *t, struct tt_error *err)
{
    int c;

    if (t->form.json)
        return tt_table_next_json(t, err);
    do {
        c = peek(t, err);
        if (c < 0)
            return c == NONE ? 0 : -1;
        if (read_record(t, err) < 0)
            return -1;
    } while (t->field_count == 1 && t->field[0][0] == 0);
    return 1;
}

static int skip_head(struct tt_table *t, int64_t lines, struct tt_error *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    int c = 0;

    if (peek(t, err) == FAILED)
        return -1;
    if (t->filled >= 3 && memcmp(t->buffer, mark, 3) == 0)
        t->at = 3;
    while (lines > 0 && c != NONE) {
        if ((c = take(t, err)) == FAILED)
            return -1;
        lines -= c == '\n';
    }
    return 0;
}

int tt_table_open(struct tt_table *t, const char *path,
                  const struct tt_table_form *form, struct tt_error *err)
{
    *t = (struct tt_table){.path = path, .form = *form, .next_line = 1};
    t->buffer = malloc(BUFFER_BYTES);
    if (!t->buffer)
        return fail_memory(t, err);
    if (!(t->stream = tt_stream_open(path, err)))
        return -1;
    return skip_head(t, form->skip_lines, err);
}

void tt_table_close(struct tt_table *t)
{
    tt_stream_close(t->stream);
    free(t->buffer);
    free(t->text);
    free(t->start);
    free(t->field);
    *t = (struct tt_table){0};
}

int tt_table_guess(const char *path, int64_t skip_lines, char *separator,
                   struct tt_error *err)
{
    static const char ways[] = "\t,;|";
    int64_t count[sizeof(ways)] = {0};
    struct tt_table_form form = {.skip_lines = skip_lines};
    struct tt_table t;
    bool quoted = false;
    int best = 0, c, rc;

    rc = tt_table_open(&t, path, &form, err);
    for (int64_t i = 0; rc == 0 && i < GUESS_BYTES; i++) {
        const char *way;

        c = take(&t, err);
        if (c == FAILED)
            rc = -1;
        if (c < 0 || (c == '\n' && !quoted))
            break;
        if (c == '"')
            quoted = !quoted;
        if (!quoted && c && (way = strchr(ways, c)))
            count[way - ways]++;
    }
    tt_table_close(&t);
    for (int i = 1; ways[i]; i++)
        if (count[i] > count[best])
            best = i;
    *separator = count[best] ? ways[best] : ',';
    return rc;
}

bool tt_cell_is_missing(const char *text)
{
    static const char *const words[] = {"na",   "n/a",  "nan",
                                        "null", "none", "?"};

    if (!*text)
        return true;
    if (!strchr("nN?", *text)) /* most cells */
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Digits of a decimal: mantissa and power of ten. */
struct decimal {
    uint64_t mantissa;
    int digits, power;
};

static const char *read_digits(const char *p, struct decimal *d, int power)
{
    for (; *p >= '0' && *p <= '9'; p++) {
        d->mantissa = 10 * d->mantissa + (uint64_t)(*p - '0');
        d->digits += d->mantissa > 0;
        d->power += power;
    }
    return p;
}

/* Clinger's fast case: a mantissa below 2^53 and a power of ten that a double
 * holds make one rounding, the right one.  False: let strtod() look. */
static bool read_short(const char *text, double *value)
{
    static const double tens[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text + (*text == '-' || *text == '+'), *start = p;
    struct decimal d = {0};

    p = read_digits(p, &d, 0);
    if (*p == '.')
        p = read_digits(p + 1, &d, -1);
    if (*p || p == start || (p == start + 1 && *start == '.') ||
        d.digits > 15 || d.power < -22)
        return false;
    *value = (double)d.mantissa / tens[-d.power];
    if (*text == '-')
        *value = -*value;
    return true;
}

bool tt_cell_is_number(const char *text, double *value)
{
    char *end;

    if (read_short(text, value))
        return true;
    /* strtod() also takes inf, nan and hexadecimal, which are no decimals. */
    if (!text[0] || !strchr("+-.0123456789", text[0]) ||
        strpbrk(text, "xXnNpP"))
        return false;
    *value = strtod(text, &end);
    return end != text && *end == 0;
}
