/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c - numbers with units, as users write them. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

enum { NUMBER_BYTES = 64 };

/* A unit's spellings, separated by '|', and what one of it is worth. */
struct unit {
    const char *names;
    double worth;
    int32_t kind;
};

static const struct unit length_units[] = {
    {"steps|step", 1, TT_STEPS},
    {"epochs|epoch", 1, TT_EPOCHS},
    {"samples|sample", 1, TT_SAMPLES},
    {"tokens|token", 1, TT_TOKENS},
    {"s|sec|second|seconds", 1, TT_SECONDS},
    {"min|minute|minutes", 60, TT_SECONDS},
    {"h|hour|hours", 3600, TT_SECONDS},
    {NULL, 0, 0},
};

static const struct unit byte_units[] = {
    {"B|byte|bytes", 1, 0}, {"kB", 1e3, 0},     {"MB", 1e6, 0},
    {"GB", 1e9, 0},         {"TB", 1e12, 0},    {"KiB", 0x1p10, 0},
    {"MiB", 0x1p20, 0},     {"GiB", 0x1p30, 0}, {"TiB", 0x1p40, 0},
    {NULL, 0, 0},
};

static bool is_named(const char *names, const char *text)
{
    size_t bytes = strlen(text);

    for (const char *at = names; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncasecmp(at, text, bytes) == 0 &&
            (at[bytes] == '|' || at[bytes] == 0))
            return bytes > 0 && !strchr(text, '|');
    }
    return false;
}

static const struct unit *find_unit(const struct unit *units, const char *text)
{
    for (; units->names; units++)
        if (is_named(units->names, text))
            return units;
    return NULL;
}

/* Copy the number that starts 'text', without underscores between digits, and
 * return what follows it.  Only decimal: no 0x, inf or nan. */
static const char *cut_number(const char *text, char out[NUMBER_BYTES])
{
    size_t used = 0;
    bool digits = false;

    for (; isspace((unsigned char)*text); text++)
        ;
    for (; *text && used < NUMBER_BYTES - 1; text++) {
        bool digit = isdigit((unsigned char)*text);
        char before = used ? out[used - 1] : 0;

        if (*text == '_' && isdigit((unsigned char)before) &&
            isdigit((unsigned char)text[1]))
            continue;
        if ((*text == 'e' || *text == 'E') &&
            !(digits && strchr("+-0123456789", text[1]) && text[1]))
            break;
        if (!digit && !strchr("+-.eE", *text))
            break;
        digits |= digit;
        out[used++] = *text;
    }
    out[used] = 0;
    for (; isspace((unsigned char)*text); text++)
        ;
    return text;
}

/* The number that starts 'text'; *rest is what follows, less blanks. */
static int read_number(const char *text, double *value, const char **rest)
{
    char number[NUMBER_BYTES], *end;

    *rest = cut_number(text, number);
    errno = 0;
    *value = strtod(number, &end);
    return end == number || *end || !isfinite(*value) ? -1 : 0;
}

int tt_f64_parse(const char *text, double *value, struct tt_error *err)
{
    const char *rest;

    if (read_number(text, value, &rest) < 0 || *rest)
        return tt_fail(err, TT_EINVAL, "'%.40s' is not a number", text);
    return 0;
}

int tt_i64_parse(const char *text, int64_t *value, struct tt_error *err)
{
    char number[NUMBER_BYTES], *end;
    const char *rest = cut_number(text, number);
    double real;

    errno = 0;
    *value = strtoll(number, &end, 10);
    if (end != number && !*end && !*rest && errno == 0)
        return 0;
    if (tt_f64_parse(text, &real, err) < 0)
        return -1;
    if (real != floor(real))
        return tt_fail(err, TT_EINVAL, "'%.40s' is not a whole number", text);
    if (fabs(real) >= 0x1p63)
        return tt_fail(err, TT_EINVAL, "'%.40s' is too large", text);
    *value = (int64_t)real;
    return 0;
}

int tt_length_parse(const char *text, struct tt_length *length,
                    struct tt_error *err)
{
    const struct unit *unit;
    const char *rest;
    char name[16];

    if (read_number(text, &length->value, &rest) < 0)
        return tt_fail(err, TT_EINVAL,
                       "'%.40s' is not a length: write a number and a unit "
                       "(steps, epochs, samples, tokens, s, min, h)",
                       text);
    snprintf(name, sizeof(name), "%s", *rest ? rest : "steps");
    name[strcspn(name, " \t")] = 0;
    unit = rest[strcspn(rest, " \t")] ? NULL : find_unit(length_units, name);
    if (!unit)
        return tt_fail(err, TT_EINVAL,
                       "'%.40s': no such unit of length: steps, epochs, "
                       "samples, tokens, s, min or h",
                       text);
    length->unit = unit->kind;
    length->value *= unit->worth;
    if (length->value < 0)
        return tt_fail(err, TT_EINVAL, "'%.40s': a length is not negative",
                       text);
    if (unit->kind != TT_EPOCHS && unit->kind != TT_SECONDS &&
        length->value != floor(length->value))
        return tt_fail(err, TT_EINVAL, "'%.40s' is not a whole number of %.6s",
                       text, unit->names);
    return 0;
}

int tt_bytes_parse(const char *text, int64_t *bytes, struct tt_error *err)
{
    const struct unit *unit;
    const char *rest;
    double value;

    if (read_number(text, &value, &rest) < 0 || value < 0)
        return tt_fail(err, TT_EINVAL,
                       "'%.40s' is not a number of bytes: write 4096 or 64MiB",
                       text);
    unit = find_unit(byte_units, *rest ? rest : "B");
    if (!unit)
        return tt_fail(err, TT_EINVAL,
                       "'%.40s': no such unit of bytes: kB, MB, GB, TB (powers "
                       "of 1000) or KiB, MiB, GiB, TiB (powers of 1024)",
                       text);
    value *= unit->worth;
    if (value >= 0x1p63)
        return tt_fail(err, TT_EINVAL, "'%.40s' is too large", text);
    *bytes = (int64_t)ceil(value);
    return 0;
}

int tt_percent_parse(const char *text, double *share, struct tt_error *err)
{
    const char *rest;

    if (read_number(text, share, &rest) < 0 || strcmp(rest, "%") != 0)
        return tt_fail(err, TT_EINVAL, "'%.40s' is not a share: write 10 %%",
                       text);
    if (*share < 0 || *share > 100)
        return tt_fail(err, TT_EINVAL, "'%.40s' is out of range: 0 to 100 %%",
                       text);
    *share /= 100;
    return 0;
}

char *tt_f64_format(double value, char *text, size_t text_bytes)
{
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(text, text_bytes, "%.0f", value);
        return text;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, text_bytes, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

/* "1 step", but "1 min", "2 min". */
char *tt_length_format(struct tt_length length, char *text, size_t text_bytes)
{
    static const char *const names[] = {"step", "epoch", "sample", "token"};
    const char *unit = length.unit == TT_SECONDS ? "s" : names[length.unit];
    double value = length.value;
    char number[40];

    if (length.unit == TT_SECONDS && value > 0) {
        if (fmod(value, 3600) == 0) {
            value /= 3600;
            unit = "h";
        } else if (fmod(value, 60) == 0) {
            value /= 60;
            unit = "min";
        }
    }
    tt_f64_format(value, number, sizeof(number));
    snprintf(text, text_bytes, "%s %s%s", number, unit,
             length.unit != TT_SECONDS && value != 1 ? "s" : "");
    return text;
}

/* "1.2", but "12" and "123": three digits at most, without a useless zero. */
static void format_short(double value, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%.*f", value < 9.95 && value != floor(value),
             value);
}

static char *format_scaled(double value, double base,
                           const char *const *prefixes, char *text,
                           size_t text_bytes)
{
    char number[40];

    for (; value >= base * 0.9995 && prefixes[1]; prefixes++)
        value /= base;
    format_short(value, number, sizeof(number));
    snprintf(text, text_bytes, "%s%s%s", number, **prefixes ? " " : "",
             *prefixes);
    return text;
}

char *tt_bytes_format(int64_t bytes, char *text, size_t text_bytes)
{
    static const char *const prefixes[] = {"B",   "KiB", "MiB", "GiB",
                                           "TiB", "PiB", NULL};

    return format_scaled((double)bytes, 1024, prefixes, text, text_bytes);
}

char *tt_count_format(double count, char *text, size_t text_bytes)
{
    static const char *const prefixes[] = {"",  "k", "M", "G",
                                           "T", "P", "E", NULL};

    return format_scaled(count, 1000, prefixes, text, text_bytes);
}

char *tt_time_format(double seconds, char *text, size_t text_bytes)
{
    int64_t s = (int64_t)floor(seconds + 0.5);

    if (seconds < 0.9995)
        snprintf(text, text_bytes, "%.*f ms", seconds < 0.01, 1e3 * seconds);
    else if (seconds < 9.95)
        snprintf(text, text_bytes, "%.1f s", seconds);
    else if (s < 60)
        snprintf(text, text_bytes, "%d s", (int)s);
    else if (s < 3600)
        snprintf(text, text_bytes, "%d min %d s", (int)(s / 60), (int)(s % 60));
    else
        snprintf(text, text_bytes, "%lld h %d min", (long long)(s / 3600),
                 (int)(s % 3600 / 60));
    return text;
}
