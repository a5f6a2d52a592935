/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_priv.h - what the parts of packing share. */
#ifndef TT_DATA_PACK_PRIV_H
#define TT_DATA_PACK_PRIV_H

#include "data/pack.h"
#include "data/stats.h"
#include "data/writer.h"

struct tt_pack {
    const struct tt_pack_conf *conf;
    MPI_Comm comm;
    int rank, size;
    struct tt_shard_index *like; /* or NULL */
    struct tt_intake intake;
    struct tt_split split;
    struct tt_stats stats; /* of the train part; slot_count 0: none */
    struct tt_writer writer;
    uint64_t plan_hash;
    int lock_fd; /* of the file that says who is packing, or -1 */
    struct tt_written *written; /* of all ranks, in order, on rank 0 */
    int64_t written_count;
};

/* --- pack_stats.c: numbers of the train part, and what follows from them -- */

/* Collective.  Fill pack->stats, unless the intake is of tokens. */
int tt_pack_stats_all(struct tt_pack *pack, struct tt_error *err);

/* Mean to deviation, scale and shift of x go into the intake's shape. */
int tt_pack_set_scale(struct tt_pack *pack, struct tt_error *err);

/* --- pack_out.c: the folders that are written -------------------------- */

/* Rank 0.  Make the folders and take the lock; *done where the same command has
 * packed everything before. */
int tt_pack_begin(struct tt_pack *pack, bool *done, struct tt_error *err);

/* Rank 0.  Write the indexes and remove what says that packing is under way. */
int tt_pack_end(struct tt_pack *pack, struct tt_error *err);

#endif
