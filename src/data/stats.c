/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - mean, deviation and range of numbers, per place.
 *
 * Sums are exact (base/exact.h), also those of squares: x^2 is added as its
 * rounded value and the rounding error, which an fma gives.  So the result
 * depends on the set of numbers alone, and the variance, a small difference of
 * large sums, loses nothing. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "data/stats.h"
#include "data/values.h"

enum { BATCH = 1024, CARRY_EVERY = 1 << 28 };

int tt_stats_init(struct tt_stats *s, int64_t slot_count, struct tt_error *err)
{
    size_t n = (size_t)slot_count;

    *s = (struct tt_stats){.slot_count = slot_count};
    s->sum = calloc(n, sizeof(*s->sum));
    s->square = calloc(n, sizeof(*s->square));
    s->low = malloc(n * sizeof(*s->low));
    s->high = malloc(n * sizeof(*s->high));
    s->count = calloc(n, sizeof(*s->count));
    s->missing = calloc(n, sizeof(*s->missing));
    s->part = malloc(2 * n * sizeof(*s->part));
    if (!s->sum || !s->square || !s->low || !s->high || !s->count ||
        !s->missing || !s->part) {
        tt_stats_clear(s);
        return tt_fail(err, TT_ENOMEM, "statistics: out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        s->low[i] = INFINITY;
        s->high[i] = -INFINITY;
    }
    return 0;
}

void tt_stats_clear(struct tt_stats *s)
{
    free(s->sum);
    free(s->square);
    free(s->low);
    free(s->high);
    free(s->count);
    free(s->missing);
    free(s->part);
    *s = (struct tt_stats){0};
}

static void note(struct tt_stats *s, int64_t slot, double value)
{
    s->count[slot]++;
    if (value < s->low[slot])
        s->low[slot] = value;
    if (value > s->high[slot])
        s->high[slot] = value;
}

static void add_exactly(struct tt_stats *s, int64_t slot, double value)
{
    double square = value * value;

    if (isnan(value)) {
        s->missing[slot]++;
        return;
    }
    note(s, slot, value);
    tt_exact_add(&s->sum[slot], value);
    tt_exact_add(&s->square[slot], square);
    if (isfinite(square))
        tt_exact_add(&s->square[slot], fma(value, value, -square));
    if (s->count[slot] % CARRY_EVERY == 0) {
        tt_exact_carry(&s->sum[slot]);
        tt_exact_carry(&s->square[slot]);
    }
}

/* Whole numbers of at most 16 bits: a double adds up 2^20 of their squares
 * without rounding. */
static bool adds_up(enum tt_dtype dtype)
{
    return dtype == TT_I8 || dtype == TT_U8 || dtype == TT_I16 ||
           dtype == TT_U16;
}

static void flush_parts(struct tt_stats *s)
{
    for (int64_t i = 0; i < s->slot_count; i++) {
        tt_exact_add(&s->sum[i], s->part[2 * i]);
        tt_exact_add(&s->square[i], s->part[2 * i + 1]);
        tt_exact_carry(&s->sum[i]);
        tt_exact_carry(&s->square[i]);
    }
}

void tt_stats_add(struct tt_stats *s, enum tt_dtype dtype, const void *raw,
                  int64_t count)
{
    bool in_parts = adds_up(dtype);
    double value[BATCH];
    int64_t slot = 0;

    for (int64_t i = 0; i < 2 * s->slot_count; i++)
        s->part[i] = 0;
    while (count > 0) {
        int64_t some = count < BATCH ? count : BATCH;

        tt_values_to_f64(dtype, raw, some, value);
        for (int64_t i = 0; i < some; i++) {
            if (in_parts) {
                note(s, slot, value[i]);
                s->part[2 * slot] += value[i];
                s->part[2 * slot + 1] += value[i] * value[i];
            } else {
                add_exactly(s, slot, value[i]);
            }
            slot = slot + 1 < s->slot_count ? slot + 1 : 0;
        }
        raw = (const char *)raw + (size_t)some * tt_dtype_bytes(dtype);
        count -= some;
    }
    if (in_parts)
        flush_parts(s);
}

void tt_stats_merge_all(struct tt_stats *s, MPI_Comm comm)
{
    int n = (int)s->slot_count;

    for (int i = 0; i < n; i++) { /* room for the sum over many ranks */
        tt_exact_carry(&s->sum[i]);
        tt_exact_carry(&s->square[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, s->sum, n * TT_EXACT_WORDS, MPI_INT64_T,
                  MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, s->square, n * TT_EXACT_WORDS, MPI_INT64_T,
                  MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, s->low, n, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, s->high, n, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, s->count, n, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, s->missing, n, MPI_INT64_T, MPI_SUM, comm);
}

/* a b, without rounding. */
static void add_product(struct tt_exact *sum, double a, double b)
{
    double product = a * b;

    tt_exact_add(sum, product);
    if (isfinite(product))
        tt_exact_add(sum, fma(a, b, -product));
}

double tt_stats_mean(const struct tt_stats *s, int64_t slot)
{
    return s->count[slot]
               ? tt_exact_value(&s->sum[slot]) / (double)s->count[slot]
               : 0;
}

/* The sum of (x - c)^2 is that of x^2 - 2 c x + c^2, with c near the mean so
 * that nothing is left to cancel after the exact sums. */
double tt_stats_std(const struct tt_stats *s, int64_t slot)
{
    double n = (double)s->count[slot], c = tt_stats_mean(s, slot);
    double nc = n * c, high, var;
    struct tt_exact square, rest;

    if (s->count[slot] == 0 || s->low[slot] == s->high[slot])
        return 0;
    square = s->square[slot];
    rest = s->sum[slot];
    high = tt_exact_value(&rest);
    add_product(&square, -2 * c, high);
    tt_exact_add(&rest, -high);
    add_product(&square, -2 * c, tt_exact_value(&rest));
    add_product(&square, nc, c);
    add_product(&square, fma(n, c, -nc), c);
    rest = s->sum[slot];
    add_product(&rest, -n, c);
    c = tt_exact_value(&rest) / n; /* how far c was from the mean */
    var = tt_exact_value(&square) / n - c * c;
    return var > 0 ? sqrt(var) : isnan(var) ? NAN : 0;
}
