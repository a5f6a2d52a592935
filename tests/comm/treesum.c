/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 3 4 */
/* treesum.c - sums over ranks against the tree's definition, computed by one
 * rank alone: so the bits are those of every other number of ranks too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/treesum.h"
#include "layout/lanes.h"
#include "lib/tap.h"

static int rank, size;

/* Passes where it passes on every rank. */
static void ok_all(int pass, const char *fmt, int64_t number)
{
    char name[128];

    snprintf(name, sizeof(name), fmt, (long long)number);
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    tap_ok(pass, "%s", name);
}

/* Values of many sizes, so that another order gives other bits. */
static float value(int lane, int64_t i)
{
    uint64_t x = ((uint64_t)lane << 40 | (uint64_t)i) * 0x9e3779b97f4a7c15;

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return (float)((double)(int64_t)(x ^ x >> 32) *
                   ldexp(1, -63 - (int)(x >> 7 & 7)));
}

/* Lanes first .. first+width-1, width a power of two, cut at 'lanes'. */
static float tree(int lanes, int first, int width, int64_t i)
{
    float left;

    if (width == 1)
        return value(first, i);
    left = tree(lanes, first, width / 2, i);
    if (first + width / 2 >= lanes)
        return left;
    return left + tree(lanes, first + width / 2, width / 2, i);
}

/* Play this rank's lanes into acc[], as a training step does. */
static void play(int lanes, float **acc, int64_t count)
{
    struct tt_block mine = tt_lanes_of(lanes, size, rank);

    for (int done = 0; done < mine.count; done++) {
        struct tt_lane_add add[2 * TT_LANE_LEVELS];
        int depth, adds;

        adds = tt_lane_adds(lanes, (int)mine.first, done, &depth, add);
        for (int64_t i = 0; i < count; i++)
            acc[depth][i] = value((int)mine.first + done, i);
        for (int a = 0; a < adds; a++)
            for (int64_t i = 0; i < count; i++)
                acc[add[a].dst][i] += acc[add[a].src][i];
    }
}

struct acc {
    float *at[TT_LANE_LEVELS + 2];
    int count;
};

static struct acc acc_create(int lanes, int64_t count)
{
    struct tt_block mine = tt_lanes_of(lanes, size, rank);
    struct acc acc = {
        .count = tt_lane_accumulators(lanes, (int)mine.first, (int)mine.count)};

    for (int i = 0; i < acc.count; i++) {
        acc.at[i] = malloc((size_t)(count + 1) * sizeof(float));
        memset(acc.at[i], 0xff, (size_t)(count + 1) * sizeof(float));
        acc.at[i][count] = 42; /* a guard */
    }
    return acc;
}

static void acc_clear(struct acc *acc)
{
    for (int i = 0; i < acc->count; i++)
        free(acc->at[i]);
}

static int is_exact(int lanes, int64_t count, const float *sum)
{
    int width = 1;

    while (width < lanes)
        width *= 2;
    for (int64_t i = 0; i < count; i++) {
        float want = tree(lanes, 0, width, i);

        if (memcmp(&want, &sum[i], sizeof(want)) != 0)
            return 0;
    }
    return sum[count] == 42;
}

static int run(int lanes, int any, int64_t scratch, int64_t count)
{
    struct tt_error err;
    struct acc acc = acc_create(lanes, count);
    struct tt_treesum *sum =
        tt_treesum_create(lanes, any, scratch, MPI_COMM_WORLD, &err);
    int good = 1;

    for (int round = 0; round < 2; round++) {
        play(lanes, acc.at, count);
        tt_treesum_run(sum, acc.at, count);
        if (!any)
            good = good && is_exact(lanes, count, acc.at[0]);
        for (int64_t i = 0; any && i < count; i++)
            good = good && fabsf(acc.at[0][i] - tree(lanes, 0, 64, i)) < 1e-5f;
    }
    tt_treesum_destroy(sum);
    acc_clear(&acc);
    return good;
}

static void test_counts(void)
{
    static const int64_t counts[] = {1,     2,     7,     511,   512,
                                     513,   1023,  2047,  5000,  16384,
                                     16385, 20001, 65536, 100003};

    for (int i = 0; i < 14; i++)
        ok_all(run(8, 0, 1 << 22, counts[i]), "8 lanes: %lld floats",
               counts[i]);
}

static void test_lanes(void)
{
    static const int lanes[] = {1, 2, 3, 4, 5, 6, 7, 12, 13, 64};

    for (int i = 0; i < 10; i++) {
        ok_all(run(lanes[i], 0, 1 << 22, 100), "%lld lanes, a short sum",
               lanes[i]);
        ok_all(run(lanes[i], 0, 1 << 22, 40001), "%lld lanes, a long sum",
               lanes[i]);
    }
}

static void test_pieces(void)
{
    ok_all(run(6, 0, 1, 50021), "no scratch to speak of: %lld floats", 50021);
    ok_all(run(7, 0, 100000, 100003), "100 kB of scratch: %lld floats", 100003);
}

static void test_any_order(void)
{
    ok_all(run(8, 1, 0, 10007), "any order: close for %lld floats", 10007);
    ok_all(run(3, 1, 0, 10), "any order: close for %lld floats", 10);
}

/* Owners receive all slices but their own and send theirs to all others. */
static void test_sent_bytes(void)
{
    struct tt_error err;
    struct tt_treesum *sum =
        tt_treesum_create(size, 0, 1 << 24, MPI_COMM_WORLD, &err);
    int64_t count = (int64_t)size * 512 * 100, part = count / size;

    ok_all(tt_treesum_sent_bytes(sum, count) ==
               4 * (count - part + (size - 1) * part),
           "bytes sent for %lld floats", count);
    ok_all(tt_treesum_sent_bytes(sum, 10) == 40 * (size - 1),
           "bytes sent for %lld floats", 10);
    tt_treesum_destroy(sum);
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0)
        tap_mute();
    test_counts();
    test_lanes();
    test_pieces();
    test_any_order();
    test_sent_bytes();
    status = tap_done();
    MPI_Finalize();
    return status;
}
