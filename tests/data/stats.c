/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 3 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/stats.h"
#include "lib/tap.h"

enum { ROWS = 3000, SLOTS = 3 };

static int rank, size;

static void ok_all(int pass, const char *name)
{
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    tap_ok(pass, "%s", name);
}

/* Slot 0 small numbers, slot 1 a large mean with a small spread, slot 2 some
 * numbers missing. */
static double number(int64_t row, int slot)
{
    double u = tt_rng_unit(tt_rng_word(7, tt_rng_site(TT_RNG_SYNTH, 0),
                                       (uint64_t)row, (uint64_t)slot));

    if (slot == 1)
        return 1.6e9 + u;
    return slot == 2 && row % 7 == 0 ? NAN : u - 0.3;
}

/* Rows dealt in pieces of 'piece' rows, round robin over the ranks. */
static void add_rows(struct tt_stats *stats, int64_t piece)
{
    for (int64_t at = 0; at < ROWS; at += piece)
        for (int64_t row = at; row < at + piece && row < ROWS; row++) {
            double x[SLOTS];

            for (int s = 0; s < SLOTS; s++)
                x[s] = number(row, s);
            if (at / piece % size == rank)
                tt_stats_add(stats, TT_F64, x, SLOTS);
        }
    tt_stats_merge_all(stats, MPI_COMM_WORLD);
}

/* By two passes in long double. */
static void expect(int slot, double *mean, double *std, int64_t *missing)
{
    long double sum = 0, square = 0, n = 0;

    *missing = 0;
    for (int64_t row = 0; row < ROWS; row++)
        if (isnan(number(row, slot)))
            ++*missing;
        else
            sum += number(row, slot), n++;
    for (int64_t row = 0; row < ROWS; row++)
        if (!isnan(number(row, slot))) {
            long double d = number(row, slot) - sum / n;

            square += d * d;
        }
    *mean = (double)(sum / n);
    *std = (double)sqrtl(square / n);
}

static void test_values(const struct tt_stats *stats)
{
    for (int s = 0; s < SLOTS; s++) {
        double mean, std;
        int64_t missing;

        expect(s, &mean, &std, &missing);
        ok_all(fabs(tt_stats_mean(stats, s) - mean) <= 1e-15 * fabs(mean),
               "mean");
        /* the second slot's spread is 2e-10 of its mean */
        ok_all(fabs(tt_stats_std(stats, s) - std) <= 1e-14 * std, "deviation");
        ok_all(stats->missing[s] == missing &&
                   stats->count[s] == ROWS - missing,
               "counts");
    }
}

static void test_deals(const struct tt_stats *stats)
{
    struct tt_stats other;
    int same = 1;

    tt_stats_init(&other, SLOTS, NULL);
    add_rows(&other, 17);
    for (int s = 0; s < SLOTS; s++)
        same &= tt_stats_mean(&other, s) == tt_stats_mean(stats, s) &&
                tt_stats_std(&other, s) == tt_stats_std(stats, s) &&
                other.low[s] == stats->low[s] &&
                other.high[s] == stats->high[s];
    ok_all(same, "another deal gives the same bits");
    tt_stats_clear(&other);
}

static void test_bytes(void)
{
    uint8_t x[512];
    struct tt_stats stats;

    for (int i = 0; i < 512; i++)
        x[i] = (uint8_t)i;
    tt_stats_init(&stats, 1, NULL);
    tt_stats_add(&stats, TT_U8, x, 512);
    tt_stats_merge_all(&stats, MPI_COMM_WORLD);
    /* 0 .. 255: mean 127.5, variance (256^2 - 1) / 12 */
    ok_all(tt_stats_mean(&stats, 0) == 127.5, "bytes: mean");
    ok_all(tt_stats_std(&stats, 0) == sqrt(65535.0 / 12), "bytes: deviation");
    ok_all(stats.low[0] == 0 && stats.high[0] == 255 &&
               stats.count[0] == 512 * size,
           "bytes: range and count");
    tt_stats_clear(&stats);
}

static void test_odd(void)
{
    double same[3] = {0.1, 0.1, 0.1}, inf[2] = {1, INFINITY};
    struct tt_stats stats;

    tt_stats_init(&stats, 1, NULL);
    ok_all(tt_stats_mean(&stats, 0) == 0 && tt_stats_std(&stats, 0) == 0,
           "nothing added");
    tt_stats_add(&stats, TT_F64, same, 3);
    ok_all(tt_stats_std(&stats, 0) == 0, "equal numbers have no spread");
    tt_stats_add(&stats, TT_F64, inf, 2);
    ok_all(isnan(tt_stats_mean(&stats, 0)), "an infinity is seen");
    tt_stats_clear(&stats);
}

int main(int argc, char **argv)
{
    struct tt_stats stats;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0)
        tap_mute();
    tt_stats_init(&stats, SLOTS, NULL);
    add_rows(&stats, 1);
    test_values(&stats);
    test_deals(&stats);
    test_bytes();
    test_odd();
    tt_stats_clear(&stats);
    status = tap_done();
    MPI_Finalize();
    return status;
}
