/* SPDX-License-Identifier: BSD-3-Clause */
/* loader.c - samples in the order of layout/order.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "comm/agree.h"
#include "data/feed.h"
#include "data/loader.h"
#include "layout/block.h"

enum { WIDEN_BYTES = 64 << 20 };

/* Bytes of all rows as kept. */
static int64_t kept_bytes(const struct tt_store *store)
{
    int64_t bytes = 0;

    for (int c = 0; c < TT_COLS; c++)
        if (store->head.col[c].values > 0)
            bytes += store->head.row_count *
                     tt_column_row_bytes(&store->head.col[c]);
    return bytes;
}

static const struct tt_feed *choose(const struct tt_set *set)
{
    if (set->read == TT_READ_COLLECTIVE && set->store->head.part_count > 0)
        return &tt_feed_collective;
    if (kept_bytes(set->store) <= set->cache_bytes)
        return &tt_feed_memory;
    return &tt_feed_window;
}

static int set_up(struct tt_loader *loader, struct tt_error *err)
{
    if (loader->order.sample_count != loader->set->info.sample_count)
        return tt_fail(err, TT_EINVAL,
                       "the order has %" PRId64 " samples, the set %" PRId64,
                       loader->order.sample_count,
                       loader->set->info.sample_count);
    loader->lane =
        calloc((size_t)loader->lane_count + 1, sizeof(*loader->lane));
    if (!loader->lane)
        return tt_fail(err, TT_ENOMEM, "no memory for a loader");
    for (int32_t i = 0; i < loader->lane_count; i++)
        loader->lane[i].step = -1;
    loader->source = tt_source_create(loader->set->store, err);
    return loader->source ? 0 : -1;
}

struct tt_loader *tt_loader_create(struct tt_set *set,
                                   const struct tt_order *order,
                                   int32_t lane_first, int32_t lane_count,
                                   int64_t first_step, int64_t memory_bytes,
                                   struct tt_error *err)
{
    struct tt_loader *loader = calloc(1, sizeof(*loader));
    const struct tt_feed *feed = choose(set);
    int rc;

    if (!loader) {
        tt_fail(err, TT_ENOMEM, "no memory for a loader");
        return NULL;
    }
    loader->set = set;
    loader->order = *order;
    loader->lane_first = lane_first;
    loader->lane_count = lane_count;
    loader->step = -1;
    rc = set_up(loader, err);
    if (feed == &tt_feed_collective)
        rc = tt_agree(rc, err, set->comm);
    if (rc == 0) {
        loader->feed = feed;
        rc = feed->create(loader, first_step, memory_bytes, err);
    }
    if (rc == 0)
        return loader;
    tt_loader_destroy(loader);
    return NULL;
}

void tt_loader_destroy(struct tt_loader *loader)
{
    if (!loader)
        return;
    if (loader->feed)
        loader->feed->destroy(loader);
    tt_window_clear(&loader->plain);
    tt_source_destroy(loader->source);
    free(loader->lane);
    free(loader);
}

int tt_loader_begin_step(struct tt_loader *loader, int64_t step,
                         struct tt_error *err)
{
    if (loader->step == step)
        return 0;
    loader->step = step;
    return loader->feed->begin ? loader->feed->begin(loader, step, err) : 0;
}

static const struct tt_lane_step *stand_of(struct tt_loader *loader,
                                           int32_t idx, int64_t step)
{
    struct tt_lane_step *at = &loader->lane[idx];

    if (at->step != step) {
        at->count =
            tt_order_step(&loader->order, step, loader->lane_first + idx,
                          &at->epoch, &at->index);
        at->step = step;
    }
    return at;
}

static void *advance(void *out, int64_t values)
{
    return (char *)out + values * 4;
}

/* The set sample at a position that may lie beyond the end of 'epoch'. */
static int64_t sample_at(const struct tt_loader *loader, int32_t idx,
                         int64_t epoch, int64_t index)
{
    int64_t sample;

    tt_order_samples(&loader->order, epoch, loader->lane_first + idx, index, 1,
                     &sample);
    return tt_set_sample(loader->set, sample);
}

/* Copy 'count' samples from (epoch, index) on, window by window. */
static int copy(struct tt_loader *loader, int32_t idx, struct tt_lane_step at,
                void *x, void *y, struct tt_error *err)
{
    const struct tt_set_info *info = &loader->set->info;

    while (at.count > 0) {
        int64_t size = tt_order_lane_samples(&loader->order, at.epoch,
                                             loader->lane_first + idx);
        struct tt_view view;
        int64_t some, bad;

        if (at.index >= size) {
            at.index -= size;
            at.epoch++;
            continue;
        }
        if (loader->feed->view(loader, idx, at.epoch, at.index, &view, err) < 0)
            return -1;
        some = view.count < at.count ? view.count : at.count;
        bad =
            tt_rows_gather(loader->set->store, &view.rows, view.at, some, x, y);
        if (bad >= 0)
            return tt_store_fail_label(
                loader->set->store,
                sample_at(loader, idx, at.epoch, at.index + bad),
                advance(x, bad * info->x_values),
                advance(y, bad * info->y_values), err);
        x = advance(x, some * info->x_values);
        y = advance(y, some * info->y_values);
        at.index += some;
        at.count -= some;
    }
    return 0;
}

int64_t tt_loader_sample(struct tt_loader *loader, int64_t step, int32_t lane,
                         int64_t at)
{
    int32_t idx = lane - loader->lane_first;
    struct tt_lane_step from = *stand_of(loader, idx, step);
    int64_t size, sample;

    from.index += at;
    while (from.index >=
           (size = tt_order_lane_samples(&loader->order, from.epoch, lane))) {
        from.index -= size;
        from.epoch++;
    }
    tt_order_samples(&loader->order, from.epoch, lane, from.index, 1, &sample);
    return sample;
}

int tt_loader_fetch(struct tt_loader *loader, int64_t step, int32_t lane,
                    int64_t first, int64_t count, void *x, void *y,
                    struct tt_error *err)
{
    int32_t idx = lane - loader->lane_first;
    struct tt_lane_step at;

    if (idx < 0 || idx >= loader->lane_count)
        return tt_fail(err, TT_EINVAL, "lane %" PRId32 " is another rank's",
                       lane);
    at = *stand_of(loader, idx, step);
    if (first < 0 || first + count > at.count)
        return tt_fail(err, TT_EINVAL,
                       "step %" PRId64 " has %" PRId64
                       " samples in lane %" PRId32,
                       step, at.count, lane);
    if (tt_loader_begin_step(loader, step, err) < 0)
        return -1;
    at.index += first;
    at.count = count;
    return copy(loader, idx, at, x, y, err);
}

/* Rows that the whole set keeps in memory. */
static int view_memory(struct tt_loader *loader, int64_t first, int64_t count,
                       struct tt_view *view, struct tt_error *err)
{
    struct tt_store *store = loader->set->store;
    struct tt_window *plain = &loader->plain;

    if (tt_window_plan_run(plain, loader->set, first, count, err) < 0)
        return -1;
    for (int64_t i = 0; i < count; i++)
        plain->at[i] =
            tt_set_sample(loader->set, first + i) * tt_store_stride(store);
    *view = (struct tt_view){
        {{store->rows[TT_COL_X], store->rows[TT_COL_Y]}, store->mem},
        plain->at,
        count};
    return 0;
}

/* Samples that are read at once: whole chunks, since a piece of one costs as
 * much, unless these are huge. */
static struct tt_block widen(const struct tt_loader *loader, int64_t first,
                             int64_t count)
{
    const struct tt_set_info *info = &loader->set->info;
    int64_t chunk = info->chunk_samples;
    int64_t end = (first + count + chunk - 1) / chunk * chunk;

    if (chunk * info->sample_bytes > WIDEN_BYTES)
        return (struct tt_block){first, count};
    first -= first % chunk;
    end = end < info->sample_count ? end : info->sample_count;
    return (struct tt_block){first, end - first};
}

static int view_files(struct tt_loader *loader, int64_t first, int64_t count,
                      struct tt_view *view, struct tt_error *err)
{
    struct tt_window *plain = &loader->plain;

    if (first < plain->first || first + count > plain->first + plain->count) {
        struct tt_block run = widen(loader, first, count);

        if (tt_window_plan_run(plain, loader->set, run.first, run.count, err) <
                0 ||
            tt_window_read(plain, loader->source, loader->set->store, err) < 0)
            return -1;
    }
    *view = (struct tt_view){plain->rows, plain->at + (first - plain->first),
                             count};
    return 0;
}

int tt_loader_fetch_plain(struct tt_loader *loader, int64_t first,
                          int64_t count, void *x, void *y, struct tt_error *err)
{
    const struct tt_set_info *info = &loader->set->info;
    struct tt_store *store = loader->set->store;
    struct tt_view view;
    int64_t bad;
    int rc;

    if (first < 0 || count < 0 || first + count > info->sample_count)
        return tt_fail(err, TT_EINVAL,
                       "samples %" PRId64 " to %" PRId64 " of %" PRId64, first,
                       first + count - 1, info->sample_count);
    if (count == 0)
        return 0;
    rc = store->rows[TT_COL_X] ? view_memory(loader, first, count, &view, err)
                               : view_files(loader, first, count, &view, err);
    if (rc < 0)
        return -1;
    bad = tt_rows_gather(store, &view.rows, view.at, count, x, y);
    if (bad < 0)
        return 0;
    return tt_store_fail_label(store, tt_set_sample(loader->set, first + bad),
                               advance(x, bad * info->x_values),
                               advance(y, bad * info->y_values), err);
}

double tt_loader_wait_s(const struct tt_loader *loader)
{
    return loader->wait_s;
}
