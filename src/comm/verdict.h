/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h - what all ranks must know at the end of a step, in one reduction:
 * sums that do not depend on the partition, and what any rank asks for.  So no
 * rank leaves a step alone, and a signal on one stops all at the same step. */
#ifndef TT_COMM_VERDICT_H
#define TT_COMM_VERDICT_H

#include <stdint.h>

#include <mpi.h>

#include "base/exact.h"

enum tt_ask {
    TT_ASK_FAILED,  /* could not play its part; its message is agreed on next */
    TT_ASK_SAVE,    /* a checkpoint is due by time or by request */
    TT_ASK_EVAL,    /* an evaluation is due by time */
    TT_ASK_STOP,    /* save and stop: a signal, the end of the job's time */
    TT_ASK_END,     /* the length of training in time is reached */
    TT_ASK_WRITTEN, /* my part of the checkpoint under way is written */
    TT_ASK_COUNT
};

/* Plain int64_t words, added up by MPI_SUM. */
struct tt_verdict {
    struct tt_exact loss, weight, sumsq;
    int64_t correct, targets;
    int64_t asks[TT_ASK_COUNT]; /* ranks that ask */
};

/* Collective over 'comm': afterwards all ranks hold the sums over all ranks.
 * No MPI call where size is 1. */
void tt_verdict_all(struct tt_verdict *verdict, int size, MPI_Comm comm);

#endif
