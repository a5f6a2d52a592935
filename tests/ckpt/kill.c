/* SPDX-License-Identifier: BSD-3-Clause */
/* kill.c - what was reported saved is there after a kill at any moment.
 * Starts itself under the launcher to save again and again, kills a rank at a
 * random moment, and looks. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "io/path.h"
#include "lib/tap.h"
#include "state.h"

enum { RANKS = 2 };

/* --- the program that is killed --------------------------------------- */

static void number_put(const char *dir, const char *name, long long number)
{
    char path[300], text[32];
    int bytes = snprintf(text, sizeof(text), "%lld\n", number);

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    tt_path_write(path, text, (size_t)bytes, NULL);
}

/* Every second save is by a thread. */
static int save(const char *root, int64_t step, struct state *s, bool halves)
{
    struct tt_error err = {0};
    struct tt_ckpt_save *half;

    if (!halves)
        return tt_ckpt_save_all(root, step, &s->ckpt, MPI_COMM_WORLD, &err);
    half = tt_ckpt_begin_all(root, step, &s->ckpt, MPI_COMM_WORLD, &err);
    return half ? tt_ckpt_end_all(half, &err) : -1;
}

/* Every third save replaces the one before. */
static int saver(int argc, char **argv)
{
    struct tt_error err = {0};
    char root[300], name[32];
    struct state s;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(root, sizeof(root), "%s/checkpoints", argv[1]);
    snprintf(name, sizeof(name), "pid.%d", rank);
    number_put(argv[1], name, getpid());
    state_init(&s, DEAL_EVEN, 3, MPI_COMM_WORLD);
    s.ckpt.tensor_count = 3;
    for (int i = 1;; i++) {
        int64_t step = i - i % 3 / 2;

        if (save(root, step, &s, i % 2) < 0)
            MPI_Abort(MPI_COMM_WORLD, 9);
        if (rank == 0) {
            number_put(argv[1], "saved", step);
            tt_ckpt_prune(root, 2, -1, &err);
        }
    }
    return 0; /* never */
}

/* --- the one that kills ----------------------------------------------- */

static long long number_get(const char *dir, const char *name)
{
    char path[300], *text;
    long long number = -1;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    text = tt_path_read(path, NULL, NULL);
    if (text)
        sscanf(text, "%lld", &number);
    free(text);
    return number;
}

static pid_t saver_start(const char *self, const char *dir)
{
    char command[1024];
    const char *flags = getenv("MPIEXEC_FLAGS");
    pid_t child = fork();

    if (child != 0)
        return child;
    snprintf(command, sizeof(command), "exec %s %s -n %d %s %s >%s/output 2>&1",
             getenv("MPIEXEC"), flags ? flags : "", RANKS, self, dir, dir);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void wait_s(double seconds)
{
    struct timespec t = {(time_t)seconds,
                         (long)(1e9 * (seconds - (double)(time_t)seconds))};

    nanosleep(&t, NULL);
}

/* The first save is through, at most 20 s from now. */
static int first_save_wait(const char *dir)
{
    for (int i = 0; i < 2000; i++) {
        if (number_get(dir, "saved") >= 0)
            return 0;
        wait_s(0.01);
    }
    return -1;
}

/* What was reported, and the newest that verifies. */
static int look(const char *dir, long long *saved, long long *newest)
{
    char root[300], path[TT_CKPT_PATH];
    int64_t *step, count;

    snprintf(root, sizeof(root), "%s/checkpoints", dir);
    *saved = number_get(dir, "saved");
    *newest = -1;
    tt_ckpt_recover(root, NULL);
    count = tt_ckpt_steps_list(root, &step, NULL);
    for (int64_t i = count - 1; i >= 0 && *newest < 0; i--) {
        tt_ckpt_step_path(path, root, step[i], NULL);
        if (tt_ckpt_verify(path, NULL) == 0)
            *newest = step[i];
    }
    free(step);
    return *newest >= 0 && *newest >= *saved;
}

static void test_kill(const char *self, int number)
{
    char dir[64] = "kill-XXXXXX", victim[16];
    uint32_t r[4];
    long long saved = -1, newest = -1;
    int good;
    pid_t child;

    tt_rng_quad(11, 1, (uint64_t)number, 0, r);
    if (!mkdtemp(dir))
        return;
    child = saver_start(self, dir);
    good = first_save_wait(dir) == 0;
    wait_s(0.4 * tt_rng_unit(r[0]));
    snprintf(victim, sizeof(victim), "pid.%d", (int)(r[1] % RANKS));
    if (good && number_get(dir, victim) > 0)
        kill((pid_t)number_get(dir, victim), SIGKILL);
    else
        kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    good = good && look(dir, &saved, &newest);
    tap_ok(good, "killed %s: %lld was reported, %lld is whole", victim, saved,
           newest);
    tt_path_remove(dir, NULL);
}

int main(int argc, char **argv)
{
    const char *launcher = getenv("MPIEXEC");
    int count = test_tries(4, 100);

    if (argc > 1)
        return saver(argc, argv);
    if (!launcher || !*launcher) {
        printf("1..0 # SKIP no MPI launcher\n");
        return 0;
    }
    for (int i = 0; i < count; i++)
        test_kill(argv[0], i);
    return tap_done();
}
