/* SPDX-License-Identifier: BSD-3-Clause */
/* score.c - what one rank plays in one step, beat by beat. */
#include <stdlib.h>

#include "layout/score.h"

struct tt_deal tt_deal_of(int64_t global_batch, int64_t micro_samples,
                          int32_t lanes, int32_t dp)
{
    struct tt_deal deal = {
        .lanes = lanes,
        .dp = dp,
        .split = 1,
        .micro_per_lane = global_batch / lanes / micro_samples,
        .micro_samples = micro_samples,
    };

    while (deal.split * lanes < dp && deal.split < deal.micro_per_lane)
        deal.split++;
    return deal;
}

int32_t tt_deal_pieces(const struct tt_deal *deal)
{
    return deal->lanes * deal->split;
}

/* Beats of one piece: its micro-batches, its end, the sums that follow. */
static int64_t play_piece(const struct tt_deal *deal, int first, int done,
                          struct tt_beat *beat)
{
    int pieces = tt_deal_pieces(deal), piece = first + done, depth;
    struct tt_lane_add add[TT_LANE_LEVELS * 2];
    int adds = tt_lane_adds(pieces, first, done, &depth, add);
    int32_t lane = piece / deal->split;
    struct tt_block micro =
        tt_block_of(deal->micro_per_lane, deal->split, piece % deal->split);
    int64_t count = 0;

    for (int64_t m = 0; m < micro.count; m++)
        beat[count++] = (struct tt_beat){.kind = TT_BEAT_MICRO,
                                         .lane = lane,
                                         .acc = depth,
                                         .micro = micro.first + m};
    beat[count++] =
        (struct tt_beat){.kind = TT_BEAT_LANE_END, .lane = lane, .acc = depth};
    for (int i = 0; i < adds; i++)
        beat[count++] = (struct tt_beat){.kind = TT_BEAT_SUM,
                                         .lane = lane,
                                         .acc = add[i].dst,
                                         .src = add[i].src};
    return count;
}

int tt_score_build(const struct tt_deal *deal, int rank, struct tt_score *score,
                   struct tt_error *err)
{
    int pieces = tt_deal_pieces(deal);
    struct tt_block mine = tt_lanes_of(pieces, deal->dp, rank);
    struct tt_lane_node node[2 * TT_LANE_LEVELS];
    int64_t room = mine.count * (deal->micro_per_lane + 2 + TT_LANE_LEVELS);

    *score = (struct tt_score){.accumulators = 1};
    score->beat = calloc((size_t)(room ? room : 1), sizeof(*score->beat));
    if (!score->beat)
        return tt_fail(err, TT_ENOMEM, "out of memory for the step's schedule");
    if (mine.count == 0)
        return 0;
    for (int i = 0; i < mine.count; i++)
        score->count +=
            play_piece(deal, (int)mine.first, i, &score->beat[score->count]);
    score->accumulators =
        tt_lane_accumulators(pieces, (int)mine.first, (int)mine.count);
    score->node_count =
        tt_lane_nodes(pieces, (int)mine.first, (int)mine.count, node);
    score->lanes.first = mine.first / deal->split;
    score->lanes.count =
        (mine.first + mine.count - 1) / deal->split - score->lanes.first + 1;
    return 0;
}

void tt_score_clear(struct tt_score *score)
{
    free(score->beat);
    *score = (struct tt_score){0};
}
