/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "data/split.h"
#include "data/table.h"
#include "data/words.h"

static struct tt_error err;

/* The short way against strtod(), over many forms of decimals. */
static void test_numbers(void)
{
    static const char *const forms[] = {"%.3f", "%.10g", "%.15g", "%.17g",
                                        "%.0f", "%+.5f", "%.20f", "%e"};
    uint64_t state = 12345;
    int bad = 0;

    for (int i = 0; i < 200000; i++) {
        char text[400];
        double x, got = 0;

        state = state * 6364136223846793005u + 1442695040888963407u;
        x = ldexp((double)(int64_t)state, -40 - (int)(state >> 59));
        snprintf(text, sizeof(text), forms[i % 8], x);
        if (!tt_cell_is_number(text, &got) || got != strtod(text, NULL))
            bad++;
    }
    tap_ok(bad == 0, "numbers as strtod() reads them (%d differ)", bad);
}

static void test_cells(void)
{
    static const char *const yes[] = {"0",  "-0",  "+1",      ".5",
                                      "5.", "1e3", "-1.5E-7", "007"};
    static const char *const no[] = {"",    "-",    ".",   "1,5", "1e", "0x10",
                                     "nan", "-inf", "12a", "1 2", "e5", "--1"};
    double value;
    int bad = 0;

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        if (!tt_cell_is_number(yes[i], &value) || value != strtod(yes[i], NULL))
            tap_note("'%s' is a number", yes[i]), bad++;
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        if (tt_cell_is_number(no[i], &value))
            tap_note("'%s' is no number", no[i]), bad++;
    tap_ok(bad == 0, "numbers and others");
    tap_ok(tt_cell_is_missing("") && tt_cell_is_missing("NA") &&
               tt_cell_is_missing("NaN") && tt_cell_is_missing("null") &&
               !tt_cell_is_missing("0") && !tt_cell_is_missing("north"),
           "missing cells");
}

static void test_words(void)
{
    struct tt_words w = {.limit = 1000};
    char text[16];
    int found = 0;

    for (int i = 999; i >= 0; i--) {
        snprintf(text, sizeof(text), "%d", i);
        tt_words_add(&w, text);
        tt_words_add(&w, text);
    }
    tt_words_sort(&w);
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "%d", i);
        found += tt_words_find(&w, text) == i;
    }
    tap_ok(w.count == 1000 && !w.over && found == 1000,
           "numbers sort by value and are found");
    tt_words_add(&w, "x");
    tap_ok(w.over && w.count == 1000 && tt_words_find(&w, "x") == -1,
           "one more is over the limit");
    tt_words_clear(&w);
}

static void count_parts(const struct tt_split *split, int64_t *count)
{
    int64_t run;

    for (int64_t at = 0; at < split->sample_count; at += run)
        count[tt_split_part(split, at, &run)] += run;
}

static void test_split(void)
{
    int64_t count[TT_SPLIT_PARTS] = {0}, pieces[TT_SPLIT_PARTS] = {0};
    struct tt_split split;

    tap_ok(tt_split_parse("train:80%,valid:0.15,test:0.05", NULL, &split,
                          &err) == 0 &&
               split.part_count == 3 && strcmp(split.name[2], "test") == 0,
           "three parts");
    split.seed = 3;
    tt_split_set(&split, 1000, 1, &err);
    count_parts(&split, count);
    tap_ok(count[0] == 800 && count[1] == 150 && count[2] == 50,
           "exact counts");
    tt_split_set(&split, 1000 * 64 - 7, 64, &err);
    count_parts(&split, pieces);
    tap_ok(pieces[0] + pieces[1] + pieces[2] == 63993 &&
               (pieces[1] % 64 == 0 || pieces[1] % 64 == 57),
           "pieces stay together");
    tap_ok(tt_split_set(&split, 5, 1, &err) == -1 &&
               strstr(err.text, "too few"),
           "an empty part: %s", err.text);
    tap_ok(tt_split_parse("a:0.5,b:0.6", NULL, &split, &err) == -1,
           "shares: %s", err.text);
    tap_ok(tt_split_parse("a:0.5,a:0.5", NULL, &split, &err) == -1, "names: %s",
           err.text);
    tap_ok(tt_split_parse("../a:0.5,b:0.5", NULL, &split, &err) == -1,
           "folders: %s", err.text);
    tap_ok(tt_split_parse("a", NULL, &split, &err) == -1, "form: %s", err.text);
    tap_ok(tt_split_parse(NULL, "110%", &split, &err) == -1, "valid: %s",
           err.text);
    tap_ok(tt_split_parse("a:0.5,b:0.5", "10%", &split, &err) == -1, "both: %s",
           err.text);
}

int main(void)
{
    test_numbers();
    test_cells();
    test_words();
    test_split();
    return tap_done();
}
