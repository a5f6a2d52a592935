/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - what a line of the log says, and when. */
#include <string.h>

#include "../lib/tap.h"
#include "train/progress.h"

static const struct tt_progress_conf conf = {
    .total_steps = 1000, .every_s = 30, .done_frac = 0.1, .now_s = 100};

/* 10 steps a second from step 100 on, 32 samples each. */
static struct tt_metrics_line line_at(int64_t step)
{
    struct tt_metrics_line line;

    tt_metrics_line_init(&line);
    line.step = step;
    line.samples = 32 * step;
    line.loss = 2.5;
    line.lr = 6e-4;
    line.data_wait_s = 0.05 * (double)(step - 100);
    return line;
}

static void test_text(void)
{
    struct tt_progress p;
    struct tt_metrics_line line = line_at(100);
    char text[256];

    tt_progress_init(&p, &conf);
    p.last_step = 100; /* as after the first call of show */
    p.last_samples = line.samples;
    p.last_s = 100;
    p.wait_s = 0;
    line = line_at(400);
    tt_progress_format(&p, &line, 0.4, 130, 0, text, sizeof(text));
    tap_note("%s", text);
    tap_ok(strncmp(text, "step 400/1000 40.0%  loss 2.5  lr 0.0006  320", 45) ==
               0,
           "steps, share, loss, lr, samples per second");
    tap_ok(strstr(text, "waiting for data 50%") != NULL, "share of waiting");
    /* 30 s for 0.3 of the run, 0.6 to go */
    tap_ok(strstr(text, "  1 min") || strstr(text, "60 s left"),
           "time left, by the pace of this start");
    for (int columns = 20; columns <= 200; columns += 45) {
        tt_progress_format(&p, &line, 0.4, 130, columns, text, sizeof(text));
        tap_ok((int)strlen(text) < columns, "fits in %d columns", columns);
    }
}

static void test_when(void)
{
    struct tt_progress p, silent = {0};
    struct tt_metrics_line line = line_at(101);

    tap_ok(!tt_progress_due(&silent, 1, 1e9), "zeroed: never");
    tt_progress_init(&p, &conf);
    tap_ok(tt_progress_due(&p, 101, 100.1), "the first step is shown");
    p.on = true;
    tt_progress_show(&p, &line, 0.1, 100.1);
    tap_ok(!tt_progress_due(&p, 102, 130), "then nothing for 30 s");
    tap_ok(tt_progress_due(&p, 103, 130.2), "then a line");
}

int main(void)
{
    test_text();
    test_when();
    return tap_done();
}
