/* SPDX-License-Identifier: BSD-3-Clause */
/* feed.h - where a loader's rows come from: one struct of functions for each
 * way.  memory: the whole set is kept.  window: a window of each lane is kept,
 * the next one is read ahead by a thread where no HDF5 is needed.  collective:
 * all ranks read their windows together by parallel HDF5. */
#ifndef TT_DATA_FEED_H
#define TT_DATA_FEED_H

#include <stdint.h>

#include "base/err.h"
#include "data/column.h"
#include "data/source.h"
#include "data/window.h"

struct tt_feed;

/* Where a lane stands: what tt_order_step() said of 'step'. */
struct tt_lane_step {
    int64_t step, epoch, index, count;
};

struct tt_loader {
    struct tt_set *set;
    struct tt_order order;
    int32_t lane_first, lane_count;
    const struct tt_feed *feed;
    void *data; /* the feed's own */
    struct tt_lane_step *lane;
    struct tt_source *source; /* of the compute thread */
    struct tt_window plain;   /* what tt_loader_fetch_plain() read last */
    int64_t step;             /* that was begun */
    double wait_s;
};

/* Samples from one position of a lane on: sample i of 'count' begins at row
 * at[i].  Valid until the next call for this lane. */
struct tt_view {
    struct tt_rows rows;
    const int64_t *at;
    int64_t count;
};

struct tt_feed {
    int (*create)(struct tt_loader *loader, int64_t first_step,
                  int64_t memory_bytes, struct tt_error *err);
    void (*destroy)(struct tt_loader *loader);
    /* Once before the first view of a step; NULL: nothing to do. */
    int (*begin)(struct tt_loader *loader, int64_t step, struct tt_error *err);
    /* 'lane' counts from lane_first. */
    int (*view)(struct tt_loader *loader, int32_t lane, int64_t epoch,
                int64_t index, struct tt_view *view, struct tt_error *err);
};

extern const struct tt_feed tt_feed_memory, tt_feed_window, tt_feed_collective;

/* Positions of an epoch that a lane really plays: with data.last: drop the
 * end of its sequence is left out. */
int64_t tt_lane_played(const struct tt_order *order, int64_t epoch,
                       int32_t lane);

#endif
