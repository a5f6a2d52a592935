/* SPDX-License-Identifier: BSD-3-Clause */
/* window.h - the samples of one window of a lane (or of any run of a set) as
 * rows in memory.  Planning says which rows and where each sample lies;
 * reading brings them. */
#ifndef TT_DATA_WINDOW_H
#define TT_DATA_WINDOW_H

#include <stdint.h>

#include "base/err.h"
#include "data/column.h"
#include "data/source.h"
#include "data/store.h"
#include "layout/order.h"

/* Neighbouring rows of the store, and where they lie in the buffer. */
struct tt_span {
    int64_t row, count;
    int64_t to;
};

/* All zeros is an empty window. */
struct tt_window {
    int32_t lane;
    int64_t epoch;
    int64_t first, count; /* positions of the lane; count 0: not complete */
    int64_t planned;      /* count once it is complete */
    int64_t *at;          /* buffer row of each position */
    struct tt_span *span; /* in the order of the store */
    int64_t span_count;
    int64_t row_count; /* of the buffer */
    struct tt_rows rows;
    int64_t read[TT_COLS]; /* spans that were read */
    int64_t at_room, span_room, rows_room[TT_COLS];
};

void tt_window_clear(struct tt_window *window);

/* The window of 'lane' that holds position 'index' of 'epoch'.  Any thread. */
int tt_window_plan(struct tt_window *window, const struct tt_set *set,
                   const struct tt_order *order, int32_t lane, int64_t epoch,
                   int64_t index, struct tt_error *err);

/* Samples first .. first+count-1 of the set, in this order. */
int tt_window_plan_run(struct tt_window *window, const struct tt_set *set,
                       int64_t first, int64_t count, struct tt_error *err);

/* Room for the planned rows of each column, unread. */
int tt_window_reserve(struct tt_window *window, const struct tt_store *store,
                      struct tt_error *err);

/* After reserving: bring the planned rows of the first 'spans' spans or a few
 * more; with all of them the window is complete. */
int tt_window_read_some(struct tt_window *window, struct tt_source *source,
                        int64_t spans, struct tt_error *err);

/* Reserve and bring all planned rows. */
int tt_window_read(struct tt_window *window, struct tt_source *source,
                   const struct tt_store *store, struct tt_error *err);

#endif
