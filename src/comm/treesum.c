/* SPDX-License-Identifier: BSD-3-Clause */
/* treesum.c - sums over data-parallel ranks with the bits of the lanes' tree.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "comm/agree.h"
#include "comm/treesum.h"
#include "layout/lanes.h"

enum {
    SLICE_FLOATS = 512,        /* slices begin at multiples of this */
    GATHER_FLOATS = 16 * 1024, /* up to here in all, every rank adds it all */
    ADD_FLOATS = 2048          /* added at a time, so that it stays in cache */
};

struct tt_treesum {
    MPI_Comm comm;
    int dp, rank;
    bool any_order;
    bool even;      /* every rank has as many nodes */
    int nodes;      /* mine */
    int nodes_most; /* of any rank */
    int nodes_all;
    int add_count;
    struct tt_lane_add *add; /* over the nodes of all ranks, in rank order */
    int *rank_nodes;         /* of each rank */
    float *pack, *gather;    /* what goes out, what comes in */
    float **at;              /* where each node stands while it is added */
    int64_t piece_floats;    /* of one node that the scratch has room for */
    int *send_count, *send_first, *recv_count, *recv_first;
};

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Floats of each node that rank 'owner' adds up in a piece. */
static struct tt_block slice_of(const struct tt_treesum *s, int64_t count,
                                int owner)
{
    int64_t slices = ceil_div(count, SLICE_FLOATS);
    struct tt_block b = tt_block_of(slices, s->dp, owner);

    b.first = b.first * SLICE_FLOATS;
    b.count = b.count * SLICE_FLOATS;
    if (b.first > count)
        b.first = count;
    if (b.first + b.count > count)
        b.count = count - b.first;
    return b;
}

static int64_t pack_floats(const struct tt_treesum *s, int64_t piece)
{
    return s->nodes_most > 1 ? s->nodes_most * piece : 0;
}

static int64_t gather_floats(const struct tt_treesum *s, int64_t piece)
{
    int64_t slice =
        ceil_div(ceil_div(piece, SLICE_FLOATS), s->dp) * SLICE_FLOATS;

    return s->nodes_all * slice;
}

/* The longest piece that keeps within the scratch and within MPI's int counts;
 * the same on every rank. */
static void choose_piece(struct tt_treesum *s, int64_t scratch_floats)
{
    int64_t unit = (int64_t)s->dp * SLICE_FLOATS;
    int64_t one = pack_floats(s, unit) + gather_floats(s, unit);

    if (scratch_floats > INT_MAX / 4)
        scratch_floats = INT_MAX / 4;
    s->piece_floats = scratch_floats / one * unit;
    if (s->piece_floats < unit)
        s->piece_floats = unit;
    if (s->piece_floats > INT_MAX / 4)
        s->piece_floats = INT_MAX / 4 / unit * unit;
}

static int alloc_floats(float **out, int64_t floats)
{
    void *p = NULL;

    if (posix_memalign(&p, 64, (size_t)(floats + 16) * sizeof(float)) != 0)
        return -1;
    *out = p;
    return 0;
}

static int alloc_scratch(struct tt_treesum *s, struct tt_error *err)
{
    int64_t pack = pack_floats(s, s->piece_floats);
    int64_t gather = gather_floats(s, s->piece_floats);

    if (pack < GATHER_FLOATS)
        pack = GATHER_FLOATS;
    if (gather < GATHER_FLOATS)
        gather = GATHER_FLOATS;
    s->send_count = calloc(4 * (size_t)s->dp, sizeof(int));
    if (!s->send_count || alloc_floats(&s->pack, pack) < 0 ||
        alloc_floats(&s->gather, gather) < 0)
        return tt_fail(err, TT_ENOMEM, "no memory for sums over ranks: %lld MB",
                       (long long)(pack + gather) * 4 / 1000000);
    s->send_first = s->send_count + s->dp;
    s->recv_count = s->send_first + s->dp;
    s->recv_first = s->recv_count + s->dp;
    return 0;
}

/* Who has which nodes, and how they are added up. */
static int plan_tree(struct tt_treesum *s, int lanes, struct tt_error *err)
{
    struct tt_lane_node *node = malloc((size_t)lanes * sizeof(*node));

    s->add = malloc((size_t)lanes * sizeof(*s->add));
    s->at = malloc((size_t)lanes * sizeof(*s->at));
    s->rank_nodes = malloc((size_t)s->dp * sizeof(int));
    if (!node || !s->add || !s->at || !s->rank_nodes) {
        free(node);
        return tt_fail(err, TT_ENOMEM, "no memory for the tree of lanes");
    }
    s->even = true;
    for (int r = 0; r < s->dp; r++) {
        struct tt_block b = tt_lanes_of(lanes, s->dp, r);
        int nodes = tt_lane_nodes(lanes, (int)b.first, (int)b.count,
                                  node + s->nodes_all);

        s->rank_nodes[r] = nodes;
        s->nodes_all += nodes;
        s->nodes_most = nodes > s->nodes_most ? nodes : s->nodes_most;
        s->even = s->even && nodes == s->rank_nodes[0];
    }
    s->nodes = s->rank_nodes[s->rank];
    s->add_count = tt_lane_tree(lanes, node, s->nodes_all, s->add);
    free(node);
    return 0;
}

struct tt_treesum *tt_treesum_create(int lanes, int any_order,
                                     int64_t scratch_bytes, MPI_Comm comm,
                                     struct tt_error *err)
{
    struct tt_treesum *s = calloc(1, sizeof(*s));
    int rc = 0;

    if (!s) {
        rc = tt_fail(err, TT_ENOMEM, "no memory for sums over ranks");
    } else {
        s->comm = comm;
        s->any_order = any_order;
        MPI_Comm_size(comm, &s->dp);
        MPI_Comm_rank(comm, &s->rank);
        rc = plan_tree(s, lanes, err);
    }
    if (rc == 0 && s->dp > 1 && !any_order) {
        choose_piece(s, scratch_bytes / (int64_t)sizeof(float));
        rc = alloc_scratch(s, err);
    }
    if (tt_agree(rc, err, comm) < 0) {
        tt_treesum_destroy(s);
        return NULL;
    }
    return s;
}

void tt_treesum_destroy(struct tt_treesum *s)
{
    if (!s)
        return;
    free(s->add);
    free(s->at);
    free(s->rank_nodes);
    free(s->pack);
    free(s->gather);
    free(s->send_count);
    free(s);
}

/* dst += src; sixteen at a time, for the vectorizer. */
static void add_floats(float *restrict dst, const float *restrict src,
                       int64_t count)
{
    int64_t i = 0;

    for (; i + 16 <= count; i += 16)
        for (int j = 0; j < 16; j++)
            dst[i + j] += src[i + j];
    for (; i < count; i++)
        dst[i] += src[i];
}

/* Add up the nodes that stand at s->at[], 'count' floats each, into 'out'. */
static void add_tree(const struct tt_treesum *s, int64_t count, float *out)
{
    for (int64_t at = 0; at < count; at += ADD_FLOATS) {
        int64_t left = count - at < ADD_FLOATS ? count - at : ADD_FLOATS;

        for (int i = 0; i < s->add_count; i++)
            add_floats(s->at[s->add[i].dst] + at, s->at[s->add[i].src] + at,
                       left);
        if (out != s->at[0])
            memcpy(out + at, s->at[0] + at, (size_t)left * sizeof(float));
    }
}

/* Short sums: every rank gets every node. */
static void sum_gathered(struct tt_treesum *s, float *const *node,
                         int64_t count)
{
    int all = 0;

    for (int r = 0; r < s->dp; r++) {
        s->recv_count[r] = s->rank_nodes[r] * (int)count;
        s->recv_first[r] = all * (int)count;
        for (int i = 0; i < s->rank_nodes[r]; i++, all++) {
            s->at[all] = s->gather + all * count;
            if (r == s->rank)
                memcpy(s->at[all], node[i], (size_t)count * sizeof(float));
        }
    }
    if (s->even)
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, s->gather, s->recv_count[0],
                      MPI_FLOAT, s->comm);
    else
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_FLOAT, s->gather, s->recv_count,
                       s->recv_first, MPI_FLOAT, s->comm);
    add_tree(s, count, node[0]);
}

/* Fill the counts of what goes to other owners; with several nodes, pack it.
 * Returns where it starts. */
static float *pack_slices(struct tt_treesum *s, float *const *node, int64_t at,
                          int64_t count)
{
    float *pack = s->pack;

    for (int r = 0; r < s->dp; r++) {
        struct tt_block b = slice_of(s, count, r);

        if (r == s->rank)
            b.count = 0;
        s->send_count[r] = s->nodes * (int)b.count;
        s->send_first[r] = s->nodes > 1 ? (int)(pack - s->pack) : (int)b.first;
        for (int i = 0; s->nodes > 1 && i < s->nodes; i++) {
            memcpy(pack, node[i] + at + b.first,
                   (size_t)b.count * sizeof(float));
            pack += b.count;
        }
    }
    return s->nodes > 1 ? s->pack : node[0] + at;
}

/* Where the nodes' parts of this owner's slice will stand: its own where they
 * are, others' as they come in. */
static void place_slices(struct tt_treesum *s, float *const *node,
                         struct tt_block mine)
{
    int first = 0, all = 0;

    for (int r = 0; r < s->dp; r++) {
        s->recv_first[r] = first;
        for (int i = 0; i < s->rank_nodes[r]; i++, all++)
            if (r == s->rank) {
                s->at[all] = node[i] + mine.first;
            } else {
                s->at[all] = s->gather + first;
                first += (int)mine.count;
            }
        s->recv_count[r] = first - s->recv_first[r];
    }
}

/* One piece of a long sum: floats at .. at+count-1 of every node. */
static void sum_piece(struct tt_treesum *s, float *const *node, int64_t at,
                      int64_t count)
{
    struct tt_block mine = slice_of(s, count, s->rank);
    float *send = pack_slices(s, node, at, count);

    mine.first += at;
    place_slices(s, node, mine);
    MPI_Alltoallv(send, s->send_count, s->send_first, MPI_FLOAT, s->gather,
                  s->recv_count, s->recv_first, MPI_FLOAT, s->comm);
    add_tree(s, mine.count, node[0] + mine.first);
    for (int r = 0; r < s->dp; r++) {
        struct tt_block b = slice_of(s, count, r);

        s->recv_count[r] = (int)b.count;
        s->recv_first[r] = (int)b.first;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_FLOAT, node[0] + at, s->recv_count,
                   s->recv_first, MPI_FLOAT, s->comm);
}

/* MPI's own order; the bits then depend on the ranks. */
static void sum_any_order(struct tt_treesum *s, float *const *node,
                          int64_t count)
{
    const int64_t most = INT_MAX / 4;

    if (s->nodes == 0)
        memset(node[0], 0, (size_t)count * sizeof(float));
    for (int i = 1; i < s->nodes; i++)
        add_floats(node[0], node[i], count);
    for (int64_t at = 0; s->dp > 1 && at < count; at += most) {
        int64_t left = count - at < most ? count - at : most;

        MPI_Allreduce(MPI_IN_PLACE, node[0] + at, (int)left, MPI_FLOAT, MPI_SUM,
                      s->comm);
    }
}

void tt_treesum_run(struct tt_treesum *s, float *const *node, int64_t count)
{
    if (s->any_order) {
        sum_any_order(s, node, count);
    } else if (s->dp > 1 && s->nodes_all * count <= GATHER_FLOATS) {
        sum_gathered(s, node, count);
    } else if (s->dp > 1) {
        for (int64_t at = 0; at < count; at += s->piece_floats)
            sum_piece(s, node, at,
                      count - at < s->piece_floats ? count - at
                                                   : s->piece_floats);
    }
}

int64_t tt_treesum_sent_bytes(const struct tt_treesum *s, int64_t count)
{
    int64_t others = s->dp - 1, all = 0;

    if (s->any_order)
        return 2 * count * (int64_t)sizeof(float) * others / s->dp;
    if (s->nodes_all * count <= GATHER_FLOATS)
        return others * s->nodes * count * (int64_t)sizeof(float);
    for (int64_t at = 0; at < count && others > 0; at += s->piece_floats) {
        int64_t left =
            count - at < s->piece_floats ? count - at : s->piece_floats;
        int64_t mine = slice_of(s, left, s->rank).count;

        all += s->nodes * (left - mine) + others * mine;
    }
    return all * (int64_t)sizeof(float);
}
