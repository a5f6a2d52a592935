/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - mean, deviation and range of numbers, per place; the same bits
 * whatever ranks added which samples. */
#ifndef TT_DATA_STATS_H
#define TT_DATA_STATS_H

#include <stdint.h>

#include <mpi.h>

#include "base/dtype.h"
#include "base/err.h"
#include "base/exact.h"

struct tt_stats {
    int64_t slot_count; /* places: value i of a run belongs to i % slot_count */
    struct tt_exact *sum, *square; /* slot_count each */
    double *low, *high;
    int64_t *count;   /* numbers */
    int64_t *missing; /* NaN */
    double *part;     /* scratch */
};

int tt_stats_init(struct tt_stats *stats, int64_t slot_count,
                  struct tt_error *err);
void tt_stats_clear(struct tt_stats *stats);

/* Add 'count' values, a multiple of slot_count and at most 2^20 per slot. */
void tt_stats_add(struct tt_stats *stats, enum tt_dtype dtype, const void *raw,
                  int64_t count);

/* Collective over 'comm': everybody gets the sum over all. */
void tt_stats_merge_all(struct tt_stats *stats, MPI_Comm comm);

/* Mean and population deviation of a slot; NaN where an infinity was added, 0
 * where nothing was. */
double tt_stats_mean(const struct tt_stats *stats, int64_t slot);
double tt_stats_std(const struct tt_stats *stats, int64_t slot);

#endif
