/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c - what all ranks must know at the end of a step. */
#include "comm/verdict.h"

void tt_verdict_all(struct tt_verdict *verdict, int size, MPI_Comm comm)
{
    if (size == 1)
        return;
    MPI_Allreduce(MPI_IN_PLACE, verdict, sizeof(*verdict) / sizeof(int64_t),
                  MPI_INT64_T, MPI_SUM, comm);
}
