/* SPDX-License-Identifier: BSD-3-Clause */
/* score.c - every micro-batch is played once, and the sums of any number of
 * ranks make the same tree: symbolically, with a hash that knows order. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "layout/score.h"

enum { MAX_DP = 24, MAX_ACC = 64 };

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u + b;
    return (a ^ a >> 29) * 0xBF58476D1CE4E5B9u;
}

struct player {
    uint64_t acc[MAX_ACC];
    int fresh; /* the next micro-batch begins a lane */
};

/* Play one rank's beats; count what is played. */
static int play(const struct tt_score *score, const struct tt_deal *deal,
                struct player *p, int *played)
{
    p->fresh = 1;
    for (int64_t i = 0; i < score->count; i++) {
        const struct tt_beat *b = &score->beat[i];
        uint64_t name = (uint64_t)(b->lane * deal->micro_per_lane + b->micro);

        if (b->acc >= score->accumulators || b->acc >= MAX_ACC)
            return 0;
        switch (b->kind) {
        case TT_BEAT_MICRO:
            p->acc[b->acc] = mix(p->fresh ? 1 : p->acc[b->acc], name);
            p->fresh = 0;
            played[name]++;
            break;
        case TT_BEAT_LANE_END:
            p->fresh = 1;
            break;
        case TT_BEAT_SUM:
            if (b->src >= score->accumulators)
                return 0;
            p->acc[b->acc] = mix(p->acc[b->acc] + 1, p->acc[b->src]);
            break;
        }
    }
    return 1;
}

/* The whole sum as the ranks of comm/treesum.h make it, or 0. */
static uint64_t sum_of(const struct tt_deal *deal)
{
    int64_t micros = deal->lanes * deal->micro_per_lane;
    int pieces = tt_deal_pieces(deal), nodes = 0, ok = 1;
    int *played = calloc((size_t)micros, sizeof(*played));
    struct tt_lane_node *node = calloc((size_t)pieces + 64, sizeof(*node));
    struct tt_lane_add *add = calloc((size_t)pieces + 64, sizeof(*add));
    uint64_t *held = calloc((size_t)pieces + 64, sizeof(*held)), sum = 0;
    int adds;

    for (int r = 0; r < deal->dp && ok; r++) {
        struct tt_block mine = tt_lanes_of(pieces, deal->dp, r);
        struct player p = {0};
        struct tt_score score;

        ok = tt_score_build(deal, r, &score, NULL) == 0 &&
             play(&score, deal, &p, played);
        memcpy(&held[nodes], p.acc, (size_t)score.node_count * sizeof(*held));
        if (mine.count > 0)
            nodes += tt_lane_nodes(pieces, (int)mine.first, (int)mine.count,
                                   &node[nodes]);
        tt_score_clear(&score);
    }
    adds = tt_lane_tree(pieces, node, nodes, add);
    for (int i = 0; i < adds; i++)
        held[add[i].dst] = mix(held[add[i].dst] + 1, held[add[i].src]);
    for (int64_t m = 0; m < micros; m++)
        ok &= played[m] == 1;
    sum = ok ? held[0] : 0;
    free(played);
    free(node);
    free(add);
    free(held);
    return sum;
}

/* Any dp up to the lanes: the same tree; beyond: still every one once. */
static int holds(int lanes, int64_t per_lane)
{
    struct tt_deal one = tt_deal_of(lanes * per_lane * 3, 3, lanes, 1);
    uint64_t want = sum_of(&one);

    for (int dp = 1; dp <= MAX_DP; dp++) {
        struct tt_deal deal = tt_deal_of(lanes * per_lane * 3, 3, lanes, dp);
        uint64_t got = sum_of(&deal);

        if (got == 0 || (dp <= lanes && (got != want || deal.split != 1))) {
            tap_note("lanes %d x %lld, dp %d", lanes, (long long)per_lane, dp);
            return 0;
        }
    }
    return want != 0;
}

int main(void)
{
    for (int lanes = 1; lanes <= 17; lanes++) {
        int ok = 1;

        for (int64_t per_lane = 1; per_lane <= 5; per_lane++)
            ok &= holds(lanes, per_lane);
        tap_ok(ok, "%d lanes on 1 to %d ranks", lanes, MAX_DP);
    }
    return tap_done();
}
