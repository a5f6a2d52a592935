/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h - start and end of MPI, and who and where this rank is. */
#ifndef TT_COMM_START_H
#define TT_COMM_START_H

#include <mpi.h>

#include "base/err.h"

struct tt_world {
    MPI_Comm comm; /* our own duplicate of MPI_COMM_WORLD */
    int rank, size;
    MPI_Comm node; /* ranks that share this host's memory */
    int node_rank, node_size, node_count;
    char host[64]; /* without its domain */
    int cpus;      /* hardware threads that this rank may run on, 0: unknown */
    int node_cpus; /* that all ranks of this node may run on together; fewer
                    * than node_size: ranks take turns, and MPI spins */
    double init_s; /* wall time that MPI_Init took */
};

/* Collective over all.  MPI_Init_thread(FUNNELED), the error handler that
 * names rank, host, error and what was being done (comm/watch.h) and aborts,
 * tells base/log the rank; refuses singletons inside a Slurm step of several
 * tasks, with the cure.  On failure MPI is ended again, and world->rank tells
 * who should speak (0). */
int tt_world_start(struct tt_world *world, int *argc, char ***argv,
                   struct tt_error *err);

/* Collective.  MPI_Finalize where all is well. */
void tt_world_end(struct tt_world *world);

#endif
