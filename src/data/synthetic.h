/* SPDX-License-Identifier: BSD-3-Clause */
/* synthetic.h - samples out of thin air: each is a function of (seed, index),
 * so any rank makes any of them without a file. */
#ifndef TT_DATA_SYNTHETIC_H
#define TT_DATA_SYNTHETIC_H

#include <stdint.h>

#include "base/doc.h"
#include "base/err.h"

enum tt_synthetic_task {
    TT_SYNTH_RANDOM, /* normal features, labels that nothing predicts */
    TT_SYNTH_BLOBS,  /* one Gaussian blob per class, well apart */
    TT_SYNTH_REGRESS /* targets linear in the features, plus noise of 0.1 */
};

enum { TT_SYNTH_DIMS = 4 };

/* Plain data, so that it can be broadcast. */
struct tt_synthetic {
    int32_t task;      /* enum tt_synthetic_task */
    int32_t is_tokens; /* a stream of ids instead of rows */
    int64_t rows;      /* samples, or tokens of the stream */
    int32_t x_dims;
    int64_t x_dim[TT_SYNTH_DIMS];
    int64_t x_values;
    int64_t classes; /* or vocabulary; 0 for regress */
    int64_t targets; /* of regress: values per sample */
    uint64_t seed;
};

/* Read the map behind 'synthetic':
 *   {samples: 1000, features: 10, classes: 2, task: random|blobs|regress}
 *   {samples: 1000, images: [28, 28, 1], classes: 10}
 *   {tokens: 100000, vocab: 256}
 * and seed (1), targets (1).  Fails with file, line, cause and cure. */
int tt_synthetic_parse(const struct tt_node *map, struct tt_synthetic *synth,
                       struct tt_error *err);

/* Rows first .. first+count-1: features (x_values each) as f32, labels as i32,
 * targets as f32, tokens as i32.  Any thread may call these. */
void tt_synthetic_x(const struct tt_synthetic *synth, int64_t first,
                    int64_t count, float *x);
void tt_synthetic_labels(const struct tt_synthetic *synth, int64_t first,
                         int64_t count, int32_t *label);
void tt_synthetic_targets(const struct tt_synthetic *synth, int64_t first,
                          int64_t count, float *y);
void tt_synthetic_tokens(const struct tt_synthetic *synth, int64_t first,
                         int64_t count, int32_t *token);

#endif
