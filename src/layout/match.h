/* SPDX-License-Identifier: BSD-3-Clause */
/* match.h - the proof that the ranks' lists of collectives and messages fit
 * together: every collective is reached by all ranks of its communicator, in
 * the same order, with the same root and size; every message has a partner;
 * and nobody waits in a circle.  Pure: all ranks' lists are walked on one core.
 *
 * Blocking operations wait for their partners (a send for its receive too, as
 * MPI may do); those that only begin wait at the TT_MATCH_END that names them.
 */
#ifndef TT_LAYOUT_MATCH_H
#define TT_LAYOUT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum {
    TT_MATCH_SEND = -1, /* to rank 'peer' */
    TT_MATCH_RECV = -2, /* from rank 'peer' */
    TT_MATCH_END = -3   /* wait for the operation number 'begun' */
    /* 0 and above: the caller's kinds of collectives */
};

struct tt_match_op {
    const char *name; /* for messages: "sum of gradients" */
    int32_t kind;
    int32_t axis;  /* communicator, an index of 'group' below */
    int32_t peer;  /* rank in the world: partner, or root of a collective, or
                    * -1 where there is none */
    bool begins;   /* the rank goes on at once */
    int64_t begun; /* of TT_MATCH_END: index in this rank's list */
    int64_t bytes; /* must be the same for partners; -1 for all of them where
                    * it may differ */
};

struct tt_match_rank {
    const struct tt_match_op *op;
    int64_t op_count;
    const int32_t *group; /* per axis: ranks with the same number share it */
};

/* 0, or -1 with the first misfit: "rank 1 op 7 (sum of gradients, 4096 bytes)
 * meets rank 0 op 7 (verdict, 592 bytes)", or who waits for whom, where.
 * Time and memory grow with the number of operations of all ranks. */
int tt_match(const struct tt_match_rank *rank, int32_t rank_count,
             int32_t axis_count, struct tt_error *err);

#endif
