/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c - sums are made of hashes that tell every order and bracketing
 * apart, and are compared with the tree's definition. */
#include <string.h>

#include "../lib/tap.h"
#include "layout/lanes.h"

enum { MOST = 4096 };

/* Neither commutative nor associative. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15 + (b ^ b >> 29) * 0xbf58476d1ce4e5b9;

    return (x ^ x >> 31) * 0x94d049bb133111eb;
}

static uint64_t leaf(int lane)
{
    return plus(12345, (uint64_t)lane + 1);
}

/* The sum of lanes first .. first+width-1 (width a power of two, cut at
 * 'lanes') as the header defines it. */
static uint64_t tree(int lanes, int first, int width)
{
    uint64_t left;

    if (width == 1)
        return leaf(first);
    left = tree(lanes, first, width / 2);
    if (first + width / 2 >= lanes)
        return left;
    return plus(left, tree(lanes, first + width / 2, width / 2));
}

static uint64_t whole(int lanes)
{
    int width = 1;

    while (width < lanes)
        width *= 2;
    return tree(lanes, 0, width);
}

/* Play one rank's lanes; its sums end up in acc[0..]; -1 where accumulators
 * are used beyond the number promised or before they are free. */
static int play(int lanes, struct tt_block mine, uint64_t *acc)
{
    int room = tt_lane_accumulators(lanes, (int)mine.first, (int)mine.count);
    int used = 0;

    for (int done = 0; done < mine.count; done++) {
        struct tt_lane_add add[2 * TT_LANE_LEVELS];
        int depth, adds;

        adds = tt_lane_adds(lanes, (int)mine.first, done, &depth, add);
        if (depth != used || depth >= room)
            return -1;
        acc[depth] = leaf((int)mine.first + done);
        used = depth + 1;
        for (int i = 0; i < adds; i++) {
            if (add[i].src != used - 1 || add[i].dst != used - 2)
                return -1;
            acc[add[i].dst] = plus(acc[add[i].dst], acc[add[i].src]);
            used--;
        }
    }
    return used;
}

/* All ranks of one dp; NULL or what is wrong. */
static const char *run(int lanes, int dp)
{
    static struct tt_lane_node node[MOST];
    static struct tt_lane_add add[MOST];
    static uint64_t sum[MOST + 2];
    int nodes = 0, adds;

    for (int rank = 0; rank < dp; rank++) {
        struct tt_block mine = tt_lanes_of(lanes, dp, rank);
        int mine_nodes = tt_lane_nodes(lanes, (int)mine.first, (int)mine.count,
                                       node + nodes);

        if (mine_nodes > 2 * TT_LANE_LEVELS)
            return "too many nodes";
        if (play(lanes, mine, sum + nodes) != mine_nodes)
            return "accumulators and nodes differ";
        nodes += mine_nodes;
    }
    adds = tt_lane_tree(lanes, node, nodes, add);
    if (adds != nodes - 1)
        return "not as many adds as nodes less one";
    for (int i = 0; i < adds; i++)
        sum[add[i].dst] = plus(sum[add[i].dst], sum[add[i].src]);
    return sum[0] == whole(lanes) ? NULL : "another tree";
}

static void test_every_dp(void)
{
    int cases = 0, bad = 0;

    for (int lanes = 1; lanes <= 64; lanes++)
        for (int dp = 1; dp <= lanes + 3; dp++) {
            const char *why = run(lanes, dp);

            cases++;
            bad += why != NULL;
            if (why)
                tap_note("%d lanes, dp %d: %s", lanes, dp, why);
        }
    tap_ok(bad == 0, "up to 64 lanes, every dp: one tree in %d cases", cases);
}

static void test_large(void)
{
    static const int lanes[] = {100, 255, 1000, 1024, 4095, 4096};
    static const int dps[] = {1, 2, 3, 7, 64, 999, 4096};
    int bad = 0;

    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++)
            bad += run(lanes[i], dps[j]) != NULL;
    tap_ok(bad == 0, "up to 4096 lanes");
}

/* Uneven deals, as ZeRO or pipelines might want: any tiling will do. */
static void test_any_tiling(void)
{
    struct tt_lane_node node[16];
    struct tt_lane_add add[16];
    int bad = 0;

    for (int cut = 0; cut < 1 << 10; cut++) { /* bit i: cut behind lane i */
        uint64_t sum[16];
        int nodes = 0, from = 0;

        for (int lane = 0; lane < 11; lane++)
            if (lane == 10 || cut >> lane & 1) {
                struct tt_block part = {from, lane + 1 - from};

                play(11, part, sum + nodes);
                nodes += tt_lane_nodes(11, from, lane + 1 - from, node + nodes);
                from = lane + 1;
            }
        tt_lane_tree(11, node, nodes, add);
        for (int i = 0; i < nodes - 1; i++)
            sum[add[i].dst] = plus(sum[add[i].dst], sum[add[i].src]);
        bad += sum[0] != whole(11);
    }
    tap_ok(bad == 0, "11 lanes: all 1024 tilings give the tree");
}

static void test_cost(void)
{
    int bad = 0;

    for (int log = 0; log <= 12; log++)
        for (int ranks = 0; ranks <= log; ranks++)
            bad += tt_lane_accumulators(1 << log, 0, 1 << (log - ranks)) !=
                   1 + log - ranks;
    tap_ok(bad == 0, "1 + log2(lanes / dp) accumulators");
    tap_ok(tt_lane_accumulators(8, 3, 0) == 1, "one without lanes");
}

static void test_numbers(void)
{
    tap_ok(tt_lanes_default(64) == 8 && tt_lanes_default(4) == 4 &&
               tt_lanes_default(6) == 2 && tt_lanes_default(7) == 1 &&
               tt_lanes_default(1) == 1,
           "default: a power of two that divides, at most 8");
    tap_ok(tt_lanes_efficiency(8, 4) == 1.0, "8 lanes on 4 ranks: no loss");
    tap_ok(tt_lanes_efficiency(8, 3) == 8.0 / 9, "8 lanes on 3 ranks: 8/9");
    tap_ok(tt_lanes_efficiency(2, 4) == 0.5, "2 lanes on 4 ranks: half");
    tap_ok(tt_lane_nodes(8, 1, 6, (struct tt_lane_node[4]){{0}}) == 4,
           "lanes 1 to 6 of 8 are four nodes: 1, 23, 45, 6");
}

int main(void)
{
    test_every_dp();
    test_large();
    test_any_tiling();
    test_cost();
    test_numbers();
    return tap_done();
}
