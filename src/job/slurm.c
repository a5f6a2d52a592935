/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.c - what Slurm's environment says about this job. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

/* The first variable of the NULL-terminated list that is a number >= 0, or
 * 'absent'. */
static int64_t env_number(const char *const *names, int64_t absent)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        char *end;
        long long value;

        if (!text || !*text)
            continue;
        value = strtoll(text, &end, 10);
        if (!*end && value >= 0)
            return value;
    }
    return absent;
}

static int env_int(const char *const *names)
{
    int64_t value = env_number(names, -1);

    return value > INT_MAX ? -1 : (int)value;
}

static void read_node_list(struct tt_slurm *slurm)
{
    const char *text = getenv("SLURM_STEP_NODELIST");
    size_t room = sizeof(slurm->node_list);

    if (!text)
        text = getenv("SLURM_JOB_NODELIST");
    snprintf(slurm->node_list, room, "%s", text ? text : "");
    if (text && strlen(text) >= room)
        memcpy(slurm->node_list + room - 4, "...", 4);
}

void tt_slurm_read(struct tt_slurm *slurm)
{
    static const char *const job[] = {"SLURM_JOB_ID", "SLURM_JOBID", NULL};
    static const char *const restarts[] = {"SLURM_RESTART_COUNT", NULL};
    static const char *const tasks[] = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",
                                        "SLURM_NPROCS", NULL};
    static const char *const nodes[] = {
        "SLURM_STEP_NUM_NODES", "SLURM_JOB_NUM_NODES", "SLURM_NNODES", NULL};
    static const char *const cpus[] = {"SLURM_CPUS_PER_TASK",
                                       "SRUN_CPUS_PER_TASK", NULL};
    static const char *const end[] = {"SLURM_JOB_END_TIME", NULL}; /* 23.02 */

    memset(slurm, 0, sizeof(*slurm));
    slurm->job_id = env_number(job, -1);
    slurm->restart_count = env_number(restarts, slurm->job_id < 0 ? -1 : 0);
    slurm->task_count = env_int(tasks);
    slurm->node_count = env_int(nodes);
    slurm->cpus_per_task = env_int(cpus);
    slurm->end_time = (double)env_number(end, 0);
    read_node_list(slurm);
}

double tt_slurm_left_s(const struct tt_slurm *slurm, double now_s)
{
    return slurm->end_time > 0 ? slurm->end_time - now_s : INFINITY;
}
