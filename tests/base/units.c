/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c - tables of texts and what they mean, or why they mean nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/units.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct number_case {
    const char *text;
    double value;
};

static void test_f64(void)
{
    static const struct number_case good[] = {
        {"0", 0},         {"-1", -1},      {"+2.5", 2.5}, {"5e-4", 5e-4},
        {"1_000", 1000},  {".5", 0.5},     {"3.", 3},     {" 7 ", 7},
        {"1e308", 1e308}, {"1E+2", 100.0}, {"6e-5", 6e-5}};
    static const char *const bad[] = {
        "",    "abc", "12abc", "0x10", "inf", "nan", "1e",  "1e400",
        "1 2", "_1",  "1__0",  "1_",   "--1", ".",   "1,5", "1.2.3"};
    struct tt_error err;
    double value;

    for (size_t i = 0; i < COUNT(good); i++)
        tap_ok(tt_f64_parse(good[i].text, &value, &err) == 0 &&
                   value == good[i].value,
               "f64 '%s'", good[i].text);
    for (size_t i = 0; i < COUNT(bad); i++)
        tap_ok(tt_f64_parse(bad[i], &value, &err) < 0, "f64 refuses '%s'",
               bad[i]);
}

static void test_i64(void)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"1e6", 1000000},
                {"2.5e1", 25},
                {"1_000_000", 1000000},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"9007199254740993", 9007199254740993}};
    static const char *const bad[] = {
        "0.5", "12abc", "9223372036854775808", "1e19", "", "1 000", "ten"};
    struct tt_error err;
    int64_t value;

    for (size_t i = 0; i < COUNT(good); i++)
        tap_ok(tt_i64_parse(good[i].text, &value, &err) == 0 &&
                   value == good[i].value,
               "i64 '%s'", good[i].text);
    for (size_t i = 0; i < COUNT(bad); i++)
        tap_ok(tt_i64_parse(bad[i], &value, &err) < 0, "i64 refuses '%s'",
               bad[i]);
    tt_i64_parse("0.5", &value, &err);
    tap_ok(strcmp(err.text, "'0.5' is not a whole number") == 0, "%s",
           err.text);
}

static void test_length(void)
{
    static const struct {
        const char *text;
        double value;
        int32_t unit;
        const char *back;
    } good[] = {{"20000 steps", 20000, TT_STEPS, "20000 steps"},
                {"1 step", 1, TT_STEPS, "1 step"},
                {"700", 700, TT_STEPS, "700 steps"},
                {"3 epochs", 3, TT_EPOCHS, "3 epochs"},
                {"0.5epochs", 0.5, TT_EPOCHS, "0.5 epochs"},
                {"1e6 samples", 1e6, TT_SAMPLES, "1000000 samples"},
                {"3.7e6 tokens", 3700000, TT_TOKENS, "3700000 tokens"},
                {"90 s", 90, TT_SECONDS, "90 s"},
                {"30 min", 1800, TT_SECONDS, "30 min"},
                {"30MIN", 1800, TT_SECONDS, "30 min"},
                {"1.5 h", 5400, TT_SECONDS, "90 min"},
                {"2 hours", 7200, TT_SECONDS, "2 h"},
                {"0.1 s", 0.1, TT_SECONDS, "0.1 s"},
                {"0 steps", 0, TT_STEPS, "0 steps"}};
    static const char *const bad[] = {"",
                                      "steps",
                                      "3 weeks",
                                      "-1 steps",
                                      "0.5 steps",
                                      "1.5",
                                      "3 steps 4",
                                      "3 m",
                                      "10 %",
                                      "1e",
                                      "never",
                                      "3 stepsstepsstepsstepsstepssteps",
                                      "3 step|steps"};
    struct tt_length length, again;
    struct tt_error err;
    char text[64];

    for (size_t i = 0; i < COUNT(good); i++) {
        tap_ok(tt_length_parse(good[i].text, &length, &err) == 0 &&
                   length.value == good[i].value && length.unit == good[i].unit,
               "length '%s'", good[i].text);
        tt_length_format(length, text, sizeof(text));
        tap_ok(strcmp(text, good[i].back) == 0, "written as '%s'", text);
        tap_ok(tt_length_parse(text, &again, &err) == 0 &&
                   again.value == length.value && again.unit == length.unit,
               "and read back the same");
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        tap_ok(tt_length_parse(bad[i], &length, &err) < 0,
               "length refuses '%s'", bad[i]);
}

static void test_bytes(void)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"4096", 4096}, {"64MiB", 67108864}, {"1.5 GB", 1500000000},
                {"1 kB", 1000}, {"2 KiB", 2048},     {"3TiB", 3298534883328},
                {"0", 0},       {"7 bytes", 7},      {"0.1 KiB", 103}};
    static const char *const bad[] = {"64M",      "-1",      "MiB",
                                      "64 MiB/s", "8e9 TiB", ""};
    struct tt_error err;
    int64_t bytes;

    for (size_t i = 0; i < COUNT(good); i++)
        tap_ok(tt_bytes_parse(good[i].text, &bytes, &err) == 0 &&
                   bytes == good[i].bytes,
               "bytes '%s'", good[i].text);
    for (size_t i = 0; i < COUNT(bad); i++)
        tap_ok(tt_bytes_parse(bad[i], &bytes, &err) < 0, "bytes refuses '%s'",
               bad[i]);
}

static void test_percent(void)
{
    struct tt_error err;
    double share;

    tap_ok(tt_percent_parse("10 %", &share, &err) == 0 && share == 0.1,
           "10 %%");
    tap_ok(tt_percent_parse("2.5%", &share, &err) == 0 && share == 0.025,
           "2.5%%");
    tap_ok(tt_percent_parse("10", &share, &err) < 0, "a bare 10 is no share");
    tap_ok(tt_percent_parse("101 %", &share, &err) < 0, "101 %% is too much");
    tap_ok(tt_percent_parse("%", &share, &err) < 0, "%% alone is no share");
}

static void test_f64_format(void)
{
    static const double values[] = {
        0,     1,       0.1,      1e-8,      0.3333333333333333, 6e-4,
        1e300, -2.5e-7, 3.0e-310, 0.1 + 0.2, 123456789.0};
    char text[64];
    int same = 1;

    for (size_t i = 0; i < COUNT(values); i++) {
        double back = -1;

        tt_f64_format(values[i], text, sizeof(text));
        same &= sscanf(text, "%lf", &back) == 1 && back == values[i];
    }
    tap_ok(same, "doubles are written so that they read back");
    tap_ok(strcmp(tt_f64_format(6e-4, text, sizeof(text)), "0.0006") == 0,
           "and no longer than they must be: %s", text);
    tap_ok(strcmp(tt_f64_format(100, text, sizeof(text)), "100") == 0 &&
               strcmp(tt_f64_format(-512, text, sizeof(text)), "-512") == 0 &&
               strcmp(tt_f64_format(1e20, text, sizeof(text)), "1e+20") == 0,
           "whole numbers without an exponent");
}

static void test_people(void)
{
    char text[64];

    tap_ok(!strcmp(tt_bytes_format(0, text, 64), "0 B"), "%s", text);
    tap_ok(!strcmp(tt_bytes_format(1000, text, 64), "1000 B"), "%s", text);
    tap_ok(!strcmp(tt_bytes_format(1288490189, text, 64), "1.2 GiB"), "%s",
           text);
    tap_ok(!strcmp(tt_bytes_format(67108864, text, 64), "64 MiB"), "%s", text);
    tap_ok(
        !strcmp(tt_bytes_format((INT64_C(1) << 30) - 1, text, 64), "1.0 GiB"),
        "%s", text);
    tap_ok(!strcmp(tt_count_format(3.4e6, text, 64), "3.4 M"), "%s", text);
    tap_ok(!strcmp(tt_count_format(128, text, 64), "128"), "%s", text);
    tap_ok(!strcmp(tt_count_format(124e6, text, 64), "124 M"), "%s", text);
    tap_ok(!strcmp(tt_count_format(250e9, text, 64), "250 G"), "%s", text);
    tap_ok(!strcmp(tt_time_format(123, text, 64), "2 min 3 s"), "%s", text);
    tap_ok(!strcmp(tt_time_format(0.25, text, 64), "250 ms"), "%s", text);
    tap_ok(!strcmp(tt_time_format(1.25, text, 64), "1.2 s"), "%s", text);
    tap_ok(!strcmp(tt_time_format(59.6, text, 64), "1 min 0 s"), "%s", text);
    tap_ok(!strcmp(tt_time_format(7265, text, 64), "2 h 1 min"), "%s", text);
}

int main(void)
{
    test_f64();
    test_i64();
    test_length();
    test_bytes();
    test_percent();
    test_f64_format();
    test_people();
    return tap_done();
}
