/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.h - a lane is a fixed share of the global batch with its own sample
 * sequence.  Lanes are dealt whole and contiguous to data-parallel ranks, and
 * their gradients are added in one aligned binary tree whose shape depends on
 * the number of lanes alone, so every dp <= lanes gives the same bits.
 * A node (level k, index i) of the tree covers lanes i 2^k .. (i+1) 2^k - 1,
 * cut at the number of lanes. */
#ifndef TT_LAYOUT_LANES_H
#define TT_LAYOUT_LANES_H

#include <stdint.h>

#include "layout/block.h"

enum { TT_LANES_MAX = 4096, TT_LANE_LEVELS = 13 };

/* A subtree: lanes first .. first+count-1. */
struct tt_lane_node {
    int32_t first, count;
};

/* The default number of lanes: the largest power of two <= 8 that divides
 * micro_per_step = global batch / micro-batch. */
int tt_lanes_default(int64_t micro_per_step);

/* The lanes that data-parallel rank 'rank' of 'dp' plays; with dp > lanes some
 * ranks have none. */
struct tt_block tt_lanes_of(int lanes, int dp, int rank);

/* Cut lanes first .. first+count-1 into the fewest nodes of the tree over
 * 'lanes' lanes, in order.  Returns how many; at most 2 TT_LANE_LEVELS. */
int tt_lane_nodes(int lanes, int first, int count, struct tt_lane_node *out);

/* One rank's accumulators: after its lane number 'done' (0-based, counted from
 * its own first lane) is complete in accumulator depth, which accumulators are
 * added: fills (dst, src) pairs, dst += src, in order; returns how many.
 * *depth: the accumulator that the lane is played into.  After the last lane
 * the accumulators 0 .. tt_lane_nodes()-1 hold the nodes in order. */
struct tt_lane_add {
    int32_t dst, src;
};
int tt_lane_adds(int lanes, int first, int done, int *depth,
                 struct tt_lane_add *out);

/* Accumulators that a rank with these lanes needs at once; 1 for a rank without
 * lanes, for the sum arrives in it. */
int tt_lane_accumulators(int lanes, int first, int count);

/* Add up nodes of all ranks (in lane order, tiling all lanes) by the tree:
 * fills (dst, src) pairs over node numbers, dst += src, ending in node 0;
 * returns how many (node_count - 1). */
int tt_lane_tree(int lanes, const struct tt_lane_node *node, int node_count,
                 struct tt_lane_add *out);

/* Share of the ranks' time that is used: lanes / (dp x most lanes a rank has).
 */
double tt_lanes_efficiency(int lanes, int dp);

#endif
