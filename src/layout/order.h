/* SPDX-License-Identifier: BSD-3-Clause */
/* order.h - which sample comes when: a pure function of (seed, epoch, lane,
 * position), so that no loader has state and a resume costs nothing.
 *
 * An epoch permutes storage blocks (runs of block_samples neighbours in the
 * set) by a keyed bijection on integers; whole rounds of 'lanes' blocks are
 * dealt one block to each lane, what is left over is dealt as runs of samples,
 * one run to each lane, so that lanes differ by at most one sample; that run
 * stands at a random place among the lane's blocks.  A lane shuffles its
 * samples within windows of window_blocks of its blocks, again by a keyed
 * bijection.  Every query is O(1). */
#ifndef TT_LAYOUT_ORDER_H
#define TT_LAYOUT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* What ends an epoch: a short batch, dropping what does not fill one, or
 * carrying it into the next epoch's first batch. */
enum tt_last { TT_LAST_SHORT, TT_LAST_DROP, TT_LAST_CARRY };

struct tt_order {
    uint64_t seed;
    int64_t sample_count;  /* of the set, >= 1 */
    int64_t block_samples; /* >= 1 */
    int64_t window_blocks; /* >= 1 */
    int32_t lanes;
    int32_t last;          /* enum tt_last */
    bool shuffle;          /* no: lanes still deal blocks, in storage order */
    int64_t batch_samples; /* global batch: lanes x lane_samples */
};

/* A good block_samples: as many samples as fit 'run_bytes', but at least 32
 * blocks for each lane where the set has them, lest small sets mix badly. */
int64_t tt_order_block_samples(int64_t sample_count, int32_t lanes,
                               int64_t sample_bytes, int64_t run_bytes);

/* Steps of one epoch (TT_LAST_DROP: 0 where the set does not fill a batch);
 * with TT_LAST_CARRY epochs do not begin at steps, and the answer is 0. */
int64_t tt_order_epoch_steps(const struct tt_order *order);

/* Samples that 'lane' plays in step 'step' of the run (<= batch / lanes), and
 * where they begin: *epoch and *index, the position in that lane's sequence of
 * the epoch.  A step of TT_LAST_CARRY may cross into following epochs. */
int64_t tt_order_step(const struct tt_order *order, int64_t step, int32_t lane,
                      int64_t *epoch, int64_t *index);

/* Valid samples of all lanes in step 'step'. */
int64_t tt_order_step_samples(const struct tt_order *order, int64_t step);

/* Samples in the sequence of 'lane' in 'epoch'. */
int64_t tt_order_lane_samples(const struct tt_order *order, int64_t epoch,
                              int32_t lane);

/* Global sample index of position 'index' of that sequence. */
int64_t tt_order_sample(const struct tt_order *order, int64_t epoch,
                        int32_t lane, int64_t index);

/* The same for 'count' positions from 'index' on, running over into following
 * epochs; much cheaper than one by one. */
void tt_order_samples(const struct tt_order *order, int64_t epoch, int32_t lane,
                      int64_t index, int64_t count, int64_t *out);

/* The window that holds position 'index': its first position and length
 * (<= window_blocks x block_samples), so that a loader can read it ahead as
 * block runs. */
struct tt_order_window {
    int64_t first, count; /* positions */
};
struct tt_order_window tt_order_window_of(const struct tt_order *order,
                                          int64_t epoch, int32_t lane,
                                          int64_t index);

/* The storage runs (neighbouring samples) that a window consists of: fills
 * first/count pairs, returns how many there are; 'out' holds 'max' of them
 * (window_blocks + 1 always suffice; a window has no more than
 * sample_count / (lanes x block_samples) + 2). */
struct tt_order_run {
    int64_t first, count; /* samples */
};
int tt_order_window_runs(const struct tt_order *order, int64_t epoch,
                         int32_t lane, struct tt_order_window window,
                         struct tt_order_run *out, int max);

/* Where the sample of position 'index' lies when the runs of its window stand
 * one behind the other, in the order of tt_order_window_runs(). */
int64_t tt_order_slot(const struct tt_order *order, int64_t epoch, int32_t lane,
                      int64_t index);

/* The same for 'count' positions from 'index' on, all in one window. */
void tt_order_slots(const struct tt_order *order, int64_t epoch, int32_t lane,
                    int64_t index, int64_t count, int64_t *out);

/* Keyed bijection on [0, n): the image of i, for any n >= 1 (cycle-walking
 * Feistel; Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
 */
int64_t tt_order_permute(uint64_t seed, uint64_t stream, int64_t n, int64_t i);

#endif
