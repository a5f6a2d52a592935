/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.c - environments as Slurm makes them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "job/job.h"

static void forget(void)
{
    static const char *const names[] = {
        "SLURM_JOB_ID",         "SLURM_JOBID",         "SLURM_RESTART_COUNT",
        "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",        "SLURM_NPROCS",
        "SLURM_STEP_NUM_NODES", "SLURM_JOB_NUM_NODES", "SLURM_NNODES",
        "SLURM_CPUS_PER_TASK",  "SRUN_CPUS_PER_TASK",  "SLURM_JOB_END_TIME",
        "SLURM_STEP_NODELIST",  "SLURM_JOB_NODELIST",  NULL};

    for (int i = 0; names[i]; i++)
        unsetenv(names[i]);
}

static void test_outside(void)
{
    struct tt_slurm s;

    forget();
    tt_slurm_read(&s);
    tap_ok(s.job_id == -1 && s.restart_count == -1 && s.task_count == -1 &&
               s.node_count == -1 && s.cpus_per_task == -1,
           "outside a job: -1");
    tap_ok(s.end_time == 0 && s.node_list[0] == '\0', "no end, no nodes");
    tap_ok(isinf(tt_slurm_left_s(&s, 1e9)), "and time without end");
}

static void test_inside(void)
{
    struct tt_slurm s;

    forget();
    setenv("SLURM_JOB_ID", "4242", 1);
    setenv("SLURM_NTASKS", "64", 1);
    setenv("SLURM_STEP_NUM_TASKS", "8", 1);
    setenv("SLURM_JOB_NUM_NODES", "4", 1);
    setenv("SLURM_CPUS_PER_TASK", "6", 1);
    setenv("SLURM_JOB_END_TIME", "1700003600", 1);
    setenv("SLURM_JOB_NODELIST", "n[01-04]", 1);
    tt_slurm_read(&s);
    tap_ok(s.job_id == 4242 && s.restart_count == 0,
           "first start: no SLURM_RESTART_COUNT is 0");
    tap_ok(s.task_count == 8 && s.node_count == 4 && s.cpus_per_task == 6,
           "the step's tasks, nodes, cores");
    tap_ok(tt_slurm_left_s(&s, 1700000000) == 3600, "an hour left");
    tap_ok(strcmp(s.node_list, "n[01-04]") == 0, "the nodes");
    setenv("SLURM_RESTART_COUNT", "3", 1);
    tt_slurm_read(&s);
    tap_ok(s.restart_count == 3, "the third restart");
}

static void test_odd(void)
{
    struct tt_slurm s;
    char many[1000];

    forget();
    memset(many, 'n', sizeof(many) - 1);
    many[sizeof(many) - 1] = '\0';
    setenv("SLURM_JOB_ID", "12x", 1);
    setenv("SLURM_NTASKS", "", 1);
    setenv("SLURM_JOB_NODELIST", many, 1);
    tt_slurm_read(&s);
    tap_ok(s.job_id == -1 && s.task_count == -1, "no numbers: -1");
    tap_ok(strcmp(s.node_list + 252, "...") == 0, "a long list is cut");
}

int main(void)
{
    test_outside();
    test_inside();
    test_odd();
    return tap_done();
}
