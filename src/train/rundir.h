/* SPDX-License-Identifier: BSD-3-Clause */
/* rundir.h - the directory of a run: all that a run writes, and what people
 * leave there for it.  Local: rank 0 calls, and tells the others.  Format:
 * tutti-run(5). */
#ifndef TT_TRAIN_RUNDIR_H
#define TT_TRAIN_RUNDIR_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "job/job.h"

enum { TT_RUNDIR_PATH = 512 };

struct tt_rundir {
    char dir[TT_RUNDIR_PATH - 64];
    char checkpoints[TT_RUNDIR_PATH]; /* dir/checkpoints */
    int64_t job_id, restart;          /* -1 outside of Slurm */
    bool locked;
    double beat_s,
        look_s; /* when the lock was last touched, files looked for */
};

/* Make the directory where it is missing and lock it for this process.  A lock
 * of this host is passed over when its process is gone, one of another host
 * when an earlier start of this Slurm job made it or when it was not touched
 * for ten minutes; else this fails, naming who holds it and the cure. */
int tt_rundir_open(struct tt_rundir *rd, const char *dir,
                   const struct tt_slurm *slurm, struct tt_error *err);

/* Give the lock back.  Zeroed or not opened is fine. */
void tt_rundir_close(struct tt_rundir *rd);

/* Tell others that the lock is alive; to be called now and then (each step is
 * fine), touches the file every half minute. */
void tt_rundir_beat(struct tt_rundir *rd, double now_s);

/* Replace job.yaml by the effective job file. */
int tt_rundir_write_job(const struct tt_rundir *rd, const char *yaml,
                        struct tt_error *err);

/* Append a line to starts.jsonl, on disk when this returns.  'start' is taken
 * over. */
int tt_rundir_add_start(const struct tt_rundir *rd, json_t *start,
                        struct tt_error *err);

/* What every start says: time, job, restart, nodes, host, ranks, threads,
 * build, modules.  The caller adds what it knows beyond. */
json_t *tt_start_create(const struct tt_slurm *slurm, int rank_count,
                        int thread_count);

/* What became of this start, for the job script: done, requeue (with job and
 * restart, so that an old verdict is not taken for a new one), or failed. */
enum tt_run_verdict { TT_VERDICT_DONE, TT_VERDICT_REQUEUE, TT_VERDICT_FAILED };

/* Replace the file 'verdict' by three lines: the word, "step N", the reason. */
int tt_rundir_write_verdict(const struct tt_rundir *rd,
                            enum tt_run_verdict verdict, int64_t step,
                            const char *reason, struct tt_error *err);

/* Take the verdict of an earlier start away. */
int tt_rundir_clear_verdict(const struct tt_rundir *rd, struct tt_error *err);

/* What files STOP and SAVE, made by hand in the run directory, ask for; looks
 * at most once a second. */
enum tt_wish tt_rundir_wish(struct tt_rundir *rd, double now_s);

/* The wish was granted: remove the file. */
void tt_rundir_grant(const struct tt_rundir *rd, enum tt_wish wish);

#endif
