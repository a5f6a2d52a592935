/* SPDX-License-Identifier: BSD-3-Clause */
/* from_csv.c - tables of comma- or tab-separated values, or of JSON objects:
 * cells to numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "data/csv_priv.h"

enum { MOST_CLASSES = 1 << 16 };

static int fail_memory(struct tt_error *err)
{
    return tt_fail(err, TT_ENOMEM, "table: out of memory");
}

/* --- the first file: separator, header, columns ----------------------- */

static int choose_separator(struct tt_intake *intake, struct tt_error *err)
{
    const char *wish = intake->conf.separator;
    struct tt_csv *csv = intake->state;

    if (!wish)
        return tt_table_guess(intake->files.at[0], intake->conf.skip,
                              &csv->form.separator, err);
    if (strcmp(wish, "tab") == 0 || strcmp(wish, "\\t") == 0)
        csv->form.separator = '\t';
    else if (strcmp(wish, "comma") == 0)
        csv->form.separator = ',';
    else if (strlen(wish) == 1 && !strchr("\"\r\n", wish[0]))
        csv->form.separator = wish[0];
    else
        return tt_fail(err, TT_EINVAL,
                       "--separator: tab, comma or one character, not '%s'",
                       wish);
    return 0;
}

static int open_table(const struct tt_intake *intake, int64_t file,
                      struct tt_table *table, struct tt_error *err)
{
    const struct tt_csv *csv = intake->state;

    if (tt_table_open(table, intake->files.at[file], &csv->form, err) < 0)
        return -1;
    table->name = csv->name;
    table->name_count = csv->name ? csv->column_count : 0;
    table->unwanted = csv->unwanted;
    return 0;
}

static int64_t count_numbers(const struct tt_table *t)
{
    int64_t count = 0;
    double value;

    for (int64_t i = 0; i < t->field_count; i++)
        count += tt_cell_is_number(t->field[i], &value);
    return count;
}

static bool has_field(const struct tt_table *t, const char *text)
{
    for (int64_t i = 0; text && i < t->field_count; i++)
        if (strcmp(t->field[i], text) == 0)
            return true;
    return false;
}

/* A header has no numbers where the second line has some. */
static int choose_header(const struct tt_intake *intake, struct tt_csv *csv,
                         struct tt_table *t, struct tt_error *err)
{
    int64_t first = count_numbers(t), second;
    double value;
    int rc;

    if (csv->form.json) { /* its first record holds the keys */
        csv->header = true;
        return 0;
    }
    if (strcmp(intake->conf.header, "auto") != 0) {
        csv->header = strcmp(intake->conf.header, "yes") == 0;
        return 0;
    }
    csv->header = has_field(t, intake->conf.label) &&
                  !tt_cell_is_number(intake->conf.label, &value);
    if (csv->header || first > 0)
        return 0;
    if ((rc = tt_table_next(t, err)) < 0)
        return -1;
    second = rc > 0 ? count_numbers(t) : 0;
    csv->header = second > 0;
    if (second == 0)
        return tt_fail(err, TT_EINVAL,
                       "%s: cannot tell whether its first line names the "
                       "columns: give --header=yes or --header=no",
                       t->path);
    return 0;
}

static int name_columns(struct tt_intake *intake, const struct tt_table *t,
                        struct tt_error *err)
{
    struct tt_csv *csv = intake->state;
    char number[24];

    csv->column = calloc((size_t)t->field_count, sizeof(*csv->column));
    if (!csv->column)
        return fail_memory(err);
    csv->column_count = t->field_count;
    for (int64_t i = 0; i < t->field_count; i++) {
        struct tt_csv_column *c = &csv->column[i];

        snprintf(number, sizeof(number), "%" PRId64, i + 1);
        c->words.limit = intake->conf.one_hot;
        c->name = strdup(csv->header && t->field[i][0] ? t->field[i] : number);
        if (!c->name)
            return fail_memory(err);
        if (tt_csv_check_name(c->name, t, err) < 0)
            return -1;
    }
    return 0;
}

static int check_names(const struct tt_csv *csv, const struct tt_table *t,
                       struct tt_error *err)
{
    struct tt_words names = {.limit = csv->column_count};
    int rc = 0;

    for (int64_t i = 0; i < csv->column_count && rc == 0; i++) {
        const char *name = csv->column[i].name;

        if (tt_words_find(&names, name) >= 0)
            rc = tt_fail(err, TT_EFORMAT,
                         "%s:%" PRId64 ": two columns are called '%s': rename "
                         "one of them",
                         t->path, t->line, name);
        else if (tt_words_add(&names, name) < 0)
            rc = fail_memory(err);
    }
    tt_words_clear(&names);
    return rc;
}

static int look_at_head(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_csv *csv = intake->state;
    struct tt_table t, again;
    int rc = open_table(intake, 0, &t, err);

    if (rc == 0 && (rc = tt_table_next(&t, err)) == 0)
        rc = tt_fail(err, TT_EFORMAT, "%s: is empty", t.path);
    if (rc > 0)
        rc = choose_header(intake, csv, &t, err);
    tt_table_close(&t);
    if (rc < 0)
        return -1;
    rc = open_table(intake, 0, &again, err);
    if (rc == 0 && (rc = tt_table_next(&again, err)) > 0)
        rc = name_columns(intake, &again, err);
    if (rc == 0)
        rc = check_names(csv, &again, err);
    tt_table_close(&again);
    return rc;
}

/* --- roles of the columns --------------------------------------------- */

static int fail_column(const struct tt_csv *csv, const char *flag,
                       const char *text, struct tt_error *err)
{
    const char **names = calloc((size_t)csv->column_count + 1, sizeof(*names));
    const char *near = NULL;

    for (int64_t i = 0; names && i < csv->column_count; i++)
        names[i] = csv->column[i].name;
    if (names)
        near = tt_nearest(text, names);
    free(names);
    if (near)
        return tt_fail(err, TT_EINVAL,
                       "--%s: no column '%s': did you mean '%s'?", flag, text,
                       near);
    return tt_fail(err, TT_EINVAL,
                   "--%s: no column '%s': the first is '%s', the last '%s'",
                   flag, text, csv->column[0].name,
                   csv->column[csv->column_count - 1].name);
}

/* A column by its name, or by its number from 1; -1 where there is none. */
static int64_t find_column(const struct tt_csv *csv, const char *text)
{
    char *end;
    long long number = strtoll(text, &end, 10);

    for (int64_t i = 0; i < csv->column_count; i++)
        if (strcmp(csv->column[i].name, text) == 0)
            return i;
    if (end != text && !*end && number >= 1 && number <= csv->column_count)
        return number - 1;
    return -1;
}

static int drop_columns(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_csv *csv = intake->state;
    int64_t count = 0, at;
    char **names;
    int rc = 0;

    if (!intake->conf.drop)
        return 0;
    if (tt_intake_cut_list(intake->conf.drop, &names, &count, err) < 0)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        if (rc == 0 && (at = find_column(csv, names[i])) >= 0)
            csv->column[at].role = TT_CSV_DROPPED;
        else if (rc == 0)
            rc = fail_column(csv, "drop", names[i], err);
        free(names[i]);
    }
    free(names);
    return rc;
}

static int choose_roles(struct tt_intake *intake, struct tt_error *err)
{
    const char *label = intake->conf.label;
    struct tt_csv *csv = intake->state;

    csv->label = -1;
    if (drop_columns(intake, err) < 0)
        return -1;
    if (!label)
        return 0;
    csv->label = find_column(csv, label);
    if (csv->label < 0)
        return fail_column(csv, "label", label, err);
    csv->column[csv->label].role = TT_CSV_LABEL;
    csv->column[csv->label].words.limit = MOST_CLASSES;
    return 0;
}

static int set_form(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_csv *csv = intake->state;

    csv->form.skip_lines = intake->conf.skip;
    if (choose_separator(intake, err) < 0)
        return -1;
    /* Tab-separated text mostly has quotes that mean themselves. */
    csv->form.quotes = csv->form.separator != '\t';
    if (strcmp(intake->conf.quotes, "auto") != 0)
        csv->form.quotes = strcmp(intake->conf.quotes, "yes") == 0;
    return 0;
}

/* From now on records of JSON have one field for each column. */
static int fix_names(struct tt_csv *csv, struct tt_error *err)
{
    csv->name = calloc((size_t)csv->column_count, sizeof(*csv->name));
    csv->unwanted = calloc((size_t)csv->column_count, sizeof(*csv->unwanted));
    if (!csv->name || !csv->unwanted)
        return fail_memory(err);
    for (int64_t i = 0; i < csv->column_count; i++) {
        csv->name[i] = csv->column[i].name;
        csv->unwanted[i] = csv->column[i].role == TT_CSV_DROPPED;
    }
    csv->header = false;
    return 0;
}

static int table_open(struct tt_intake *intake, bool json, struct tt_error *err)
{
    struct tt_csv *csv = calloc(1, sizeof(*csv));

    intake->state = csv;
    if (!csv)
        return fail_memory(err);
    csv->form.json = json;
    intake->shape->kind = TT_SHARD_ROWS;
    if ((!json && set_form(intake, err) < 0) || look_at_head(intake, err) < 0 ||
        choose_roles(intake, err) < 0)
        return -1;
    return json ? fix_names(csv, err) : 0;
}

static int csv_open(struct tt_intake *intake, struct tt_error *err)
{
    return table_open(intake, false, err);
}

static int jsonl_open(struct tt_intake *intake, struct tt_error *err)
{
    return table_open(intake, true, err);
}

/* --- scanning --------------------------------------------------------- */

static int check_header(const struct tt_csv *csv, struct tt_table *t,
                        struct tt_error *err)
{
    int rc = tt_table_next(t, err);

    if (rc <= 0)
        return rc;
    if (t->field_count != csv->column_count)
        return tt_fail(err, TT_EFORMAT,
                       "%s:%" PRId64 ": %" PRId64 " columns, the first file "
                       "has %" PRId64,
                       t->path, t->line, t->field_count, csv->column_count);
    for (int64_t i = 0; i < t->field_count; i++)
        if (t->field[i][0] && strcmp(t->field[i], csv->column[i].name) != 0)
            return tt_fail(err, TT_EFORMAT,
                           "%s:%" PRId64 ": column %" PRId64 " is called '%s', "
                           "in the first file '%s'",
                           t->path, t->line, i + 1, t->field[i],
                           csv->column[i].name);
    return 0;
}

static int open_body(const struct tt_intake *intake, int64_t file,
                     struct tt_table *t, struct tt_error *err)
{
    const struct tt_csv *csv = intake->state;

    if (open_table(intake, file, t, err) < 0)
        return -1;
    return csv->header ? check_header(csv, t, err) : 0;
}

static int check_width(const struct tt_csv *csv, const struct tt_table *t,
                       struct tt_error *err)
{
    if (t->field_count == csv->column_count)
        return 0;
    return tt_fail(err, TT_EFORMAT,
                   "%s:%" PRId64 ": %" PRId64 " fields, but the first line "
                   "has %" PRId64 " (--skip=N leaves lines at the head out)",
                   t->path, t->line, t->field_count, csv->column_count);
}

static int fail_cell(const struct tt_csv *csv, const struct tt_table *t,
                     int64_t column, const char *why, struct tt_error *err)
{
    return tt_fail(err, TT_EFORMAT, "%s:%" PRId64 ": column '%s' %s", t->path,
                   t->line, csv->column[column].name, why);
}

static int scan_record(struct tt_intake *intake, const struct tt_table *t,
                       struct tt_error *err)
{
    bool refuse = strcmp(intake->conf.missing, "refuse") == 0;
    struct tt_csv *csv = intake->state;

    if (check_width(csv, t, err) < 0)
        return -1;
    for (int64_t i = 0; i < t->field_count; i++) {
        int role = csv->column[i].role;
        bool missing;

        if (role == TT_CSV_DROPPED)
            continue;
        missing = tt_cell_is_missing(t->field[i]);
        if (missing && role == TT_CSV_LABEL)
            return fail_cell(csv, t, i, "is empty, but it is the label", err);
        if (missing && refuse)
            return fail_cell(
                csv, t, i, "is empty: --missing=mean puts the mean there", err);
        if (tt_csv_note(csv, i, t->field[i], t, err) < 0)
            return -1;
    }
    return 0;
}

static int csv_scan(struct tt_intake *intake, int64_t file,
                    int64_t *sample_count, struct tt_error *err)
{
    struct tt_table t;
    int rc = open_body(intake, file, &t, err);

    *sample_count = 0;
    while (rc == 0 && (rc = tt_table_next(&t, err)) > 0) {
        rc = scan_record(intake, &t, err);
        ++*sample_count;
        if (rc == 0)
            continue;
    }
    tt_table_close(&t);
    return rc;
}

/* --- reading ---------------------------------------------------------- */

static int csv_seek(struct tt_intake *intake, int64_t file, int64_t sample,
                    struct tt_error *err)
{
    struct tt_csv *csv = intake->state;
    int rc;

    if (csv->is_open)
        tt_table_close(&csv->table);
    csv->is_open = true;
    rc = open_body(intake, file, &csv->table, err);
    while (rc >= 0 && sample-- > 0)
        rc = tt_table_next(&csv->table, err);
    return rc < 0 ? -1 : 0;
}

static int read_feature(struct tt_csv *csv, const struct tt_csv_column *c,
                        const char *text, float *x)
{
    bool missing = tt_cell_is_missing(text);
    double value = NAN;
    int64_t word;

    if (!c->category) {
        if (!missing && !tt_cell_is_number(text, &value))
            return -1;
        x[c->first_value] = (float)value;
        return 0;
    }
    for (int64_t i = 0; i < c->value_count; i++)
        x[c->first_value + i] = 0;
    word = missing ? -1 : tt_words_find(&c->words, text);
    if (word >= 0)
        x[c->first_value + word] = 1;
    else
        csv->unknown_count += !missing;
    return 0;
}

static int read_label(const struct tt_csv *csv, const struct tt_csv_column *c,
                      const char *text, void *y)
{
    double value = 0;
    bool number = tt_cell_is_number(text, &value);
    int32_t class;

    if (!c->category) {
        *(float *)y = (float)value;
        return number ? 0 : -1;
    }
    class = csv->label_by_number ? (int32_t)value
                                 : (int32_t)tt_words_find(&c->words, text);
    *(int32_t *)y = class;
    return class >= 0 ? 0 : -1;
}

static int read_record(struct tt_csv *csv, float *x, void *y,
                       struct tt_error *err)
{
    const struct tt_table *t = &csv->table;

    if (check_width(csv, t, err) < 0)
        return -1;
    for (int64_t i = 0; i < csv->column_count; i++) {
        const struct tt_csv_column *c = &csv->column[i];
        int rc = 0;

        if (c->role == TT_CSV_FEATURE)
            rc = read_feature(csv, c, t->field[i], x);
        else if (c->role == TT_CSV_LABEL)
            rc = read_label(csv, c, t->field[i], y);
        if (rc < 0)
            return fail_cell(csv, t, i, "has changed since it was scanned",
                             err);
    }
    return 0;
}

static int csv_read(struct tt_intake *intake, int64_t count, void *x, void *y,
                    struct tt_error *err)
{
    int64_t values = intake->shape->x.values;
    struct tt_csv *csv = intake->state;

    for (int64_t i = 0; i < count; i++) {
        int rc = tt_table_next(&csv->table, err);

        if (rc == 0)
            rc = tt_fail(err, TT_EIO, "%s: became shorter since it was scanned",
                         csv->table.path);
        if (rc < 0 || read_record(csv, (float *)x + i * values,
                                  y ? (char *)y + 4 * i : NULL, err) < 0)
            return -1;
    }
    return 0;
}

static void csv_close(struct tt_intake *intake)
{
    struct tt_csv *csv = intake->state;

    if (!csv)
        return;
    if (csv->is_open)
        tt_table_close(&csv->table);
    for (int64_t i = 0; i < csv->column_count; i++) {
        free(csv->column[i].name);
        free(csv->column[i].other);
        tt_words_clear(&csv->column[i].words);
    }
    free(csv->name);
    free(csv->unwanted);
    free(csv->column);
    free(csv);
}

const struct tt_intake_ops tt_intake_csv = {
    .name = "csv",
    .open = csv_open,
    .scan = csv_scan,
    .found = tt_csv_found,
    .learn = tt_csv_learn,
    .seek = csv_seek,
    .read = csv_read,
    .close = csv_close,
};

const struct tt_intake_ops tt_intake_jsonl = {
    .name = "jsonl",
    .open = jsonl_open,
    .scan = csv_scan,
    .found = tt_csv_found,
    .learn = tt_csv_learn,
    .seek = csv_seek,
    .read = csv_read,
    .close = csv_close,
};
