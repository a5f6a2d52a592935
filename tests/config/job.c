/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - job files, flags and the values or messages they must give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "config/job.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The least that is a job of each family. */
#define MLP                                                                    \
    "run: {dir: runs/a}\n"                                                     \
    "model: {family: mlp, widths: [50]}\n"                                     \
    "data: {train: data/train}\n"                                              \
    "train: {length: 100 steps, global-batch: 512}\n"
#define GPT2                                                                   \
    "run: {dir: runs/a}\n"                                                     \
    "model: {family: gpt2, layers: 2, hidden: 64, heads: 4, context: 32}\n"    \
    "data: {train: data/train}\n"                                              \
    "train: {length: 100 steps, global-batch: 512}\n"

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

/* Read a text as job.yaml with flags separated by newlines. */
static int read_job(struct tt_job *job, const char *text, const char *flags,
                    struct tt_error *err)
{
    char *argv[16], *copy = strdup(flags ? flags : "");
    int argc = 0, rc;

    for (char *at = strtok(copy, "\n"); at; at = strtok(NULL, "\n"))
        argv[argc++] = at;
    put_file("job.yaml", text);
    rc = tt_job_read(job, "job.yaml", argc, argv, err);
    remove("job.yaml");
    free(copy);
    return rc;
}

/* --- values ----------------------------------------------------------- */

static void test_defaults(void)
{
    struct tt_job job;
    struct tt_error err = {0};

    if (!tap_ok(read_job(&job, MLP, NULL, &err) == 0, "a short job is read")) {
        tap_note("%s", err.text);
        return;
    }
    tap_ok(
        !strcmp(job.optimizer.name, "adamw") && job.optimizer.lr == 1e-3 &&
            job.optimizer.betas.count == 2 &&
            job.optimizer.betas.at[0] == 0.9 &&
            job.optimizer.betas.at[1] == 0.999 && job.optimizer.eps == 1e-8 &&
            job.optimizer.weight_decay == 0.01 && job.optimizer.momentum == 0 &&
            !job.optimizer.nesterov && job.optimizer.clip_norm == 0,
        "optimizer: PyTorch's AdamW");
    tap_ok(!strcmp(job.schedule.name, "constant") &&
               job.schedule.warmup.count == 0,
           "schedule: constant");
    tap_ok(job.train.seed == 1 && job.train.threads == TT_AUTO &&
               job.train.ignore_index == -100 && !job.train.early_stop.on,
           "train: seed 1");
    tap_ok(!strcmp(job.data.read, "auto") && !strcmp(job.data.last, "short") &&
               job.data.shuffle && !job.data.valid && !job.io.hints,
           "data: shuffled, short last batch");
    tap_ok(job.checkpoint.every.count == 1 &&
               job.checkpoint.every.at[0].value == 1800 &&
               job.checkpoint.every.at[0].unit == TT_SECONDS &&
               job.checkpoint.keep == 3,
           "checkpoint: every 30 min, three kept");
    tap_ok(job.eval.every.at[0].value == 1 &&
               job.eval.every.at[0].unit == TT_EPOCHS &&
               job.log.every.at[0].value == 30,
           "eval: every epoch; log: every 30 s");
    tap_ok(job.train.micro_batch == 64 && job.train.lanes == 8 &&
               job.eval.micro_batch == 64,
           "512 samples: micro-batch 64, 8 lanes");
    tap_ok(!strcmp(job.model.activation, "relu") &&
               job.model.inputs == TT_AUTO && job.model.widths.count == 1 &&
               job.model.widths.at[0] == 50,
           "mlp: relu, inputs by the data");
    tt_job_clear(&job);
}

/* PyTorch's defaults differ by rule: 0.01 with AdamW, 0 with Adam and SGD. */
static void test_decay(void)
{
    static const struct {
        const char *flag;
        double decay;
    } cases[] = {{"--optimizer.name=adamw", 0.01},
                 {"--optimizer.name=adam", 0},
                 {"--optimizer.name=sgd", 0},
                 {"--optimizer.name=sgd\n--weight-decay=0.5", 0.5},
                 {"--weight-decay=auto", 0.01}};
    struct tt_job job;
    struct tt_error err = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        tap_ok(read_job(&job, MLP, cases[i].flag, &err) == 0 &&
                   job.optimizer.weight_decay == cases[i].decay,
               "weight decay %g", cases[i].decay);
        tt_job_clear(&job);
    }
}

/* The example of the design page. */
static void test_example(void)
{
    static const char text[] =
        "run:        {dir: runs/gpt2-bytes}\n"
        "model:      {family: gpt2, layers: 12, hidden: 768, heads: 12,"
        " context: 1024, vocab: 256}\n"
        "data:       {train: \"${SCRATCH}/corpus/train\","
        " valid: \"${SCRATCH}/corpus/valid\"}\n"
        "train:      {length: 20000 steps, global-batch: 512,"
        " micro-batch: 8, precision: f32, seed: 1}\n"
        "optimizer:  {name: adamw, lr: 6e-4, betas: [0.9, 0.95],"
        " weight-decay: 0.1, clip-norm: 1.0}\n"
        "schedule:   {name: cosine, warmup: 700 steps, min-lr: 6e-5}\n"
        "parallel:   {tensor: 1, pipeline: 1, zero: 1}\n"
        "checkpoint: {every: [1000 steps, 30 min], keep: 3}\n"
        "eval:       {every: 500 steps}\n";
    struct tt_job job;
    struct tt_error err = {0};

    setenv("SCRATCH", "/scratch/me", 1);
    if (!tap_ok(read_job(&job, text, NULL, &err) == 0, "the example is read")) {
        tap_note("%s", err.text);
        return;
    }
    tap_ok(!strcmp(job.data.train->text, "/scratch/me/corpus/train"),
           "a variable is the environment's");
    tap_ok(job.train.length.at[0].value == 20000 && job.train.lanes == 8 &&
               job.train.micro_batch == 8 && job.optimizer.lr == 6e-4 &&
               job.optimizer.betas.at[1] == 0.95 &&
               job.schedule.warmup.at[0].value == 700 &&
               job.schedule.min_lr == 6e-5 && job.model.vocab == 256,
           "its values");
    tap_ok(job.checkpoint.every.count == 2 &&
               job.checkpoint.every.at[0].value == 1000 &&
               job.checkpoint.every.at[1].value == 1800,
           "a list of lengths");
    tt_job_clear(&job);
}

static void test_flags(void)
{
    static const char flags[] =
        "--optimizer.lr=0.5\n"
        "--train.micro-batch=4\n--train.micro-batch=16\n"
        "--length=[3 epochs, 8 h]\n"
        "--widths=[7, 8]\n"
        "--data.train={files: \"a/*.h5\", x: /i}\n"
        "--valid=10 %\n"
        "--early-stop.patience=9\n"
        "--io.hints={a: b}";
    struct tt_job job;
    struct tt_error err = {0};

    if (!tap_ok(read_job(&job, MLP "optimizer: {lr: 1}\n", flags, &err) == 0,
                "flags are read")) {
        tap_note("%s", err.text);
        return;
    }
    tap_ok(job.optimizer.lr == 0.5, "a flag wins over the job file");
    tap_ok(job.train.micro_batch == 16, "the last of two flags wins");
    tap_ok(job.train.length.count == 2 &&
               job.train.length.at[0].unit == TT_EPOCHS &&
               job.train.length.at[1].value == 8 * 3600,
           "a list in a flag");
    tap_ok(job.model.widths.count == 2 && job.model.widths.at[1] == 8,
           "numbers in a flag");
    tap_ok(!strcmp(tt_node_find(job.data.train, "files")->text, "a/*.h5") &&
               !strcmp(job.data.valid->text, "10 %"),
           "a map in a flag, and a bare value with blanks");
    tap_ok(job.train.early_stop.on && job.train.early_stop.patience == 9,
           "a flag of a group turns it on");
    tap_ok(!strcmp(tt_node_find(job.io.hints, "a")->text, "b"), "hints");
    tt_job_clear(&job);
}

static void test_groups(void)
{
    static const struct {
        const char *text, *flags;
        bool on;
        int64_t patience;
    } cases[] = {
        {"", NULL, false, 5},
        {"early-stop: yes", NULL, true, 5},
        {"early-stop: no", NULL, false, 5},
        {"early-stop: {}", NULL, true, 5},
        {"early-stop: {patience: 3}", NULL, true, 3},
        {"early-stop: {on: no, patience: 3}", NULL, false, 3},
        {"early-stop: {patience: 3, on: off}", NULL, false, 3},
        {"early-stop: {patience: 3}", "--early-stop=no", false, 3},
        {"early-stop: no", "--train.early-stop.patience=4", true, 4},
        {"early-stop: {patience: 3}", "--early-stop.min-delta=0.1", true, 3},
    };
    struct tt_job job;
    struct tt_error err = {0};
    char text[1024];

    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof(text),
                 "run: {dir: a}\nmodel: {family: mlp}\n"
                 "data: {train: a, valid: b}\n"
                 "train: {length: 9, global-batch: 8, %s}\n",
                 cases[i].text);
        if (!tap_ok(read_job(&job, text, cases[i].flags, &err) == 0 &&
                        job.train.early_stop.on == cases[i].on &&
                        job.train.early_stop.patience == cases[i].patience,
                    "%s %s", cases[i].text,
                    cases[i].flags ? cases[i].flags : ""))
            tap_note("%s", err.text);
        tt_job_clear(&job);
    }
}

static void test_include(void)
{
    struct tt_job job;
    struct tt_error err = {0};
    char *shown;

    put_file("base.yaml", "include: root.yaml\n"
                          "optimizer: {lr: 2, eps: 1e-3}\n"
                          "train:\n  early-stop: {patience: 2}\n");
    put_file("root.yaml", "optimizer: {lr: 1, weight-decay: 0.5}\n");
    tap_ok(read_job(&job,
                    MLP "include: base.yaml\n"
                        "optimizer: {lr: 3}\neval: {best: loss}\n"
                        "model: {family: mlp}\n",
                    NULL, &err) < 0 &&
               strstr(err.text, "job.yaml:8: duplicate key 'model'"),
           "%s", err.text);
    if (!tap_ok(read_job(&job,
                         MLP "include: base.yaml\n"
                             "optimizer:\n  lr: 3\n",
                         "--valid=v\n--seed=4", &err) == 0,
                "includes are read"))
        tap_note("%s", err.text);
    tap_ok(job.optimizer.lr == 3 && job.optimizer.eps == 1e-3 &&
               job.optimizer.weight_decay == 0.5 && job.train.early_stop.on,
           "flag, job file, include, default: each knob by itself");
    shown = tt_job_format(&job, true);
    tap_ok(strstr(shown, "  lr: 3                                 "
                         "# job.yaml:7\n") &&
               strstr(shown, "# base.yaml:2\n") &&
               strstr(shown, "# root.yaml:1\n") &&
               strstr(shown, "# --seed\n") && strstr(shown, "# default\n") &&
               strstr(shown, "  micro-batch: 64                       "
                             "# auto, default\n"),
           "every origin is shown");
    free(shown);
    tt_job_clear(&job);
    put_file("root.yaml", "include: base.yaml\n");
    tap_ok(read_job(&job, MLP "include: base.yaml\n", NULL, &err) < 0 &&
               strstr(err.text, "base.yaml is included by itself"),
           "%s", err.text);
    tap_ok(read_job(&job, MLP "include: nowhere.yaml\n", NULL, &err) < 0 &&
               strstr(err.text, "job.yaml:5: include") &&
               strstr(err.text, "nowhere.yaml: No such file"),
           "%s", err.text);
    remove("base.yaml");
    remove("root.yaml");
}

/* --- messages --------------------------------------------------------- */

/* A text after the least job of a family, flags, and the whole message. */
struct bad {
    const char *before, *text, *flags, *message;
};

static const struct bad bads[] = {
    /* keys */
    {MLP, "optimizer: {\n  lerning-rate: 1}\n", NULL,
     "job.yaml:6: unknown key 'lerning-rate' in optimizer, which has name, lr, "
     "betas, eps, momentum, nesterov, weight-decay, decay, clip-norm"},
    {MLP, "optimizer:\n  learning_rate: 1\n", NULL,
     "job.yaml:6: optimizer.learning_rate: write optimizer.lr"},
    {MLP, "optimizer:\n  momentun: 1\n", NULL,
     "job.yaml:6: unknown key 'momentun' in optimizer: did you mean "
     "'momentum'?"},
    {MLP, "eval: {lr: 1}\n", NULL,
     "job.yaml:5: unknown key 'lr' in eval: it belongs to section optimizer"},
    {MLP, "optimiser: {lr: 1}\n", NULL,
     "job.yaml:5: unknown section 'optimiser': did you mean 'optimizer'?"},
    {MLP, "lr: 1\n", NULL,
     "job.yaml:5: unknown section 'lr': that key belongs to section "
     "optimizer"},
    {MLP, "train: {seed: 1}\n", NULL,
     "job.yaml:5: duplicate key 'train', first on line 4: remove one"},
    {MLP, "eval: {best: loss, every: 1,\n best: loss}\n", NULL,
     "job.yaml:6: duplicate key 'best', first on line 5: remove one"},
    {MLP, "eval: 3\n", NULL,
     "job.yaml:5: eval is a section: expected a map such as {every: ...}"},
    {"", "[1, 2]\n", NULL,
     "job.yaml:1: expected sections, such as 'train: {length: 100 steps}'"},
    {"train: {early-stop: {patients: 3}}\n", "", NULL,
     "job.yaml:1: unknown key 'patients' in train.early-stop: did you mean "
     "'patience'?"},
    {"train: {early-stop: [3]}\n", "", NULL,
     "job.yaml:1: train.early-stop: expected yes or no, found a list"},
    {"train: {early-stop.patience: 3}\n", "", NULL,
     "job.yaml:1: unknown key 'early-stop.patience' in train: write "
     "early-stop: "
     "{patience: ...}"},
    {MLP, "\"two\\nlines\": 1\n", NULL,
     "job.yaml:5: unknown key 'two lines' in a job file, which has run, model, "
     "data, train, optimizer, schedule, parallel, checkpoint, eval, log, io"},
    /* types */
    {MLP, "optimizer: {lr: abc}\n", NULL,
     "job.yaml:5: optimizer.lr: 'abc' is not a number"},
    {MLP, "optimizer: {lr: [1]}\n", NULL,
     "job.yaml:5: optimizer.lr: expected a number, found a list"},
    {MLP, "optimizer: {lr: }\n", NULL,
     "job.yaml:5: optimizer.lr: no value: expected a number"},
    {MLP, "optimizer: {betas: {a: 1}}\n", NULL,
     "job.yaml:5: optimizer.betas: expected a list of numbers such as [0.9, "
     "0.95], found a map"},
    {MLP, "optimizer: {betas: [0.9, [1]]}\n", NULL,
     "job.yaml:5: optimizer.betas: a list within the list"},
    {MLP, "checkpoint: {keep: 1.5}\n", NULL,
     "job.yaml:5: checkpoint.keep: '1.5' is not a whole number"},
    {MLP, "data: \n", NULL,
     "job.yaml:5: duplicate key 'data', first on line 3: remove one"},
    {MLP, "optimizer: {nesterov: 1}\n", NULL,
     "job.yaml:5: optimizer.nesterov: '1' is neither yes nor no"},
    {MLP, "optimizer: {name: adamW2}\n", NULL,
     "job.yaml:5: optimizer.name: 'adamW2' is not one of sgd, adam or adamw: "
     "did you mean 'adamw'?"},
    {MLP, "eval: {every: 3 weeks}\n", NULL,
     "job.yaml:5: eval.every: '3 weeks': no such unit of length: steps, "
     "epochs, "
     "samples, tokens, s, min or h"},
    {MLP, "eval: {every: [1, 2, 3, 4, 5]}\n", NULL,
     "job.yaml:5: eval.every: 5 lengths: at most 4"},
    {MLP, "checkpoint: {keep: auto}\n", NULL,
     "job.yaml:5: checkpoint.keep: 'auto' is not a number"},
    {MLP, "", "--cache=64M",
     "--cache: '64M': no such unit of bytes: kB, MB, GB, TB (powers of 1000) "
     "or "
     "KiB, MiB, GiB, TiB (powers of 1024)"},
    /* ranges */
    {MLP, "", "--dropout=1.5", "--dropout: 1.5 is out of range: 0 to 0.99"},
    {MLP, "optimizer: {lr: -1}\n", NULL,
     "job.yaml:5: optimizer.lr: -1 is out of range: at least 0"},
    {MLP, "optimizer: {betas: [0.9, 2]}\n", NULL,
     "job.yaml:5: optimizer.betas: 2 is out of range: 0 to 1"},
    {MLP, "optimizer: {betas: [0.9, 1]}\n", NULL,
     "job.yaml:5: optimizer.betas: 1 is out of range: 0 to less than 1"},
    {MLP, "optimizer: {betas: 0.9}\n", NULL,
     "job.yaml:5: optimizer.betas: 1 values: expected 2, such as [0.9, 0.999]"},
    {MLP, "eval: {every: 0}\n", NULL,
     "job.yaml:5: eval.every: 0 is out of range: more than 0, or never"},
    /* variables and files */
    {MLP, "eval: {best: \"${TT_NOWHERE}\"}\n", NULL,
     "job.yaml:5: the environment has no variable TT_NOWHERE: export it, or "
     "write the value here"},
    {MLP, "eval: {best: *a}\n", NULL,
     "job.yaml:5: anchors (&), aliases (*) and tags (!) are not read: write "
     "the value out, or in quotes"},
    /* flags */
    {MLP, "", "lr=1", "'lr=1' is no flag: write --section.knob=value"},
    {MLP, "", "--lr", "--lr: a flag needs its value: write --lr=VALUE"},
    {MLP, "", "--every=3",
     "--every is ambiguous: write --checkpoint.every or --eval.every or "
     "--log.every"},
    {MLP, "", "--name=x",
     "--name is ambiguous: write --run.name or --optimizer.name or "
     "--schedule.name"},
    {MLP, "", "--micro_batch=3",
     "unknown flag --micro_batch: did you mean --micro-batch=...?"},
    {MLP, "", "--micro-batch=3",
     "--micro-batch is ambiguous: write --train.micro-batch or "
     "--eval.micro-batch"},
    {MLP, "", "--optimizer.lrr=3",
     "unknown flag --optimizer.lrr: did you mean --optimizer.lr=...?"},
    {MLP, "", "--optimizer.learning-rate=3",
     "--optimizer.learning-rate: write optimizer.lr"},
    {MLP, "", "--zzzzzzzzzzzz=3", "unknown flag --zzzzzzzzzzzz: see --help"},
    {MLP, "", "--parallel=3",
     "--parallel: parallel is a section: write --parallel.KNOB=VALUE"},
    {MLP, "", "--lr=[1",
     "--lr: not YAML: did not find expected ',' or ']': "
     "check indentation (spaces, no tabs), colons and "
     "quotes"},
    {MLP, "", "--lr=x", "--lr: 'x' is not a number"},
    /* missing */
    {"", "", NULL,
     "run.dir is missing: write 'dir: runs/first' under 'run:' in the job "
     "file, "
     "or give --run.dir=..."},
    {"run: {dir: a}\nmodel: {family: gpt2, layers: 3}\ndata: {train: x}\n",
     "train: {length: 3, global-batch: 4}\n", NULL,
     "model.hidden is missing: write 'hidden: 768' under 'model:' in the job "
     "file, or give --model.hidden=..."},
    {"run: {dir: a}\nmodel: {family: mlp}\ndata: {train: x}\n",
     "train: {global-batch: 4}\n", NULL,
     "train.length is missing: write 'length: 1000 steps' under 'train:' in "
     "the "
     "job file, or give --train.length=..."},
    /* not done, not yet */
    {MLP, "", "--parallel.tensor=2",
     "--parallel.tensor: tensor parallelism is not built yet in this version: "
     "write 1"},
    {MLP, "parallel: {pipeline: 2}\n", NULL,
     "job.yaml:5: parallel.pipeline: pipeline parallelism is not built yet in "
     "this version: write 1"},
    {MLP, "parallel: {zero: 3}\n", NULL,
     "job.yaml:5: parallel.zero: stages 2 and 3 are not built yet in this "
     "version: write 0 or 1"},
    {MLP, "parallel: {experts: 3}\n", NULL,
     "job.yaml:5: parallel.experts: mixture of experts is not something tutti "
     "does"},
    {MLP, "moe: {}\n", NULL,
     "job.yaml:5: moe: mixture of experts is not something tutti does"},
    {MLP, "", "--precision=bf16",
     "--precision: 'bf16': not built yet in this version: f32 is"},
    {MLP, "", "--family=llama",
     "--family: 'llama': not built yet in this version: mlp, cnn and gpt2 "
     "are"},
    {MLP, "parallel: {context-parallel: 2}\n", NULL,
     "job.yaml:5: parallel.context-parallel: context parallelism is not "
     "something tutti does"},
    /* between knobs */
    {MLP, "", "--train.micro-batch=7",
     "--train.micro-batch: 7 does not divide global-batch, 512: write 4 or 8"},
    {MLP, "", "--lanes=3",
     "--lanes: 3 does not divide global-batch / micro-batch, 8: write 2 or 4"},
    {MLP, "", "--layers=3",
     "--layers: means nothing with model.family mlp, only with gpt2: remove "
     "it"},
    {MLP, "optimizer: {momentum: 0.9}\n", NULL,
     "job.yaml:5: optimizer.momentum: means nothing with optimizer.name adamw, "
     "only with sgd: remove it"},
    {MLP, "optimizer: {name: sgd, nesterov: yes}\n", NULL,
     "job.yaml:5: optimizer.nesterov: needs optimizer.momentum, such as 0.9"},
    {GPT2, "", "--heads=5", "--heads: 5 does not divide model.hidden, 64"},
    {MLP, "", "--length=3 tokens",
     "--length: tokens are gpt2's: write samples, steps or epochs"},
    {MLP, "schedule: {name: cosine, warmup: 100 steps}\n", NULL,
     "job.yaml:5: schedule.warmup: is not shorter than train.length"},
    {MLP, "schedule: {name: wsd}\n", NULL,
     "schedule.decay: is missing: wsd needs the length of its last phase, such "
     "as 1000 steps"},
    {MLP, "schedule: {name: wsd, decay: 101}\n", NULL,
     "job.yaml:5: schedule.decay: is longer than train.length"},
    {MLP, "schedule: {name: linear, warmup: 3 s}\n", NULL,
     "job.yaml:5: schedule.warmup: a time does not say how many steps: write "
     "steps, epochs or samples"},
    {MLP, "schedule: {name: linear}\n", "--length=3 h",
     "--length: a time alone does not tell schedule linear when to end: add "
     "steps or epochs, such as [10000 steps, 8 h]"},
    {MLP, "schedule: {name: linear, min-lr: 1}\n", NULL,
     "job.yaml:5: schedule.min-lr: 1 is more than optimizer.lr, 0.001"},
    {MLP, "", "--early-stop=yes",
     "--early-stop: needs a validation set: write data.valid, a path or 10 %"},
    {MLP, "", "--data.train=10 %",
     "--data.train: '10 %': only data.valid can be a share of data.train"},
    {MLP, "", "--valid=0 %",
     "--valid: 0 % is out of range: more than 0 and less than 100 %"},
    {MLP, "", "--valid=[a, b]",
     "--valid: expected one path or a map, found a list: write {files: [...], "
     "x: ..., y: ...}"},
    {MLP, "", "--valid={path: a}",
     "--valid: expected a path, {files: \"a/*.h5\", x: /images, y: /labels} or "
     "{synthetic: {...}}"},
};

static void test_messages(void)
{
    struct tt_job job;
    struct tt_error err;
    char text[2048];

    for (size_t i = 0; i < COUNT(bads); i++) {
        snprintf(text, sizeof(text), "%s%s", bads[i].before, bads[i].text);
        memset(&err, 0, sizeof(err));
        if (!tap_ok(read_job(&job, text, bads[i].flags, &err) < 0 &&
                        !strcmp(err.text, bads[i].message),
                    "%s", bads[i].message))
            tap_note("got %s", err.text);
    }
    tap_ok(tt_job_read(&job, "nowhere.yaml", 0, NULL, &err) < 0 &&
               !strcmp(err.text, "nowhere.yaml: No such file or directory"),
           "%s", err.text);
}

int main(void)
{
    test_defaults();
    test_decay();
    test_example();
    test_flags();
    test_groups();
    test_include();
    test_messages();
    return tap_done();
}
