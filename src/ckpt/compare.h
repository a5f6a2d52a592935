/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h - the numbers in a checkpoint, seen by one process: of one tensor,
 * and how far two are apart.  No MPI here. */
#ifndef TT_CKPT_COMPARE_H
#define TT_CKPT_COMPARE_H

#include <stdint.h>

#include "ckpt/blocks.h"

struct tt_ckpt_stats {
    int64_t elem_count;
    int64_t odd_count;          /* not finite; left out of the others */
    double min, max, mean, rms; /* NaN where nothing is left */
};

/* Read all of a tensor and say what is in it. */
int tt_ckpt_tensor_stats(const struct tt_ckpt_file *file,
                         const struct tt_manifest_tensor *tensor,
                         struct tt_ckpt_stats *stats, struct tt_error *err);

/* A tensor in its file. */
struct tt_ckpt_operand {
    const struct tt_ckpt_file *file;
    const struct tt_manifest_tensor *tensor;
};

struct tt_ckpt_diff {
    int64_t elem_count;
    int64_t differ_count; /* elements whose bits differ */
    double max_abs;       /* largest |a - b| of finite ones */
    double rel;           /* ||a - b|| / ||a||, of finite ones */
};

/* Compare two tensors of the same type and shape. */
int tt_ckpt_tensor_diff(struct tt_ckpt_operand a, struct tt_ckpt_operand b,
                        struct tt_ckpt_diff *diff, struct tt_error *err);

#endif
