/* SPDX-License-Identifier: BSD-3-Clause */
/* loader.h - samples in the order of layout/order.h.  Sets up to data.cache
 * stay in memory; of larger ones a window of each lane and the next one: a
 * thread of its own reads with pread and never calls MPI or HDF5; what needs
 * HDF5 is read by the compute thread between steps. */
#ifndef TT_DATA_LOADER_H
#define TT_DATA_LOADER_H

#include <stdint.h>

#include "data/set.h"
#include "layout/order.h"

struct tt_loader;

/* Local, except with data.read: collective: then creating, destroying and the
 * first fetch of each step are collective over the set's communicator.
 * Lanes lane_first .. lane_first+lane_count-1 are this rank's; 'order' is
 * copied.  'first_step': where the run starts or resumes.  Windows take at most
 * 'memory_bytes' (0: no limit); with room for one a lane nothing is read ahead,
 * with less creating fails.  'set' must outlive the loader. */
struct tt_loader *tt_loader_create(struct tt_set *set,
                                   const struct tt_order *order,
                                   int32_t lane_first, int32_t lane_count,
                                   int64_t first_step, int64_t memory_bytes,
                                   struct tt_error *err);
void tt_loader_destroy(struct tt_loader *loader);

/* Before the first fetch of a step, which else does it: reads ahead what needs
 * HDF5.  With data.read: collective it is collective, so a rank without lanes
 * has to call it too, for each step in the order of the run. */
int tt_loader_begin_step(struct tt_loader *loader, int64_t step,
                         struct tt_error *err);

/* Copy the samples at positions first .. first+count-1 of this lane's share of
 * step 'step' into x and y (f32, or i32 tokens and labels; x_values and
 * y_values per sample).  The caller asks in the order of the run; another
 * order is right too, but slow.  Fails on an I/O error or a label outside the
 * classes, with file, dataset, row, cause and cure. */
int tt_loader_fetch(struct tt_loader *loader, int64_t step, int32_t lane,
                    int64_t first, int64_t count, void *x, void *y,
                    struct tt_error *err);

/* The sample of the set that tt_loader_fetch() copies for position 'at'. */
int64_t tt_loader_sample(struct tt_loader *loader, int64_t step, int32_t lane,
                         int64_t at);

/* Samples first .. first+count-1 of the set in storage order, for evaluation;
 * local. */
int tt_loader_fetch_plain(struct tt_loader *loader, int64_t first,
                          int64_t count, void *x, void *y,
                          struct tt_error *err);

/* Seconds that steps have waited for data so far, not counting evaluations. */
double tt_loader_wait_s(const struct tt_loader *loader);

#endif
