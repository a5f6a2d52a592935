/* SPDX-License-Identifier: BSD-3-Clause */
/* tiles.h - the ranks' shares of block hashes, and the proof that their runs
 * tile every tensor. */
#ifndef TT_CKPT_TILES_H
#define TT_CKPT_TILES_H

#include <stdint.h>

#include <mpi.h>

#include "base/err.h"
#include "ckpt/blocks.h"
#include "ckpt/manifest.h"

struct tt_tiles {
    int64_t word_count;
    uint64_t *sum;   /* per block: hash of what this rank holds of it */
    uint64_t *edge;  /* per tensor: see tt_tiles_add() */
    int64_t *offset; /* per tensor: scratch for sending offsets */
};

int tt_tiles_init(struct tt_tiles *tiles, const struct tt_manifest *man,
                  struct tt_error *err);
void tt_tiles_clear(struct tt_tiles *tiles);

/* Note that this rank holds 'run' of tensor 'i' of the manifest: adds
 * hash(end) - hash(first), which over runs that tile n elements telescopes to
 * hash(n) - hash(0), in any order.  Fails on a run outside of the tensor. */
int tt_tiles_add(struct tt_tiles *tiles, const struct tt_manifest *man,
                 int64_t i, struct tt_ckpt_run run, struct tt_error *err);

/* Collective: sums over all ranks, on all ranks. */
void tt_tiles_reduce(struct tt_tiles *tiles, MPI_Comm comm);

/* After the reduction: fails where the runs of tensor 'i' do not tile it. */
int tt_tiles_check(const struct tt_tiles *tiles, const struct tt_manifest *man,
                   int64_t i, struct tt_error *err);

/* A hash of all names, types and shapes. */
int64_t tt_tiles_hash(const struct tt_manifest *man);

#endif
