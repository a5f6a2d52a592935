/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c - a job and what its data looks like -> a planned run of one rank. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "plan/build.h"

static int find_loss(const struct tt_job *job, const struct tt_plan_data *data,
                     int *loss, struct tt_error *err)
{
    const char *name = job->train.loss;

    if (strcmp(name, "auto") == 0)
        *loss = data->tokens || data->y_is_class ? TT_LOSS_XENT : TT_LOSS_MSE;
    else if (strcmp(name, "cross-entropy") == 0)
        *loss = TT_LOSS_XENT;
    else
        *loss = strcmp(name, "mse") == 0 ? TT_LOSS_MSE : TT_LOSS_BCE;
    if (*loss == TT_LOSS_XENT && !data->tokens && !data->y_is_class)
        return tt_fail(err, TT_EINVAL,
                       "train.loss cross-entropy needs labels, the targets of "
                       "the data are numbers: use mse or bce");
    if (*loss != TT_LOSS_XENT && (data->tokens || data->y_is_class))
        return tt_fail(err, TT_EINVAL,
                       "train.loss %s needs numbers as targets, the data has "
                       "labels: use cross-entropy",
                       name);
    return 0;
}

static int check_class_weights(const struct tt_job *job, int64_t classes,
                               struct tt_error *err)
{
    int64_t count = job->train.class_weights.count;
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += job->train.class_weights.at[i];
    if (count > 0 && sum == 0)
        return tt_fail(err, TT_EINVAL,
                       "train.class-weights are all 0: nothing would be "
                       "learned");
    if (count > 0 && count != classes)
        return tt_fail(err, TT_EINVAL,
                       "train.class-weights has %lld numbers, the data has "
                       "%lld classes",
                       (long long)count, (long long)classes);
    return 0;
}

static int build_spec(const struct tt_job *job, const struct tt_plan_data *data,
                      struct tt_plan *plan, struct tt_error *err)
{
    const struct tt_job_model *m = &job->model;
    struct tt_model_conf conf = {
        .family = m->family,
        .layers = m->layers,
        .hidden = m->hidden,
        .heads = m->heads,
        .context = m->context,
        .vocab = m->vocab == TT_AUTO ? data->classes : m->vocab,
        .dropout = m->dropout,
        .init_std = m->init_std,
        .tied = m->tied,
        .widths = m->widths,
        .inputs = m->inputs == TT_AUTO ? -1 : m->inputs,
        .outputs = m->outputs == TT_AUTO ? -1 : m->outputs,
        .act = tt_act_find(m->activation),
        .norm = m->norm,
        .net = m->net,
        .label_smoothing = job->train.label_smoothing,
        .ignore_index = job->train.ignore_index,
        .class_weights = job->train.class_weights.count > 0,
        .tokens = data->tokens,
        .x_dims = data->x_dims,
        .y_is_class = data->y_is_class,
        .y_values = data->y_values,
        .classes = data->classes,
    };

    memcpy(conf.x_dim, data->x_dim, sizeof(conf.x_dim));
    if (find_loss(job, data, &conf.loss, err) < 0 ||
        check_class_weights(job, conf.tokens ? conf.vocab : conf.classes, err) <
            0 ||
        tt_spec_build(&conf, &plan->spec, err) < 0)
        return -1;
    return tt_params_build(&plan->spec, &plan->params, err);
}

static int find_last(const char *name)
{
    if (strcmp(name, "drop") == 0)
        return TT_LAST_DROP;
    return strcmp(name, "carry") == 0 ? TT_LAST_CARRY : TT_LAST_SHORT;
}

static int64_t clamp64(int64_t n, int64_t low, int64_t high)
{
    return n < low ? low : n > high ? high : n;
}

/* Blocks are small enough that every lane has many of them; as long as it has,
 * they are whole chunks. */
static int64_t block_samples(const struct tt_plan_data *data, int64_t bytes,
                             int64_t lanes)
{
    int64_t most = clamp64(data->sample_count / (16 * lanes), 1, INT64_MAX);
    int64_t block = clamp64(TT_PLAN_BLOCK_BYTES / bytes, 1, most);
    int64_t chunk = data->chunk_samples > 1 ? data->chunk_samples : 1;
    int64_t whole = (block + chunk - 1) / chunk * chunk;

    return whole <= most ? whole : block;
}

static void set_order(const struct tt_job *job, const struct tt_plan_data *data,
                      struct tt_plan *plan)
{
    int64_t bytes = data->sample_bytes > 0 ? data->sample_bytes : 1;
    int64_t block = block_samples(data, bytes, plan->lanes);
    int64_t window = job->data.window_bytes / (block * bytes);

    plan->order = (struct tt_order){
        .seed = (uint64_t)job->train.seed,
        .sample_count = data->sample_count,
        .block_samples = block,
        .window_blocks = clamp64(window, 1, INT32_MAX),
        .lanes = (int32_t)plan->lanes,
        .last = find_last(job->data.last),
        .shuffle = job->data.shuffle,
        .batch_samples = plan->global_batch,
    };
    plan->epoch_steps = tt_order_epoch_steps(&plan->order);
}

static int check_epoch(const struct tt_plan *plan, struct tt_error *err)
{
    if (plan->order.last == TT_LAST_DROP && plan->epoch_steps < 1)
        return tt_fail(err, TT_EINVAL,
                       "the training set has %lld samples, less than one "
                       "train.global-batch of %lld, and data.last: drop leaves "
                       "none: use a smaller batch or data.last: short",
                       (long long)plan->order.sample_count,
                       (long long)plan->global_batch);
    return 0;
}

static int64_t ceil_steps(double steps)
{
    return steps >= 9e18 ? INT64_MAX : (int64_t)ceil(steps - 1e-9);
}

int64_t tt_plan_steps(const struct tt_plan *plan, struct tt_length length)
{
    double batch = (double)plan->global_batch;
    double epoch = plan->epoch_steps > 0
                       ? (double)plan->epoch_steps
                       : (double)plan->order.sample_count / batch;
    double tokens = plan->spec.tokens ? (double)plan->spec.x_values : 1.0;

    switch (length.unit) {
    case TT_EPOCHS:
        return ceil_steps(length.value * epoch);
    case TT_SAMPLES:
        return ceil_steps(length.value / batch);
    case TT_TOKENS:
        return ceil_steps(length.value / (batch * tokens));
    case TT_SECONDS:
        return INT64_MAX;
    default:
        return ceil_steps(length.value);
    }
}

static int64_t shortest(const struct tt_plan *plan,
                        const struct tt_lengths *lengths, int64_t none)
{
    int64_t steps = none;

    for (int i = 0; i < lengths->count; i++) {
        int64_t s = tt_plan_steps(plan, lengths->at[i]);

        if (i == 0 || s < steps)
            steps = s;
    }
    return steps;
}

static int set_schedule(const struct tt_job *job, struct tt_plan *plan,
                        struct tt_error *err)
{
    const struct tt_job_schedule *s = &job->schedule;

    plan->total_steps = shortest(plan, &job->train.length, INT64_MAX);
    for (int i = 0; i < job->train.length.count; i++)
        if (job->train.length.at[i].unit == TT_SECONDS)
            plan->total_s = job->train.length.at[i].value;
    plan->schedule = (struct tt_schedule){
        .name = s->name,
        .lr = job->optimizer.lr,
        .min_lr = s->min_lr,
        .warmup_steps = shortest(plan, &s->warmup, 0),
        .decay_steps = shortest(plan, &s->decay, 0),
        .total_steps = plan->total_steps,
    };
    if (strcmp(s->name, "constant") != 0 && plan->total_steps == INT64_MAX)
        return tt_fail(err, TT_EINVAL,
                       "schedule.name %s needs a train.length in steps, "
                       "epochs, samples or tokens: it must know where the run "
                       "ends",
                       s->name);
    if (plan->schedule.warmup_steps == INT64_MAX ||
        plan->schedule.decay_steps == INT64_MAX)
        return tt_fail(err, TT_EINVAL,
                       "schedule.warmup and schedule.decay are "
                       "steps, epochs, samples or tokens, not "
                       "a time");
    return 0;
}

/* tt_updater hands its conf through as void. */
static void emit_rule(const void *conf, int64_t count, int decays,
                      struct tt_op *op)
{
    const struct tt_plan *plan = conf;

    plan->rule->emit(&plan->rule_conf, count, decays, op);
}

static int build_update(const struct tt_job *job, struct tt_plan *plan,
                        struct tt_error *err)
{
    const struct tt_job_optimizer *o = &job->optimizer;
    struct tt_updater updater = {
        .emit = emit_rule, .rule_conf = plan, .momentum = 0.1};

    plan->rule = tt_rule_find(o->name);
    if (!plan->rule)
        return tt_fail(err, TT_EINVAL, "no optimizer is called '%s'", o->name);
    plan->rule_conf = (struct tt_rule_conf){
        .beta1 = o->betas.count > 0 ? o->betas.at[0] : 0.9,
        .beta2 = o->betas.count > 1 ? o->betas.at[1] : 0.999,
        .eps = o->eps,
        .momentum = o->momentum,
        .weight_decay = o->weight_decay,
        .nesterov = o->nesterov,
    };
    updater.moment_count = plan->rule->moment_count(&plan->rule_conf);
    updater.decay_all = o->weight_decay <= 0 || strcmp(o->decay, "all") == 0;
    plan->memory_conf.moments = updater.moment_count;
    return tt_program_update(&plan->spec, &plan->params, &updater,
                             &plan->update, err);
}

static int build_lists(const struct tt_job *job, struct tt_plan *plan,
                       struct tt_error *err)
{
    if (tt_program_train(&plan->spec, &plan->params, plan->micro_samples,
                         &plan->train, err) < 0 ||
        tt_program_eval(&plan->spec, &plan->params, plan->eval_samples,
                        &plan->eval, err) < 0 ||
        tt_program_lane_end(&plan->params, &plan->lane_end, err) < 0)
        return -1;
    return build_update(job, plan, err);
}

static void count(struct tt_plan *plan)
{
    const struct tt_prog *const prog[] = {&plan->train, &plan->eval,
                                          &plan->update};

    plan->memory = tt_memory_count(&plan->memory_conf, &plan->params, prog, 3);
    plan->memory.snapshot =
        (plan->memory.weights + plan->memory.moments) / plan->deal.dp;
    plan->step_flops = tt_prog_flops(&plan->train, plan->global_batch, 0);
    plan->step_gemm_flops = tt_prog_flops(&plan->train, plan->global_batch, 1);
}

int tt_plan_build(const struct tt_job *job, const struct tt_plan_data *data,
                  int rank, int dp, struct tt_plan *plan, struct tt_error *err)
{
    *plan = (struct tt_plan){
        .global_batch = job->train.global_batch,
        .micro_samples = job->train.micro_batch,
        .eval_samples = job->eval.micro_batch == TT_AUTO
                            ? job->train.micro_batch
                            : job->eval.micro_batch,
        .lanes = job->train.lanes,
    };
    plan->memory_conf.samples =
        clamp64(plan->eval_samples, plan->micro_samples, INT64_MAX);
    plan->memory_conf.backend = tt_backend_find(
        strcmp(job->train.backend, "auto") == 0 ? "cpu" : job->train.backend);
    plan->deal = tt_deal_of(plan->global_batch, plan->micro_samples,
                            (int32_t)plan->lanes, dp);
    set_order(job, data, plan);
    if (build_spec(job, data, plan, err) < 0 || check_epoch(plan, err) < 0 ||
        set_schedule(job, plan, err) < 0 || build_lists(job, plan, err) < 0 ||
        tt_score_build(&plan->deal, rank, &plan->score, err) < 0) {
        tt_plan_clear(plan);
        return -1;
    }
    plan->memory_conf.accumulators = plan->score.accumulators;
    count(plan);
    return 0;
}

void tt_plan_clear(struct tt_plan *plan)
{
    tt_prog_clear(&plan->train);
    tt_prog_clear(&plan->eval);
    tt_prog_clear(&plan->lane_end);
    tt_prog_clear(&plan->update);
    tt_score_clear(&plan->score);
    tt_params_clear(&plan->params);
    tt_spec_clear(&plan->spec);
}
