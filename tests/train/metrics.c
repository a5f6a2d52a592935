/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c - metrics.jsonl: every line is JSON, says what it was given, and
 * costs next to nothing. */
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "base/clock.h"
#include "base/log.h"
#include "io/path.h"
#include "train/metrics.h"

static char dir[64] = "metrics-XXXXXX", file[96];

/* All lines; NULL where one is no JSON. */
static json_t *lines_read(void)
{
    char *text = tt_path_read(file, NULL, NULL);
    json_t *list = json_array();

    for (char *at = text, *end; at && *at; at = end + 1) {
        json_t *line;

        end = strchr(at, '\n');
        line = end ? json_loadb(at, (size_t)(end - at), 0, NULL) : NULL;
        if (!line) {
            json_decref(list);
            list = NULL;
            break;
        }
        json_array_append_new(list, line);
    }
    free(text);
    return list;
}

static double real_at(const json_t *list, size_t i, const char *key)
{
    return json_number_value(json_object_get(json_array_get(list, i), key));
}

static bool has(const json_t *list, size_t i, const char *key)
{
    return json_object_get(json_array_get(list, i), key) != NULL;
}

static void test_values(void)
{
    struct tt_metrics *m = tt_metrics_open(dir, NULL);
    struct tt_metrics_line line;
    double t0 = tt_clock_s();
    json_t *list;

    tt_metrics_line_init(&line);
    line.data_wait_s = 0.25;
    tt_metrics_base(m, &line, t0);
    line.step = 4;
    line.samples = 128;
    line.tokens = 4096;
    line.loss = 1.0 / 3;
    line.lr = 6e-4;
    line.data_wait_s = 1.25;
    tt_metrics_step(m, &line, t0 + 2);
    line.save_s = 0.75; /* a save that took 10 s */
    tt_metrics_base(m, &line, t0 + 12);
    line.step = 5;
    line.samples = 160;
    line.loss = NAN;
    tt_metrics_step(m, &line, t0 + 12.5);
    tap_ok(tt_metrics_close(m, NULL) == 0, "written and closed");
    list = lines_read();
    tap_ok(json_array_size(list) == 2, "two lines, each JSON");
    tap_ok(real_at(list, 0, "loss") == 1.0 / 3, "loss keeps its bits");
    tap_ok(real_at(list, 0, "lr") == 6e-4, "lr keeps its bits");
    tap_ok(real_at(list, 0, "step") == 4 && real_at(list, 0, "samples") == 128,
           "counters");
    tap_ok(real_at(list, 0, "samples_per_s") == 64, "samples per second");
    tap_ok(real_at(list, 0, "step_s") == 0.5, "seconds per step");
    tap_ok(real_at(list, 0, "data_wait_s") == 1, "waited since the start");
    tap_ok(real_at(list, 1, "samples_per_s") == 64, "a save is not counted");
    tap_ok(real_at(list, 1, "save_s") == 0.75, "but told");
    tap_ok(real_at(list, 1, "data_wait_s") == 0,
           "waited since the line before");
    tap_ok(has(list, 1, "loss") &&
               json_is_null(json_object_get(json_array_get(list, 1), "loss")),
           "a loss that is not a number is null");
    tap_ok(!has(list, 0, "grad_norm") && !has(list, 0, "mem_bytes"),
           "what is not known is left out");
    tap_ok(fabs(real_at(list, 0, "time") - tt_clock_epoch_s() - 2) < 5,
           "time is since 1970");
    json_decref(list);
}

static void test_event(void)
{
    struct tt_metrics *m = tt_metrics_open(dir, NULL);
    json_t *list;

    tt_metrics_event(m, "eval", 7,
                     json_pack("{s:o, s:o}", "valid.loss", tt_metrics_real(0.1),
                               "valid.accuracy", tt_metrics_real(NAN)));
    tt_metrics_event(NULL, "save", 7, json_object());
    list = lines_read(); /* before the close: events are flushed */
    tap_ok(json_array_size(list) == 3, "an event is appended and flushed");
    tap_ok(real_at(list, 2, "valid.loss") == 0.1 && has(list, 2, "event") &&
               has(list, 2, "time") && real_at(list, 2, "step") == 7,
           "with its fields");
    tt_metrics_close(m, NULL);
    json_decref(list);
}

static void test_half_line(void)
{
    struct tt_metrics *m;
    FILE *f = fopen(file, "a");
    json_t *list;

    fputs("{\"step\":8,\"loss\":0.1", f);
    fclose(f);
    m = tt_metrics_open(dir, NULL);
    tt_metrics_event(m, "resume", 8, NULL);
    tt_metrics_close(m, NULL);
    list = lines_read();
    tap_ok(json_array_size(list) == 4, "half a line of a killed writer is cut");
    json_decref(list);
}

/* A loop of 3 us steps by a clock of our own, against CPU time. */
static void test_cost(void)
{
    enum { STEPS = 1000000 };
    struct tt_metrics *m;
    struct tt_metrics_line line;
    struct timespec a, b;
    double now_s, used_s;
    json_t *list;
    size_t lines;

    unlink(file);
    m = tt_metrics_open(dir, NULL);
    now_s = tt_clock_s();
    tt_metrics_line_init(&line);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (line.step = 1; line.step <= STEPS; line.step++) {
        now_s += 3e-6;
        if (!tt_metrics_due(m, now_s))
            continue;
        line.loss = 1.0 / (double)line.step;
        line.lr = 1e-3 * line.loss;
        line.grad_norm = sqrt(line.loss);
        line.samples = 32 * line.step;
        tt_metrics_step(m, &line, now_s);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    tt_metrics_close(m, NULL);
    used_s =
        (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    list = lines_read();
    lines = json_array_size(list);
    tap_note("%zu lines, %.3f us a step", lines, 1e6 * used_s / STEPS);
    tap_ok(lines > 2900 && lines <= 3001, "at most 1,000 lines a second");
    tap_ok(used_s / STEPS < 0.3e-6, "under 0.3 us a step");
    json_decref(list);
}

/* As on a full disk: whole lines only, training goes on, the end tells. */
static void test_full(void)
{
    struct tt_metrics *m;
    struct tt_metrics_line line;
    struct tt_error err = {0};
    struct rlimit old, few;
    json_t *list;

    unlink(file);
    m = tt_metrics_open(dir, NULL);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    few = old;
    few.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &few);
    tt_metrics_line_init(&line);
    for (line.step = 1; line.step <= 100; line.step++) {
        tt_metrics_step(m, &line, tt_clock_s());
        if (line.step % 10 == 0)
            tt_metrics_flush(m);
    }
    setrlimit(RLIMIT_FSIZE, &old);
    tt_metrics_event(m, "stop", 100, NULL);
    tap_ok(tt_metrics_close(m, &err) < 0, "lost lines are told: %s", err.text);
    list = lines_read();
    tap_ok(list && json_array_size(list) > 1,
           "every line that is there is whole");
    json_decref(list);
}

/* The page of the format has a paragraph for every key. */
static void test_page(void)
{
    const char *top = getenv("top_srcdir");
    char path[512], want[64], *page;

    snprintf(path, sizeof(path), "%s/doc/tutti-run.5", top ? top : ".");
    page = tt_path_read(path, NULL, NULL);
    for (const struct tt_metric *t = tt_metrics_table; t->name; t++) {
        snprintf(want, sizeof(want), ".TP\n.B %s\n", t->name);
        tap_ok(page && strstr(page, want), "tutti-run(5) tells of %s", t->name);
    }
    free(page);
}

int main(void)
{
    if (!mkdtemp(dir))
        return 1;
    snprintf(file, sizeof(file), "%s/metrics.jsonl", dir);
    tt_log_start("test", 1, TT_LOG_QUIET); /* not rank 0: no warnings */
    test_values();
    test_event();
    test_half_line();
    test_cost();
    test_full();
    test_page();
    tt_path_remove(dir, NULL);
    return tap_done();
}
