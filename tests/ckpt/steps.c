/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - the folder of checkpoints: what is kept, what goes, what is best.
 */
/* nranks: 1 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/tap.h"
#include "state.h"

static const char *root;

static void save(int64_t step)
{
    struct tt_error err = {0};
    struct state s;

    state_init(&s, DEAL_EVEN, 1, MPI_COMM_WORLD);
    s.ckpt.tensor = s.tensor + 1; /* two small ones */
    s.ckpt.tensor_count = 2;
    if (tt_ckpt_save_all(root, step, &s.ckpt, MPI_COMM_WORLD, &err) < 0)
        tap_note("%s", err.text);
    state_clear(&s);
}

/* The steps that are there, as "10 20 30". */
static const char *steps_text(void)
{
    static char text[256];
    int64_t *step, count = tt_ckpt_steps_list(root, &step, NULL);

    text[0] = '\0';
    for (int64_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%lld",
                 i ? " " : "", (long long)step[i]);
    free(step);
    return text;
}

static int steps_are(const char *want)
{
    return strcmp(steps_text(), want) == 0;
}

static int is_there(const char *name)
{
    char path[TT_CKPT_PATH];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    return access(path, F_OK) == 0;
}

/* A folder of that name, touched so many seconds ago. */
static void folder_make(const char *name, int age_s)
{
    struct timespec when[2] = {{0}};
    char path[TT_CKPT_PATH];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    mkdir(path, 0777);
    when[0].tv_sec = when[1].tv_sec = time(NULL) - age_s;
    utimensat(AT_FDCWD, path, when, 0);
}

static void test_prune(void)
{
    struct tt_error err = {0};

    for (int64_t step = 10; step <= 50; step += 10)
        save(step);
    tap_ok(steps_are("10 20 30 40 50"), "five steps: %s", steps_text());
    tap_ok(tt_ckpt_prune(root, 0, -1, &err) == 0 && steps_are("10 20 30 40 50"),
           "keep 0 keeps all");
    tap_ok(tt_ckpt_prune(root, 3, 10, &err) == 0 && steps_are("10 30 40 50"),
           "the newest three and the best: %s", steps_text());
    folder_make("step-00000060", 0); /* no manifest: does not count */
    tap_ok(tt_ckpt_prune(root, 2, -1, &err) == 0 && steps_are("40 50 60"),
           "an incomplete one does not count: %s", steps_text());
}

static void test_leftovers(void)
{
    struct tt_error err = {0};
    char host[65] = "", mine[200];

    gethostname(host, sizeof(host) - 1);
    snprintf(mine, sizeof(mine), ".step-00000070.tmp.-1.-1.%ld.0.%s",
             (long)getpid(), host);
    folder_make(mine, 0);
    folder_make(".step-00000070.tmp.-1.-1.1.0.elsewhere", 0);
    folder_make(".step-00000071.tmp.-1.-1.1.0.elsewhere", 100000);
    folder_make(".step-00000072.tmp.77.1.1.0.elsewhere", 0);
    setenv("SLURM_JOB_ID", "77", 1);
    setenv("SLURM_RESTART_COUNT", "2", 1);
    folder_make("step-00000070.aside", 100000);
    folder_make("notes", 100000);
    tap_ok(tt_ckpt_prune(root, 2, -1, &err) == 0, "prune %s", err.text);
    tap_ok(is_there(mine), "what a living process writes stays");
    tap_ok(is_there(".step-00000070.tmp.-1.-1.1.0.elsewhere"),
           "and what another host's may be writing");
    tap_ok(!is_there(".step-00000071.tmp.-1.-1.1.0.elsewhere"),
           "what is a day old goes");
    tap_ok(!is_there(".step-00000072.tmp.77.1.1.0.elsewhere"),
           "and what an earlier start of this job left");
    tap_ok(is_there("step-00000070.aside") && is_there("notes"),
           "what is not ours stays");
}

static void test_best(void)
{
    struct tt_error err = {0};

    tap_ok(tt_ckpt_best_find(root) == -1, "no best yet");
    tap_ok(tt_ckpt_mark_best(root, 40, &err) == 0 &&
               tt_ckpt_best_find(root) == 40,
           "best is 40 %s", err.text);
    tap_ok(is_there("best/manifest.json"), "the link leads there");
    tt_ckpt_mark_best(root, 50, &err);
    tap_ok(tt_ckpt_best_find(root) == 50, "best is replaced");
}

static void test_aside(void)
{
    struct tt_error err = {0};

    tap_ok(tt_ckpt_set_aside(root, 40, &err) == 2 && steps_are("40"),
           "newer ones are set aside: %s", steps_text());
    save(50);
    tap_ok(tt_ckpt_set_aside(root, 40, &err) == 1 &&
               is_there("step-00000050.aside") &&
               is_there("step-00000050.aside2"),
           "also when one is there already");
    tap_ok(tt_ckpt_best_find(root) == -1, "a best that is gone is none");
    save(50);
    save(45);
    tap_ok(steps_are("40 45") && is_there("step-00000050.aside3"),
           "a run that went on from an older one: %s", steps_text());
    tap_ok(tt_ckpt_prune(root, 1, -1, NULL) == 0 && steps_are("45"),
           "keep 1 keeps what was saved last");
    save(40);
}

static void test_scalars(void)
{
    struct tt_error err = {0};
    char path[TT_CKPT_PATH];
    json_t *scalars;

    tt_ckpt_step_path(path, root, 40, &err);
    scalars = tt_ckpt_scalars(path, &err);
    tap_ok(json_real_value(json_object_get(scalars, "loss")) == 1.0 / 3,
           "scalars keep their bits %s", err.text);
    json_decref(scalars);
    tap_ok(tt_ckpt_verify(path, &err) == 0, "verified by one process %s",
           err.text);
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    unsetenv("SLURM_JOB_ID");
    root = test_dir_make();
    test_prune();
    test_leftovers();
    test_best();
    test_aside();
    test_scalars();
    status = tap_done();
    test_dir_remove(root);
    MPI_Finalize();
    return status;
}
