/* SPDX-License-Identifier: BSD-3-Clause */
/* score.h - what one rank plays in one step, beat by beat: micro-batches of its
 * lanes, the end of each lane, sums between accumulators.  Pure.
 *
 * Where there are more data-parallel ranks than lanes, each lane's
 * micro-batches are dealt to 'split' ranks: then the pieces, not the lanes,
 * are the leaves of the tree, and the bits are no longer those of fewer ranks.
 */
#ifndef TT_LAYOUT_SCORE_H
#define TT_LAYOUT_SCORE_H

#include <stdint.h>

#include "base/err.h"
#include "layout/block.h"
#include "layout/lanes.h"

/* How a global batch is dealt. */
struct tt_deal {
    int32_t lanes, dp;
    int32_t split;          /* pieces of a lane; 1 unless dp > lanes */
    int64_t micro_per_lane; /* micro-batches of a lane */
    int64_t micro_samples;  /* samples of a micro-batch */
};

enum tt_beat_kind {
    TT_BEAT_MICRO,    /* play micro-batch 'micro' of 'lane' into 'acc' */
    TT_BEAT_LANE_END, /* of the lane played into 'acc' */
    TT_BEAT_SUM       /* accumulator acc += src */
};

struct tt_beat {
    int32_t kind; /* enum tt_beat_kind */
    int32_t lane;
    int32_t acc, src;
    int64_t micro;
};

struct tt_score {
    struct tt_beat *beat;
    int64_t count;
    int32_t accumulators;  /* needed at once, at least 1 */
    int32_t node_count;    /* nodes held at the end, in accumulators 0 .. */
    struct tt_block lanes; /* lanes that this rank reads samples of */
};

/* Deal global_batch samples in micro-batches; split is derived. */
struct tt_deal tt_deal_of(int64_t global_batch, int64_t micro_samples,
                          int32_t lanes, int32_t dp);

/* Leaves of the gradient tree: lanes x split. */
int32_t tt_deal_pieces(const struct tt_deal *deal);

int tt_score_build(const struct tt_deal *deal, int rank, struct tt_score *score,
                   struct tt_error *err);
void tt_score_clear(struct tt_score *score);

#endif
