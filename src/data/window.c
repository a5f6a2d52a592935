/* SPDX-License-Identifier: BSD-3-Clause */
/* window.c - the samples of one window as rows in memory. */
#include <stdlib.h>
#include <string.h>

#include "data/window.h"

/* Rows between two spans that cost less to read than another call. */
enum { GAP_BYTES = 64 << 10, GROUP_BYTES = 1 << 20 };

void tt_window_clear(struct tt_window *window)
{
    free(window->at);
    free(window->span);
    for (int c = 0; c < TT_COLS; c++)
        free(window->rows.at[c]);
    *window = (struct tt_window){0};
}

/* Room for 'count' things of 'bytes'; what was there is lost. */
static int room_for(void **at, int64_t *room, int64_t count, int64_t bytes,
                    struct tt_error *err)
{
    if (*at && *room >= count)
        return 0;
    free(*at);
    *room = 0;
    *at = malloc((size_t)(count * bytes) + 1);
    if (!*at)
        return tt_fail(err, TT_ENOMEM,
                       "no memory for a window of samples: lower "
                       "data.window");
    *room = count;
    return 0;
}

/* As room_for(), but what was there stays. */
static int room_more(struct tt_window *window, int64_t count,
                     struct tt_error *err)
{
    int64_t room = window->span_room ? window->span_room : 64;
    struct tt_span *grow;

    if (count <= window->span_room)
        return 0;
    while (room < count)
        room *= 2;
    grow = realloc(window->span, (size_t)room * sizeof(*grow));
    if (!grow)
        return tt_fail(err, TT_ENOMEM,
                       "no memory for a window of samples: lower "
                       "data.window");
    window->span = grow;
    window->span_room = room;
    return 0;
}

/* Spans of set samples first .. first+count-1: one for each run of units that
 * are neighbours in the store. */
static int add_run(struct tt_window *window, const struct tt_set *set,
                   int64_t first, int64_t count, struct tt_error *err)
{
    int64_t stride = tt_store_stride(set->store);

    while (count > 0) {
        int64_t some = set->unit_at ? set->unit - first % set->unit : count;
        struct tt_span *span;

        some = some < count ? some : count;
        if (room_more(window, window->span_count + 1, err) < 0)
            return -1;
        span = &window->span[window->span_count++];
        span->row = tt_set_sample(set, first) * stride;
        span->count = some * stride + tt_store_extra(set->store);
        first += some;
        count -= some;
    }
    return 0;
}

static int by_row(const void *a, const void *b)
{
    int64_t x = ((const struct tt_span *)a)->row;
    int64_t y = ((const struct tt_span *)b)->row;

    return (x > y) - (x < y);
}

/* Sort, join what touches or overlaps, and lay the spans out one behind the
 * other. */
static void lay_out(struct tt_window *window)
{
    struct tt_span *span = window->span;
    int64_t last = 0;

    qsort(span, (size_t)window->span_count, sizeof(*span), by_row);
    for (int64_t i = 1; i < window->span_count; i++) {
        int64_t end = span[last].row + span[last].count;
        int64_t more = span[i].row + span[i].count - end;

        if (span[i].row > end)
            span[++last] = span[i];
        else if (more > 0)
            span[last].count += more;
    }
    window->span_count = last + 1;
    window->row_count = 0;
    for (int64_t i = 0; i < window->span_count; i++) {
        span[i].to = window->row_count;
        window->row_count += span[i].count;
    }
}

/* The buffer row of a row of the store. */
static int64_t place_of(const struct tt_window *window, int64_t row)
{
    int64_t low = 0, high = window->span_count;

    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;

        if (window->span[mid].row <= row)
            low = mid;
        else
            high = mid;
    }
    return window->span[low].to + row - window->span[low].row;
}

static int plan_runs(struct tt_window *window, const struct tt_set *set,
                     const struct tt_order *order, struct tt_order_window want,
                     struct tt_error *err)
{
    struct tt_order_run *run =
        malloc((size_t)(want.count ? want.count : 1) * sizeof(*run));
    int rc = 0;
    int runs;

    if (!run)
        return tt_fail(err, TT_ENOMEM, "no memory to plan a window");
    runs = tt_order_window_runs(order, window->epoch, window->lane, want, run,
                                (int)want.count);
    window->span_count = 0;
    for (int i = 0; i < runs && rc == 0; i++)
        rc = add_run(window, set, run[i].first, run[i].count, err);
    free(run);
    return rc;
}

int tt_window_plan(struct tt_window *window, const struct tt_set *set,
                   const struct tt_order *order, int32_t lane, int64_t epoch,
                   int64_t index, struct tt_error *err)
{
    int64_t stride = tt_store_stride(set->store);
    struct tt_order_window want = tt_order_window_of(order, epoch, lane, index);

    window->lane = lane;
    window->epoch = epoch;
    window->count = 0;
    if (plan_runs(window, set, order, want, err) < 0 ||
        room_for((void **)&window->at, &window->at_room, want.count,
                 (int64_t)sizeof(*window->at), err) < 0)
        return -1;
    lay_out(window);
    tt_order_samples(order, epoch, lane, want.first, want.count, window->at);
    for (int64_t i = 0; i < want.count; i++)
        window->at[i] =
            place_of(window, tt_set_sample(set, window->at[i]) * stride);
    window->first = want.first;
    window->planned = want.count;
    return 0;
}

int tt_window_plan_run(struct tt_window *window, const struct tt_set *set,
                       int64_t first, int64_t count, struct tt_error *err)
{
    int64_t stride = tt_store_stride(set->store);

    window->count = window->span_count = 0;
    if (add_run(window, set, first, count, err) < 0 ||
        room_for((void **)&window->at, &window->at_room, count,
                 (int64_t)sizeof(*window->at), err) < 0)
        return -1;
    lay_out(window);
    for (int64_t i = 0; i < count; i++)
        window->at[i] =
            place_of(window, tt_set_sample(set, first + i) * stride);
    window->first = first;
    window->planned = count;
    return 0;
}

int tt_window_reserve(struct tt_window *window, const struct tt_store *store,
                      struct tt_error *err)
{
    window->rows.col = store->head.col;
    memset(window->read, 0, sizeof(window->read));
    for (int c = 0; c < TT_COLS; c++)
        if (store->head.col[c].values > 0 &&
            room_for(&window->rows.at[c], &window->rows_room[c],
                     window->row_count,
                     tt_column_row_bytes(&store->head.col[c]), err) < 0)
            return -1;
    return 0;
}

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How many spans from 'i' on are read by one call: neighbours with small gaps,
 * as long as they fit the scratch.  A chunk is not decoded twice for a gap. */
static int64_t group_of(const struct tt_window *window,
                        const struct tt_column *col, int64_t i)
{
    const struct tt_span *span = window->span;
    int64_t row_bytes = tt_column_row_bytes(col);
    int64_t gap = max_of(GAP_BYTES / row_bytes, col->chunk_rows);
    int64_t most = max_of(GROUP_BYTES / row_bytes, 2 * col->chunk_rows);
    int64_t j = i + 1;

    while (j < window->span_count &&
           span[j].row - span[j - 1].row - span[j - 1].count <= gap &&
           span[j].row + span[j].count - span[i].row <= most)
        j++;
    return j - i;
}

/* Read rows with gaps into a scratch and pick the spans out of it. */
static int read_group(struct tt_window *window, struct tt_source *source, int c,
                      const struct tt_span *span, int64_t count,
                      struct tt_error *err)
{
    int64_t row_bytes = tt_column_row_bytes(&window->rows.col[c]);
    const struct tt_span *last = &span[count - 1];
    int64_t rows = last->row + last->count - span->row;
    char *scratch = malloc((size_t)(rows * row_bytes));
    int rc;

    if (!scratch)
        return tt_fail(err, TT_ENOMEM, "no memory to read %lld rows",
                       (long long)rows);
    rc = tt_source_read(source, c, span->row, rows, scratch, err);
    for (int64_t i = 0; rc == 0 && i < count; i++)
        memcpy((char *)window->rows.at[c] + span[i].to * row_bytes,
               scratch + (span[i].row - span->row) * row_bytes,
               (size_t)(span[i].count * row_bytes));
    free(scratch);
    return rc;
}

static int read_column(struct tt_window *window, struct tt_source *source,
                       int c, int64_t spans, struct tt_error *err)
{
    const struct tt_column *col = &window->rows.col[c];
    int64_t row_bytes = tt_column_row_bytes(col);
    int rc = 0;

    while (window->read[c] < spans && rc == 0) {
        const struct tt_span *span = &window->span[window->read[c]];
        int64_t count = group_of(window, col, window->read[c]);

        if (count > 1)
            rc = read_group(window, source, c, span, count, err);
        else
            rc = tt_source_read(
                source, c, span->row, span->count,
                (char *)window->rows.at[c] + span->to * row_bytes, err);
        window->read[c] += count;
    }
    return rc;
}

int tt_window_read_some(struct tt_window *window, struct tt_source *source,
                        int64_t spans, struct tt_error *err)
{
    if (spans > window->span_count)
        spans = window->span_count;
    for (int c = 0; c < TT_COLS; c++)
        if (window->rows.col[c].values > 0 &&
            read_column(window, source, c, spans, err) < 0)
            return -1;
    if (spans == window->span_count)
        window->count = window->planned;
    return 0;
}

int tt_window_read(struct tt_window *window, struct tt_source *source,
                   const struct tt_store *store, struct tt_error *err)
{
    if (tt_window_reserve(window, store, err) < 0)
        return -1;
    for (int c = 0; c < TT_COLS; c++)
        for (int64_t i = 0; i < window->span_count; i++)
            if (store->head.col[c].values > 0)
                tt_source_advise(source, c, window->span[i].row,
                                 window->span[i].count);
    return tt_window_read_some(window, source, window->span_count, err);
}
