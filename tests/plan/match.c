/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c - plans of any number of ranks: collectives pair up, memory is what
 * the lists need, lengths become steps. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "plan/match.h"

static const struct tt_plan_data data = {
    .x_dims = 1,
    .x_dim = {10},
    .y_is_class = true,
    .y_values = 1,
    .classes = 2,
    .sample_count = 1000,
    .sample_bytes = 44,
};

static int read_job(struct tt_job *job, const char *text)
{
    char path[] = "/tmp/tt-plan-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    struct tt_error err = {0};
    int rc;

    fputs(text, file);
    fclose(file);
    rc = tt_job_read(job, path, 0, NULL, &err);
    if (rc < 0)
        tap_note("%s", err.text);
    unlink(path);
    return rc;
}

static int matches(const struct tt_job *job, int dp)
{
    struct tt_error err = {0};

    for (int rank = 0; rank < dp; rank += 1 + dp / 7) {
        struct tt_plan plan;
        int rc = tt_plan_build(job, &data, rank, dp, &plan, &err);

        if (rc == 0)
            rc = tt_plan_match(&plan, &err);
        tt_plan_clear(&plan);
        if (rc < 0) {
            tap_note("rank %d of %d: %s", rank, dp, err.text);
            return 0;
        }
    }
    return 1;
}

static void test_match(void)
{
    static const int dps[] = {1, 2, 3, 4, 5, 7, 8, 16, 48, 1024};
    struct tt_job job;

    if (read_job(&job,
                 "{run: {dir: x}, model: {family: mlp, widths: [50]},"
                 "data: {train: x}, train: {length: 10 epochs,"
                 "global-batch: 2048, micro-batch: 2, lanes: 256}}") < 0) {
        tap_ok(0, "job");
        return;
    }
    for (size_t i = 0; i < sizeof(dps) / sizeof(dps[0]); i++)
        tap_ok(matches(&job, dps[i]), "%d ranks", dps[i]);
    tt_job_clear(&job);
}

/* 10-50-2: 550 + 102 parameters; two blocks padded to 512. */
static void test_counts(void)
{
    struct tt_job job;
    struct tt_plan plan;
    struct tt_error err = {0};
    int64_t flops = 2 * 32 * (10 * 50 * 2 + 50 * 2 * 3);

    if (read_job(&job, "{run: {dir: x}, model: {family: mlp, widths: [50]},"
                       "data: {train: x}, train: {length: 10 epochs,"
                       "global-batch: 32, micro-batch: 32}}") < 0 ||
        tt_plan_build(&job, &data, 0, 1, &plan, &err) < 0) {
        tap_ok(0, "plan: %s", err.text);
        return;
    }
    tap_ok(plan.params.trained == 652, "652 parameters");
    tap_ok(plan.memory.weights == 4 * (1024 + 512), "padded weights");
    tap_ok(plan.memory.moments == 2 * plan.memory.weights, "two moments");
    tap_ok(plan.epoch_steps == 32, "32 steps an epoch, the last one short");
    tap_ok(plan.total_steps == 320, "10 epochs");
    tap_ok(plan.step_gemm_flops == flops,
           "matrix products of a step: no gradient of the data");
    tap_ok(tt_plan_steps(&plan, (struct tt_length){33, TT_SAMPLES}) == 2,
           "33 samples are 2 steps");
    tap_ok(tt_plan_steps(&plan, (struct tt_length){5, TT_SECONDS}) == INT64_MAX,
           "seconds are not steps");
    tt_plan_clear(&plan);
    tt_job_clear(&job);
}

int main(void)
{
    test_match();
    test_counts();
    return tap_done();
}
