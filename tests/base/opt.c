/* SPDX-License-Identifier: BSD-3-Clause */
/* opt.c - a small table of each type: values in, values out, messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/opt.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct all {
    struct {
        int64_t i64, need;
        double f64;
        bool yes;
        const char *str, *pick;
    } one;
    struct {
        struct tt_lengths lengths;
        int64_t bytes;
        struct tt_i64_list i64s;
        struct tt_f64_list f64s;
        const struct tt_node *node;
        struct {
            int64_t a, b;
        } group;
    } two;
};

#define ONE(field) offsetof(struct all, one.field)
#define TWO(field) (offsetof(struct all, two.field) - offsetof(struct all, two))

static const struct tt_opt one_table[] = {
    {"i64", TT_OPT_I64, ONE(i64), "auto", NULL, -5, 100, TT_RESUME_FREE, ""},
    {"need", TT_OPT_I64, ONE(need), NULL, NULL, 0, 0, TT_RESUME_FREE, ""},
    {"f64", TT_OPT_F64, ONE(f64), "0.5", NULL, 0, INFINITY, 0, ""},
    {"yes", TT_OPT_BOOL, ONE(yes), "no", NULL, 0, 0, TT_RESUME_FREE, ""},
    {"str", TT_OPT_STR, ONE(str), "", NULL, 0, 0, TT_RESUME_FREE, ""},
    {"pick", TT_OPT_ENUM, ONE(pick), "b", "a|b|cc", 0, 0, 0, ""},
    {0},
};

static const struct tt_opt empty_table[] = {{0}};

static const struct tt_opt two_table[] = {
    {"lengths", TT_OPT_LENGTHS, TWO(lengths), "never", NULL, 0, 0, 0, ""},
    {"bytes", TT_OPT_BYTES, TWO(bytes), "1KiB", NULL, 0, 0, 0, ""},
    {"i64s", TT_OPT_I64S, TWO(i64s), "[1, 2]", NULL, 0, 9, 0, ""},
    {"f64s", TT_OPT_F64S, TWO(f64s), "[]", NULL, 0, 0, 0, ""},
    {"node", TT_OPT_NODE, TWO(node), "", NULL, 0, 0, 0, ""},
    {"group.a", TT_OPT_I64, TWO(group.a), "1", NULL, 0, 0, 0, ""},
    {"group.b", TT_OPT_I64, TWO(group.b), "2", NULL, 0, 0, 0, ""},
    {0},
};

static const struct tt_opt_section sections[] = {
    {"one", one_table, offsetof(struct all, one), "first"},
    {"none", empty_table, 0, "nothing"},
    {"two", two_table, offsetof(struct all, two), "second"},
    {0},
};

static struct all all;
static struct tt_opt_origin origin[16];

static struct tt_opt_set begin(void)
{
    struct tt_opt_set set = {.sections = sections,
                             .base = &all,
                             .origin = origin,
                             .doc = tt_doc_create()};
    struct tt_error err = {0};

    memset(&all, 0xa5, sizeof(all));
    if (tt_opt_set_defaults(&set, &err) < 0)
        tap_ok(0, "%s", err.text);
    return set;
}

static void test_walk(void)
{
    struct tt_opt_set set = begin();
    struct tt_opt_at at = {0};
    int seen = 0;

    while (tt_opt_next(&set, &at))
        seen++;
    tap_ok(seen == 13 && tt_opt_count(sections) == 13,
           "every knob once, past a section of none");
    tap_ok(tt_opt_find(&set, "two", "group.b", &at) &&
               at.field == &all.two.group.b && at.origin == &origin[12],
           "a knob is found with its field and origin");
    tap_ok(!tt_opt_find(&set, "one", "bytes", &at) &&
               !tt_opt_find(&set, "none", "i64", &at),
           "not in a section that lacks it");
    tt_doc_destroy(set.doc);
}

static void test_defaults(void)
{
    struct tt_opt_set set = begin();

    tap_ok(all.one.i64 == TT_AUTO && all.one.need == TT_AUTO &&
               all.one.f64 == 0.5 && !all.one.yes && !all.one.str &&
               !strcmp(all.one.pick, "b"),
           "defaults of single values");
    tap_ok(all.two.lengths.count == 0 && all.two.bytes == 1024 &&
               all.two.i64s.count == 2 && all.two.i64s.at[1] == 2 &&
               all.two.f64s.count == 0 && !all.two.node &&
               all.two.group.a == 1 && all.two.group.b == 2,
           "defaults of lists and groups");
    tt_doc_destroy(set.doc);
}

/* A flag, the knob that it sets, and how that is then written. */
static const struct {
    const char *flag, *section, *knob, *written;
} goods[] = {
    {"--i64=1_0e1", "one", "i64", "100"},
    {"--one.i64=-5", "one", "i64", "-5"},
    {"--i64=auto", "one", "i64", "auto"},
    {"--f64=1e-8", "one", "f64", "1e-08"},
    {"--f64=0.1", "one", "f64", "0.1"},
    {"--yes=On", "one", "yes", "yes"},
    {"--yes=FALSE", "one", "yes", "no"},
    {"--str=x y", "one", "str", "x y"},
    {"--str=x: y", "one", "str", "\"x: y\""},
    {"--str=", "one", "str", "\"\""},
    {"--str= ", "one", "str", "\" \""},
    {"--str='12'", "one", "str", "12"},
    {"--pick=cc", "one", "pick", "cc"},
    {"--lengths=[3, 2 h, 1 epoch]", "two", "lengths",
     "[3 steps, 2 h, 1 epoch]"},
    {"--lengths=never", "two", "lengths", "never"},
    {"--lengths=[]", "two", "lengths", "never"},
    {"--bytes=3MiB", "two", "bytes", "3MiB"},
    {"--bytes=1000", "two", "bytes", "1000"},
    {"--bytes=0", "two", "bytes", "0"},
    {"--i64s=7", "two", "i64s", "[7]"},
    {"--i64s=[]", "two", "i64s", "[]"},
    {"--f64s=[0.1, 1e300, -0]", "two", "f64s", "[0.1, 1e+300, -0]"},
    {"--node={a: [1, {b: \"\"}], c: '-'}", "two", "node",
     "{a: [1, {b: \"\"}], c: \"-\"}"},
    {"--node=5 %", "two", "node", "5 %"},
    {"--node=", "two", "node", "\"\""},
    {"--two.group.b=9", "two", "group.b", "9"},
    {"--group.a=9", "two", "group.a", "9"},
};

static void test_values(void)
{
    struct tt_error err = {0};

    for (size_t i = 0; i < COUNT(goods); i++) {
        struct tt_opt_set set = begin();
        struct tt_opt_at at;
        char *text = NULL;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        int rc = tt_opt_set_flag(&set, goods[i].flag, &err);

        tt_opt_find(&set, goods[i].section, goods[i].knob, &at);
        tt_opt_write(at.opt, at.field, out);
        fclose(out);
        if (!tap_ok(rc == 0 && !strcmp(text, goods[i].written), "%s gives %s",
                    goods[i].flag, goods[i].written))
            tap_note("got %s %s", text, rc ? err.text : "");
        tap_ok(at.origin->level == TT_FROM_FLAG, "from a flag");
        free(text);
        tt_doc_destroy(set.doc);
    }
}

static const struct {
    const char *text, *message;
} bads[] = {
    {"one: {i64: 101}", "t:1: one.i64: 101 is out of range: -5 to 100"},
    {"one: {f64: -1}", "t:1: one.f64: -1 is out of range: at least 0"},
    {"one: {f64: auto}", "t:1: one.f64: 'auto' is not a number"},
    {"one: {pick: c}", "t:1: one.pick: 'c' is not one of a, b or cc"},
    {"one: {pick: [a]}", "t:1: one.pick: expected a word, found a list"},
    {"one: {str: {a: 1}}", "t:1: one.str: expected a text, found a map"},
    {"two: {i64s: [1, 10]}", "t:1: two.i64s: 10 is out of range: 0 to 9"},
    {"two: {bytes: auto}", "t:1: two.bytes: 'auto' is not a number of bytes: "
                           "write 4096 or 64MiB"},
    {"two: {group: 3}", "t:1: two.group: expected a map"},
    {"two: {group: {c: 3}}", "t:1: unknown key 'c' in two.group, which has a, "
                             "b"},
    {"two: {group.a: 3}",
     "t:1: unknown key 'group.a' in two: write group: {a: ...}"},
    {"none: {x: 3}", "t:1: unknown key 'x' in none, which has nothing"},
    {"two: 3", "t:1: two is a section: expected a map such as {lengths: ...}"},
    {"tow: {}", "t:1: unknown section 'tow': did you mean 'two'?"},
};

static void test_messages(void)
{
    struct tt_error err = {0};

    for (size_t i = 0; i < COUNT(bads); i++) {
        struct tt_opt_set set = begin();

        if (!tap_ok(tt_opt_set_text(&set, bads[i].text, "t", &err) < 0 &&
                        !strcmp(err.text, bads[i].message),
                    "%s", bads[i].message))
            tap_note("got %s", err.text);
        tt_doc_destroy(set.doc);
    }
}

static void test_fail(void)
{
    struct tt_opt_set set = begin();
    struct tt_error err = {0};
    struct tt_opt_at at;

    tt_opt_find(&set, "one", "i64", &at);
    tt_opt_fail(&at, &err, "%d", 1);
    tap_ok(!strcmp(err.text, "one.i64: 1"), "%s", err.text);
    tt_opt_set_text(&set, "\none:\n  i64: 3", "t", &err);
    tt_opt_fail(&at, &err, "%d", 2);
    tap_ok(!strcmp(err.text, "t:3: one.i64: 2"), "%s", err.text);
    tt_opt_set_flag(&set, "--i64=3", &err);
    tt_opt_fail(&at, &err, "%d", 3);
    tap_ok(!strcmp(err.text, "--i64: 3"), "%s", err.text);
    tt_doc_destroy(set.doc);
}

int main(void)
{
    test_walk();
    test_defaults();
    test_values();
    test_messages();
    test_fail();
    return tap_done();
}
