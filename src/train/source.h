/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h - samples of a set as a feed for steps and evaluations. */
#ifndef TT_TRAIN_SOURCE_H
#define TT_TRAIN_SOURCE_H

#include "train/run.h"

/* Feeds of exec/step.h; 'source' is a struct tt_source. */
int64_t tt_source_feed_train(void *source, int64_t step, int32_t lane,
                             int64_t micro, void *x, void *y,
                             struct tt_error *err);
int64_t tt_source_feed_eval(void *source, int64_t step, int32_t lane,
                            int64_t micro, void *x, void *y,
                            struct tt_error *err);

/* Their blame: fails where a sample holds a number that is not finite, naming
 * its file and row. */
int tt_source_blame_train(void *source, int64_t step, int32_t lane,
                          int64_t micro, const void *x, const void *y,
                          struct tt_error *err);
int tt_source_blame_eval(void *source, int64_t step, int32_t lane,
                         int64_t micro, const void *x, const void *y,
                         struct tt_error *err);

/* Micro-batches of all lanes that have samples in 'step'. */
int64_t tt_source_micro_count(const struct tt_plan *plan, int64_t step);

#endif
