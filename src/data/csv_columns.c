/* SPDX-License-Identifier: BSD-3-Clause */
/* csv_columns.c - what a table's columns become: numbers, one-hot categories,
 * classes or values of a label.  The decision looks at all ranks' cells and at
 * nothing else, so it is the same everywhere. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "data/csv_priv.h"

enum { CLASSES_GUESSED = 256, MOSTLY = 20 };

static int fail_memory(struct tt_error *err)
{
    return tt_fail(err, TT_ENOMEM, "table: out of memory");
}

/* Only UTF-8 goes into an index. */
static bool is_utf8(const char *text)
{
    json_t *string = json_string(text);

    json_decref(string);
    return string != NULL;
}

static int fail_utf8(const struct tt_table *table, struct tt_error *err)
{
    return tt_fail(err, TT_EFORMAT,
                   "%s:%" PRId64 ": text that is not UTF-8: convert the file, "
                   "as with iconv -f latin1 -t utf8",
                   table->path, table->line);
}

int tt_csv_check_name(const char *name, const struct tt_table *table,
                      struct tt_error *err)
{
    return is_utf8(name) ? 0 : fail_utf8(table, err);
}

/* Bytes of the first characters of a text, at most 'most'. */
static int cut_text(const char *text, int most)
{
    int bytes = (int)strnlen(text, (size_t)most + 1);

    if (bytes <= most)
        return bytes;
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

static int note_other(struct tt_csv_column *c, const char *text,
                      const struct tt_table *table, struct tt_error *err)
{
    char place[400];

    if (c->other_count++ > 0)
        return 0;
    snprintf(place, sizeof(place), "'%.*s' (%.*s:%" PRId64 ")",
             cut_text(text, 40), text, cut_text(table->path, 300), table->path,
             table->line);
    c->other = strdup(place);
    return c->other ? 0 : fail_memory(err);
}

int tt_csv_note(struct tt_csv *csv, int64_t column, const char *text,
                const struct tt_table *table, struct tt_error *err)
{
    struct tt_csv_column *c = &csv->column[column];
    double value;

    if (tt_cell_is_missing(text)) {
        c->missing_count++;
        return 0;
    }
    if (tt_cell_is_number(text, &value)) {
        c->number_count++;
        if (value != floor(value))
            c->fractions = true;
    } else if (note_other(c, text, table, err) < 0) {
        return -1;
    }
    if (c->words.over || tt_words_find(&c->words, text) >= 0)
        return 0;
    if (!is_utf8(text))
        return fail_utf8(table, err);
    return tt_words_add(&c->words, text) < 0 ? fail_memory(err) : 0;
}

json_t *tt_csv_found(struct tt_intake *intake)
{
    const struct tt_csv *csv = intake->state;
    json_t *list = json_array();

    for (int64_t i = 0; i < csv->column_count; i++) {
        const struct tt_csv_column *c = &csv->column[i];
        json_t *o = json_object(), *words = json_array();

        for (int64_t w = 0; w < c->words.count && !c->words.over; w++)
            json_array_append_new(words, json_string(c->words.at[w]));
        json_object_set_new(o, "numbers", json_integer(c->number_count));
        json_object_set_new(o, "others", json_integer(c->other_count));
        json_object_set_new(o, "missing", json_integer(c->missing_count));
        json_object_set_new(o, "fractions", json_boolean(c->fractions));
        json_object_set_new(o, "over", json_boolean(c->words.over));
        json_object_set_new(o, "words", words);
        if (c->other)
            json_object_set_new(o, "other", json_string(c->other));
        json_array_append_new(list, o);
    }
    return list;
}

/* Add what one rank has found about a column. */
static int merge_column(struct tt_csv_column *c, const json_t *o,
                        struct tt_error *err)
{
    const char *other = json_string_value(json_object_get(o, "other"));
    const json_t *words = json_object_get(o, "words"), *v;
    size_t i;

    c->number_count += json_integer_value(json_object_get(o, "numbers"));
    c->other_count += json_integer_value(json_object_get(o, "others"));
    c->missing_count += json_integer_value(json_object_get(o, "missing"));
    c->fractions |= json_is_true(json_object_get(o, "fractions"));
    c->words.over |= json_is_true(json_object_get(o, "over"));
    if (other && !c->other && !(c->other = strdup(other)))
        return fail_memory(err);
    json_array_foreach(words, i, v)
    {
        if (tt_words_add(&c->words, json_string_value(v)) < 0)
            return fail_memory(err);
    }
    return 0;
}

static void forget(struct tt_csv_column *c)
{
    int64_t limit = c->words.limit;

    tt_words_clear(&c->words);
    c->words.limit = limit;
    free(c->other);
    c->other = NULL;
    c->number_count = c->other_count = c->missing_count = 0;
    c->fractions = false;
}

static int merge_all(struct tt_csv *csv, const json_t *all,
                     struct tt_error *err)
{
    for (int64_t i = 0; i < csv->column_count; i++) {
        struct tt_csv_column *c = &csv->column[i];
        const json_t *rank;
        size_t r;

        forget(c);
        json_array_foreach(all, r, rank)
        {
            if (merge_column(c, json_array_get(rank, (size_t)i), err) < 0)
                return -1;
        }
        if (tt_words_sort(&c->words) < 0)
            return fail_memory(err);
    }
    return 0;
}

/* --- features --------------------------------------------------------- */

static const struct tt_shard_column *find_like(const struct tt_intake *intake,
                                               const char *name)
{
    const struct tt_shard_index *like = intake->conf.like;

    for (int64_t i = 0; like && i < like->column_count; i++)
        if (strcmp(like->column[i].name, name) == 0)
            return &like->column[i];
    return NULL;
}

/* A word that is in 'words' and not in the dictionary, or NULL. */
static const char *find_stranger(const struct tt_words *words,
                                 char *const *dictionary, int64_t count)
{
    for (int64_t w = 0; w < words->count; w++) {
        int64_t i = 0;

        while (i < count && strcmp(dictionary[i], words->at[w]) != 0)
            i++;
        if (i == count)
            return words->at[w];
    }
    return NULL;
}

static int set_words(struct tt_words *words, char *const *dictionary,
                     int64_t count, struct tt_error *err)
{
    tt_words_clear(words);
    words->limit = count;
    for (int64_t i = 0; i < count; i++)
        if (tt_words_add(words, dictionary[i]) < 0)
            return fail_memory(err);
    return 0;
}

/* The dictionary of an earlier set rules. */
static int follow(struct tt_intake *intake, struct tt_csv_column *c,
                  struct tt_error *err)
{
    const struct tt_shard_column *like = find_like(intake, c->name);
    const char *stranger;

    if (!like)
        return tt_fail(err, TT_EFORMAT,
                       "%s: column '%s' is not in the set that --like names: "
                       "leave it out (--drop=%s)",
                       intake->conf.files, c->name, c->name);
    c->category = like->category_count > 0;
    if (!c->category) {
        if (c->other)
            return tt_fail(err, TT_EFORMAT,
                           "column '%s' holds %s, but numbers in the set that "
                           "--like names",
                           c->name, c->other);
        return 0;
    }
    stranger = find_stranger(&c->words, like->category, like->category_count);
    if (stranger)
        tt_log_warn("column '%s': '%s' is in no sample of the set that --like "
                    "names: all its categories are 0 there",
                    c->name, stranger);
    return set_words(&c->words, like->category, like->category_count, err);
}

/* A column of numbers that a few cells make one of texts. */
static void warn_of_few(const struct tt_csv_column *c)
{
    if (c->other_count > 0 && c->number_count > MOSTLY * c->other_count &&
        !c->words.over)
        tt_log_warn("column '%s' is taken as categories because of %s", c->name,
                    c->other);
}

static int decide_feature(struct tt_intake *intake, struct tt_csv_column *c,
                          struct tt_error *err)
{
    if (intake->conf.like)
        return follow(intake, c, err);
    if (c->number_count + c->other_count == 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: column '%s' is empty: leave it out (--drop=%s)",
                       intake->conf.files, c->name, c->name);
    c->category = c->other_count > 0;
    if (!c->category)
        return 0;
    if (c->number_count > MOSTLY * c->other_count && !c->words.over)
        tt_log_warn("column '%s' is taken as categories because of %s", c->name,
                    c->other);
    if (c->words.over)
        return tt_fail(err, TT_EFORMAT,
                       "%s: column '%s' is no number because of %s, and has "
                       "more than %" PRId64 " categories: leave it out "
                       "(--drop), or --one-hot=N allows more",
                       intake->conf.files, c->name, c->other, c->words.limit);
    return 0;
}

/* --- the label -------------------------------------------------------- */

static bool wants_classes(const struct tt_intake *intake,
                          const struct tt_csv_column *c)
{
    if (intake->conf.like)
        return intake->conf.like->class_count > 0;
    if (strcmp(intake->conf.task, "auto") != 0)
        return strcmp(intake->conf.task, "classify") == 0;
    return c->other_count > 0 || (!c->fractions && !c->words.over &&
                                  c->words.count <= CLASSES_GUESSED);
}

/* Names 0 .. count-1 for labels that are such numbers. */
static bool are_indices(const struct tt_words *words, int64_t count)
{
    for (int64_t i = 0; i < words->count; i++) {
        double value;

        if (!tt_cell_is_number(words->at[i], &value) || value < 0 ||
            value >= (double)count || value != floor(value))
            return false;
    }
    return true;
}

static int name_classes(struct tt_intake *intake, struct tt_csv_column *c,
                        char *const *name, int64_t count, struct tt_error *err)
{
    struct tt_csv *csv = intake->state;
    const char *stranger = find_stranger(&c->words, name, count);

    if (stranger && !are_indices(&c->words, count))
        return tt_fail(err, TT_EFORMAT,
                       "%s: label '%s' is none of the classes that are given",
                       intake->conf.files, stranger);
    csv->label_by_number = stranger != NULL;
    return set_words(&c->words, name, count, err);
}

static int choose_classes(struct tt_intake *intake, struct tt_csv_column *c,
                          struct tt_error *err)
{
    const struct tt_shard_index *like = intake->conf.like;
    char **name = NULL;
    int64_t count;
    int rc;

    if (like)
        return name_classes(intake, c, like->class_name, like->class_count,
                            err);
    if (!intake->conf.classes)
        return 0;
    if (tt_intake_cut_list(intake->conf.classes, &name, &count, err) < 0)
        return -1;
    rc = name_classes(intake, c, name, count, err);
    for (int64_t i = 0; i < count; i++)
        free(name[i]);
    free(name);
    return rc;
}

static int copy_words(const struct tt_words *words, char ***to,
                      struct tt_error *err)
{
    *to = calloc((size_t)words->count + 1, sizeof(**to));
    for (int64_t i = 0; *to && i < words->count; i++)
        if (!((*to)[i] = strdup(words->at[i])))
            return fail_memory(err);
    return *to ? 0 : fail_memory(err);
}

static int decide_label(struct tt_intake *intake, struct tt_csv_column *c,
                        struct tt_error *err)
{
    struct tt_shard_index *shape = intake->shape;

    shape->y = (struct tt_shard_field){.dtype = TT_F32, .values = 1};
    if (!(shape->label = strdup(c->name)))
        return fail_memory(err);
    c->category = wants_classes(intake, c);
    if (!c->category && c->other_count > 0)
        return tt_fail(err, TT_EFORMAT,
                       "label '%s' holds %s: a value to learn is a number",
                       c->name, c->other);
    if (!c->category)
        return 0;
    if (c->words.over)
        return tt_fail(err, TT_EFORMAT,
                       "%s: label '%s' has more than %" PRId64 " different "
                       "values: --task=regress learns numbers",
                       intake->conf.files, c->name, c->words.limit);
    if (choose_classes(intake, c, err) < 0)
        return -1;
    warn_of_few(c);
    shape->y.dtype = TT_I32;
    shape->class_count = c->words.count;
    return copy_words(&c->words, &shape->class_name, err);
}

/* --- the shape -------------------------------------------------------- */

/* The next place in x is this column's. */
static int place_column(struct tt_shard_index *shape, struct tt_csv_column *c,
                        struct tt_error *err)
{
    struct tt_shard_column *out = &shape->column[shape->column_count++];

    c->first_value = shape->x.values;
    c->value_count = c->category ? c->words.count : 1;
    shape->x.values += c->value_count;
    out->first_value = c->first_value;
    out->value_count = c->value_count;
    out->missing_count = c->missing_count;
    if (!(out->name = strdup(c->name)))
        return fail_memory(err);
    if (!c->category)
        return 0;
    out->category_count = c->words.count;
    return copy_words(&c->words, &out->category, err);
}

/* In the order of the set that --like names; all of its columns must be there.
 */
static int place_like(struct tt_intake *intake, struct tt_error *err)
{
    const struct tt_shard_index *like = intake->conf.like;
    struct tt_csv *csv = intake->state;

    for (int64_t i = 0; i < like->column_count; i++) {
        const char *name = like->column[i].name;
        int64_t at = 0;

        while (at < csv->column_count &&
               (csv->column[at].role != TT_CSV_FEATURE ||
                strcmp(csv->column[at].name, name) != 0))
            at++;
        if (at == csv->column_count)
            return tt_fail(err, TT_EFORMAT,
                           "%s: column '%s' of the set that --like names is "
                           "missing",
                           intake->conf.files, name);
        if (place_column(intake->shape, &csv->column[at], err) < 0)
            return -1;
    }
    return 0;
}

static int place_all(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_csv *csv = intake->state;

    if (intake->conf.like)
        return place_like(intake, err);
    for (int64_t i = 0; i < csv->column_count; i++)
        if (csv->column[i].role == TT_CSV_FEATURE &&
            place_column(intake->shape, &csv->column[i], err) < 0)
            return -1;
    return 0;
}

/* Where the columns lie in x, and what the index says about them. */
static int lay_out(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_shard_index *shape = intake->shape;
    const struct tt_csv *csv = intake->state;

    shape->x = (struct tt_shard_field){.dtype = TT_F32, .dims = 1};
    shape->column =
        calloc((size_t)csv->column_count + 1, sizeof(*shape->column));
    if (!shape->column)
        return fail_memory(err);
    if (place_all(intake, err) < 0)
        return -1;
    shape->x.dim[0] = shape->x.values;
    if (shape->x.values == 0)
        return tt_fail(err, TT_EFORMAT, "%s: no column is left for x",
                       intake->conf.files);
    return 0;
}

/* One-hot values are not standardised. */
static int mark_plain(struct tt_intake *intake, struct tt_error *err)
{
    const struct tt_csv *csv = intake->state;

    intake->is_plain =
        calloc((size_t)intake->shape->x.values, sizeof(*intake->is_plain));
    if (!intake->is_plain)
        return fail_memory(err);
    for (int64_t i = 0; i < csv->column_count; i++) {
        const struct tt_csv_column *c = &csv->column[i];

        for (int64_t v = 0; v < c->value_count; v++)
            intake->is_plain[c->first_value + v] = c->category;
    }
    return 0;
}

static void say_missing(const struct tt_intake *intake)
{
    const struct tt_csv *csv = intake->state;

    for (int64_t i = 0; i < csv->column_count; i++) {
        const struct tt_csv_column *c = &csv->column[i];

        if (c->role == TT_CSV_FEATURE && c->missing_count > 0)
            tt_log_say("column '%s': %" PRId64 " missing, %s instead", c->name,
                       c->missing_count,
                       c->category ? "no category" : "the train part's mean");
    }
}

int tt_csv_learn(struct tt_intake *intake, const json_t *all,
                 struct tt_error *err)
{
    struct tt_csv *csv = intake->state;

    if (merge_all(csv, all, err) < 0)
        return -1;
    for (int64_t i = 0; i < csv->column_count; i++) {
        struct tt_csv_column *c = &csv->column[i];

        if (c->role == TT_CSV_FEATURE && decide_feature(intake, c, err) < 0)
            return -1;
        if (c->role == TT_CSV_LABEL && decide_label(intake, c, err) < 0)
            return -1;
    }
    if (lay_out(intake, err) < 0 || mark_plain(intake, err) < 0)
        return -1;
    say_missing(intake);
    return 0;
}
