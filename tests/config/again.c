/* SPDX-License-Identifier: BSD-3-Clause */
/* again.c - a job written and read again is the same job; what may change when
 * a run resumes; broken job files are a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/rng.h"
#include "config/job.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char base[] =
    "run: {dir: runs/a}\n"
    "model: {family: mlp, widths: [50]}\n"
    "data: {train: data/train, valid: 10 %}\n"
    "train: {length: 100 steps, global-batch: 512, micro-batch: 16}\n";

static int read_text(struct tt_job *job, const char *text, const char *flag,
                     struct tt_error *err)
{
    FILE *file = fopen("again.yaml", "w");
    char *argv[] = {(char *)flag};
    int rc;

    fputs(text, file);
    fclose(file);
    rc = tt_job_read(job, "again.yaml", flag != NULL, argv, err);
    remove("again.yaml");
    return rc;
}

/* --- written and read again ------------------------------------------- */

static const char *const jobs[] = {
    base,
    "run: {dir: \"a dir/with: odd # {things}, $${X} 'and' \\\"so\\\" \\u2028\","
    " name: \"caf\\u00e9\"}\n"
    "model: {family: cnn, net: [{conv: 32, kernel: 3, pad: 1}, {act: relu},"
    " {pool: max, size: 2}, {dropout: 0.25}, flatten, {dense: 10}]}\n"
    "data:\n"
    "  train: {files: [\"a/*.h5\", b.h5], x: /images, y: /labels}\n"
    "  valid: {synthetic: {rows: 1000, note: \"- x\", empty: }}\n"
    "  last: carry\n  shuffle: off\n  window: 1.5 MB\n  cache: 0\n"
    "train: {length: [3 epochs, 90 min, 1e6 samples], global-batch: 96,"
    " lanes: 3, micro-batch: 8, class-weights: [0.1, 0.30000000000000004, 3],"
    " early-stop: {on: no, patience: 3}, ignore-index: -1, threads: 2}\n"
    "optimizer: {name: sgd, momentum: 0.9, nesterov: yes, lr: 1e-1}\n"
    "schedule: {name: wsd, warmup: 0.5 epochs, decay: 1 epoch, min-lr: 1e-9}\n"
    "checkpoint: {every: never}\n"
    "eval: {every: [7 steps, 0.25 h]}\n"
    "io: {hints: {cb_nodes: 4, \"a b\": \"\"}}\n",
    "run: {dir: \"-\", name: \"~\"}\n"
    "model: {family: gpt2, layers: 2, hidden: 64, heads: 4, context: 32}\n"
    "data: {train: \"10\"}\n"
    "train: {length: 0.1 s, global-batch: 1, seed: 4611686018427387904}\n",
};

static void test_round_trip(void)
{
    struct tt_error err = {0};

    for (size_t i = 0; i < COUNT(jobs); i++) {
        struct tt_job job, again;
        char *plain, *commented, *plain_again;

        if (!tap_ok(read_text(&job, jobs[i], NULL, &err) == 0, "job %zu", i)) {
            tap_note("%s", err.text);
            continue;
        }
        plain = tt_job_format(&job, false);
        commented = tt_job_format(&job, true);
        if (tap_ok(read_text(&again, commented, NULL, &err) == 0,
                   "what was written is read")) {
            plain_again = tt_job_format(&again, false);
            if (!tap_ok(strcmp(plain, plain_again) == 0, "to the same values"))
                tap_note("%s\n%s", plain, plain_again);
            tap_ok(tt_job_hash(&job) == tt_job_hash(&again) &&
                       tt_job_may_resume(&again, plain, false, &err) == 0,
                   "of the same hash, and may resume");
            free(plain_again);
            tt_job_clear(&again);
        } else {
            tap_note("%s\n%s", err.text, commented);
        }
        free(plain);
        free(commented);
        tt_job_clear(&job);
    }
}

/* Fields, not only texts, after a round trip. */
static void test_fields(void)
{
    struct tt_error err = {0};
    struct tt_job job, again;
    char *text;

    read_text(&job, jobs[1], NULL, &err);
    text = tt_job_format(&job, false);
    read_text(&again, text, NULL, &err);
    tap_ok(!strcmp(again.run.dir, "a dir/with: odd # {things}, ${X} 'and' "
                                  "\"so\" \u2028"),
           "an odd text: %s", again.run.dir);
    tap_ok(again.train.class_weights.count == 3 &&
               again.train.class_weights.at[1] == 0.30000000000000004,
           "every bit of a number");
    tap_ok(again.data.window_bytes == 1500000 && again.data.cache_bytes == 0 &&
               !again.data.shuffle && again.train.length.count == 3 &&
               again.train.length.at[1].value == 5400 &&
               !again.train.early_stop.on &&
               again.train.early_stop.patience == 3 &&
               again.checkpoint.every.count == 0,
           "sizes, lengths, switches");
    tap_ok(tt_node_count(again.model.net) == 6 &&
               !strcmp(tt_node_at(again.model.net, 4)->text, "flatten") &&
               !strcmp(
                   tt_node_find(tt_node_at(again.model.net, 0), "kernel")->text,
                   "3"),
           "a list of maps");
    free(text);
    tt_job_clear(&job);
    tt_job_clear(&again);
}

/* --- resuming --------------------------------------------------------- */

static const struct {
    const char *flag;
    bool plain, forced; /* may resume */
} changes[] = {
    {NULL, 1, 1},
    {"--run.dir=elsewhere", 1, 1},
    {"--length=200 steps", 1, 1},
    {"--threads=3", 1, 1},
    {"--checkpoint.every=1", 1, 1},
    {"--data.train=moved/train", 1, 1},
    {"--backend=ref", 1, 1},
    {"--level=debug", 1, 1},
    {"--vocab=auto", 1, 1},
    {"--optimizer.lr=0.5", 0, 1},
    {"--train.micro-batch=32", 0, 1},
    {"--dropout=0.5", 0, 1},
    {"--schedule.name=cosine", 0, 1},
    {"--order=any", 0, 1},
    {"--seed=2", 0, 0},
    {"--lanes=4", 0, 0},
    {"--global-batch=256", 0, 0},
    {"--widths=[51]", 0, 0},
    {"--widths=[50, 50]", 0, 0},
    {"--shuffle=no", 0, 0},
    {"--window=1MiB", 0, 0},
    {"--optimizer.name=adam", 0, 0},
};

static void test_resume(void)
{
    struct tt_error err = {0};
    struct tt_job old, job;
    char *yaml;

    read_text(&old, base, NULL, &err);
    yaml = tt_job_format(&old, false);
    for (size_t i = 0; i < COUNT(changes); i++) {
        const char *flag = changes[i].flag ? changes[i].flag : "nothing";
        bool same_hash;

        if (read_text(&job, base, changes[i].flag, &err) < 0) {
            tap_ok(0, "%s: %s", flag, err.text);
            continue;
        }
        same_hash = tt_job_hash(&job) == tt_job_hash(&old);
        tap_ok((tt_job_may_resume(&job, yaml, false, &err) == 0) ==
                   changes[i].plain,
               "%s: %s", flag, changes[i].plain ? "free" : "not free");
        tap_ok((tt_job_may_resume(&job, yaml, true, &err) == 0) ==
                   changes[i].forced,
               "%s: %s", flag, changes[i].forced ? "by force" : "never");
        tap_ok(same_hash == changes[i].plain, "%s: hash", flag);
        tt_job_clear(&job);
    }
    free(yaml);
    tt_job_clear(&old);
}

static void test_resume_messages(void)
{
    struct tt_error err = {0};
    struct tt_job old, job;
    char *yaml, *text;

    read_text(&old, base, NULL, &err);
    yaml = tt_job_format(&old, false);
    read_text(&job, base, "--seed=2", &err);
    tt_job_may_resume(&job, yaml, true, &err);
    tap_ok(!strcmp(err.text, "--seed: 2, but the run began with 1: that cannot "
                             "change when it resumes; set it back, or start "
                             "anew in another run.dir"),
           "%s", err.text);
    tt_job_clear(&job);
    read_text(&job, base, "--lr=0.5", &err);
    tt_job_may_resume(&job, yaml, false, &err);
    tap_ok(!strcmp(err.text, "--lr: 0.5, but the run began with 0.001: set it "
                             "back, take another run.dir, or give --force to "
                             "go on with other numbers"),
           "%s", err.text);
    text = tt_job_changes(&job, yaml, &err);
    tap_ok(text && !strcmp(text, "optimizer.lr: 0.5, was 0.001\n"), "%s", text);
    free(text);
    text = tt_job_changes(&old, yaml, &err);
    tap_ok(text && !*text, "no change against itself");
    free(text);
    tap_ok(!tt_job_changes(&old, "a: [", &err) &&
               tt_job_may_resume(&old, "zzz: 1", true, &err) < 0,
           "a broken record: %s", err.text);
    tt_job_clear(&job);
    free(yaml);
    tt_job_clear(&old);
}

/* A set may move, but what is held out of the training set may not change. */
static void test_moved_set(void)
{
    static const struct {
        const char *before, *after;
        bool free;
    } cases[] = {{"--valid=a", "--valid=b", true},
                 {"--valid=a", "--valid={files: b, x: /x}", true},
                 {"--valid=a", "--valid=10 %", false},
                 {"--valid=10 %", "--valid=a", false},
                 {"--valid=10 %", "--valid=20 %", false}};
    struct tt_error err = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tt_job old, job;
        char *yaml;

        read_text(&old, base, cases[i].before, &err);
        read_text(&job, base, cases[i].after, &err);
        yaml = tt_job_format(&old, false);
        tap_ok((tt_job_may_resume(&job, yaml, false, &err) == 0) ==
                   cases[i].free,
               "%s after %s", cases[i].after, cases[i].before);
        free(yaml);
        tt_job_clear(&old);
        tt_job_clear(&job);
    }
}

/* An auto number that the data decides is no change before or after. */
static void test_resolve(void)
{
    struct tt_error err = {0};
    struct tt_job before, after;
    char *early, *late, *shown;

    read_text(&before, base, NULL, &err);
    read_text(&after, base, NULL, &err);
    tt_job_resolve(&after, "model", "inputs", 784);
    tt_job_resolve(&after, "model", "inputs", 5);
    tt_job_resolve(&after, "train", "global-batch", 5);
    tt_job_resolve(&after, "optimizer", "lr", 5);
    tt_job_resolve(&after, "no", "such", 5);
    tap_ok(after.model.inputs == 784 && after.train.global_batch == 512 &&
               after.optimizer.lr == 1e-3,
           "only an auto is resolved, once");
    early = tt_job_format(&before, false);
    late = tt_job_format(&after, false);
    shown = tt_job_format(&after, true);
    tap_ok(!tt_job_may_resume(&before, late, false, &err) &&
               !tt_job_may_resume(&after, early, false, &err),
           "auto and its value are no change");
    tap_ok(strstr(shown, "inputs: 784") && strstr(shown, "# auto, default"),
           "and shown as such");
    free(early);
    free(late);
    free(shown);
    tt_job_clear(&before);
    tt_job_clear(&after);
}

/* --- autos ------------------------------------------------------------ */

/* By hand: the largest divisor up to 64 that leaves 8 micro-batches. */
static void test_autos(void)
{
    static const struct {
        int64_t global, micro, lanes;
    } cases[] = {{1, 1, 1},    {2, 1, 2},    {3, 1, 1},    {6, 1, 2},
                 {7, 1, 1},    {8, 1, 8},    {12, 1, 4},   {16, 2, 8},
                 {32, 4, 8},   {60, 6, 2},   {97, 1, 1},   {100, 10, 2},
                 {256, 32, 8}, {512, 64, 8}, {4096, 64, 8}};
    struct tt_error err = {0};
    struct tt_job job;
    char text[512];

    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof(text),
                 "run: {dir: a}\nmodel: {family: mlp}\ndata: {train: a}\n"
                 "train: {length: 1, global-batch: %lld}\n",
                 (long long)cases[i].global);
        tap_ok(read_text(&job, text, NULL, &err) == 0 &&
                   job.train.micro_batch == cases[i].micro &&
                   job.train.lanes == cases[i].lanes,
               "global batch %lld: micro-batch %lld, %lld lanes",
               (long long)cases[i].global, (long long)job.train.micro_batch,
               (long long)job.train.lanes);
        tt_job_clear(&job);
    }
}

/* --- broken files ----------------------------------------------------- */

/* Change, drop, double or move bytes of a good job.  Whatever comes of it is a
 * job or one line, and (under a sanitizer) touches no memory of others. */
static void test_mutations(void)
{
    enum { ROUNDS = 3000 };
    int read = 0, refused = 0, lines = 0;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        char text[2048];
        struct tt_error err = {0};
        struct tt_job job;
        size_t bytes;

        snprintf(text, sizeof(text), "%s", jobs[round % COUNT(jobs)]);
        bytes = strlen(text);
        for (uint64_t i = 0; i < 1 + round % 4; i++) {
            uint32_t draw = tt_rng_word(7, 0, round, 2 * i);
            uint32_t what = tt_rng_word(7, 0, round, 2 * i + 1);
            size_t at = draw % bytes;

            if (what % 4 == 0)
                text[at] = (char)(1 + what / 4 % 255);
            else if (what % 4 == 1)
                text[at] = "[]{}:,#\"'\n\t &*!|>%@`-?"[what / 4 % 22];
            else if (what % 4 == 2)
                memmove(text + at, text + at + 1, bytes - at);
            else
                text[at] = text[what / 4 % bytes];
            bytes = strlen(text);
            if (bytes == 0)
                break;
        }
        if (read_text(&job, text, NULL, &err) == 0) {
            char *shown = tt_job_format(&job, true);

            free(shown);
            tt_job_clear(&job);
            read++;
        } else {
            refused++;
            lines += err.text[0] && !strchr(err.text, '\n');
        }
    }
    tap_ok(read > 0 && refused > 0, "%d broken jobs: %d read, %d refused",
           ROUNDS, read, refused);
    tap_ok(lines == refused, "each refused with one line");
}

static void test_help(void)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int wide = 0;

    tt_job_help(out);
    fclose(out);
    tap_ok(strstr(text, "  --optimizer.lr=X  (default: 0.001)\n"
                        "        learning rate, before the schedule\n") &&
               strstr(text, "  --optimizer.name=sgd|adam|adamw  ") &&
               strstr(text, "  --train.early-stop=yes|no  (default: no)\n") &&
               strstr(text, "  --train.global-batch=N samples\n"),
           "help names knobs, choices, units and defaults");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        wide += strlen(line) > 79;
    tap_ok(wide == 0, "in 80 columns");
    free(text);
}

int main(void)
{
    test_round_trip();
    test_fields();
    test_resume();
    test_resume_messages();
    test_moved_set();
    test_resolve();
    test_autos();
    test_mutations();
    test_help();
    return tap_done();
}
