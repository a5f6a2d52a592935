/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - a job file as plain data: one struct per section, filled through the
 * option tables of config/tables.c and nothing else.  Defaults, ranges and help
 * stand there.  "auto": a field that can be TT_AUTO (numbers) or "auto". */
#ifndef TT_CONFIG_JOB_H
#define TT_CONFIG_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/doc.h"
#include "base/err.h"
#include "base/opt.h"
#include "base/units.h"

struct tt_job_run {
    const char *dir;
    const char *name;           /* shown in logs; default: last part of dir */
    struct tt_lengths watchdog; /* time without progress that is a hang */
};

struct tt_job_model {
    const char *family; /* mlp | cnn | gpt2 */
    const char *init;   /* checkpoint to take weights from, or NULL */
    /* gpt2; vocab is auto until the data is open */
    int64_t layers, hidden, heads, context, vocab;
    double dropout;
    bool tied;
    double init_std; /* of gpt2's normal initialisation */
    /* mlp: widths of the hidden layers, e.g. [50]; inputs and outputs come
     * from the data when auto */
    struct tt_i64_list widths;
    int64_t inputs, outputs;
    const char *activation; /* relu | gelu | gelu-erf | tanh | sigmoid; cnn:
                             * auto, its net says */
    const char *norm;       /* none | batch | layer */
    /* cnn: the list of layers as written, each a map such as
     * {conv: 32, kernel: 3, pad: 1}, {pool: max, size: 2}, {norm: batch},
     * {act: relu}, {dropout: 0.25}, flatten, {dense: 128} */
    const struct tt_node *net;
};

struct tt_job_data {
    const struct tt_node *train; /* path, or map {files, x, y} or {synthetic} */
    const struct tt_node *valid; /* the same, or "10 %" of train */
    const struct tt_node *test;
    const char *read; /* auto | independent | collective */
    const char *last; /* short | drop | carry */
    bool shuffle;
    int64_t window_bytes; /* shuffled at a time, per lane */
    int64_t cache_bytes;  /* sets up to this size are kept in memory */
};

struct tt_job_train {
    struct tt_lengths length;
    int64_t global_batch;
    int64_t micro_batch;   /* auto is resolved by tt_job_check() */
    int64_t lanes;         /* likewise */
    const char *precision; /* f32 */
    int64_t seed;
    const char *loss; /* auto | cross-entropy | mse | bce */
    double label_smoothing;
    int64_t ignore_index;
    struct tt_f64_list class_weights;
    int64_t threads;     /* or TT_AUTO */
    const char *backend; /* auto | cpu | ref */
    struct {
        bool on;
        int64_t patience; /* evaluations without a better one; 0: never stop */
        double min_delta;
    } early_stop;
};

struct tt_job_optimizer {
    const char *name; /* sgd | adam | adamw */
    double lr;
    struct tt_f64_list betas;
    double eps;
    double momentum;
    bool nesterov;
    double weight_decay; /* auto is resolved by tt_job_check() */
    const char *decay;   /* matrices (no norms, no biases) | all */
    double clip_norm;    /* 0: off */
};

struct tt_job_schedule {
    const char *name; /* constant | linear | cosine | wsd */
    struct tt_lengths warmup;
    struct tt_lengths decay; /* of wsd: length of the last phase */
    double min_lr;
};

struct tt_job_parallel {
    int64_t tensor, pipeline, zero;
    const char *order; /* fixed | any */
};

struct tt_job_checkpoint {
    struct tt_lengths every;
    int64_t keep;
    const char *write; /* auto | posix | hdf5 */
};

struct tt_job_eval {
    struct tt_lengths every;
    int64_t micro_batch; /* auto is resolved to train.micro-batch */
    const char *best;    /* metric that decides best: loss | accuracy */
};

struct tt_job_log {
    struct tt_lengths every; /* of the line in a batch log */
    const char *level;       /* quiet | info | debug */
};

struct tt_job_io {
    const struct tt_node *hints; /* map handed to MPI_Info, or NULL */
};

struct tt_job {
    struct tt_job_run run;
    struct tt_job_model model;
    struct tt_job_data data;
    struct tt_job_train train;
    struct tt_job_optimizer optimizer;
    struct tt_job_schedule schedule;
    struct tt_job_parallel parallel;
    struct tt_job_checkpoint checkpoint;
    struct tt_job_eval eval;
    struct tt_job_log log;
    struct tt_job_io io;

    struct tt_doc *doc;           /* owns every string and node above */
    struct tt_opt_origin *origin; /* where each knob's value came from */
};

/* Read 'path' (and what it includes), then 'argv' flags of the form
 * --section.knob=value, over the defaults, and check all of it.  A failure
 * names file, line, the key or value, and the cure; the job is then cleared.
 * On success clear with tt_job_clear(). */
int tt_job_read(struct tt_job *job, const char *path, int argc, char **argv,
                struct tt_error *err);
void tt_job_clear(struct tt_job *job);

/* What can be checked without data, and known for an 'auto': train.micro-batch,
 * train.lanes, eval.micro-batch, model.activation, optimizer.weight-decay.
 * tt_job_read() calls it. */
int tt_job_check(struct tt_job *job, struct tt_error *err);

/* Put the value that an 'auto' number became ("model", "vocab") into the record
 * once it is known; other values are left alone. */
void tt_job_resolve(struct tt_job *job, const char *section, const char *knob,
                    int64_t value);

/* The effective job file: every knob, as YAML that tt_job_read() reads back to
 * the same values; with_origin puts "# --lr", "# job.yaml:7", "# default"
 * behind each, and "auto, " before where the value was found for an auto.  Heap
 * string, the caller frees. */
char *tt_job_format(const struct tt_job *job, bool with_origin);

/* A hash of the knobs whose resume rule is not 'free': those that decide the
 * numbers, for records.  (Ranks that read the file each compare the hash of
 * tt_job_format(): a knob that does not touch numbers can still make ranks part
 * ways.) */
uint64_t tt_job_hash(const struct tt_job *job);

/* Compare with the effective job file of the run that wrote a checkpoint:
 * fails, naming the knob and both values, where one changed that may not (its
 * resume rule is never, or with-force and 'force' is false). */
int tt_job_may_resume(const struct tt_job *job, const char *old_job_yaml,
                      bool force, struct tt_error *err);

/* What changed against that file, one line each, "train.threads: 2, was 1";
 * "" where nothing did.  Heap string, or NULL on failure. */
char *tt_job_changes(const struct tt_job *job, const char *old_job_yaml,
                     struct tt_error *err);

/* --help of the knobs: every section, knob, unit, default and text. */
void tt_job_help(FILE *out);

#endif
