/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h - bytes that a rank needs for its lists, by kind, before anything
 * is allocated.  The planner prints what exec/ then allocates. */
#ifndef TT_MODEL_MEMORY_H
#define TT_MODEL_MEMORY_H

#include <stdint.h>

#include "device/kernels.h"
#include "model/param.h"
#include "model/prog.h"

struct tt_memory_conf {
    const struct tt_backend *backend;
    int64_t samples;  /* capacity of a micro-batch */
    int accumulators; /* of gradients */
    int moments;
};

struct tt_memory {
    int64_t weights, accumulators, moments, activations, workspace, io;
    int64_t snapshot; /* copy of what this rank writes of a checkpoint; known
                       * to who knows the ranks: 0 from tt_memory_count() */
};

/* For the lists prog[0 .. count-1], which share one arena and one workspace.
 */
struct tt_memory tt_memory_count(const struct tt_memory_conf *conf,
                                 const struct tt_params *params,
                                 const struct tt_prog *const *prog, int count);

/* All kinds together. */
int64_t tt_memory_sum(const struct tt_memory *memory);

#endif
