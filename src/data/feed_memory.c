/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_memory.c - the whole set in memory: a fetch is a gather. */
#include <stdlib.h>

#include "data/feed.h"

/* Positions are looked up this many at a time, so that no step pays for a
 * whole window; sets below SMALL_BYTES are kept as they are computed with. */
enum { AHEAD = 1024, SMALL_BYTES = 16 << 20 };

struct lane {
    int64_t epoch, first, count;
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
                       "data.cache-bytes",
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
    free(loader->data);
}

static void look_up(struct tt_loader *loader, struct lane *lane, int32_t idx,
                    int64_t epoch, int64_t index)
{
    const struct tt_order *order = &loader->order;
    int64_t stride = tt_store_stride(loader->set->store);
    int32_t global = loader->lane_first + idx;
    int64_t left = tt_order_lane_samples(order, epoch, global) - index;

    lane->epoch = epoch;
    lane->first = index;
    lane->count = left < AHEAD ? left : AHEAD;
    tt_order_samples(order, epoch, global, index, lane->count, lane->at);
    for (int64_t i = 0; i < lane->count; i++)
        lane->at[i] = tt_set_sample(loader->set, lane->at[i]) * stride;
}

static int memory_view(struct tt_loader *loader, int32_t idx, int64_t epoch,
                       int64_t index, struct tt_view *view,
                       struct tt_error *err)
{
    const struct tt_store *store = loader->set->store;
    struct lane *lane = (struct lane *)loader->data + idx;

    (void)err;
    if (lane->epoch != epoch || index < lane->first ||
        index >= lane->first + lane->count)
        look_up(loader, lane, idx, epoch, index);
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
