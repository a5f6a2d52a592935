/* SPDX-License-Identifier: BSD-3-Clause */
/* train_modes.c - what tutti-train can be asked to do with a job. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/train_modes.h"
#include "comm/agree.h"
#include "io/path.h"

static void show_config(const struct tt_run *run)
{
    char *text = tt_job_format(&run->job, true);

    if (text && run->world->rank == 0)
        fputs(text, stdout);
    free(text);
}

/* --try: N steps in a run directory of its own, which is removed. */
static int start_try(struct tt_run *run, const char *text, char dir[4096],
                     struct tt_error *err)
{
    long long id[1] = {getpid()};
    int64_t steps;

    if (tt_i64_parse(text, &steps, err) < 0 || steps < 1)
        return tt_fail(err, TT_EINVAL,
                       "--try=%s: how many steps? a whole number from 1", text);
    MPI_Bcast(id, 1, MPI_LONG_LONG, 0, run->world->comm);
    snprintf(dir, 4096, "%s.try-%lld", run->job.run.dir, id[0]);
    run->job.run.dir = dir;
    run->job.train.length =
        (struct tt_lengths){.count = 1, .at = {{(double)steps, TT_STEPS}}};
    run->flags.resume = "none";
    return 0;
}

/* Load back what was saved, then leave nothing. */
static int end_try(struct tt_run *run, int status, struct tt_error *err)
{
    char path[4096 + 64];
    int rc = 0;

    if (status == 0) {
        snprintf(path, sizeof(path), "%s/checkpoints/step-%08" PRId64,
                 run->job.run.dir, run->state.step);
        rc = tt_run_load_all(run, path, err);
    }
    MPI_Barrier(run->world->comm);
    if (run->world->rank == 0)
        tt_path_remove(run->job.run.dir, rc < 0 ? NULL : err);
    if (status == 0 && rc == 0)
        tt_log_say("tried: trained, saved and loaded; nothing is left");
    return rc < 0 ? 1 : status;
}

static void print_list(const struct tt_run *run)
{
    if (run->world->rank != 0)
        return;
    printf("# one micro-batch of training\n");
    tt_prog_print(&run->plan.train, stdout);
    printf("# the update\n");
    tt_prog_print(&run->plan.update, stdout);
}

static int train(struct tt_run *run, const struct tt_train_modes *modes,
                 struct tt_error *err)
{
    if (modes->list)
        print_list(run);
    if (modes->dry_run) {
        tt_run_summary(run);
        return 0;
    }
    return modes->list ? 0 : tt_run_train_all(run, err);
}

static int go(struct tt_run *run, struct tt_world *world,
              const struct tt_train_modes *modes, struct tt_error *err)
{
    char dir[4096];
    int status;

    run->world = world;
    run->flags =
        (struct tt_run_flags){.resume = modes->resume, .force = modes->force};
    if (modes->show_config) {
        show_config(run);
        return 0;
    }
    if (modes->try_steps && start_try(run, modes->try_steps, dir, err) < 0)
        return 2;
    if (tt_run_open_all(run, world, err) < 0)
        return 1;
    status = train(run, modes, err);
    return modes->try_steps ? end_try(run, status, err) : status;
}

int tt_train_main(const struct tt_args *args, int *argc, char ***argv,
                  const struct tt_train_modes *modes)
{
    struct tt_world world;
    struct tt_error err = {0};
    struct tt_run run = {0};
    int status;

    tt_signals_start();
    tt_slurm_read(&run.slurm);
    if (tt_world_start(&world, argc, argv, &err) < 0)
        return tt_say_error(&world, &err, 1);
    status = tt_job_start(&run.job, args, &world);
    if (status == TT_GO_ON) {
        status = go(&run, &world, modes, &err);
        if (status == 1 || status == 2)
            tt_say_error(&world, &err, status);
        tt_run_close(&run);
        tt_job_clear(&run.job);
    }
    tt_world_end(&world);
    free(args->knob);
    return status;
}
