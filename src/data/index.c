/* SPDX-License-Identifier: BSD-3-Clause */
/* index.c - index.json <-> struct tt_shard_index. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/hash.h"
#include "data/shard.h"
#include "io/path.h"

static const char *const kinds[] = {"rows", "tokens"};

/* --- writing ---------------------------------------------------------- */

/* JSON has no infinity and no NaN: they become null. */
static json_t *numbers(const double *at, int64_t count)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list,
                              isfinite(at[i]) ? json_real(at[i]) : json_null());
    return list;
}

static json_t *strings(char *const *at, int64_t count)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, json_stringn_nocheck(at[i], strlen(at[i])));
    return list;
}

static json_t *write_field(const struct tt_shard_field *f)
{
    json_t *shape = json_array(), *o = json_object();

    for (int i = 0; i < f->dims; i++)
        json_array_append_new(shape, json_integer(f->dim[i]));
    json_object_set_new(o, "dtype", json_string(tt_dtype_name(f->dtype)));
    json_object_set_new(o, "shape", shape);
    if (f->scale_count > 0) {
        json_object_set_new(o, "scale", numbers(f->scale, f->scale_count));
        json_object_set_new(o, "shift", numbers(f->shift, f->scale_count));
    }
    if (f->stat_count > 0) {
        json_object_set_new(o, "mean", numbers(f->mean, f->stat_count));
        json_object_set_new(o, "std", numbers(f->std, f->stat_count));
        json_object_set_new(o, "min", numbers(f->min, f->stat_count));
        json_object_set_new(o, "max", numbers(f->max, f->stat_count));
    }
    return o;
}

static json_t *write_columns(const struct tt_shard_index *index)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < index->column_count; i++) {
        const struct tt_shard_column *c = &index->column[i];
        json_t *o = json_object();

        json_object_set_new(o, "name",
                            json_stringn_nocheck(c->name, strlen(c->name)));
        json_object_set_new(o, "first", json_integer(c->first_value));
        json_object_set_new(o, "values", json_integer(c->value_count));
        json_object_set_new(o, "missing", json_integer(c->missing_count));
        json_object_set_new(o, "fill", json_real(c->fill));
        if (c->category_count > 0)
            json_object_set_new(o, "categories",
                                strings(c->category, c->category_count));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *write_shards(const struct tt_shard_index *index)
{
    json_t *list = json_array();
    char hash[17];

    for (int64_t i = 0; i < index->shard_count; i++) {
        const struct tt_shard *s = &index->shard[i];
        json_t *o = json_object();

        snprintf(hash, sizeof(hash), "%016" PRIx64, s->hash);
        json_object_set_new(o, "file", json_string(s->file));
        json_object_set_new(o, "samples", json_integer(s->sample_count));
        json_object_set_new(o, "bytes", json_integer(s->bytes));
        json_object_set_new(o, "xxh64", json_string(hash));
        json_object_set_new(o, "x_offset", json_integer(s->x_offset));
        if (index->y.values > 0)
            json_object_set_new(o, "y_offset", json_integer(s->y_offset));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *write_index(const struct tt_shard_index *index)
{
    json_t *o = json_object();
    char plan[17];

    snprintf(plan, sizeof(plan), "%016" PRIx64, index->plan_hash);
    json_object_set_new(o, "tutti_shards", json_integer(TT_SHARD_VERSION));
    json_object_set_new(o, "kind", json_string(kinds[index->kind]));
    json_object_set_new(o, "split",
                        json_string(index->split ? index->split : "all"));
    json_object_set_new(o, "seed", json_integer(index->seed));
    json_object_set_new(o, "plan", json_string(plan));
    json_object_set_new(o, "samples", json_integer(index->sample_count));
    json_object_set_new(o, "x", write_field(&index->x));
    if (index->y.values > 0)
        json_object_set_new(o, "y", write_field(&index->y));
    if (index->class_count > 0)
        json_object_set_new(o, "classes", json_integer(index->class_count));
    if (index->class_name)
        json_object_set_new(o, "class_names",
                            strings(index->class_name, index->class_count));
    if (index->tokenizer)
        json_object_set_new(o, "tokenizer", json_string(index->tokenizer));
    if (index->label)
        json_object_set_new(
            o, "label",
            json_stringn_nocheck(index->label, strlen(index->label)));
    if (index->column_count > 0)
        json_object_set_new(o, "columns", write_columns(index));
    json_object_set_new(o, "shards", write_shards(index));
    return o;
}

int tt_shard_index_write(const struct tt_shard_index *index, const char *dir,
                         struct tt_error *err)
{
    json_t *o = write_index(index);
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    char path[PATH_MAX];
    int rc;

    json_decref(o);
    snprintf(path, sizeof(path), "%s/index.json", dir);
    if (!text)
        return tt_fail(err, TT_EFORMAT,
                       "%s: cannot be written: a name in it is not UTF-8, or "
                       "memory is out",
                       path);
    rc = tt_path_write(path, text, strlen(text), err);
    free(text);
    return rc;
}

/* --- reading ---------------------------------------------------------- */

static int fail_key(struct tt_error *err, const char *key, const char *what)
{
    return tt_fail(err, TT_EFORMAT, "%s %s: pack the set again", key, what);
}

static int get_count(const json_t *o, const char *key, int64_t *value,
                     struct tt_error *err)
{
    const json_t *v = json_object_get(o, key);

    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return fail_key(err, key, "is not a count");
    *value = json_integer_value(v);
    return 0;
}

/* A string that may be absent. */
static int get_string(const json_t *o, const char *key, char **value,
                      struct tt_error *err)
{
    const json_t *v = json_object_get(o, key);

    if (!v)
        return 0;
    if (!json_is_string(v))
        return fail_key(err, key, "is not a string");
    *value = strdup(json_string_value(v));
    return *value ? 0 : tt_fail(err, TT_ENOMEM, "out of memory");
}

/* A list of strings that may be absent. */
static int get_strings(const json_t *o, const char *key, char ***at,
                       int64_t *count, struct tt_error *err)
{
    const json_t *list = json_object_get(o, key), *v;
    size_t i;

    if (!list)
        return 0;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return fail_key(err, key, "is not a list");
    *at = calloc(json_array_size(list), sizeof(**at));
    if (!*at)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    *count = (int64_t)json_array_size(list);
    json_array_foreach(list, i, v)
    {
        if (!json_is_string(v))
            return fail_key(err, key, "holds something else than strings");
        if (!((*at)[i] = strdup(json_string_value(v))))
            return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    return 0;
}

/* A list of numbers that may be absent; *count is 0 or what it must be. */
static int get_numbers(const json_t *o, const char *key, double **at,
                       int64_t *count, struct tt_error *err)
{
    const json_t *list = json_object_get(o, key), *v;
    int64_t have = (int64_t)json_array_size(list);
    size_t i;

    if (!list && *count == 0)
        return 0;
    if (!json_is_array(list) || have == 0 || (*count && have != *count))
        return fail_key(err, key, "is not a list of the right length");
    *count = have;
    *at = calloc((size_t)have, sizeof(**at));
    if (!*at)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    json_array_foreach(list, i, v)
    {
        if (!json_is_number(v) && !json_is_null(v))
            return fail_key(err, key, "holds something else than numbers");
        (*at)[i] = json_is_null(v) ? NAN : json_number_value(v);
    }
    return 0;
}

static int read_shape(const json_t *o, struct tt_shard_field *f,
                      struct tt_error *err)
{
    const json_t *shape = json_object_get(o, "shape"), *v;
    size_t i;

    f->values = 1;
    if (!json_is_array(shape) || json_array_size(shape) > TT_SHARD_DIMS)
        return fail_key(err, "shape", "is not a list of at most 4 axes");
    f->dims = (int)json_array_size(shape);
    json_array_foreach(shape, i, v)
    {
        f->dim[i] = json_integer_value(v);
        if (f->dim[i] < 1 || f->dim[i] > INT64_MAX / 8 / f->values)
            return fail_key(err, "shape", "holds an axis out of range");
        f->values *= f->dim[i];
    }
    return 0;
}

static int read_field(const json_t *o, struct tt_shard_field *f,
                      struct tt_error *err)
{
    const char *name = json_string_value(json_object_get(o, "dtype"));
    int dtype = name ? tt_dtype_find(name) : -1;
    int64_t last;

    if (dtype < 0)
        return fail_key(err, "dtype", "is not an element type");
    f->dtype = (enum tt_dtype)dtype;
    if (read_shape(o, f, err) < 0 ||
        get_numbers(o, "scale", &f->scale, &f->scale_count, err) < 0 ||
        get_numbers(o, "shift", &f->shift, &f->scale_count, err) < 0 ||
        get_numbers(o, "mean", &f->mean, &f->stat_count, err) < 0 ||
        get_numbers(o, "std", &f->std, &f->stat_count, err) < 0 ||
        get_numbers(o, "min", &f->min, &f->stat_count, err) < 0 ||
        get_numbers(o, "max", &f->max, &f->stat_count, err) < 0)
        return -1;
    last = f->dims > 0 ? f->dim[f->dims - 1] : 1;
    if ((f->scale_count > 1 && f->scale_count != last) ||
        (f->stat_count > 1 && f->stat_count != last))
        return fail_key(err, "scale", "does not fit the last axis");
    return 0;
}

static int read_column(const json_t *o, struct tt_shard_column *c,
                       struct tt_error *err)
{
    if (get_string(o, "name", &c->name, err) < 0 ||
        get_count(o, "first", &c->first_value, err) < 0 ||
        get_count(o, "values", &c->value_count, err) < 0 ||
        get_count(o, "missing", &c->missing_count, err) < 0 ||
        get_strings(o, "categories", &c->category, &c->category_count, err) < 0)
        return -1;
    c->fill = json_number_value(json_object_get(o, "fill"));
    if (!c->name)
        return fail_key(err, "name", "of a column is missing");
    if (c->category_count > 0 && c->category_count != c->value_count)
        return fail_key(err, "categories", "do not match the column's values");
    return 0;
}

static int read_columns(const json_t *o, struct tt_shard_index *index,
                        struct tt_error *err)
{
    const json_t *list = json_object_get(o, "columns"), *v;
    size_t i;

    if (!list)
        return 0;
    index->column = calloc(json_array_size(list) + 1, sizeof(*index->column));
    if (!index->column)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    index->column_count = (int64_t)json_array_size(list);
    json_array_foreach(list, i, v)
    {
        struct tt_shard_column *c = &index->column[i];

        if (read_column(v, c, err) < 0)
            return tt_fail_in(err, "columns[%zu]", i);
        if (c->first_value + c->value_count > index->x.values)
            return fail_key(err, "columns", "reach beyond a sample");
    }
    return 0;
}

static int read_shard(const json_t *o, bool has_y, struct tt_shard *s,
                      struct tt_error *err)
{
    const char *hash = json_string_value(json_object_get(o, "xxh64"));
    char *end = NULL;

    if (get_string(o, "file", &s->file, err) < 0 ||
        get_count(o, "samples", &s->sample_count, err) < 0 ||
        get_count(o, "bytes", &s->bytes, err) < 0 ||
        get_count(o, "x_offset", &s->x_offset, err) < 0 ||
        (has_y && get_count(o, "y_offset", &s->y_offset, err) < 0))
        return -1;
    if (!s->file || !s->file[0] || strchr(s->file, '/'))
        return fail_key(err, "file", "is not the name of a file");
    if (hash)
        s->hash = strtoull(hash, &end, 16);
    if (!hash || *end || strlen(hash) != 16)
        return fail_key(err, "xxh64", "is not a checksum");
    return 0;
}

static int read_shards(const json_t *o, struct tt_shard_index *index,
                       struct tt_error *err)
{
    const json_t *list = json_object_get(o, "shards"), *v;
    int64_t total = 0;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) == 0)
        return fail_key(err, "shards", "is not a list");
    index->shard = calloc(json_array_size(list), sizeof(*index->shard));
    if (!index->shard)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    index->shard_count = (int64_t)json_array_size(list);
    json_array_foreach(list, i, v)
    {
        if (read_shard(v, index->y.values > 0, &index->shard[i], err) < 0)
            return tt_fail_in(err, "shards[%zu]", i);
        total += index->shard[i].sample_count;
    }
    if (total != index->sample_count)
        return fail_key(err, "samples", "is not the sum over the shards");
    return 0;
}

static int read_kind(const json_t *o, struct tt_shard_index *index,
                     struct tt_error *err)
{
    const json_t *version = json_object_get(o, "tutti_shards");
    const char *kind = json_string_value(json_object_get(o, "kind"));

    if (!json_is_integer(version))
        return tt_fail(err, TT_EFORMAT, "is not an index of tutti's shards");
    if (json_integer_value(version) != TT_SHARD_VERSION)
        return tt_fail(err, TT_EFORMAT,
                       "has format version %lld, this program reads %d: pack "
                       "the set again or use the tutti that wrote it",
                       (long long)json_integer_value(version),
                       TT_SHARD_VERSION);
    for (index->kind = 0; index->kind < 2; index->kind++)
        if (kind && strcmp(kind, kinds[index->kind]) == 0)
            return 0;
    return fail_key(err, "kind", "is neither rows nor tokens");
}

static int read_labels(const json_t *o, struct tt_shard_index *index,
                       struct tt_error *err)
{
    int64_t named = 0;
    int rc;

    if (json_object_get(o, "classes") &&
        get_count(o, "classes", &index->class_count, err) < 0)
        return -1;
    rc = get_strings(o, "class_names", &index->class_name, &named, err);
    if (rc == 0 && named > 0 && named != index->class_count)
        rc = fail_key(err, "class_names", "are not as many as classes");
    if (rc < 0 && index->class_name) { /* destroy() counts by class_count */
        for (int64_t i = 0; i < named; i++)
            free(index->class_name[i]);
        free(index->class_name);
        index->class_name = NULL;
    }
    return rc;
}

static int read_index(const json_t *o, struct tt_shard_index *index,
                      struct tt_error *err)
{
    const char *plan = json_string_value(json_object_get(o, "plan"));
    const json_t *y = json_object_get(o, "y");

    index->plan_hash = plan ? strtoull(plan, NULL, 16) : 0;
    if (read_kind(o, index, err) < 0 ||
        get_string(o, "split", &index->split, err) < 0 ||
        get_count(o, "samples", &index->sample_count, err) < 0 ||
        get_string(o, "tokenizer", &index->tokenizer, err) < 0 ||
        get_string(o, "label", &index->label, err) < 0)
        return -1;
    index->seed = json_integer_value(json_object_get(o, "seed"));
    if (read_field(json_object_get(o, "x"), &index->x, err) < 0)
        return tt_fail_in(err, "x");
    if (y && read_field(y, &index->y, err) < 0)
        return tt_fail_in(err, "y");
    if (read_labels(o, index, err) < 0 || read_columns(o, index, err) < 0)
        return -1;
    return read_shards(o, index, err);
}

static json_t *load(const char *dir, const char *path, uint64_t *hash,
                    struct tt_error *err)
{
    json_error_t why;
    json_t *o = NULL;
    size_t bytes;
    char *text;

    if (!tt_shard_is_set(dir)) {
        tt_fail(err, TT_EIO,
                "%s: no index.json there: not a packed set, or packing did "
                "not finish (run tutti-shard again)",
                dir);
        return NULL;
    }
    if (!(text = tt_path_read(path, &bytes, err)))
        return NULL;
    *hash = tt_hash(text, bytes, 0);
    o = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
    if (!o)
        tt_fail(err, TT_EFORMAT, "%s:%d: %s", path, why.line, why.text);
    free(text);
    return o;
}

struct tt_shard_index *tt_shard_index_read(const char *dir,
                                           struct tt_error *err)
{
    struct tt_shard_index *index = tt_shard_index_create();
    char path[PATH_MAX];
    json_t *o = NULL;

    snprintf(path, sizeof(path), "%s/index.json", dir);
    if (!index)
        tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    else
        o = load(dir, path, &index->text_hash, err);
    if (!o) {
        tt_shard_index_destroy(index);
        return NULL;
    }
    if (read_index(o, index, err) < 0) {
        tt_fail_in(err, "%s", path);
        tt_shard_index_destroy(index);
        index = NULL;
    }
    json_decref(o);
    return index;
}
