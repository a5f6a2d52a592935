/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - what Slurm says about this job and what signals said: one answer,
 * go on, save and stop, or stop at once. */
#ifndef TT_JOB_JOB_H
#define TT_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* Slurm's view of this process; fields are -1 or "" outside a job. */
struct tt_slurm {
    int64_t job_id, restart_count;
    int task_count, node_count, cpus_per_task;
    double end_time; /* seconds since the epoch, 0 where not known */
    char node_list[256];
};

/* Read from the environment. */
void tt_slurm_read(struct tt_slurm *slurm);

/* What to do at the next step boundary. */
enum tt_wish { TT_WISH_GO_ON, TT_WISH_SAVE, TT_WISH_STOP };

/* Install handlers for TERM, USR1, USR2 and INT that only set a flag (a second
 * INT ends the process at once).  They stay until _exit. */
void tt_signals_start(void);

/* What signals asked for so far on this rank; the signal's name, for the
 * message, or NULL. */
enum tt_wish tt_signals_wish(void);
const char *tt_signals_name(void);

#endif
