/* SPDX-License-Identifier: BSD-3-Clause */
/* optvalue.c - one knob's value: from text by its type, and back. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/opt.h"

/* --- ranges ----------------------------------------------------------- */

static int check_range(const struct tt_opt *opt, double value,
                       struct tt_error *err)
{
    char shown[64], low[64], high[64];

    if ((opt->min == 0 && opt->max == 0) ||
        (value >= opt->min && value <= opt->max))
        return 0;
    tt_f64_format(value, shown, sizeof(shown));
    tt_f64_format(opt->min, low, sizeof(low));
    tt_f64_format(opt->max, high, sizeof(high));
    if (isinf(opt->max))
        return tt_fail(err, TT_EINVAL, "%s is out of range: at least %s", shown,
                       low);
    return tt_fail(err, TT_EINVAL, "%s is out of range: %s to %s", shown, low,
                   high);
}

static bool takes_auto(const struct tt_opt *opt, const char *text)
{
    return (!opt->def || strcmp(opt->def, "auto") == 0) &&
           strcmp(text, "auto") == 0;
}

/* --- from a scalar's text --------------------------------------------- */

static int read_i64(const struct tt_opt *opt, const char *text, void *field,
                    struct tt_error *err)
{
    int64_t *value = field;

    if (takes_auto(opt, text)) {
        *value = TT_AUTO;
        return 0;
    }
    if (tt_i64_parse(text, value, err) < 0)
        return -1;
    return check_range(opt, (double)*value, err);
}

static int read_bytes(const struct tt_opt *opt, const char *text, void *field,
                      struct tt_error *err)
{
    int64_t *value = field;

    if (takes_auto(opt, text)) {
        *value = TT_AUTO;
        return 0;
    }
    if (tt_bytes_parse(text, value, err) < 0)
        return -1;
    return check_range(opt, (double)*value, err);
}

static int read_f64(const struct tt_opt *opt, const char *text, void *field,
                    struct tt_error *err)
{
    double *value = field;

    if (opt->def && takes_auto(opt, text)) {
        *value = NAN;
        return 0;
    }
    if (tt_f64_parse(text, value, err) < 0)
        return -1;
    return check_range(opt, *value, err);
}

static int read_bool(const struct tt_opt *opt, const char *text, void *field,
                     struct tt_error *err)
{
    static const char *const words[] = {"no",   "yes", "false",
                                        "true", "off", "on"};

    (void)opt;
    for (int i = 0; i < 6; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *(bool *)field = i % 2;
            return 0;
        }
    return tt_fail(err, TT_EINVAL, "'%.40s' is neither yes nor no", text);
}

static int read_str(const struct tt_opt *opt, const char *text, void *field,
                    struct tt_error *err)
{
    (void)opt;
    (void)err;
    *(const char **)field = *text ? text : NULL;
    return 0;
}

enum { CHOICES_MAX = 32, CHOICE_BYTES = 32 };

/* "a|b|c" -> {"a", "b", "c", NULL} in 'room'; returns how many. */
static int split_choices(const char *choices, char room[][CHOICE_BYTES],
                         const char **names)
{
    int count = 0;

    while (count < CHOICES_MAX - 1) {
        size_t bytes = strcspn(choices, "|");

        snprintf(room[count], CHOICE_BYTES, "%.*s", (int)bytes, choices);
        names[count] = room[count];
        count++;
        if (!choices[bytes])
            break;
        choices += bytes + 1;
    }
    names[count] = NULL;
    return count;
}

static int fail_choice(const struct tt_opt *opt, const char *text,
                       struct tt_error *err)
{
    char room[CHOICES_MAX][CHOICE_BYTES], list[160] = "";
    const char *names[CHOICES_MAX], *near;
    int count = split_choices(opt->unit, room, names);
    size_t used = 0;

    for (int i = 0; i < count && used < sizeof(list) - 1; i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i == 0           ? ""
                                 : i == count - 1 ? " or "
                                                  : ", ",
                                 names[i]);
    near = tt_nearest(text, names);
    if (near)
        return tt_fail(err, TT_EINVAL,
                       "'%.40s' is not one of %s: did you mean '%s'?", text,
                       list, near);
    return tt_fail(err, TT_EINVAL, "'%.40s' is not one of %s", text, list);
}

static int read_enum(const struct tt_opt *opt, const char *text, void *field,
                     struct tt_error *err)
{
    char room[CHOICES_MAX][CHOICE_BYTES];
    const char *names[CHOICES_MAX];
    int count = split_choices(opt->unit, room, names);

    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *(const char **)field = text;
            return 0;
        }
    return fail_choice(opt, text, err);
}

/* --- lists ------------------------------------------------------------ */

typedef int (*read_fn)(const struct tt_opt *opt, const char *text, void *field,
                       struct tt_error *err);

/* A scalar is a list of one.  Fills at most 'max' items of 'step' bytes. */
static int read_items(const struct tt_opt *opt, const struct tt_node *node,
                      read_fn read, void *items, size_t step,
                      struct tt_error *err)
{
    char *item = items;
    const struct tt_node *at = node->kind == TT_NODE_LIST ? node->first : node;

    for (; at; at = node->kind == TT_NODE_LIST ? at->next : NULL) {
        if (at->kind != TT_NODE_SCALAR)
            return tt_fail(err, TT_EINVAL, "a list within the list");
        if (read(opt, at->text, item, err) < 0)
            return -1;
        item += step;
    }
    return 0;
}

static int item_count(const struct tt_node *node)
{
    return node->kind == TT_NODE_LIST ? tt_node_count(node) : 1;
}

static int read_length(const struct tt_opt *opt, const char *text, void *field,
                       struct tt_error *err)
{
    (void)opt;
    return tt_length_parse(text, field, err);
}

static int read_lengths(const struct tt_opt *opt, const struct tt_node *node,
                        void *field, struct tt_doc *doc, struct tt_error *err)
{
    struct tt_lengths *lengths = field;
    int count = item_count(node);

    (void)doc;
    memset(lengths, 0, sizeof(*lengths));
    if (node->kind == TT_NODE_SCALAR && strcmp(node->text, "never") == 0)
        return 0;
    if (count > TT_LENGTHS_MAX)
        return tt_fail(err, TT_EINVAL, "%d lengths: at most %d", count,
                       TT_LENGTHS_MAX);
    lengths->count = count;
    return read_items(opt, node, read_length, lengths->at,
                      sizeof(lengths->at[0]), err);
}

static int read_i64s(const struct tt_opt *opt, const struct tt_node *node,
                     void *field, struct tt_doc *doc, struct tt_error *err)
{
    struct tt_i64_list *list = field;

    list->count = item_count(node);
    list->at = tt_doc_alloc(doc, (size_t)list->count * sizeof(*list->at));
    if (!list->at)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return read_items(opt, node, read_i64, list->at, sizeof(*list->at), err);
}

static int read_f64s(const struct tt_opt *opt, const struct tt_node *node,
                     void *field, struct tt_doc *doc, struct tt_error *err)
{
    struct tt_f64_list *list = field;

    list->count = item_count(node);
    list->at = tt_doc_alloc(doc, (size_t)list->count * sizeof(*list->at));
    if (!list->at)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return read_items(opt, node, read_f64, list->at, sizeof(*list->at), err);
}

static int read_node(const struct tt_opt *opt, const struct tt_node *node,
                     void *field, struct tt_doc *doc, struct tt_error *err)
{
    bool empty = node->kind == TT_NODE_SCALAR && !*node->text;

    (void)opt;
    (void)doc;
    (void)err;
    *(const struct tt_node **)field = empty ? NULL : node;
    return 0;
}

/* --- to text ---------------------------------------------------------- */

static void write_i64(const void *field, FILE *out)
{
    int64_t value = *(const int64_t *)field;

    if (value == TT_AUTO)
        fputs("auto", out);
    else
        fprintf(out, "%lld", (long long)value);
}

static void write_f64(const void *field, FILE *out)
{
    double value = *(const double *)field;
    char text[64];

    fputs(isnan(value) ? "auto" : tt_f64_format(value, text, sizeof(text)),
          out);
}

static void write_bool(const void *field, FILE *out)
{
    fputs(*(const bool *)field ? "yes" : "no", out);
}

static void write_str(const void *field, FILE *out)
{
    const char *text = *(const char *const *)field;

    tt_text_write(text ? text : "", out);
}

static void write_lengths(const void *field, FILE *out)
{
    const struct tt_lengths *lengths = field;
    char text[64];

    if (lengths->count == 0) {
        fputs("never", out);
        return;
    }
    fputs(lengths->count > 1 ? "[" : "", out);
    for (int i = 0; i < lengths->count; i++)
        fprintf(out, "%s%s", i ? ", " : "",
                tt_length_format(lengths->at[i], text, sizeof(text)));
    fputs(lengths->count > 1 ? "]" : "", out);
}

static void write_bytes(const void *field, FILE *out)
{
    static const char *const names[] = {"", "KiB", "MiB", "GiB", "TiB"};
    int64_t value = *(const int64_t *)field;
    int i = 0;

    if (value == TT_AUTO) {
        fputs("auto", out);
        return;
    }
    for (; i < 4 && value && value % 1024 == 0; i++)
        value /= 1024;
    fprintf(out, "%lld%s", (long long)value, names[i]);
}

static void write_i64s(const void *field, FILE *out)
{
    const struct tt_i64_list *list = field;

    fputc('[', out);
    for (int i = 0; i < list->count; i++)
        fprintf(out, "%s%lld", i ? ", " : "", (long long)list->at[i]);
    fputc(']', out);
}

static void write_f64s(const void *field, FILE *out)
{
    const struct tt_f64_list *list = field;
    char text[64];

    fputc('[', out);
    for (int i = 0; i < list->count; i++)
        fprintf(out, "%s%s", i ? ", " : "",
                tt_f64_format(list->at[i], text, sizeof(text)));
    fputc(']', out);
}

static void write_node(const void *field, FILE *out)
{
    const struct tt_node *node = *(const struct tt_node *const *)field;

    if (node)
        tt_node_write(node, out);
    else
        fputs("\"\"", out);
}

/* --- the types -------------------------------------------------------- */

/* A type reads a scalar or, with read_any, any node. */
static const struct {
    const char *what;
    size_t bytes;
    read_fn read;
    int (*read_any)(const struct tt_opt *opt, const struct tt_node *node,
                    void *field, struct tt_doc *doc, struct tt_error *err);
    void (*write)(const void *field, FILE *out);
} types[] = {
    [TT_OPT_I64] = {"a whole number", sizeof(int64_t), read_i64, NULL,
                    write_i64},
    [TT_OPT_F64] = {"a number", sizeof(double), read_f64, NULL, write_f64},
    [TT_OPT_BOOL] = {"yes or no", sizeof(bool), read_bool, NULL, write_bool},
    [TT_OPT_STR] = {"a text", sizeof(const char *), read_str, NULL, write_str},
    [TT_OPT_ENUM] = {"a word", sizeof(const char *), read_enum, NULL,
                     write_str},
    [TT_OPT_LENGTHS] = {"a length such as 500 steps, or a list of them",
                        sizeof(struct tt_lengths), NULL, read_lengths,
                        write_lengths},
    [TT_OPT_BYTES] = {"a size such as 64MiB", sizeof(int64_t), read_bytes, NULL,
                      write_bytes},
    [TT_OPT_I64S] = {"a list of whole numbers such as [64, 32]",
                     sizeof(struct tt_i64_list), NULL, read_i64s, write_i64s},
    [TT_OPT_F64S] = {"a list of numbers such as [0.9, 0.95]",
                     sizeof(struct tt_f64_list), NULL, read_f64s, write_f64s},
    [TT_OPT_NODE] = {"a value", sizeof(const struct tt_node *), NULL, read_node,
                     write_node},
};

static const char *kind_name(const struct tt_node *node)
{
    return node->kind == TT_NODE_MAP    ? "a map"
           : node->kind == TT_NODE_LIST ? "a list"
                                        : "a single value";
}

int tt_opt_parse(const struct tt_opt *opt, const struct tt_node *node,
                 void *field, struct tt_doc *doc, struct tt_error *err)
{
    const char *what = types[opt->type].what;
    bool takes_empty = opt->type == TT_OPT_NODE || opt->type == TT_OPT_STR;

    if (node->kind == TT_NODE_SCALAR && !*node->text && !takes_empty)
        return tt_fail(err, TT_EINVAL, "no value: expected %s", what);
    if (types[opt->type].read_any) {
        if (node->kind == TT_NODE_MAP && opt->type != TT_OPT_NODE)
            return tt_fail(err, TT_EINVAL, "expected %s, found a map", what);
        return types[opt->type].read_any(opt, node, field, doc, err);
    }
    if (node->kind != TT_NODE_SCALAR)
        return tt_fail(err, TT_EINVAL, "expected %s, found %s", what,
                       kind_name(node));
    return types[opt->type].read(opt, node->text, field, err);
}

int tt_opt_default(const struct tt_opt *opt, void *field, struct tt_doc *doc,
                   struct tt_error *err)
{
    struct tt_node *node;

    memset(field, 0, types[opt->type].bytes);
    if (!opt->def) {
        if (opt->type == TT_OPT_I64 || opt->type == TT_OPT_BYTES)
            *(int64_t *)field = TT_AUTO;
        return 0;
    }
    node = tt_doc_flag(doc, "default", opt->def, err);
    return node ? tt_opt_parse(opt, node, field, doc, err) : -1;
}

void tt_opt_write(const struct tt_opt *opt, const void *field, FILE *out)
{
    types[opt->type].write(field, out);
}
