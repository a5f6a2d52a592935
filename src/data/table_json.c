/* SPDX-License-Identifier: BSD-3-Clause */
/* table_json.c - records out of a file of JSON objects, one a line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "data/table_priv.h"

static int fail_line(const struct tt_table *t, const char *why,
                     struct tt_error *err)
{
    return tt_fail(err, TT_EFORMAT, "%s:%" PRId64 ": %s", t->path, t->line,
                   why);
}

/* A value as a CSV cell would have it. */
static int add_value(struct tt_table *t, const char *key, const json_t *v,
                     struct tt_error *err)
{
    char text[40] = "";

    if (json_is_string(v))
        return tt_table_add_field(t, json_string_value(v), err);
    if (json_is_array(v) || json_is_object(v))
        return tt_fail(err, TT_EFORMAT,
                       "%s:%" PRId64 ": '%s' is a list or an object: leave it "
                       "out (--drop), or make it flat",
                       t->path, t->line, key);
    if (json_is_integer(v))
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(v));
    else if (json_is_real(v))
        snprintf(text, sizeof(text), "%.17g", json_real_value(v));
    else if (json_is_boolean(v))
        snprintf(text, sizeof(text), json_is_true(v) ? "true" : "false");
    return tt_table_add_field(t, text, err);
}

static int find_name(const struct tt_table *t, const char *key)
{
    for (int64_t i = 0; i < t->name_count; i++)
        if (strcmp(t->name[i], key) == 0)
            return 1;
    return 0;
}

/* The first object gives the names. */
static int add_keys(struct tt_table *t, json_t *object, struct tt_error *err)
{
    const char *key;
    json_t *v;

    json_object_foreach(object, key, v)
    {
        if (tt_table_add_field(t, key, err) < 0)
            return -1;
    }
    return 0;
}

static int add_values(struct tt_table *t, json_t *object, struct tt_error *err)
{
    const char *key;
    json_t *v;

    json_object_foreach(object, key, v)
    {
        if (!find_name(t, key))
            return tt_fail(err, TT_EFORMAT,
                           "%s:%" PRId64 ": '%s' is not in the first line",
                           t->path, t->line, key);
    }
    for (int64_t i = 0; i < t->name_count; i++) {
        bool wanted = !t->unwanted || !t->unwanted[i];

        v = wanted ? json_object_get(object, t->name[i]) : NULL;
        if (add_value(t, t->name[i], v, err) < 0)
            return -1;
    }
    return 0;
}

int tt_table_next_json(struct tt_table *t, struct tt_error *err)
{
    json_error_t why;
    json_t *object;
    int rc;

    do {
        t->line = t->next_line;
        if ((rc = tt_table_read_line(t, err)) <= 0)
            return rc;
    } while (strspn(t->text, " \t") == strlen(t->text));
    object = json_loads(t->text, JSON_REJECT_DUPLICATES, &why);
    if (!object)
        return fail_line(t, why.text, err);
    tt_table_begin_record(t);
    if (!json_is_object(object))
        rc = fail_line(t, "is no JSON object", err);
    else
        rc = t->name_count == 0 ? add_keys(t, object, err)
                                : add_values(t, object, err);
    json_decref(object);
    if (rc < 0)
        return -1;
    tt_table_end_record(t);
    return 1;
}
