/* SPDX-License-Identifier: BSD-3-Clause */
/* treesum.h - sums over data-parallel ranks whose bits depend on the lanes'
 * tree (layout/lanes.h), not on who holds what.  Slices travel all-to-all,
 * each owner adds its slice by the tree, results are gathered; a small sum
 * gathers every node and adds locally: same bits. */
#ifndef TT_COMM_TREESUM_H
#define TT_COMM_TREESUM_H

#include <stdint.h>

#include <mpi.h>

#include "base/err.h"

struct tt_treesum;

/* Collective over 'comm' (its size is dp), which must outlive the sum.
 * any_order: plain MPI_Allreduce over each rank's nodes added locally
 * (parallel.order: any).  Scratch memory is at most 'scratch_bytes' (or the
 * little that a shortest piece needs); longer sums go in pieces.  NULL on all
 * ranks if memory is short on one. */
struct tt_treesum *tt_treesum_create(int lanes, int any_order,
                                     int64_t scratch_bytes, MPI_Comm comm,
                                     struct tt_error *err);
void tt_treesum_destroy(struct tt_treesum *sum);

/* Collective.  node[i]: this rank's nodes (tt_lane_nodes), 'count' floats each.
 * On return node[0] holds the sum over all lanes on every rank (a rank without
 * lanes passes one buffer, whose content is ignored); the other nodes are
 * undefined. */
void tt_treesum_run(struct tt_treesum *sum, float *const *node, int64_t count);

/* Bytes this rank sends in one run of 'count' floats. */
int64_t tt_treesum_sent_bytes(const struct tt_treesum *sum, int64_t count);

#endif
