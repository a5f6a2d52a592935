/* SPDX-License-Identifier: BSD-3-Clause */
/* eval_modes.c - tutti-eval: which checkpoint, which set, what is printed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "cmd/eval_modes.h"

static bool is_share(const struct tt_node *node)
{
    return node && node->kind == TT_NODE_SCALAR && strchr(node->text, '%');
}

/* The set asked for takes the place of data.valid, which the run opens; train
 * needs none, unless a share of it is held out. */
static int choose_set(struct tt_job *job, const char *set, struct tt_error *err)
{
    if (strcmp(set, "train") == 0) {
        if (!is_share(job->data.valid))
            job->data.valid = NULL;
        return 0;
    }
    if (strcmp(set, "test") == 0 && job->data.test)
        job->data.valid = job->data.test;
    else if (strcmp(set, "test") != 0 && strcmp(set, "valid") != 0)
        return tt_fail(err, TT_EINVAL, "--data=%s: one of test, valid, train",
                       set);
    if (!job->data.valid)
        return tt_fail(err, TT_EINVAL,
                       "the job file names no data.test and no data.valid: add "
                       "one, or evaluate --data=train");
    return 0;
}

static const char best_name[] = "best", newest_name[] = "auto";

static const char *find_checkpoint(const struct tt_run *run, const char *name)
{
    char path[4096 + 16];
    struct stat st;

    if (strcmp(name, "newest") == 0)
        return newest_name;
    if (strcmp(name, "best") != 0)
        return name;
    snprintf(path, sizeof(path), "%s/checkpoints/best", run->job.run.dir);
    return stat(path, &st) == 0 ? best_name : newest_name;
}

/* The same on all ranks, whatever a file system shows them. */
static const char *find_checkpoint_all(const struct tt_run *run,
                                       const char *name)
{
    const char *found = find_checkpoint(run, name);
    int best = found == best_name;

    MPI_Bcast(&best, 1, MPI_INT, 0, run->world->comm);
    if (found != best_name && found != newest_name)
        return found;
    return best ? best_name : newest_name;
}

static void print(const struct tt_run *run, const struct tt_source *source,
                  const struct tt_eval_out *out)
{
    bool counts = run->plan.spec.loss != TT_LOSS_MSE;

    printf("step %" PRId64 "\n", run->state.step);
    printf("samples %" PRId64 "\n", tt_set_info(source->set)->sample_count);
    printf("targets %" PRId64 "\n", out->targets);
    printf("loss %.9g\n", out->loss);
    if (run->plan.spec.tokens)
        printf("perplexity %.6g\n", exp(out->loss));
    if (counts)
        printf("accuracy %.6g\n", out->accuracy);
}

static int evaluate(struct tt_run *run, struct tt_source *source,
                    const char *checkpoint, struct tt_error *err)
{
    struct tt_eval_out out;

    run->flags.resume = find_checkpoint_all(run, checkpoint);
    run->flags.force = true;
    if (tt_run_resume_all(run, err) < 0)
        return 1;
    if (run->state.saved_step < 0) {
        tt_fail(err, TT_EIO,
                "%s/checkpoints has no checkpoint yet: train first",
                run->job.run.dir);
        return 1;
    }
    if (tt_run_start_data_all(run, err) < 0 ||
        tt_run_evaluate_all(run, source, &out, err) < 0)
        return 1;
    if (run->world->rank == 0)
        print(run, source, &out);
    return 0;
}

static int go(struct tt_run *run, struct tt_world *world, const char *set,
              const char *checkpoint, struct tt_error *err)
{
    if (choose_set(&run->job, set, err) < 0)
        return 2;
    if (tt_run_open_all(run, world, err) < 0)
        return 1;
    return evaluate(run, strcmp(set, "train") == 0 ? &run->train : &run->valid,
                    checkpoint, err);
}

int tt_eval_main(const struct tt_args *args, int *argc, char ***argv,
                 const char *checkpoint, const char *set)
{
    struct tt_world world;
    struct tt_error err = {0};
    struct tt_run run = {0};
    int status;

    if (tt_world_start(&world, argc, argv, &err) < 0)
        return tt_say_error(&world, &err, 1);
    status = tt_job_start(&run.job, args, &world);
    if (status == TT_GO_ON) {
        status = go(&run, &world, set, checkpoint, &err);
        if (status != 0)
            tt_say_error(&world, &err, status);
        tt_run_close(&run);
        tt_job_clear(&run.job);
    }
    tt_world_end(&world);
    free(args->knob);
    return status;
}
