/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 4 */
/* start.c - the world as this rank sees it; what goes wrong is tried in
 * children that are MPI programs of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/start.h"
#include "comm/watch.h"
#include "lib/tap.h"

static struct tt_world world;

static void ok_all(int pass, const char *name)
{
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, world.comm);
    tap_ok(pass, "%s", name);
}

/* Send a message to a rank that does not exist. */
static int child_breaks(void)
{
    struct tt_error err;
    int nothing = 0;

    if (tt_world_start(&world, NULL, NULL, &err) < 0)
        return 0;
    tt_watch_note("a test of errors, step", 12);
    MPI_Send(&nothing, 1, MPI_INT, 99, 0, world.comm);
    return 0;
}

static int child_is_alone(void)
{
    struct tt_error err;

    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    setenv("SLURM_PROCID", "2", 1);
    if (tt_world_start(&world, NULL, NULL, &err) == 0)
        return 0;
    fprintf(stderr, "%d: %s\n", world.rank, err.text);
    return 7;
}

/* Launchers mark their children by the environment; ours starts afresh. */
static void forget_launcher(void)
{
    static const char *const names[] = {"OMPI_", "PMIX_", "PMI_", "ORTE_"};
    extern char **environ;

    for (char **e = environ; *e;) {
        char name[128];
        int drop = 0;

        for (int i = 0; i < 4; i++)
            drop |= strncmp(*e, names[i], strlen(names[i])) == 0 &&
                    strncmp(*e, "OMPI_ALLOW", 10) != 0;
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*e, "="), *e);
        if (drop)
            unsetenv(name);
        else
            e++;
    }
}

/* Run 'child' as a program of its own; its status and what it said. */
static int run_child(const char *self, const char *which, char *said,
                     size_t said_bytes)
{
    char command[600];
    size_t used;
    FILE *pipe;

    snprintf(command, sizeof(command), "%s %s 2>&1", self, which);
    pipe = popen(command, "r");
    used = fread(said, 1, said_bytes - 1, pipe);
    said[used] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static void test_children(const char *self)
{
    char said[8192];
    int status = run_child(self, "breaks", said, sizeof(said));

    tap_ok(status != 0, "an MPI error ends the program");
    tap_ok(strstr(said, "rank 0 on ") != NULL, "it names rank and host");
    tap_ok(strstr(said, "in: a test of errors, step 12: MPI_ERR_RANK") != NULL,
           "it names the deed and the error");
    status = run_child(self, "alone", said, sizeof(said));
    tap_ok(status == 7, "one of 4 tasks that MPI started alone is refused");
    tap_ok(strstr(said, "2: srun started 4 tasks") != NULL &&
               strstr(said, "--mpi=pmix") != NULL,
           "with the cure");
}

static void test_world(void)
{
    int rank, size, sum = 1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ok_all(world.rank == rank && world.size == size, "rank and size");
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, world.node);
    ok_all(sum == world.node_size && world.node_size == size &&
               world.node_rank == rank && world.node_count == 1,
           "one node holds all");
    ok_all(world.cpus >= 1 && world.node_cpus >= world.cpus &&
               world.node_cpus <= sysconf(_SC_NPROCESSORS_CONF),
           "as many hardware threads as there are");
    ok_all(world.host[0] != '\0' && !strchr(world.host, '.'), "a host name");
    ok_all(world.init_s > 0 && world.init_s < 60, "MPI_Init took a while");
}

static int run_in_child(const char *which)
{
    forget_launcher();
    if (strcmp(which, "breaks") == 0)
        return child_breaks();
    return child_is_alone();
}

int main(int argc, char **argv)
{
    struct tt_error err;
    int status;

    if (argc > 1)
        return run_in_child(argv[1]);
    if (tt_world_start(&world, &argc, &argv, &err) < 0) {
        tap_ok(0, "%s", err.text);
        return tap_done();
    }
    if (world.rank != 0)
        tap_mute();
    test_world();
    if (world.rank == 0 && world.size == 1)
        test_children(argv[0]);
    status = tap_done();
    tt_world_end(&world);
    return status;
}
