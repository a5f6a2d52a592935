/* SPDX-License-Identifier: BSD-3-Clause */
/* set.c - opening a set on all ranks, and parting it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "comm/agree.h"
#include "data/open.h"
#include "data/set.h"
#include "data/shard.h"
#include "data/store.h"
#include "layout/order.h"

static int open_path(struct tt_store *store, const struct tt_node *node,
                     struct tt_error *err)
{
    size_t used = strlen(node->text);

    if (used > 3 && (strcmp(node->text + used - 3, ".h5") == 0 ||
                     strcmp(node->text + used - 3, "df5") == 0))
        return tt_node_fail(node, err,
                            "'%.100s' is a file, not a folder made by "
                            "tutti-shard: to read it as it is, write {files: "
                            "\"...\", x: /dataset, y: /dataset}",
                            node->text);
    return tt_open_packed(store, node->text, err);
}

static int open_any(struct tt_store *store, const struct tt_node *what,
                    struct tt_error *err)
{
    if (what->kind == TT_NODE_SCALAR)
        return open_path(store, what, err);
    if (what->kind == TT_NODE_MAP && tt_node_find(what, "files"))
        return tt_open_foreign(store, what, err);
    if (what->kind == TT_NODE_MAP && tt_node_find(what, "synthetic") &&
        tt_node_count(what) == 1)
        return tt_open_synthetic(store, tt_node_find(what, "synthetic"), err);
    return tt_node_fail(what, err,
                        "a data set is a folder made by tutti-shard, {files: "
                        "\"a/*.h5\", x: /images, y: /labels} or {synthetic: "
                        "{samples: 1000, features: 10, classes: 2}}");
}

static int64_t chunk_samples(const struct tt_store *store)
{
    const struct tt_column *col = store->head.col;
    int64_t rows = col[TT_COL_X].chunk_rows > col[TT_COL_Y].chunk_rows
                       ? col[TT_COL_X].chunk_rows
                       : col[TT_COL_Y].chunk_rows;

    rows /= tt_store_stride(store);
    return rows > 1 ? rows : 1;
}

/* Samples of a token stream, and what follows from the columns. */
static int complete(struct tt_store *store, const struct tt_node *what,
                    int64_t context, struct tt_error *err)
{
    struct tt_set_info *info = &store->head.info;
    const struct tt_column *col = store->head.col;

    info->sample_count = store->head.row_count;
    info->x_values = col[TT_COL_X].values;
    for (int c = 0; c < TT_COLS; c++)
        if (col[c].values > 0)
            info->sample_bytes +=
                col[c].values *
                (int64_t)tt_dtype_bytes((enum tt_dtype)col[c].stored);
    if (info->kind == TT_SET_TOKENS) {
        if (context < 1)
            return tt_node_fail(what, err,
                                "a stream of tokens needs the length of a "
                                "sample: set model.context");
        info->token_count = store->head.row_count;
        info->sample_count = (info->token_count - 1) / context;
        info->x_dims = 1;
        info->x_dim[0] = info->x_values = info->y_values = context;
        info->y_is_class = true;
        info->sample_bytes *= context;
    }
    info->chunk_samples = chunk_samples(store);
    if (info->sample_count < 1)
        return tt_node_fail(what, err, "the set has no sample (%" PRId64 " %s)",
                            store->head.row_count,
                            info->kind == TT_SET_TOKENS
                                ? "tokens, fewer than model.context + 1"
                                : "rows");
    tt_store_finish(store);
    return 0;
}

static int look(struct tt_store *store, const struct tt_node *what,
                int64_t context, struct tt_error *err)
{
    if (open_any(store, what, err) < 0)
        return -1;
    return complete(store, what, context, err);
}

/* Large counts go in pieces that fit MPI's int. */
static void broadcast(void *data, int64_t bytes, MPI_Comm comm)
{
    for (int64_t at = 0; at < bytes; at += 1 << 30) {
        int64_t some = bytes - at < 1 << 30 ? bytes - at : 1 << 30;

        MPI_Bcast((char *)data + at, (int)some, MPI_BYTE, 0, comm);
    }
}

static int make_room(struct tt_store *store, struct tt_error *err)
{
    const struct tt_store_head *head = &store->head;

    store->part = malloc((size_t)head->part_count * sizeof(*store->part) + 1);
    store->names = malloc((size_t)head->name_bytes + 1);
    store->numbers = malloc((size_t)head->number_count * sizeof(double) + 1);
    if (!store->part || !store->names || !store->numbers)
        return tt_fail(err, TT_ENOMEM, "no memory for the list of files");
    return 0;
}

/* Rank 0's store becomes everyone's. */
static int share(struct tt_store *store, MPI_Comm comm, struct tt_error *err)
{
    struct tt_store_head *head = &store->head;
    int rank, rc = 0;

    MPI_Comm_rank(comm, &rank);
    broadcast(head, (int64_t)sizeof(*head), comm);
    if (rank != 0)
        rc = make_room(store, err);
    if (tt_agree(rc, err, comm) < 0)
        return -1;
    broadcast(store->part, head->part_count * (int64_t)sizeof(*store->part),
              comm);
    broadcast(store->names, head->name_bytes, comm);
    broadcast(store->numbers, head->number_count * (int64_t)sizeof(double),
              comm);
    if (rank != 0)
        tt_store_finish(store);
    return 0;
}

/* Rank 0 looks; its failure, word by word, is everyone's. */
static int look_all(struct tt_store *store, const struct tt_node *what,
                    int64_t context, MPI_Comm comm, struct tt_error *err)
{
    int rank, rc = 0;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        rc = look(store, what, context, err);
    MPI_Bcast(&rc, 1, MPI_INT, 0, comm);
    if (rc < 0) {
        MPI_Bcast(err, (int)sizeof(*err), MPI_BYTE, 0, comm);
        return -1;
    }
    return share(store, comm, err);
}

static struct tt_set *set_create(const struct tt_job_data *conf, MPI_Comm comm,
                                 struct tt_error *err)
{
    struct tt_set *set = calloc(1, sizeof(*set));

    if (!set) {
        tt_fail(err, TT_ENOMEM, "no memory to open a data set");
        return NULL;
    }
    set->store = tt_store_create(err);
    if (!set->store) {
        free(set);
        return NULL;
    }
    set->unit = 1;
    set->comm = comm;
    set->cache_bytes = conf->cache_bytes;
    if (conf->read && strcmp(conf->read, "collective") == 0)
        set->read = TT_READ_COLLECTIVE;
    return set;
}

struct tt_set *tt_set_open_all(const struct tt_node *what, int64_t context,
                               const struct tt_job_data *conf, MPI_Comm comm,
                               struct tt_error *err)
{
    struct tt_error own = {0};
    struct tt_set *set;

    if (!err)
        err = &own;
    set = set_create(conf, comm, err);
    if (tt_agree(set ? 0 : -1, err, comm) < 0 ||
        look_all(set->store, what, context, comm, err) < 0) {
        tt_set_close(set);
        return NULL;
    }
    set->info = set->store->head.info;
    return set;
}

void tt_set_close(struct tt_set *set)
{
    if (!set)
        return;
    tt_store_release(set->store);
    free(set->unit_at);
    free(set);
}

const struct tt_set_info *tt_set_info(const struct tt_set *set)
{
    return &set->info;
}

void tt_set_ignore(struct tt_set *set, int64_t label)
{
    set->store->head.has_ignored = 1;
    set->store->head.ignored = label;
}

void tt_set_hints(struct tt_set *set, const struct tt_node *hints)
{
    set->hints = hints;
}

/* Neighbouring samples of a stream share a token: they stay together.  At most
 * 2^24 units, so that the list of a huge set stays small. */
static int64_t unit_of(const struct tt_set_info *info)
{
    int64_t unit = info->sample_count >> 24;

    if (info->kind == TT_SET_TOKENS && unit < info->sample_count / 256)
        unit = info->sample_count / 256 < 64 ? info->sample_count / 256 : 64;
    return unit > 1 ? unit : 1;
}

/* Cut: unit u is held out where its place in a keyed permutation is among the
 * first 'held_units'. */
static void deal_units(int64_t units, int64_t held_units, uint64_t seed,
                       int32_t *kept, int32_t *held)
{
    for (int64_t u = 0; u < units; u++)
        if (tt_order_permute(seed, UINT64_C(0x73706c6974), units, u) <
            held_units)
            *held++ = (int32_t)u;
        else
            *kept++ = (int32_t)u;
}

/* Samples in units at[0 .. count-1]; the set's last unit may be short. */
static int64_t samples_of(const struct tt_set *set, const int32_t *at,
                          int64_t count, int64_t unit)
{
    int64_t all = set->info.sample_count;
    int64_t last = at[count - 1] * unit + unit;

    return count * unit - (last > all ? last - all : 0);
}

static void take_units(struct tt_set *set, int32_t *at, int64_t count,
                       int64_t unit, uint64_t hash)
{
    set->info.sample_count = samples_of(set, at, count, unit);
    set->info.hash = hash;
    set->unit = unit;
    set->unit_count = count;
    set->unit_at = at;
}

int tt_set_hold_out(struct tt_set *set, double part, uint64_t seed,
                    struct tt_set **held, struct tt_error *err)
{
    int64_t unit = unit_of(&set->info);
    int64_t units = (set->info.sample_count + unit - 1) / unit;
    int64_t held_units = (int64_t)(part * (double)units + 0.5);
    int32_t *kept_at = NULL, *held_at = NULL;
    uint64_t key[3] = {set->info.hash, seed, (uint64_t)held_units};
    struct tt_set *other = NULL;

    if (set->unit_at)
        return tt_fail(err, TT_EINVAL, "the set was parted before");
    if (held_units < 1 || held_units >= units)
        return tt_fail(err, TT_EINVAL,
                       "%g %% of %" PRId64 " samples leave one side empty: "
                       "take another share",
                       100 * part, set->info.sample_count);
    other = malloc(sizeof(*other));
    kept_at = malloc((size_t)(units - held_units) * sizeof(*kept_at));
    held_at = malloc((size_t)held_units * sizeof(*held_at));
    if (!other || !kept_at || !held_at) {
        free(other);
        free(kept_at);
        free(held_at);
        return tt_fail(err, TT_ENOMEM, "no memory to part the set");
    }
    deal_units(units, held_units, seed, kept_at, held_at);
    *other = *set;
    other->store->users++;
    take_units(other, held_at, held_units, unit, tt_hash(key, sizeof(key), 1));
    take_units(set, kept_at, units - held_units, unit,
               tt_hash(key, sizeof(key), 2));
    *held = other;
    return 0;
}
