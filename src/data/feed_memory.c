/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_memory.c - the whole set in memory: a fetch is a gather. */
#include <stdbool.h>
#include <stdlib.h>

#include "data/feed.h"

/* Positions are looked up this many at a time, so that no step pays for a
 * whole window; sets below SMALL_BYTES are kept as they are computed with. */
enum { AHEAD = 1024, TABLE = 1 << 16, SMALL_BYTES = 16 << 20 };

struct lane {
    int64_t epoch;
    struct tt_order_window window; /* count 0: none was entered */
    struct tt_order_run *run;      /* of windows of up to TABLE samples */
    int64_t *row;                  /* of the window's samples, run by run */
    int64_t first, count;          /* positions whose rows are known */
    int64_t at[AHEAD];
};

static int load_column(struct tt_loader *loader, int c, struct tt_error *err)
{
    struct tt_store *store = loader->set->store;
    int64_t rows = store->head.row_count;
    struct tt_column *mem = &store->mem[c];

    *mem = store->head.col[c];
    if (mem->values == 0)
        return 0;
    store->rows[c] = malloc((size_t)(rows * tt_column_row_bytes(mem)) + 1);
    if (!store->rows[c])
        return tt_fail(err, TT_ENOMEM,
                       "no memory to keep a set of %lld rows: lower "
                       "data.cache",
                       (long long)rows);
    return tt_source_read(loader->source, c, 0, rows, store->rows[c], err);
}

/* Pixels to floats once and for all, where that is cheap to keep. */
static void widen_small(struct tt_store *store)
{
    struct tt_column *mem = &store->mem[TT_COL_X];
    int64_t count = store->head.row_count * mem->values;
    float *to;

    if (store->head.info.kind != TT_SET_ROWS || mem->kept != TT_U8 ||
        count > SMALL_BYTES / (int64_t)sizeof(float))
        return;
    to = malloc((size_t)count * sizeof(float) + 1);
    if (!to)
        return;
    mem->kept = TT_F32;
    tt_cast_run(&(struct tt_cast){mem, store->numbers, TT_U8, 0}, count,
                store->rows[TT_COL_X], to);
    free(store->rows[TT_COL_X]);
    store->rows[TT_COL_X] = to;
}

static int load(struct tt_loader *loader, struct tt_error *err)
{
    struct tt_store *store = loader->set->store;

    if (store->rows[TT_COL_X])
        return 0;
    for (int c = 0; c < TT_COLS; c++)
        if (load_column(loader, c, err) < 0) {
            for (int k = 0; k <= c; k++) {
                free(store->rows[k]);
                store->rows[k] = NULL;
            }
            return -1;
        }
    widen_small(store);
    return 0;
}

static int memory_create(struct tt_loader *loader, int64_t first_step,
                         int64_t memory_bytes, struct tt_error *err)
{
    (void)first_step;
    (void)memory_bytes;
    if (load(loader, err) < 0)
        return -1;
    loader->data = calloc((size_t)loader->lane_count + 1, sizeof(struct lane));
    if (!loader->data)
        return tt_fail(err, TT_ENOMEM, "no memory for a loader");
    return 0;
}

static void memory_destroy(struct tt_loader *loader)
{
    struct lane *lane = loader->data;

    for (int32_t i = 0; lane && i < loader->lane_count; i++) {
        free(lane[i].row);
        free(lane[i].run);
    }
    free(lane);
}

/* Rows of the window in the order of its runs: the place of a sample then
 * costs one permutation, not two. */
static int enter(struct tt_loader *loader, struct lane *lane, int32_t global,
                 struct tt_order_window window, struct tt_error *err)
{
    int64_t stride = tt_store_stride(loader->set->store);
    int64_t at = 0;
    int max = (int)window.count, runs;

    if (!lane->row && (!(lane->row = malloc(TABLE * sizeof(*lane->row))) ||
                       !(lane->run = malloc(TABLE * sizeof(*lane->run)))))
        return tt_fail(err, TT_ENOMEM, "no memory for a loader");
    runs = tt_order_window_runs(&loader->order, lane->epoch, global, window,
                                lane->run, max);
    for (int i = 0; i < runs; i++)
        for (int64_t k = 0; k < lane->run[i].count; k++)
            lane->row[at++] =
                tt_set_sample(loader->set, lane->run[i].first + k) * stride;
    lane->window = window;
    return 0;
}

static bool has(struct tt_order_window window, int64_t index)
{
    return index >= window.first && index < window.first + window.count;
}

static int look_up(struct tt_loader *loader, struct lane *lane, int32_t idx,
                   int64_t index, struct tt_error *err)
{
    const struct tt_order *order = &loader->order;
    int64_t stride = tt_store_stride(loader->set->store);
    int32_t global = loader->lane_first + idx;
    struct tt_order_window window =
        tt_order_window_of(order, lane->epoch, global, index);
    int64_t left = window.first + window.count - index;

    lane->first = index;
    lane->count = left < AHEAD ? left : AHEAD;
    if (window.count > TABLE) {
        tt_order_samples(order, lane->epoch, global, index, lane->count,
                         lane->at);
        for (int64_t i = 0; i < lane->count; i++)
            lane->at[i] = tt_set_sample(loader->set, lane->at[i]) * stride;
        return 0;
    }
    if (!has(lane->window, index) &&
        enter(loader, lane, global, window, err) < 0)
        return -1;
    tt_order_slots(order, lane->epoch, global, index, lane->count, lane->at);
    for (int64_t i = 0; i < lane->count; i++)
        lane->at[i] = lane->row[lane->at[i]];
    return 0;
}

static int memory_view(struct tt_loader *loader, int32_t idx, int64_t epoch,
                       int64_t index, struct tt_view *view,
                       struct tt_error *err)
{
    const struct tt_store *store = loader->set->store;
    struct lane *lane = (struct lane *)loader->data + idx;

    if (lane->epoch != epoch)
        lane->count = lane->window.count = 0;
    lane->epoch = epoch;
    if ((index < lane->first || index >= lane->first + lane->count) &&
        look_up(loader, lane, idx, index, err) < 0)
        return -1;
    view->rows = (struct tt_rows){
        {store->rows[TT_COL_X], store->rows[TT_COL_Y]}, store->mem};
    view->at = lane->at + (index - lane->first);
    view->count = lane->first + lane->count - index;
    return 0;
}

const struct tt_feed tt_feed_memory = {
    .create = memory_create,
    .destroy = memory_destroy,
    .view = memory_view,
};
