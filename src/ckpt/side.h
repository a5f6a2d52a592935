/* SPDX-License-Identifier: BSD-3-Clause */
/* side.h - names of what stands beside the steps of a run: checkpoints that are
 * being written, replaced or removed, and who is at it. */
#ifndef TT_CKPT_SIDE_H
#define TT_CKPT_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ckpt/steps.h"

struct tt_side {
    int64_t step;
    char kind[8];         /* tmp: being written, old: replaced, gone: removed */
    int64_t job, restart; /* of Slurm, or -1 */
    int64_t pid, serial;
    char host[65];
};

/* A path in root that nobody else uses, of this process. */
int tt_side_path(char path[TT_CKPT_PATH], const char *root, int64_t step,
                 const char *kind, struct tt_error *err);

/* Whether the process that made 'path' is gone: of this host and no longer
 * running, of another start of this Slurm job, or a day old. */
bool tt_side_is_dead(const struct tt_side *side, const char *path);

/* Call 'each' for every such name in root, until one fails. */
typedef int (*tt_side_fn)(const char *root, const char *path,
                          const struct tt_side *side, struct tt_error *err);
int tt_sides_walk(const char *root, tt_side_fn each, struct tt_error *err);

#endif
