/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - hangs are made in children and, with two ranks, under a launcher.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

#include "base/clock.h"
#include "comm/watch.h"
#include "lib/tap.h"

static const double limit_s = 0.4;

/* What a child does under the watchdog. */
static void hang(void)
{
    tt_watch_note("reading", -1);
    tt_watch_note("allreduce of gradients, step", 12);
    sleep(20);
}

static void hang_without_number(void)
{
    tt_watch_note("opening the data", -1);
    sleep(20);
}

static void be_busy(void)
{
    for (int i = 0; i < 20; i++) {
        tt_watch_note("step", 7); /* the same note is progress too */
        usleep(50000);
    }
}

static void pause_a_while(void)
{
    tt_watch_note("step", 1);
    tt_watch_pause();
    usleep(1000000);
}

static void stop_first(void)
{
    tt_watch_note("step", 1);
    tt_watch_stop();
    usleep(1000000);
}

/* Run 'deed' in a child; its exit status and what it said. */
static int run_child(void (*deed)(void), double limit, char *said, size_t room)
{
    struct tt_error err;
    int ends[2], status;
    size_t used = 0;
    ssize_t got;
    pid_t pid;

    if (pipe(ends) < 0 || (pid = fork()) < 0)
        return -1;
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (tt_watch_start(limit, 3, "node7", &err) < 0)
            _exit(99);
        deed();
        tt_watch_stop();
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], said + used, room - 1 - used)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void test_hangs(void)
{
    char said[1000];
    double start = tt_clock_s(), took;

    tap_ok(run_child(hang, limit_s, said, sizeof(said)) == TT_WATCH_EXIT,
           "a hang ends with %d", TT_WATCH_EXIT);
    took = tt_clock_s() - start;
    tap_ok(took >= limit_s && took < 10 * limit_s, "in time: %.2f s", took);
    tap_ok(strncmp(said, "rank 3 on node7: no progress for 0.", 35) == 0 &&
               strstr(said, " in: allreduce of gradients, step 12\n"),
           "rank, host, deed: %.*s", (int)strcspn(said, "\n"), said);
    run_child(hang_without_number, limit_s, said, sizeof(said));
    tap_ok(strstr(said, " in: opening the data\n") != NULL,
           "a deed without a number");
}

static void test_no_hangs(void)
{
    char said[1000];

    tap_ok(run_child(be_busy, limit_s, said, sizeof(said)) == 0 && !said[0],
           "progress is left alone");
    tap_ok(run_child(pause_a_while, limit_s, said, sizeof(said)) == 0,
           "a pause is left alone");
    tap_ok(run_child(stop_first, limit_s, said, sizeof(said)) == 0,
           "stopped is stopped");
    tap_ok(run_child(pause_a_while, 0, said, sizeof(said)) == 0,
           "limit 0: nobody watches");
}

static void test_notes(void)
{
    int64_t number;

    tap_ok(tt_watch_what(&number)[0] == '\0', "no note before the first");
    tt_watch_note("save", 5);
    tap_ok(strcmp(tt_watch_what(&number), "save") == 0 && number == 5,
           "the last note");
}

/* Rank 1 stays away from a collective; rank 0 is watched and says so. */
static int hang_together(int argc, char **argv)
{
    struct tt_error err;
    int rank, one = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        sleep(20);
    tt_watch_start(limit_s, rank, "here", &err);
    tt_watch_note("sum of gradients, step", 3);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

static void test_launched(const char *self)
{
    const char *mpiexec = getenv("MPIEXEC"), *flags = getenv("MPIEXEC_FLAGS");
    char command[1000], said[8192];
    size_t used;
    int status;
    FILE *pipe;

    if (!mpiexec || !*mpiexec || strcmp(mpiexec, "no") == 0) {
        tap_note("no MPI launcher");
        return;
    }
    snprintf(command, sizeof(command), "timeout 30 %s %s -n 2 %s hang 2>&1",
             mpiexec, flags ? flags : "", self);
    pipe = popen(command, "r");
    used = fread(said, 1, sizeof(said) - 1, pipe);
    said[used] = '\0';
    status = WEXITSTATUS(pclose(pipe));
    tap_ok(status == TT_WATCH_EXIT, "two ranks: the launcher returns %d",
           status);
    tap_ok(strstr(said, "rank 0 on here: no progress for") &&
               strstr(said, "in: sum of gradients, step 3"),
           "two ranks: the one that waits is named");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return hang_together(argc, argv);
    test_hangs();
    test_no_hangs();
    test_notes();
    test_launched(argv[0]);
    return tap_done();
}
