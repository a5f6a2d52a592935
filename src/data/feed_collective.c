/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_collective.c - windows of one shared file, read by all ranks together.
 *
 * A collective read has to be called by every rank the same number of times,
 * but ranks play different numbers of lanes and enter windows at different
 * steps.  Since the order is a pure function, every rank knows what every lane
 * needs: before a step, windows are read in as many rounds as the rank with
 * most of them needs; the others take part with an empty selection.  The
 * samples of the step are copied aside, so that a lane may run through several
 * windows in one step.  Nothing is called where no lane enters a window. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>
#include <mpi.h>

#include "base/clock.h"
#include "comm/agree.h"
#include "data/feed.h"
#include "io/h5.h"
#include "layout/block.h"

struct lane {
    struct tt_window window; /* the last one that was read */
    struct tt_rows rows;     /* samples of the step, one behind the other */
    int64_t *at;
    int64_t room; /* samples */
};

struct collective {
    struct lane *lane;
    hid_t file, set[TT_COLS];
    struct tt_block *deal; /* lanes of each rank */
    int size;
    int64_t before; /* the step begun last, -1: none */
};

/* --- what a step touches --------------------------------------------- */

/* A walk over the windows that one lane touches in one step. */
struct walk {
    const struct tt_order *order;
    int32_t lane;
    int64_t epoch, index; /* where the next piece begins */
    int64_t left;         /* samples of the step from there on */
    struct tt_order_window window;
    int64_t piece; /* samples of the step in 'window' */
};

static struct walk walk_begin(const struct tt_order *order, int64_t step,
                              int32_t lane)
{
    struct walk w = {.order = order, .lane = lane};

    w.left = tt_order_step(order, step, lane, &w.epoch, &w.index);
    return w;
}

static bool walk_next(struct walk *w)
{
    w->index += w->piece;
    w->left -= w->piece;
    w->piece = 0;
    if (w->left == 0)
        return false;
    while (w->index >= tt_order_lane_samples(w->order, w->epoch, w->lane)) {
        w->index -= tt_order_lane_samples(w->order, w->epoch, w->lane);
        w->epoch++;
    }
    w->window = tt_order_window_of(w->order, w->epoch, w->lane, w->index);
    w->piece = w->window.first + w->window.count - w->index;
    w->piece = w->piece < w->left ? w->piece : w->left;
    return true;
}

/* The window that a lane holds after step 'step' (-1: none). */
static void held_after(const struct tt_order *order, int64_t step, int32_t lane,
                       int64_t *epoch, int64_t *first)
{
    struct walk w = {0};

    *epoch = *first = -1;
    if (step < 0)
        return;
    w = walk_begin(order, step, lane);
    while (walk_next(&w)) {
        *epoch = w.epoch;
        *first = w.window.first;
    }
}

/* Windows that a lane has to read for 'step' after 'before'. */
static int64_t reads_of(const struct tt_order *order, int64_t before,
                        int64_t step, int32_t lane)
{
    struct walk w = walk_begin(order, step, lane);
    int64_t epoch, first, reads = 0;

    held_after(order, before, lane, &epoch, &first);
    while (walk_next(&w)) {
        reads += w.epoch != epoch || w.window.first != first;
        epoch = w.epoch;
        first = w.window.first;
    }
    return reads;
}

static int64_t rounds_of(const struct tt_loader *loader, int64_t step)
{
    const struct collective *all = loader->data;
    int64_t most = 0;

    for (int r = 0; r < all->size; r++) {
        int64_t reads = 0;

        for (int64_t i = 0; i < all->deal[r].count; i++)
            reads += reads_of(&loader->order, all->before, step,
                              (int32_t)(all->deal[r].first + i));
        most = reads > most ? reads : most;
    }
    return most;
}

/* --- one round ------------------------------------------------------- */

static int select_spans(hid_t space, const struct tt_window *window)
{
    hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    int rc = H5Sget_simple_extent_dims(space, count, NULL);

    if (rc >= 0)
        rc = H5Sselect_none(space);
    for (int64_t i = 0; window && i < window->span_count && rc >= 0; i++) {
        start[0] = (hsize_t)window->span[i].row;
        count[0] = (hsize_t)window->span[i].count;
        rc =
            H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL);
    }
    return rc < 0 ? -1 : 0;
}

/* Collective.  Elements of the window's rows (NULL: none) as 'type'. */
static int read_raw(hid_t set, hid_t type, const struct tt_window *window,
                    int64_t values, void *out)
{
    hsize_t count[1] = {window ? (hsize_t)(window->row_count * values)
                               : (hsize_t)1};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, count, NULL);
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    int rc = select_spans(space, window);
    int got;

    if (!window || rc < 0) {
        H5Sselect_none(space);
        H5Sselect_none(memory);
    }
    H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
    got = H5Dread(set, type, memory, space, dxpl, out);
    H5Pclose(dxpl);
    H5Sclose(memory);
    H5Sclose(space);
    return rc < 0 || got < 0 ? -1 : 0;
}

static int fail_read(const struct tt_loader *loader, int c,
                     struct tt_error *err)
{
    const struct tt_store *store = loader->set->store;

    return tt_fail(err, TT_EIO,
                   "%.160s: %.40s: a collective read failed: try data.read: "
                   "independent",
                   tt_store_text(store, store->part[0].path),
                   tt_store_text(store, store->head.col[c].dataset));
}

/* Collective.  'rc' of the planning: with -1 this rank reads nothing.  HDF5
 * hands over elements as they are stored where it can: a conversion inside it
 * ends collective reading. */
static int read_column(struct tt_loader *loader, struct tt_window *window,
                       int c, int rc, struct tt_error *err)
{
    struct collective *all = loader->data;
    const struct tt_store *store = loader->set->store;
    const struct tt_column *col = &store->head.col[c];
    enum tt_dtype carrier = (enum tt_dtype)col->stored;
    size_t bytes = tt_dtype_bytes(carrier);
    bool direct = bytes == tt_dtype_bytes((enum tt_dtype)col->kept);
    int64_t elements = window ? window->row_count * col->values : 0;
    char none[8];
    void *raw = none;

    if (window && rc == 0 && direct)
        raw = window->rows.at[c];
    else if (window && rc == 0 && !(raw = malloc((size_t)elements * bytes + 1)))
        rc = tt_fail(err, TT_ENOMEM, "no memory to read a window");
    if (read_raw(all->set[c], tt_h5_type(carrier), rc == 0 ? window : NULL,
                 col->values, raw ? raw : none) < 0 &&
        rc == 0)
        rc = fail_read(loader, c, err);
    if (window && rc == 0)
        tt_cast_run(&(struct tt_cast){col, store->numbers, carrier, 0},
                    elements, raw, window->rows.at[c]);
    if (raw != none && window && raw != window->rows.at[c])
        free(raw);
    return rc;
}

/* Collective: one window, or none. */
static int read_round(struct tt_loader *loader, struct tt_window *window,
                      int rc, struct tt_error *err)
{
    const struct tt_store *store = loader->set->store;

    for (int c = 0; c < TT_COLS; c++)
        if (store->head.col[c].values > 0)
            rc = read_column(loader, window, c, rc, err);
    return rc;
}

/* --- a step ---------------------------------------------------------- */

static int make_room(const struct tt_store *store, struct lane *lane,
                     int64_t samples, struct tt_error *err)
{
    int64_t rows = tt_store_stride(store) + tt_store_extra(store);

    if (samples <= lane->room)
        return 0;
    lane->room = 0;
    for (int c = 0; c < TT_COLS; c++) {
        free(lane->rows.at[c]);
        lane->rows.at[c] =
            malloc((size_t)(samples * rows *
                            tt_column_row_bytes(&store->head.col[c])) +
                   1);
        if (!lane->rows.at[c])
            return tt_fail(err, TT_ENOMEM, "no memory for a step's samples");
    }
    free(lane->at);
    lane->at = malloc((size_t)samples * sizeof(*lane->at));
    if (!lane->at)
        return tt_fail(err, TT_ENOMEM, "no memory for a step's samples");
    for (int64_t i = 0; i < samples; i++)
        lane->at[i] = i * rows;
    lane->rows.col = store->head.col;
    lane->room = samples;
    return 0;
}

/* Samples of the step from the window, to place 'to' of the lane's rows. */
static void copy_aside(const struct tt_store *store, struct lane *lane,
                       const struct walk *w, int64_t to)
{
    const int64_t *at = lane->window.at + (w->index - lane->window.first);
    int64_t rows = tt_store_stride(store) + tt_store_extra(store);

    for (int c = 0; c < TT_COLS; c++) {
        int64_t row_bytes = tt_column_row_bytes(&store->head.col[c]);
        size_t bytes = (size_t)(rows * row_bytes);

        for (int64_t i = 0; i < w->piece && bytes > 0; i++)
            memcpy((char *)lane->rows.at[c] + lane->at[to + i] * row_bytes,
                   (char *)lane->window.rows.at[c] + at[i] * row_bytes, bytes);
    }
}

/* Collective in its rounds: all windows of one lane's step. */
static int play_lane(struct tt_loader *loader, int32_t idx, int64_t step,
                     int64_t *rounds, struct tt_error *err)
{
    struct collective *all = loader->data;
    const struct tt_store *store = loader->set->store;
    struct lane *lane = &all->lane[idx];
    struct walk w = walk_begin(&loader->order, step, loader->lane_first + idx);
    int64_t to = 0, epoch, first;
    int rc = make_room(store, lane, w.left, err);

    held_after(&loader->order, all->before, w.lane, &epoch, &first);
    while (walk_next(&w)) {
        if (w.epoch != epoch || w.window.first != first) {
            if (rc == 0)
                rc = tt_window_plan(&lane->window, loader->set, &loader->order,
                                    w.lane, w.epoch, w.index, err);
            if (rc == 0)
                rc = tt_window_reserve(&lane->window, store, err);
            rc = read_round(loader, &lane->window, rc, err);
            (*rounds)--;
        }
        epoch = w.epoch;
        first = w.window.first;
        if (rc == 0)
            copy_aside(store, lane, &w, to);
        to += w.piece;
    }
    return rc;
}

static int collective_begin(struct tt_loader *loader, int64_t step,
                            struct tt_error *err)
{
    struct collective *all = loader->data;
    double begin = tt_clock_s();
    int64_t rounds = rounds_of(loader, step);
    bool any = rounds > 0;
    int rc = 0;

    for (int32_t i = 0; i < loader->lane_count; i++) {
        struct tt_error own = {0};

        if (play_lane(loader, i, step, &rounds, &own) < 0 && rc == 0) {
            *err = own;
            rc = -1;
        }
    }
    for (; rounds > 0; rounds--)
        if (read_round(loader, NULL, 0, rc == 0 ? err : NULL) < 0)
            rc = -1;
    all->before = step;
    if (any)
        rc = tt_agree(rc, err, loader->set->comm);
    loader->wait_s += tt_clock_s() - begin;
    return rc;
}

static int collective_view(struct tt_loader *loader, int32_t idx, int64_t epoch,
                           int64_t index, struct tt_view *view,
                           struct tt_error *err)
{
    struct collective *all = loader->data;
    struct lane *lane = &all->lane[idx];
    struct walk w =
        walk_begin(&loader->order, loader->step, loader->lane_first + idx);
    int64_t done = 0;

    (void)err;
    while (walk_next(&w) && (w.epoch != epoch || index >= w.index + w.piece))
        done += w.piece;
    done += index - w.index;
    view->rows = lane->rows;
    view->at = lane->at + done;
    view->count = w.index + w.piece - index;
    return 0;
}

/* --- begin and end --------------------------------------------------- */

static MPI_Info hints_of(const struct tt_node *hints)
{
    MPI_Info info = MPI_INFO_NULL;

    if (!hints || hints->kind != TT_NODE_MAP)
        return info;
    MPI_Info_create(&info);
    for (const struct tt_node *at = hints->first; at; at = at->next)
        if (at->kind == TT_NODE_SCALAR)
            MPI_Info_set(info, at->key, at->text);
    return info;
}

/* Collective. */
static int open_shared(struct tt_loader *loader, struct tt_error *err)
{
    struct collective *all = loader->data;
    const struct tt_store *store = loader->set->store;
    const char *path = tt_store_text(store, store->part[0].path);
    MPI_Info info = hints_of(loader->set->hints);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Pset_fapl_mpio(fapl, loader->set->comm, info);
    all->file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (all->file < 0)
        return tt_fail(err, TT_EIO,
                       "%.180s: MPI-IO cannot open it: try data.read: "
                       "independent",
                       path);
    for (int c = 0; c < TT_COLS; c++) {
        if (store->head.col[c].values == 0)
            continue;
        all->set[c] = H5Dopen2(all->file,
                               tt_store_text(store, store->head.col[c].dataset),
                               H5P_DEFAULT);
        if (all->set[c] < 0)
            return fail_read(loader, c, err);
    }
    return 0;
}

/* Collective: who plays which lanes. */
static int learn_deal(struct tt_loader *loader, struct tt_error *err)
{
    struct collective *all = loader->data;
    struct tt_block mine = {loader->lane_first, loader->lane_count};
    MPI_Comm comm = loader->set->comm;

    MPI_Comm_size(comm, &all->size);
    all->deal = malloc((size_t)all->size * sizeof(*all->deal));
    all->lane = calloc((size_t)loader->lane_count + 1, sizeof(*all->lane));
    if (tt_agree(all->deal && all->lane
                     ? 0
                     : tt_fail(err, TT_ENOMEM, "no memory for a loader"),
                 err, comm) < 0)
        return -1;
    MPI_Allgather(&mine, 2, MPI_INT64_T, all->deal, 2, MPI_INT64_T, comm);
    return 0;
}

static int collective_create(struct tt_loader *loader, int64_t first_step,
                             int64_t memory_bytes, struct tt_error *err)
{
    const struct tt_store *store = loader->set->store;
    struct collective *all = calloc(1, sizeof(*all));
    int rc = 0;

    (void)first_step;
    (void)memory_bytes;
    if (!all)
        rc = tt_fail(err, TT_ENOMEM, "no memory for a loader");
    if (tt_agree(rc, err, loader->set->comm) < 0) {
        free(all);
        return -1;
    }
    *all = (struct collective){.file = -1, .set = {-1, -1}, .before = -1};
    loader->data = all;
    if (store->head.part_count > 1)
        return tt_fail(err, TT_EINVAL,
                       "data.read: collective reads one shared file, but the "
                       "set has %" PRId64 ": pack it into one shard, or set "
                       "data.read: independent",
                       store->head.part_count);
    if (learn_deal(loader, err) < 0)
        return -1;
    return tt_agree(open_shared(loader, err), err, loader->set->comm);
}

static void collective_destroy(struct tt_loader *loader)
{
    struct collective *all = loader->data;

    if (!all)
        return;
    for (int32_t i = 0; all->lane && i < loader->lane_count; i++) {
        tt_window_clear(&all->lane[i].window);
        free(all->lane[i].at);
        for (int c = 0; c < TT_COLS; c++)
            free(all->lane[i].rows.at[c]);
    }
    for (int c = 0; c < TT_COLS; c++)
        if (all->set[c] >= 0)
            H5Dclose(all->set[c]);
    if (all->file >= 0)
        H5Fclose(all->file);
    free(all->lane);
    free(all->deal);
    free(all);
}

const struct tt_feed tt_feed_collective = {
    .create = collective_create,
    .destroy = collective_destroy,
    .begin = collective_begin,
    .view = collective_view,
};
