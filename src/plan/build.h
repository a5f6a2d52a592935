/* SPDX-License-Identifier: BSD-3-Clause */
/* build.h - a job and what its data looks like -> a planned run of one rank:
 * the model, its lists, how the batch is dealt, the update rule.  tutti-train
 * runs this plan, a dry run prints it: they cannot drift. */
#ifndef TT_PLAN_BUILD_H
#define TT_PLAN_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/job.h"
#include "layout/order.h"
#include "layout/score.h"
#include "model/memory.h"
#include "model/program.h"
#include "optim/rule.h"
#include "optim/schedule.h"

/* What a plan must know of the data. */
struct tt_plan_data {
    bool tokens;
    int x_dims;
    int64_t x_dim[4];
    bool y_is_class;
    int64_t y_values, classes;
    int64_t sample_count, sample_bytes;
    int64_t chunk_samples; /* read and decoded together; 0, 1: any run */
};

/* Bytes of a storage block of a shuffled set (layout/order.h). */
enum { TT_PLAN_BLOCK_BYTES = 1 << 20 };

struct tt_plan {
    struct tt_spec spec;
    struct tt_params params;
    struct tt_prog train, eval, lane_end, update;
    struct tt_order order;
    struct tt_deal deal;
    struct tt_score score;
    const struct tt_rule *rule;
    struct tt_rule_conf rule_conf;
    struct tt_schedule schedule;
    struct tt_memory_conf memory_conf;
    struct tt_memory memory;
    int64_t epoch_steps; /* 0 with data.last: carry */
    int64_t total_steps; /* INT64_MAX where only time ends the run */
    double total_s;      /* 0: no limit of time */
    int64_t micro_samples, eval_samples, lanes, global_batch;
    int64_t step_flops, step_gemm_flops; /* of the whole global batch */
};

/* Plan for data-parallel rank 'rank' of 'dp'.  Fails, naming the knob, where
 * model, data and batch do not fit. */
int tt_plan_build(const struct tt_job *job, const struct tt_plan_data *data,
                  int rank, int dp, struct tt_plan *plan, struct tt_error *err);
void tt_plan_clear(struct tt_plan *plan);

/* A length in steps of this plan; INT64_MAX for one in seconds. */
int64_t tt_plan_steps(const struct tt_plan *plan, struct tt_length length);

#endif
