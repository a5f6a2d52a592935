/* SPDX-License-Identifier: BSD-3-Clause */
/* tiles.c - the ranks' shares of block hashes, and the proof that their runs
 * tile every tensor. */
#include "ckpt/tiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int tt_tiles_init(struct tt_tiles *tiles, const struct tt_manifest *man,
                  struct tt_error *err)
{
    tiles->word_count = man->block_count + man->tensor_count;
    tiles->sum = calloc((size_t)tiles->word_count + 1, sizeof(*tiles->sum));
    tiles->offset =
        calloc((size_t)man->tensor_count + 1, sizeof(*tiles->offset));
    if (!tiles->sum || !tiles->offset)
        return tt_fail(err, TT_ENOMEM, "no memory for %" PRId64 " hashes",
                       tiles->word_count);
    tiles->edge = tiles->sum + man->block_count;
    return 0;
}

void tt_tiles_clear(struct tt_tiles *tiles)
{
    free(tiles->sum);
    free(tiles->offset);
    memset(tiles, 0, sizeof(*tiles));
}

static uint64_t edge_hash(int64_t at)
{
    return tt_hash(&at, sizeof(at), 0);
}

int tt_tiles_add(struct tt_tiles *tiles, const struct tt_manifest *man,
                 int64_t i, struct tt_ckpt_run run, struct tt_error *err)
{
    const struct tt_manifest_tensor *t = &man->tensor[i];

    if (run.count == 0)
        return 0;
    if (run.first < 0 || run.count < 0 || run.first > t->elem_count ||
        run.count > t->elem_count - run.first)
        return tt_fail(err, TT_EINVAL,
                       "%s: elements %" PRId64 " to %" PRId64 " of %" PRId64,
                       t->name, run.first, run.first + run.count,
                       t->elem_count);
    tiles->edge[i] += edge_hash(run.first + run.count) - edge_hash(run.first);
    return 0;
}

void tt_tiles_reduce(struct tt_tiles *tiles, MPI_Comm comm)
{
    MPI_Allreduce(MPI_IN_PLACE, tiles->sum, (int)tiles->word_count,
                  MPI_UINT64_T, MPI_SUM, comm);
}

int tt_tiles_check(const struct tt_tiles *tiles, const struct tt_manifest *man,
                   int64_t i, struct tt_error *err)
{
    const struct tt_manifest_tensor *t = &man->tensor[i];

    if (tiles->edge[i] != edge_hash(t->elem_count) - edge_hash(0))
        return tt_fail(err, TT_EINVAL,
                       "%s: the ranks' parts overlap or leave gaps", t->name);
    return 0;
}

int64_t tt_tiles_hash(const struct tt_manifest *man)
{
    uint64_t hash = 0;

    for (int64_t i = 0; i < man->tensor_count; i++) {
        const struct tt_manifest_tensor *t = &man->tensor[i];

        hash = tt_hash(t->name, strlen(t->name), hash ^ (uint64_t)t->dtype);
        hash = tt_hash(t->dim, (size_t)t->dims * sizeof(t->dim[0]), hash);
    }
    return (int64_t)(hash >> 1); /* its negative must exist too */
}
