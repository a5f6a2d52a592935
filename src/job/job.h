/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - what Slurm says about this job and what signals said: one answer,
 * go on, save and stop, or stop at once. */
#ifndef TT_JOB_JOB_H
#define TT_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* Slurm's view of this process; fields are -1 or "" outside a job, or where
 * this version of Slurm does not say. */
struct tt_slurm {
    int64_t job_id;
    int64_t restart_count; /* 0 on the first start */
    int task_count;        /* of this step, else of the job */
    int node_count, cpus_per_task;
    double end_time;     /* seconds since the epoch, 0 where not known */
    char node_list[256]; /* as Slurm writes it, maybe cut, then ending in ... */
};

/* Read from the environment. */
void tt_slurm_read(struct tt_slurm *slurm);

/* Seconds until the job's time is up, by the clock 'now_s' (since the epoch);
 * infinite where not known. */
double tt_slurm_left_s(const struct tt_slurm *slurm, double now_s);

/* When process 'pid' of this host began, in clock ticks since boot: 0 where it
 * is gone (one that was killed and that nobody waited for is, too), -1 where
 * it runs and the system does not tell. */
int64_t tt_process_born(int64_t pid);

/* What to do at the next step boundary. */
enum tt_wish { TT_WISH_GO_ON, TT_WISH_SAVE, TT_WISH_STOP };

/* Install handlers for TERM, USR1, USR2 and INT that only set a flag (a second
 * INT ends the process at once).  They stay until _exit.  Threads started
 * earlier or later should block these signals. */
void tt_signals_start(void);

/* The calling thread takes none of these signals from now on; nothing happens
 * in the one that called tt_signals_start(), which has a stack for its
 * handlers. For threads that compute: a handler on their stack would spoil what
 * kernels keep below it. */
void tt_signals_leave(void);

/* What signals asked for so far on this rank: to save and stop, or nothing;
 * the first signal's name, for the message, or NULL. */
enum tt_wish tt_signals_wish(void);
const char *tt_signals_name(void);

#endif
