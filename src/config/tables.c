/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c - every knob of a job file, once: name, type, field, default, unit
 * or choices, range, whether it may change when a run resumes, and help.
 * Free: touches neither the model nor the numbers of a step.  Force: the
 * numbers change from there on.  Never: state or sample order would not fit. */
#include <math.h>
#include <stddef.h>

#include "config/config_priv.h"

#define AT(section, field) offsetof(struct tt_job_##section, field)
#define FREE TT_RESUME_FREE
#define FORCE TT_RESUME_FORCE
#define NEVER TT_RESUME_NEVER

/* clang-format off: a table is read in columns */

static const struct tt_opt run_table[] = {
    {"dir", TT_OPT_STR, AT(run, dir), NULL, NULL, 0, 0, FREE,
     "directory that all a run writes goes to (required)"},
    {"name", TT_OPT_STR, AT(run, name), "", NULL, 0, 0, FREE,
     "name shown in logs; default: the last part of run.dir"},
    {"watchdog", TT_OPT_LENGTHS, AT(run, watchdog), "30 min", NULL, 0, 0, FREE,
     "time without any progress after which a rank says what it waits for and "
     "the run is ended; never: wait for ever"},
    {0},
};

static const struct tt_opt model_table[] = {
    {"family", TT_OPT_ENUM, AT(model, family), NULL, "mlp|cnn|gpt2", 0, 0,
     NEVER, "kind of model (required)"},
    {"init", TT_OPT_STR, AT(model, init), "", NULL, 0, 0, FREE,
     "checkpoint to take the first weights from"},
    {"layers", TT_OPT_I64, AT(model, layers), NULL, NULL, 1, 10000, NEVER,
     "gpt2: transformer blocks (required)"},
    {"hidden", TT_OPT_I64, AT(model, hidden), NULL, NULL, 1, 1 << 20, NEVER,
     "gpt2: width of the model (required)"},
    {"heads", TT_OPT_I64, AT(model, heads), NULL, NULL, 1, 1 << 16, NEVER,
     "gpt2: attention heads; divides hidden (required)"},
    {"context", TT_OPT_I64, AT(model, context), NULL, "tokens", 1, 1 << 24,
     NEVER, "gpt2: length of a sample (required)"},
    {"vocab", TT_OPT_I64, AT(model, vocab), "auto", "tokens", 2, 1 << 30, NEVER,
     "gpt2: vocabulary; auto: the data's"},
    {"dropout", TT_OPT_F64, AT(model, dropout), "0", NULL, 0, 0.99, FORCE,
     "gpt2, mlp: share of values dropped in training"},
    {"tied", TT_OPT_BOOL, AT(model, tied), "yes", NULL, 0, 0, NEVER,
     "gpt2: the head uses the embedding's weights"},
    {"init-std", TT_OPT_F64, AT(model, init_std), "0.02", NULL, 0, 10, NEVER,
     "gpt2: standard deviation of the first weights"},
    {"widths", TT_OPT_I64S, AT(model, widths), "[]", NULL, 1, 1 << 24, NEVER,
     "mlp: widths of the hidden layers, such as [128, 64]"},
    {"inputs", TT_OPT_I64, AT(model, inputs), "auto", NULL, 1, 1 << 30, NEVER,
     "mlp: values of a sample; auto: the data's"},
    {"outputs", TT_OPT_I64, AT(model, outputs), "auto", NULL, 1, 1 << 30, NEVER,
     "mlp, cnn: classes or values put out; auto: the data's"},
    {"activation", TT_OPT_ENUM, AT(model, activation), "auto",
     "auto|relu|gelu|gelu-erf|tanh|sigmoid", 0, 0, NEVER,
     "mlp; auto: relu (gpt2 has gelu)"},
    {"norm", TT_OPT_ENUM, AT(model, norm), "none", "none|batch|layer", 0, 0,
     NEVER, "mlp: normalisation before each activation"},
    {"net", TT_OPT_NODE, AT(model, net), "", NULL, 0, 0, NEVER,
     "cnn: list of layers, such as [{conv: 32, kernel: 3, pad: 1}, "
     "{act: relu}, {pool: max, size: 2}, flatten, {dense: 10}]"},
    {0},
};

static const struct tt_opt data_table[] = {
    {"train", TT_OPT_NODE, AT(data, train), NULL, NULL, 0, 0, FREE,
     "training set: a path of shards, {files: \"a/*.h5\", x: /images, y: "
     "/labels} or {synthetic: {...}} (required)"},
    {"valid", TT_OPT_NODE, AT(data, valid), "", NULL, 0, 0, FORCE,
     "validation set: likewise, or a share of the training set, 10 %"},
    {"test", TT_OPT_NODE, AT(data, test), "", NULL, 0, 0, FREE,
     "test set, for tutti-eval"},
    {"read", TT_OPT_ENUM, AT(data, read), "auto", "auto|independent|collective",
     0, 0, FREE, "how ranks read a shared file; the samples are the same"},
    {"last", TT_OPT_ENUM, AT(data, last), "short", "short|drop|carry", 0, 0,
     NEVER,
     "the end of an epoch: a short batch, dropped, or filled from the "
     "next epoch"},
    {"shuffle", TT_OPT_BOOL, AT(data, shuffle), "yes", NULL, 0, 0, NEVER,
     "whether samples come in a new order every epoch"},
    {"window", TT_OPT_BYTES, AT(data, window_bytes), "16MiB", NULL, 1, 0x1p50,
     NEVER, "samples shuffled at a time, per lane"},
    {"cache", TT_OPT_BYTES, AT(data, cache_bytes), "256MiB", NULL, 0, 0, FREE,
     "sets up to this size are kept in memory"},
    {0},
};

static const struct tt_opt train_table[] = {
    {"length", TT_OPT_LENGTHS, AT(train, length), NULL, NULL, 0, 0, FREE,
     "how long to train, such as 20000 steps or [10 epochs, 8 h] (required)"},
    {"global-batch", TT_OPT_I64, AT(train, global_batch), NULL, "samples", 1,
     0x1p40, NEVER, "of a step, all ranks together (required)"},
    {"micro-batch", TT_OPT_I64, AT(train, micro_batch), "auto", "samples", 1,
     0x1p30, FORCE,
     "computed at a time; auto: the largest divisor of "
     "global-batch up to 64 that leaves 8 of them"},
    {"lanes", TT_OPT_I64, AT(train, lanes), "auto", NULL, 1, 4096, NEVER,
     "shares of the global batch: up to so many data-parallel ranks give the "
     "same bits; auto: the largest power of two up to 8"},
    {"precision", TT_OPT_ENUM, AT(train, precision), "f32", "f32", 0, 0, FORCE,
     "type that is computed in"},
    {"seed", TT_OPT_I64, AT(train, seed), "1", NULL, 0, 0x1p62, NEVER,
     "of first weights, sample order, dropout and splits"},
    {"loss", TT_OPT_ENUM, AT(train, loss), "auto", "auto|cross-entropy|mse|bce",
     0, 0, NEVER, "auto: cross-entropy for labels and tokens, mse for values"},
    {"label-smoothing", TT_OPT_F64, AT(train, label_smoothing), "0", NULL, 0,
     0.999, FORCE, "cross-entropy: share of a target spread over all classes"},
    {"ignore-index", TT_OPT_I64, AT(train, ignore_index), "-100", NULL, -0x1p31,
     0x1p31 - 1, FORCE,
     "cross-entropy: targets of this value do not "
     "count"},
    {"class-weights", TT_OPT_F64S, AT(train, class_weights), "[]", NULL, 0,
     INFINITY, FORCE, "cross-entropy: weight of each class"},
    {"threads", TT_OPT_I64, AT(train, threads), "auto", NULL, 1, 4096, FREE,
     "threads of a rank; auto: the cores that it was given"},
    {"backend", TT_OPT_ENUM, AT(train, backend), "auto", "auto|cpu|ref", 0, 0,
     FREE, "what computes"},
    {"early-stop.on", TT_OPT_BOOL, AT(train, early_stop.on), "no", NULL, 0, 0,
     FREE, "stop when the validation set gets no better"},
    {"early-stop.patience", TT_OPT_I64, AT(train, early_stop.patience), "5",
     "evaluations", 0, 1 << 30, FREE,
     "so many without a better one; 0: never "
     "stop"},
    {"early-stop.min-delta", TT_OPT_F64, AT(train, early_stop.min_delta), "0",
     NULL, 0, INFINITY, FREE, "what counts as better"},
    {0},
};

static const struct tt_opt optimizer_table[] = {
    {"name", TT_OPT_ENUM, AT(optimizer, name), "adamw", "sgd|adam|adamw", 0, 0,
     NEVER, "update rule"},
    {"lr", TT_OPT_F64, AT(optimizer, lr), "0.001", NULL, 0, INFINITY, FORCE,
     "learning rate, before the schedule"},
    {"betas", TT_OPT_F64S, AT(optimizer, betas), "[0.9, 0.999]", NULL, 0, 1,
     FORCE, "adam, adamw: decay of the two moments, each below 1"},
    {"eps", TT_OPT_F64, AT(optimizer, eps), "1e-8", NULL, 0, 1, FORCE,
     "adam, adamw: added to the root of the second moment"},
    {"momentum", TT_OPT_F64, AT(optimizer, momentum), "0", NULL, 0, 1, FORCE,
     "sgd: below 1; 0: none"},
    {"nesterov", TT_OPT_BOOL, AT(optimizer, nesterov), "no", NULL, 0, 0, FORCE,
     "sgd: look ahead"},
    {"weight-decay", TT_OPT_F64, AT(optimizer, weight_decay), "auto", NULL, 0,
     INFINITY, FORCE,
     "pull towards zero, adamw: apart from the gradient; auto: 0.01 with "
     "adamw, "
     "else 0"},
    {"decay", TT_OPT_ENUM, AT(optimizer, decay), "matrices", "matrices|all", 0,
     0, FORCE, "what weight-decay acts on; matrices: no biases, no norms"},
    {"clip-norm", TT_OPT_F64, AT(optimizer, clip_norm), "0", NULL, 0, INFINITY,
     FORCE, "gradients are scaled down to this global norm; 0: off"},
    {0},
};

static const struct tt_opt schedule_table[] = {
    {"name", TT_OPT_ENUM, AT(schedule, name), "constant",
     "constant|linear|cosine|wsd", 0, 0, FORCE,
     "learning rate over the steps; wsd: warm-up, stable, decay"},
    {"warmup", TT_OPT_LENGTHS, AT(schedule, warmup), "never", NULL, 0, 0, FORCE,
     "linear rise from 0 to optimizer.lr"},
    {"decay", TT_OPT_LENGTHS, AT(schedule, decay), "never", NULL, 0, 0, FORCE,
     "wsd: length of the last phase"},
    {"min-lr", TT_OPT_F64, AT(schedule, min_lr), "0", NULL, 0, INFINITY, FORCE,
     "linear, cosine, wsd: where the fall ends"},
    {0},
};

static const struct tt_opt parallel_table[] = {
    {"tensor", TT_OPT_I64, AT(parallel, tensor), "1", "ranks", 1, 1 << 20, FREE,
     "ranks that share each layer"},
    {"pipeline", TT_OPT_I64, AT(parallel, pipeline), "1", "ranks", 1, 1 << 20,
     FREE, "ranks that layers are dealt to"},
    {"zero", TT_OPT_I64, AT(parallel, zero), "0", NULL, 0, 3, FREE,
     "0: every rank keeps all; 1: optimizer state is dealt out"},
    {"order", TT_OPT_ENUM, AT(parallel, order), "fixed", "fixed|any", 0, 0,
     FORCE, "order of sums over ranks; fixed: the same bits on any number"},
    {0},
};

static const struct tt_opt checkpoint_table[] = {
    {"every", TT_OPT_LENGTHS, AT(checkpoint, every), "30 min", NULL, 0, 0, FREE,
     "how often, such as [1000 steps, 30 min]; one at the end is always "
     "written"},
    {"keep", TT_OPT_I64, AT(checkpoint, keep), "3", NULL, 1, 1 << 30, FREE,
     "newest ones kept, besides the best"},
    {"write", TT_OPT_ENUM, AT(checkpoint, write), "auto", "auto|posix|hdf5", 0,
     0, FREE, "how; the file is the same"},
    {0},
};

static const struct tt_opt eval_table[] = {
    {"every", TT_OPT_LENGTHS, AT(eval, every), "1 epoch", NULL, 0, 0, FREE,
     "how often the validation set is evaluated"},
    {"micro-batch", TT_OPT_I64, AT(eval, micro_batch), "auto", "samples", 1,
     0x1p30, FREE, "evaluated at a time; auto: train.micro-batch"},
    {"best", TT_OPT_ENUM, AT(eval, best), "loss", "loss|accuracy", 0, 0, FORCE,
     "metric that decides which checkpoint is the best"},
    {0},
};

static const struct tt_opt log_table[] = {
    {"every", TT_OPT_LENGTHS, AT(log, every), "30 s", NULL, 0, 0, FREE,
     "how often a line is printed where there is no terminal"},
    {"level", TT_OPT_ENUM, AT(log, level), "info", "quiet|info|debug", 0, 0,
     FREE, "how much is said"},
    {0},
};

static const struct tt_opt io_table[] = {
    {"hints", TT_OPT_NODE, AT(io, hints), "", NULL, 0, 0, FREE,
     "map handed to MPI-IO, such as {romio_cb_read: enable}"},
    {0},
};

/* clang-format on */

#define IN(section) offsetof(struct tt_job, section)

const struct tt_opt_section tt_job_sections[] = {
    {"run", run_table, IN(run), "where a run lives"},
    {"model", model_table, IN(model), "what is trained"},
    {"data", data_table, IN(data), "what it is trained on"},
    {"train", train_table, IN(train), "how long, in what steps"},
    {"optimizer", optimizer_table, IN(optimizer), "how weights are updated"},
    {"schedule", schedule_table, IN(schedule), "learning rate over time"},
    {"parallel", parallel_table, IN(parallel), "how ranks share the work"},
    {"checkpoint", checkpoint_table, IN(checkpoint), "what is saved"},
    {"eval", eval_table, IN(eval), "how progress is judged"},
    {"log", log_table, IN(log), "what is said"},
    {"io", io_table, IN(io), "settings of MPI-IO"},
    {0},
};
