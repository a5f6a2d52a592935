/* SPDX-License-Identifier: BSD-3-Clause */
/* step.h - one step of training and one evaluation: the beats of a score, the
 * sum over ranks, the verdict that all ranks share, the update. */
#ifndef TT_EXEC_STEP_H
#define TT_EXEC_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "comm/treesum.h"
#include "comm/verdict.h"
#include "exec/exec.h"
#include "layout/score.h"

/* Where samples come from.  'feed' copies micro-batch 'micro' of 'lane' in step
 * 'step' to x and y and returns how many samples it has (0: none left in a
 * short batch), or -1.  'blame', which may be NULL, is asked where the loss of
 * that micro-batch is not finite: it fails if the samples are the cause. */
struct tt_feed {
    int64_t (*feed)(void *source, int64_t step, int32_t lane, int64_t micro,
                    void *x, void *y, struct tt_error *err);
    void *source;
    int (*blame)(void *source, int64_t step, int32_t lane, int64_t micro,
                 const void *x, const void *y, struct tt_error *err);
};

struct tt_step_conf {
    struct tt_exec *exec;
    const struct tt_params *params;
    const struct tt_prog *train, *lane_end, *update;
    const struct tt_score *score;
    const struct tt_deal *deal;
    struct tt_treesum *treesum; /* NULL where one rank holds everything */
    MPI_Comm comm;              /* the data-parallel axis */
    int rank, size;             /* in comm */
    double clip_norm;           /* 0: off */
    uint64_t seed;
};

/* A step's inputs that differ from step to step. */
struct tt_step_in {
    int64_t step, update;
    int64_t micro_count; /* micro-batches with samples, of all lanes */
    double lr;
    int64_t asks[TT_ASK_COUNT]; /* what this rank asks for, 0 or 1 each */
};

/* What all ranks know after it. */
struct tt_step_out {
    double loss;      /* mean over the global batch's valid targets */
    double grad_norm; /* of the mean gradient, before clipping */
    double accuracy;
    int64_t targets;            /* valid ones */
    int64_t asks[TT_ASK_COUNT]; /* ranks that asked */
    double comm_wait_s;
    bool finite; /* else no update was made */
};

struct tt_step;

struct tt_step *tt_step_create(const struct tt_step_conf *conf,
                               struct tt_error *err);
void tt_step_destroy(struct tt_step *step);

/* Collective over conf->comm.  Fails on all ranks where a feed failed on one.
 */
int tt_step_run(struct tt_step *step, const struct tt_step_in *in,
                const struct tt_feed *feed, struct tt_step_out *out,
                struct tt_error *err);

/* Sums over a whole set. */
struct tt_eval_out {
    double loss, accuracy;
    int64_t targets;
};

/* Collective.  Evaluate samples 0 .. sample_count-1 in fixed micro-batches of
 * 'micro_samples', dealt whole to ranks by index: any rank count gives the same
 * bits.  feed->feed gets step -1, lane 0 and the micro-batch's index. */
struct tt_eval_conf {
    struct tt_exec *exec;
    const struct tt_list *list; /* of the evaluation program */
    int64_t sample_count, micro_samples;
    MPI_Comm comm;
    int rank, size;
};
int tt_eval_run(const struct tt_eval_conf *conf, const struct tt_feed *feed,
                struct tt_eval_out *out, struct tt_error *err);

#endif
