/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - from a job to a run that is ready for its first step. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "comm/agree.h"
#include "comm/watch.h"
#include "plan/match.h"
#include "train/run.h"
#include "train/source.h"

/* Memory a loader may use for windows. */
enum { LOADER_BYTES = 256 << 20 };

/* data.valid: "10 %" of train, or a set of its own. */
static int open_valid(struct tt_run *run, struct tt_error *err)
{
    const struct tt_job *job = &run->job;
    const struct tt_node *what = job->data.valid;
    double share;
    struct tt_error not_share = {0};

    if (!what)
        return 0;
    if (what->kind == TT_NODE_SCALAR &&
        tt_percent_parse(what->text, &share, &not_share) == 0)
        return tt_set_hold_out(run->train.set, share, (uint64_t)job->train.seed,
                               &run->valid.set, err) < 0
                   ? tt_fail_in(err, "data.valid")
                   : 0;
    run->valid.set = tt_set_open_all(what, job->model.context, &job->data,
                                     run->world->comm, err);
    return run->valid.set ? 0 : tt_fail_in(err, "data.valid");
}

/* What the sets are told of the job beyond their own section. */
static void tell_set(struct tt_set *set, const struct tt_job *job)
{
    tt_set_ignore(set, job->train.ignore_index);
    tt_set_hints(set, job->io.hints);
}

static int open_sets(struct tt_run *run, struct tt_error *err)
{
    const struct tt_job *job = &run->job;

    run->train.set = tt_set_open_all(job->data.train, job->model.context,
                                     &job->data, run->world->comm, err);
    if (!run->train.set)
        return tt_fail_in(err, "data.train");
    tell_set(run->train.set, job);
    if (open_valid(run, err) < 0)
        return -1;
    if (run->valid.set)
        tell_set(run->valid.set, job);
    return 0;
}

/* A validation set must look like the training set. */
static int check_valid(const struct tt_run *run, struct tt_error *err)
{
    const struct tt_set_info *t = tt_set_info(run->train.set), *v;

    if (!run->valid.set)
        return 0;
    v = tt_set_info(run->valid.set);
    if (v->kind == t->kind && v->x_values == t->x_values &&
        v->y_values == t->y_values && v->y_is_class == t->y_is_class &&
        v->classes <= t->classes)
        return 0;
    return tt_fail(err, TT_EINVAL,
                   "data.valid does not fit data.train: a sample has %lld "
                   "values and %lld classes, in training %lld and %lld",
                   (long long)v->x_values, (long long)v->classes,
                   (long long)t->x_values, (long long)t->classes);
}

/* Before anything is counted: workspaces grow with the threads. */
static void start_backend(const struct tt_run *run)
{
    const char *name = run->job.train.backend;
    const struct tt_backend *backend =
        tt_backend_find(strcmp(name, "auto") == 0 ? "cpu" : name);

    if (backend->start)
        backend->start(run->threads);
}

static int plan(struct tt_run *run, struct tt_error *err)
{
    const struct tt_set_info *info = tt_set_info(run->train.set);
    struct tt_plan_data data = {
        .tokens = info->kind == TT_SET_TOKENS,
        .x_dims = info->x_dims,
        .y_is_class = info->y_is_class,
        .y_values = info->y_values,
        .classes = info->classes,
        .sample_count = info->sample_count,
        .sample_bytes = info->sample_bytes,
        .chunk_samples = info->chunk_samples,
    };

    memcpy(data.x_dim, info->x_dim, sizeof(data.x_dim));
    if (check_valid(run, err) < 0 ||
        tt_plan_build(&run->job, &data, run->world->rank, run->world->size,
                      &run->plan, err) < 0 ||
        tt_plan_match(&run->plan, err) < 0)
        return -1;
    tt_job_resolve(&run->job, "model", "vocab", run->plan.spec.classes);
    return 0;
}

static int open_loaders(struct tt_run *run, struct tt_error *err)
{
    const struct tt_block *lanes = &run->plan.score.lanes;
    struct tt_order plain = run->plan.order;

    run->train.plan = run->valid.plan = &run->plan;
    run->train.loader = tt_loader_create(
        run->train.set, &run->plan.order, (int32_t)lanes->first,
        (int32_t)lanes->count, run->state.step, LOADER_BYTES, err);
    if (!run->train.loader)
        return -1;
    if (!run->valid.set)
        return 0;
    plain.sample_count = tt_set_info(run->valid.set)->sample_count;
    plain.shuffle = false;
    run->valid.loader =
        tt_loader_create(run->valid.set, &plain, 0, 0, 0, LOADER_BYTES, err);
    return run->valid.loader ? 0 : -1;
}

/* The team stays as it is from here on. */
static void start_team(int threads)
{
#pragma omp parallel num_threads(threads)
    tt_signals_leave();
}

static int allocate(struct tt_run *run, struct tt_error *err)
{
    struct tt_plan *p = &run->plan;
    const struct tt_prog *const prog[] = {&p->train, &p->eval, &p->update,
                                          &p->lane_end};
    struct tt_exec_conf conf = {p->memory_conf, run->threads};
    const struct tt_f64_list *weights = &run->job.train.class_weights;

    start_team(run->threads);
    if (tt_exec_init(&run->exec, &conf, &p->params, prog, 4, err) < 0)
        return -1;
    for (int i = 0; i < weights->count; i++)
        run->exec.class_weights[i] = (float)weights->at[i];
    run->eval_list = tt_list_create(&run->exec, &p->eval, 0, err);
    return run->eval_list ? 0 : -1;
}

static int make_step(struct tt_run *run, struct tt_error *err)
{
    struct tt_step_conf conf = {
        .exec = &run->exec,
        .params = &run->plan.params,
        .train = &run->plan.train,
        .lane_end = &run->plan.lane_end,
        .update = &run->plan.update,
        .score = &run->plan.score,
        .deal = &run->plan.deal,
        .treesum = run->treesum,
        .comm = run->world->comm,
        .rank = run->world->rank,
        .size = run->world->size,
        .clip_norm = run->job.optimizer.clip_norm,
        .seed = (uint64_t)run->job.train.seed,
    };

    run->step = tt_step_create(&conf, err);
    return run->step ? 0 : -1;
}

/* Collective. */
static int make_treesum(struct tt_run *run, struct tt_error *err)
{
    int any = strcmp(run->job.parallel.order, "any") == 0;

    if (run->world->size == 1)
        return 0;
    run->treesum = tt_treesum_create(tt_deal_pieces(&run->plan.deal), any,
                                     64 << 20, run->world->comm, err);
    return run->treesum ? 0 : -1;
}

/* The hardware threads that the launcher gave this rank, shared evenly where
 * it gave all ranks of a node the same ones. */
static int default_threads(const struct tt_world *world)
{
    int share = world->node_cpus / world->node_size;
    int threads = world->cpus < share ? world->cpus : share;

    return threads > 1 ? threads : 1;
}

static void warn_crowded(const struct tt_world *world)
{
    if (world->node_cpus > 0 && world->node_cpus < world->node_size)
        tt_log_warn("%d ranks share %d processors of %s: they take turns and "
                    "wait for each other; start fewer ranks",
                    world->node_size, world->node_cpus, world->host);
}

static int check_unbuilt(const struct tt_job *job, struct tt_error *err)
{
    if (strcmp(job->checkpoint.write, "hdf5") == 0)
        return tt_fail(err, TT_EINVAL,
                       "checkpoint.write: hdf5 is not built yet; posix writes "
                       "the same file");
    return 0;
}

static int same_everywhere(const struct tt_run *run, struct tt_error *err)
{
    MPI_Comm comm = run->world->comm;

    if (tt_same((int64_t)tt_job_hash(&run->job), "the job file", err, comm) < 0)
        return -1;
    return tt_same(run->threads, "the number of threads", err, comm);
}

static int start_watch(const struct tt_run *run, struct tt_error *err)
{
    const struct tt_lengths *limit = &run->job.run.watchdog;

    return tt_watch_start(limit->count > 0 ? limit->at[0].value : 0,
                          run->world->rank, run->world->host, err);
}

int tt_run_open_all(struct tt_run *run, struct tt_world *world,
                    struct tt_error *err)
{
    MPI_Comm comm = world->comm;

    run->world = world;
    run->opened_s = tt_clock_s();
    run->state.best_step = run->state.saved_step = run->state.eval_step = -1;
    run->threads = run->job.train.threads == TT_AUTO
                       ? default_threads(world)
                       : (int)run->job.train.threads;
    warn_crowded(world);
    start_backend(run);
    if (check_unbuilt(&run->job, err) < 0 || same_everywhere(run, err) < 0 ||
        open_sets(run, err) < 0 || tt_agree(plan(run, err), err, comm) < 0 ||
        tt_agree(start_watch(run, err), err, comm) < 0 ||
        tt_agree(allocate(run, err), err, comm) < 0 ||
        make_treesum(run, err) < 0)
        return -1;
    tt_backend_fingerprint(run->plan.memory_conf.backend, run->fingerprint,
                           sizeof(run->fingerprint));
    return tt_agree(make_step(run, err), err, comm);
}

int tt_run_start_data_all(struct tt_run *run, struct tt_error *err)
{
    return tt_agree(open_loaders(run, err), err, run->world->comm);
}

void tt_run_close(struct tt_run *run)
{
    tt_watch_stop();
    tt_loader_destroy(run->train.loader);
    tt_loader_destroy(run->valid.loader);
    tt_set_close(run->train.set);
    tt_set_close(run->valid.set);
    tt_list_destroy(run->eval_list);
    tt_step_destroy(run->step);
    tt_treesum_destroy(run->treesum);
    tt_exec_clear(&run->exec);
    tt_plan_clear(&run->plan);
}
