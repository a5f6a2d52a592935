/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h - which part (train, valid, ...) a sample belongs to: a pure
 * function of the seed, with exact counts.  Samples are cut into pieces that
 * stay together: single rows, or runs of tokens. */
#ifndef TT_DATA_SPLIT_H
#define TT_DATA_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { TT_SPLIT_PARTS = 8, TT_SPLIT_NAME = 32 };

struct tt_split {
    int part_count;
    char name[TT_SPLIT_PARTS][TT_SPLIT_NAME]; /* "" where all is one part */
    double share[TT_SPLIT_PARTS];
    /* filled by tt_split_set */
    uint64_t seed;
    bool by_end; /* the last pieces, in order, instead of drawn ones */
    int64_t sample_count, piece_samples, piece_count;
    int64_t edge[TT_SPLIT_PARTS + 1]; /* part p: drawn places edge[p] ... */
};

/* "train:0.9,valid:0.1", shares also as "90%"; or NULL, and 'valid' "10%" for
 * train and valid; or both NULL for one part. */
int tt_split_parse(const char *text, const char *valid, struct tt_split *split,
                   struct tt_error *err);

/* Deal so many samples.  A part that would stay empty is a failure. */
int tt_split_set(struct tt_split *split, int64_t sample_count,
                 int64_t piece_samples, struct tt_error *err);

/* The part of a sample, and in *run how many samples from it on are surely of
 * the same part (within its piece). */
int tt_split_part(const struct tt_split *split, int64_t sample, int64_t *run);

/* The part that statistics are taken from: "train", or the first. */
int tt_split_train(const struct tt_split *split);

#endif
