/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c - the run's tensors and scalars as a checkpoint keeps them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "ckpt/ckpt.h"
#include "ckpt/steps.h"
#include "comm/agree.h"
#include "train/run.h"

enum { OWN_UNIT = 512, NAME = 160 };

/* One flat array that is kept: where it lies and how its datasets are called.
 */
struct kept {
    float *flat;
    char prefix[48];
    int64_t end; /* parameters beyond are not in this array */
};

struct list {
    struct tt_ckpt_tensor *tensor;
    char (*name)[NAME];
    int64_t count;
};

/* The elements of a tensor within this rank's share of the flat arrays. */
static struct tt_range own_part(const struct tt_run *run,
                                const struct tt_param *p)
{
    int64_t units = (run->exec.flat_count + OWN_UNIT - 1) / OWN_UNIT;
    struct tt_block mine =
        tt_block_of(units, run->world->size, run->world->rank);
    int64_t low = mine.first * OWN_UNIT - p->offset;
    int64_t high = low + mine.count * OWN_UNIT;

    low = low < 0 ? 0 : low > p->count ? p->count : low;
    high = high < low ? low : high > p->count ? p->count : high;
    return (struct tt_range){low, high - low};
}

static void add_array(const struct tt_run *run, const struct kept *kept,
                      bool load, struct list *list)
{
    for (int i = 0; i < run->plan.params.count; i++) {
        const struct tt_param *p = &run->plan.params.at[i];
        struct tt_range own = own_part(run, p);
        struct tt_ckpt_tensor *t = &list->tensor[list->count];

        if (p->kind == TT_PARAM_TIED || p->offset >= kept->end)
            continue;
        snprintf(list->name[list->count], NAME, "%s/%s", kept->prefix, p->name);
        *t = (struct tt_ckpt_tensor){
            .name = list->name[list->count],
            .dtype = TT_F32,
            .dims = p->dims,
            .first = own.first,
            .count = own.count,
            .data = kept->flat + p->offset + (load ? 0 : own.first),
            .whole = load,
        };
        memcpy(t->dim, p->dim, sizeof(t->dim));
        list->count++;
    }
}

static void clear_list(struct list *list)
{
    free(list->tensor);
    free(list->name);
    *list = (struct list){0};
}

/* The tensors to save, or to load whole: weights and, unless weights_only, the
 * optimizer's moments. */
static int make_list(const struct tt_run *run, bool load, bool weights_only,
                     struct list *list, struct tt_error *err)
{
    const struct tt_plan *plan = &run->plan;
    int moments = weights_only ? 0 : plan->memory_conf.moments;
    int arrays = 1 + moments;
    size_t room = (size_t)(plan->params.count * arrays);
    struct kept kept = {run->exec.weights, "weights", run->exec.flat_count};

    list->tensor = calloc(room, sizeof(*list->tensor));
    list->name = calloc(room, sizeof(*list->name));
    if (!list->tensor || !list->name) {
        clear_list(list);
        return tt_fail(err, TT_ENOMEM, "out of memory for the tensor list");
    }
    add_array(run, &kept, load, list);
    for (int m = 0; m < moments; m++) {
        kept.flat = run->exec.moment[m];
        kept.end = plan->params.weights.count;
        snprintf(kept.prefix, sizeof(kept.prefix), "%s/%s", plan->rule->name,
                 plan->rule->moment[m]);
        add_array(run, &kept, load, list);
    }
    return 0;
}

static json_t *pack_scalars(const struct tt_run *run)
{
    const struct tt_run_state *s = &run->state;
    char *job = tt_job_format(&run->job, false);
    json_t *scalars = json_pack(
        "{s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:f, s:f, s:s, s:I, s:i, s:I, "
        "s:s}",
        "step", (json_int_t)s->step, "samples", (json_int_t)s->samples,
        "elapsed_s", s->elapsed_s, "best", s->best, "best_step",
        (json_int_t)s->best_step, "stale", (json_int_t)s->stale, "eval_step",
        (json_int_t)s->eval_step, "eval_loss", s->eval_loss, "eval_accuracy",
        s->eval_accuracy, "job", job ? job : "", "job_hash",
        (json_int_t)tt_job_hash(&run->job), "threads", run->threads,
        "data_hash", (json_int_t)tt_set_info(run->train.set)->hash,
        "fingerprint", run->fingerprint);

    free(job);
    return scalars;
}

void tt_run_checkpoints(const struct tt_run *run, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/checkpoints", run->job.run.dir);
}

/* What is handed to ckpt/ for a save; clear with clear_save(). */
struct save {
    struct tt_ckpt_state state;
    struct list list;
    char root[4096];
};

static int make_save(const struct tt_run *run, struct save *save,
                     struct tt_error *err)
{
    int rc;

    *save = (struct save){0};
    rc = make_list(run, false, false, &save->list, err);
    save->state.scalars = pack_scalars(run);
    if (rc == 0 && !save->state.scalars)
        rc = tt_fail(err, TT_ENOMEM, "out of memory for the checkpoint");
    save->state.tensor = save->list.tensor;
    save->state.tensor_count = save->list.count;
    tt_run_checkpoints(run, save->root, sizeof(save->root));
    return tt_agree(rc, err, run->world->comm);
}

static void clear_save(struct save *save)
{
    json_decref(save->state.scalars);
    clear_list(&save->list);
}

int tt_run_save_all(const struct tt_run *run, struct tt_error *err)
{
    struct save save;
    int rc = make_save(run, &save, err);

    if (rc == 0)
        rc = tt_ckpt_save_all(save.root, run->state.step, &save.state,
                              run->world->comm, err);
    clear_save(&save);
    return rc;
}

struct tt_ckpt_save *tt_run_save_begin_all(const struct tt_run *run,
                                           struct tt_error *err)
{
    struct tt_ckpt_save *flight = NULL;
    struct save save;

    if (make_save(run, &save, err) == 0)
        flight = tt_ckpt_begin_all(save.root, run->state.step, &save.state,
                                   run->world->comm, err);
    clear_save(&save);
    return flight;
}

static int unpack_state(struct tt_run *run, json_t *scalars,
                        struct tt_error *err)
{
    struct tt_run_state *s = &run->state;
    json_int_t step, samples, best_step, stale, eval_step;

    if (json_unpack(scalars, "{s:I, s:I, s:F, s:F, s:I, s:I, s:I, s:F, s:F}",
                    "step", &step, "samples", &samples, "elapsed_s",
                    &s->elapsed_s, "best", &s->best, "best_step", &best_step,
                    "stale", &stale, "eval_step", &eval_step, "eval_loss",
                    &s->eval_loss, "eval_accuracy", &s->eval_accuracy) != 0)
        return tt_fail(err, TT_EFORMAT, "its manifest lacks counters of a run");
    s->step = step;
    s->samples = samples;
    s->best_step = best_step;
    s->stale = stale;
    s->eval_step = eval_step;
    s->saved_step = step;
    return 0;
}

/* What the bits hang on besides the job file: a difference is said, once. */
static void compare_machine(const struct tt_run *run, json_t *scalars)
{
    const char *fingerprint =
        json_string_value(json_object_get(scalars, "fingerprint"));
    json_int_t threads =
        json_integer_value(json_object_get(scalars, "threads"));

    if (threads != run->threads)
        tt_log_warn("this run has %d threads a rank, the checkpoint was made "
                    "with %d: the numbers will differ in the last bits "
                    "(--train.threads=%d keeps them)",
                    run->threads, (int)threads, (int)threads);
    else if (fingerprint && strcmp(fingerprint, run->fingerprint) != 0)
        tt_log_warn("this machine computes with [%s], the checkpoint was made "
                    "with [%s]: the numbers will differ in the last bits",
                    run->fingerprint, fingerprint);
}

static int may_go_on(const struct tt_run *run, json_t *scalars,
                     struct tt_error *err)
{
    const char *job = json_string_value(json_object_get(scalars, "job"));
    json_int_t data_hash =
        json_integer_value(json_object_get(scalars, "data_hash"));

    if (job && tt_job_may_resume(&run->job, job, run->flags.force, err) < 0)
        return -1;
    if ((uint64_t)data_hash != tt_set_info(run->train.set)->hash &&
        !run->flags.force)
        return tt_fail(err, TT_EINVAL,
                       "the training data is not the data that the checkpoint "
                       "was trained on: the order of samples would change; "
                       "--force goes on all the same");
    return 0;
}

/* Collective.  Whether the job fits the checkpoint's, before its tensors are
 * looked at: that says more than a tensor of another shape. */
static int check_job_all(const struct tt_run *run, const char *path,
                         struct tt_error *err)
{
    json_t *scalars = NULL;
    int rc = 0;

    if (run->world->rank == 0) {
        scalars = tt_ckpt_scalars(path, err);
        rc = scalars ? may_go_on(run, scalars, err) : -1;
        if (scalars && rc < 0)
            tt_fail_in(err, "%s", path);
    }
    json_decref(scalars);
    return tt_agree_root(rc, err, run->world->comm);
}

int tt_run_load_all(struct tt_run *run, const char *path, struct tt_error *err)
{
    struct tt_ckpt_state state = {0};
    struct list list = {0};
    json_t *scalars = NULL;
    int rc;

    if (check_job_all(run, path, err) < 0)
        return -1;
    rc = make_list(run, true, false, &list, err);
    if (tt_agree(rc, err, run->world->comm) < 0)
        goto out;
    state.tensor = list.tensor;
    state.tensor_count = list.count;
    rc = tt_ckpt_load_all(path, &state, &scalars, run->world->comm, err);
    if (rc < 0)
        goto out;
    rc = unpack_state(run, scalars, err);
    if (rc < 0)
        rc = tt_fail_in(err, "%s", path);
    else
        compare_machine(run, scalars);
    rc = tt_agree(rc, err, run->world->comm);
out:
    json_decref(scalars);
    clear_list(&list);
    return rc;
}

void tt_run_init(struct tt_run *run)
{
    uint64_t seed = (uint64_t)run->job.train.seed;

#pragma omp parallel for num_threads(run->threads)
    for (int part = 0; part < run->threads; part++)
        tt_params_init(&run->plan.params, seed, part, run->threads,
                       run->exec.weights);
}

int tt_run_init_from_all(struct tt_run *run, const char *path,
                         struct tt_error *err)
{
    struct tt_ckpt_state state = {0};
    struct list list = {0};
    int rc = make_list(run, true, true, &list, err);

    if (tt_agree(rc, err, run->world->comm) == 0) {
        state.tensor = list.tensor;
        state.tensor_count = list.count;
        rc = tt_ckpt_load_all(path, &state, NULL, run->world->comm, err);
        if (rc < 0)
            tt_fail_in(err, "model.init");
    }
    clear_list(&list);
    return rc;
}

static void warn_line(const char *text)
{
    tt_log_warn("%s", text);
}

/* Where all checkpoints are damaged a run must not quietly begin again. */
static int check_none(const struct tt_run *run, const char *root,
                      struct tt_error *err)
{
    int64_t *steps = NULL, count = 0;

    if (run->world->rank == 0)
        count = tt_ckpt_steps_list(root, &steps, err);
    free(steps);
    if (count > 0)
        count = tt_fail(err, TT_EFORMAT,
                        "%s: no checkpoint is whole, see above: "
                        "--resume=none starts afresh and puts them aside",
                        root);
    return tt_agree_root(count < 0 ? -1 : 0, err, run->world->comm);
}

static int find_newest(struct tt_run *run, char *path, size_t bytes,
                       struct tt_error *err)
{
    char root[4096];
    int64_t step;

    path[0] = '\0';
    tt_run_checkpoints(run, root, sizeof(root));
    if (tt_ckpt_newest_all(root, warn_line, &step, run->world->comm, err) < 0)
        return -1;
    if (step < 0)
        return check_none(run, root, err);
    snprintf(path, bytes, "%s/step-%08" PRId64, root, step);
    return 0;
}

int tt_run_resume_all(struct tt_run *run, struct tt_error *err)
{
    const char *what = run->flags.resume;
    char path[8192], root[4096], *end;
    long long step;

    if (strcmp(what, "none") == 0)
        return 0;
    tt_run_checkpoints(run, root, sizeof(root));
    step = strtoll(what, &end, 10);
    if (strcmp(what, "auto") == 0) {
        if (find_newest(run, path, sizeof(path), err) < 0)
            return -1;
    } else if (*what && !*end) {
        snprintf(path, sizeof(path), "%s/step-%08lld", root, step);
    } else if (strcmp(what, "best") == 0) {
        snprintf(path, sizeof(path), "%s/best", root);
    } else {
        snprintf(path, sizeof(path), "%s", what);
    }
    return path[0] ? tt_run_load_all(run, path, err) : 0;
}
