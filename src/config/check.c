/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c - what must hold between knobs, as far as it can be known without
 * data, and what their autos become. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_priv.h"
#include "layout/lanes.h"

enum { MICRO_BATCH_MAX = 64, MICRO_PER_STEP = 8 };

static struct tt_opt_at knob_of(const struct tt_job *job, const char *section,
                                const char *knob)
{
    struct tt_opt_set set = tt_job_set(job);
    struct tt_opt_at at;

    tt_opt_find(&set, section, knob, &at);
    return at;
}

/* Fail at the knob "section.knob", which must exist. */
__attribute__((format(printf, 4, 5))) static int fail(const struct tt_job *job,
                                                      const char *name,
                                                      struct tt_error *err,
                                                      const char *fmt, ...)
{
    const char *dot = strchr(name, '.');
    char section[32], text[sizeof(err->text)];
    struct tt_opt_at at;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    snprintf(section, sizeof(section), "%.*s", (int)(dot - name), name);
    at = knob_of(job, section, dot + 1);
    return tt_opt_fail(&at, err, "%s", text);
}

static bool is(const char *value, const char *name)
{
    return value && strcmp(value, name) == 0;
}

/* --- what must be given ----------------------------------------------- */

static bool is_unset(const struct tt_opt_at *at)
{
    switch (at->opt->type) {
    case TT_OPT_I64:
        return *(int64_t *)at->field == TT_AUTO;
    case TT_OPT_LENGTHS:
        return ((struct tt_lengths *)at->field)->count == 0;
    default:
        return !*(void **)at->field;
    }
}

struct required {
    const char *family; /* NULL: every one */
    const char *section, *knob, *example;
};

static const struct required required[] = {
    {NULL, "run", "dir", "runs/first"},
    {NULL, "model", "family", "mlp"},
    {NULL, "data", "train", "data/train"},
    {NULL, "train", "length", "1000 steps"},
    {NULL, "train", "global-batch", "64"},
    {"gpt2", "model", "layers", "12"},
    {"gpt2", "model", "hidden", "768"},
    {"gpt2", "model", "heads", "12"},
    {"gpt2", "model", "context", "1024"},
    {"cnn", "model", "net", "[{conv: 8, kernel: 3}, flatten, {dense: 10}]"},
};

static int check_required(const struct tt_job *job, struct tt_error *err)
{
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
        const struct required *r = &required[i];
        struct tt_opt_at at = knob_of(job, r->section, r->knob);

        if (r->family && !is(job->model.family, r->family))
            continue;
        if (is_unset(&at))
            return tt_fail(
                err, TT_EINVAL,
                "%s.%s is missing: write '%s: %s' under '%s:' in the "
                "job file, or give --%s.%s=...",
                r->section, r->knob, r->knob, r->example, r->section,
                r->section, r->knob);
    }
    return 0;
}

/* --- what must not be given ------------------------------------------- */

/* A knob that only some values of another knob give a meaning to. */
struct meant_for {
    const char *section, *knob;
    const char *by_section, *by_knob; /* an enum */
    const char *values;               /* "a|b": with these it means something */
};

static const struct meant_for meant[] = {
    {"model", "layers", "model", "family", "gpt2"},
    {"model", "hidden", "model", "family", "gpt2"},
    {"model", "heads", "model", "family", "gpt2"},
    {"model", "context", "model", "family", "gpt2"},
    {"model", "vocab", "model", "family", "gpt2"},
    {"model", "tied", "model", "family", "gpt2"},
    {"model", "init-std", "model", "family", "gpt2"},
    {"model", "dropout", "model", "family", "gpt2|mlp"},
    {"model", "widths", "model", "family", "mlp"},
    {"model", "inputs", "model", "family", "mlp"},
    {"model", "outputs", "model", "family", "mlp|cnn"},
    {"model", "norm", "model", "family", "mlp"},
    {"model", "net", "model", "family", "cnn"},
    {"optimizer", "momentum", "optimizer", "name", "sgd"},
    {"optimizer", "nesterov", "optimizer", "name", "sgd"},
    {"optimizer", "betas", "optimizer", "name", "adam|adamw"},
    {"optimizer", "eps", "optimizer", "name", "adam|adamw"},
    {"schedule", "decay", "schedule", "name", "wsd"},
    {"schedule", "min-lr", "schedule", "name", "linear|cosine|wsd"},
    {"train", "label-smoothing", "train", "loss", "auto|cross-entropy"},
    {"train", "ignore-index", "train", "loss", "auto|cross-entropy"},
    {"train", "class-weights", "train", "loss", "auto|cross-entropy"},
};

static bool is_among(const char *values, const char *value)
{
    size_t bytes = strlen(value);

    for (const char *at = values; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, value, bytes) == 0 && (at[bytes] == '|' || !at[bytes]))
            return true;
    }
    return false;
}

/* Whether a knob holds its default.  Not by origin: the effective job file
 * gives every knob. */
static int has_default(const struct tt_job *job, const struct tt_opt_at *at,
                       bool *same, struct tt_error *err)
{
    char *texts[2] = {NULL, NULL};
    union {
        int64_t i64;
        double f64;
        bool yes;
        void *pointer;
        struct tt_lengths lengths;
        struct tt_i64_list list;
    } value;
    const void *fields[2] = {at->field, &value};
    int rc = -1;

    if (tt_opt_default(at->opt, &value, job->doc, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        size_t bytes;
        FILE *out = open_memstream(&texts[i], &bytes);

        if (!out)
            goto out;
        tt_opt_write(at->opt, fields[i], out);
        fclose(out);
    }
    *same = strcmp(texts[0], texts[1]) == 0;
    rc = 0;
out:
    free(texts[0]);
    free(texts[1]);
    return rc < 0 ? tt_fail(err, TT_ENOMEM, "out of memory") : 0;
}

static int check_meant(const struct tt_job *job, struct tt_error *err)
{
    for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++) {
        const struct meant_for *m = &meant[i];
        struct tt_opt_at by = knob_of(job, m->by_section, m->by_knob);
        struct tt_opt_at at = knob_of(job, m->section, m->knob);
        const char *value = *(const char **)by.field;
        bool same = true;

        if (is_among(m->values, value))
            continue;
        if (has_default(job, &at, &same, err) < 0)
            return -1;
        if (!same)
            return tt_opt_fail(&at, err,
                               "means nothing with %s.%s %s, only with %s: "
                               "remove it",
                               m->by_section, m->by_knob, value, m->values);
    }
    return 0;
}

/* --- the model -------------------------------------------------------- */

static int check_model(struct tt_job *job, struct tt_error *err)
{
    struct tt_job_model *model = &job->model;
    struct tt_opt_at act = knob_of(job, "model", "activation");

    if (is(model->family, "gpt2") && model->hidden % model->heads != 0)
        return fail(job, "model.heads", err,
                    "%lld does not divide model.hidden, %lld",
                    (long long)model->heads, (long long)model->hidden);
    if (is(model->family, "cnn") && model->net->kind != TT_NODE_LIST)
        return fail(job, "model.net", err,
                    "expected a list of layers, such as [{conv: 8, kernel: "
                    "3}, flatten, {dense: 10}]");
    if (is(model->family, "gpt2") && !is(model->activation, "auto") &&
        !is(model->activation, "gelu"))
        return fail(job, "model.activation", err, "gpt2 has gelu");
    if (is(model->activation, "auto") && !is(model->family, "cnn")) {
        model->activation = is(model->family, "gpt2") ? "gelu" : "relu";
        act.origin->was_auto = true;
    }
    return 0;
}

/* --- data ------------------------------------------------------------- */

static int check_set(const struct tt_job *job, const char *knob,
                     const struct tt_node *node, struct tt_error *err)
{
    double share;

    if (!node)
        return 0;
    if (node->kind == TT_NODE_MAP && !tt_node_find(node, "files") &&
        !tt_node_find(node, "synthetic"))
        return fail(job, knob, err,
                    "expected a path, {files: \"a/*.h5\", x: /images, y: "
                    "/labels} or {synthetic: {...}}");
    if (node->kind == TT_NODE_LIST)
        return fail(job, knob, err,
                    "expected one path or a map, found a list: write {files: "
                    "[...], x: ..., y: ...}");
    if (node->kind != TT_NODE_SCALAR || !strchr(node->text, '%'))
        return 0;
    if (tt_percent_parse(node->text, &share, err) < 0)
        return fail(job, knob, err,
                    "'%.40s' is neither a path nor a share such as 10 %%",
                    node->text);
    if (!is(knob, "data.valid"))
        return fail(job, knob, err,
                    "'%.40s': only data.valid can be a share of data.train",
                    node->text);
    if (share <= 0 || share >= 1)
        return fail(job, knob, err,
                    "%.40s is out of range: more than 0 and less than 100 %%",
                    node->text);
    return 0;
}

static int check_data(const struct tt_job *job, struct tt_error *err)
{
    if (check_set(job, "data.train", job->data.train, err) < 0 ||
        check_set(job, "data.valid", job->data.valid, err) < 0 ||
        check_set(job, "data.test", job->data.test, err) < 0)
        return -1;
    if (job->train.early_stop.on && !job->data.valid)
        return fail(job, "train.early-stop.on", err,
                    "needs a validation set: write data.valid, a path or 10 "
                    "%%");
    if (job->train.early_stop.on && job->eval.every.count == 0)
        return fail(job, "train.early-stop.on", err,
                    "needs evaluations: eval.every is never");
    if (is(job->eval.best, "accuracy") && is(job->train.loss, "mse"))
        return fail(job, "eval.best", err,
                    "accuracy means nothing with train.loss mse");
    if (job->io.hints && job->io.hints->kind != TT_NODE_MAP)
        return fail(job, "io.hints", err,
                    "expected a map such as {romio_cb_read: enable}");
    return 0;
}

/* --- batches ---------------------------------------------------------- */

/* The largest divisor of 'global' that is at most 64 and leaves at least 8
 * micro-batches (or all there can be), so that lanes have something to do. */
static int64_t auto_micro_batch(int64_t global)
{
    int64_t least = global < MICRO_PER_STEP ? global : MICRO_PER_STEP;

    for (int64_t micro = MICRO_BATCH_MAX; micro > 1; micro--)
        if (global % micro == 0 && global / micro >= least)
            return micro;
    return 1;
}

/* The divisors of 'whole' next to 'near', at or below and above it. */
static void divisors_near(int64_t whole, int64_t near, int64_t *below,
                          int64_t *above)
{
    *below = 1;
    *above = whole;
    for (int64_t d = 1; d <= whole / d; d++) {
        int64_t pair[2] = {d, whole / d};

        if (whole % d != 0)
            continue;
        for (int i = 0; i < 2; i++) {
            if (pair[i] <= near && pair[i] > *below)
                *below = pair[i];
            if (pair[i] > near && pair[i] < *above)
                *above = pair[i];
        }
    }
}

static int fail_divisor(const struct tt_job *job, const char *knob,
                        int64_t value, int64_t whole, struct tt_error *err)
{
    bool is_lanes = is(knob, "train.lanes");
    int64_t below, above;

    divisors_near(whole, value, &below, &above);
    return fail(job, knob, err,
                "%lld does not divide %s, %lld: write %lld or %lld",
                (long long)value,
                is_lanes ? "global-batch / micro-batch" : "global-batch",
                (long long)whole, (long long)below, (long long)above);
}

static int check_batches(struct tt_job *job, struct tt_error *err)
{
    struct tt_job_train *train = &job->train;
    int64_t global = train->global_batch, per_step;

    tt_job_resolve(job, "train", "micro-batch", auto_micro_batch(global));
    if (global % train->micro_batch != 0)
        return fail_divisor(job, "train.micro-batch", train->micro_batch,
                            global, err);
    per_step = global / train->micro_batch;
    tt_job_resolve(job, "train", "lanes", tt_lanes_default(per_step));
    if (per_step % train->lanes != 0)
        return fail_divisor(job, "train.lanes", train->lanes, per_step, err);
    tt_job_resolve(job, "eval", "micro-batch", train->micro_batch);
    return 0;
}

/* --- lengths ---------------------------------------------------------- */

static int check_every(const struct tt_job *job, struct tt_error *err)
{
    struct tt_opt_set set = tt_job_set(job);
    struct tt_opt_at at = {0};

    while (tt_opt_next(&set, &at)) {
        const struct tt_lengths *lengths = at.field;

        if (at.opt->type != TT_OPT_LENGTHS)
            continue;
        for (int i = 0; i < lengths->count; i++) {
            if (lengths->at[i].value <= 0 && !is(at.opt->name, "warmup"))
                return tt_opt_fail(&at, err,
                                   "0 is out of range: more than 0, or never");
            if (lengths->at[i].unit == TT_TOKENS &&
                !is(job->model.family, "gpt2"))
                return tt_opt_fail(&at, err,
                                   "tokens are gpt2's: write samples, steps "
                                   "or epochs");
            if (lengths->at[i].unit != TT_SECONDS &&
                is(at.opt->name, "watchdog"))
                return tt_opt_fail(&at, err,
                                   "is a time, such as 30 min, or never");
        }
    }
    return 0;
}

/* A phase of the schedule: one length that is a number of steps. */
static int check_phase(const struct tt_job *job, const char *knob,
                       const struct tt_lengths *phase, struct tt_error *err)
{
    if (phase->count > 1)
        return fail(job, knob, err, "expected one length");
    if (phase->count == 1 && phase->at[0].unit == TT_SECONDS)
        return fail(job, knob, err,
                    "a time does not say how many steps: write steps, epochs "
                    "or samples");
    return 0;
}

/* The length of training in the unit of 'phase'; infinite if unknown here. */
static double length_in_unit(const struct tt_job *job,
                             const struct tt_lengths *phase)
{
    const struct tt_lengths *length = &job->train.length;

    for (int i = 0; phase->count && i < length->count; i++)
        if (length->at[i].unit == phase->at[0].unit)
            return length->at[i].value;
    return INFINITY;
}

static bool has_steps(const struct tt_lengths *lengths)
{
    for (int i = 0; i < lengths->count; i++)
        if (lengths->at[i].unit != TT_SECONDS)
            return true;
    return false;
}

static int check_schedule(const struct tt_job *job, struct tt_error *err)
{
    const struct tt_job_schedule *schedule = &job->schedule;
    double warmup = schedule->warmup.count ? schedule->warmup.at[0].value : 0;

    if (check_phase(job, "schedule.warmup", &schedule->warmup, err) < 0 ||
        check_phase(job, "schedule.decay", &schedule->decay, err) < 0)
        return -1;
    if (!is(schedule->name, "constant") && !has_steps(&job->train.length))
        return fail(job, "train.length", err,
                    "a time alone does not tell schedule %s when to end: add "
                    "steps or epochs, such as [10000 steps, 8 h]",
                    schedule->name);
    if (warmup > 0 && warmup >= length_in_unit(job, &schedule->warmup))
        return fail(job, "schedule.warmup", err,
                    "is not shorter than train.length");
    if (is(schedule->name, "wsd") && schedule->decay.count == 0)
        return fail(job, "schedule.decay", err,
                    "is missing: wsd needs the length of its last phase, such "
                    "as 1000 steps");
    if (schedule->decay.count &&
        schedule->decay.at[0].value > length_in_unit(job, &schedule->decay))
        return fail(job, "schedule.decay", err, "is longer than train.length");
    if (schedule->min_lr > job->optimizer.lr)
        return fail(job, "schedule.min-lr", err,
                    "%g is more than optimizer.lr, %g", schedule->min_lr,
                    job->optimizer.lr);
    return 0;
}

/* --- the rest --------------------------------------------------------- */

static int check_optimizer(struct tt_job *job, struct tt_error *err)
{
    struct tt_job_optimizer *o = &job->optimizer;

    if (isnan(o->weight_decay)) {
        o->weight_decay = is(o->name, "adamw") ? 0.01 : 0;
        knob_of(job, "optimizer", "weight-decay").origin->was_auto = true;
    }

    if (o->betas.count != 2)
        return fail(job, "optimizer.betas", err,
                    "%d values: expected 2, such as [0.9, 0.999]",
                    o->betas.count);
    if (o->betas.at[0] >= 1 || o->betas.at[1] >= 1)
        return fail(job, "optimizer.betas", err,
                    "1 is out of range: 0 to less than 1");
    if (o->momentum >= 1)
        return fail(job, "optimizer.momentum", err,
                    "1 is out of range: 0 to less than 1");
    if (o->nesterov && o->momentum == 0)
        return fail(job, "optimizer.nesterov", err,
                    "needs optimizer.momentum, such as 0.9");
    return 0;
}

static int check_parallel(const struct tt_job *job, struct tt_error *err)
{
    if (job->parallel.tensor > 1)
        return fail(job, "parallel.tensor", err,
                    "tensor parallelism is not built yet in this version: "
                    "write 1");
    if (job->parallel.pipeline > 1)
        return fail(job, "parallel.pipeline", err,
                    "pipeline parallelism is not built yet in this version: "
                    "write 1");
    if (job->parallel.zero > 1)
        return fail(job, "parallel.zero", err,
                    "stages 2 and 3 are not built yet in this version: write "
                    "0 or 1");
    return 0;
}

int tt_job_check(struct tt_job *job, struct tt_error *err)
{
    if (check_required(job, err) < 0 || check_meant(job, err) < 0 ||
        check_model(job, err) < 0 || check_data(job, err) < 0 ||
        check_batches(job, err) < 0 || check_every(job, err) < 0 ||
        check_schedule(job, err) < 0 || check_optimizer(job, err) < 0 ||
        check_parallel(job, err) < 0)
        return -1;
    return 0;
}
