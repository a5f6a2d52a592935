/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - everything one run of tutti-train or tutti-eval holds: job, data,
 * plan, memory, and the little state that a checkpoint keeps. */
#ifndef TT_TRAIN_RUN_H
#define TT_TRAIN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/start.h"
#include "comm/treesum.h"
#include "config/job.h"
#include "data/loader.h"
#include "data/set.h"
#include "exec/step.h"
#include "job/job.h"
#include "plan/build.h"

/* What the command line says besides the job file. */
struct tt_run_flags {
    const char *resume; /* auto | none | STEP | PATH */
    bool dry_run, force;
    int64_t try_steps; /* 0: a real run */
};

/* The state of a run beyond its tensors: all of it is in a checkpoint. */
struct tt_run_state {
    int64_t step;       /* steps done */
    int64_t samples;    /* seen */
    double elapsed_s;   /* of training, over all starts */
    double best;        /* best value of eval.best so far */
    int64_t best_step;  /* -1: none yet */
    int64_t stale;      /* evaluations since */
    int64_t eval_step;  /* of the last evaluation, -1: none yet */
    int64_t saved_step; /* newest checkpoint of this run, -1: none; not saved */
    double eval_loss, eval_accuracy; /* the last evaluation's */
};

/* Where samples come from, as a feed for the step. */
struct tt_source {
    struct tt_set *set;
    struct tt_loader *loader;
    const struct tt_plan *plan;
};

struct tt_ckpt_save;

struct tt_run {
    struct tt_job job;
    struct tt_run_flags flags;
    struct tt_world *world;
    struct tt_slurm slurm;
    struct tt_source train, valid; /* valid.set NULL: no validation set */
    struct tt_plan plan;
    struct tt_exec exec;
    struct tt_treesum *treesum;
    struct tt_step *step;
    struct tt_list *eval_list;
    struct tt_run_state state;
    int threads;
    double opened_s; /* tt_clock_s() when tt_run_open_all() began */
    char fingerprint[256];
};

/* Collective over world->comm.  Open the data, plan, allocate and start
 * the backend; the weights are zero. */
int tt_run_open_all(struct tt_run *run, struct tt_world *world,
                    struct tt_error *err);

/* Collective.  Open the loaders where the state says: after a resume. */
int tt_run_start_data_all(struct tt_run *run, struct tt_error *err);
void tt_run_close(struct tt_run *run);

/* Evaluate a source; collective. */
int tt_run_evaluate_all(struct tt_run *run, struct tt_source *source,
                        struct tt_eval_out *out, struct tt_error *err);

/* Checkpoints of this run, collective: save the state now, or begin to (NULL on
 * failure, see ckpt/ckpt.h); load 'path'; find and load what --resume asks for
 * (leaving a fresh run where there is none). */
int tt_run_save_all(const struct tt_run *run, struct tt_error *err);
struct tt_ckpt_save *tt_run_save_begin_all(const struct tt_run *run,
                                           struct tt_error *err);
int tt_run_load_all(struct tt_run *run, const char *path, struct tt_error *err);
int tt_run_resume_all(struct tt_run *run, struct tt_error *err);

/* Local.  Initial weights, from the seed. */
void tt_run_init(struct tt_run *run);

/* Collective.  Take the weights alone from a checkpoint (model.init). */
int tt_run_init_from_all(struct tt_run *run, const char *path,
                         struct tt_error *err);

/* Directory of the run's checkpoints, into 'path'. */
void tt_run_checkpoints(const struct tt_run *run, char *path, size_t bytes);

/* Collective.  Train from the current state to the end of the job, its time or
 * a wish to stop.  Returns what main exits with: 0, 1 (message in err), 75. */
int tt_run_train_all(struct tt_run *run, struct tt_error *err);

/* The lines that a run starts with: model, data, layout, memory, FLOPs. */
void tt_run_summary(const struct tt_run *run);

#endif
