/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c - start and end of MPI, and who and where this rank is. */
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "comm/start.h"
#include "comm/watch.h"

/* For the error handler, which is given no context. */
static struct {
    int rank;
    char host[64];
} self;

/* MPI calls stand bare in tutti because none returns from here. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING], where[128] = "";
    int text_bytes;
    int64_t number;
    const char *what = tt_watch_what(&number);

    if (*what && number >= 0)
        snprintf(where, sizeof(where), " in: %.90s %" PRId64, what, number);
    else if (*what)
        snprintf(where, sizeof(where), " in: %.90s", what);
    MPI_Error_string(*code, text, &text_bytes);
    fprintf(stderr, "rank %d on %s: MPI failed%s: %s\n", self.rank, self.host,
            where, text);
    fflush(stderr);
    MPI_Abort(*comm, 1);
}

static void set_handler(MPI_Comm comm)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

static int env_int(const char *name, int absent)
{
    const char *text = getenv(name);

    return text && *text ? atoi(text) : absent;
}

/* Tasks of the Slurm step that started this very process; 1 where an mpirun
 * stands between, which brings its own idea of the size. */
static int step_tasks(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE") || env_int("PMI_SIZE", 0) == 1)
        return 1;
    return env_int("SLURM_STEP_NUM_TASKS", 1);
}

/* What Open MPI is told before it starts; what the user set stays. */
struct setting {
    const char *name, *value;
    bool alone; /* only for a process that was started by hand, and not for
                 * its children; the others are read when a file is opened */
    bool ours;  /* set by us */
};

static struct setting settings[] = {
    /* Files are only read, and no pointer into them is shared: no lock file is
     * tried beside them, nor a file in a session folder that is not there. */
    {"OMPI_MCA_sharedfp", "^lockedfile,sm", false, false},
    /* Without a launcher a process has nobody to talk to and needs neither a
     * daemon nor networks, and starts in 0.05 s instead of 0.4; nor a session
     * folder, which all such processes of a host would share and remove under
     * each other. */
    {"OMPI_MCA_ess_singleton_isolated", "1", true, false},
    {"OMPI_MCA_orte_create_session_dirs", "0", true, false},
    {"OMPI_MCA_pml", "ob1", true, false},
    {"OMPI_MCA_btl", "self", true, false},
};
enum { SETTING_COUNT = sizeof(settings) / sizeof(settings[0]) };

static bool is_launched(void)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
                                        "PMI_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (getenv(marks[i]))
            return true;
    return false;
}

/* MPI_Init_thread() with our settings. */
static void init(int *argc, char ***argv, int *level)
{
    bool launched = is_launched();

    for (int i = 0; i < SETTING_COUNT; i++) {
        struct setting *s = &settings[i];

        s->ours = !(s->alone && launched) && !getenv(s->name);
        if (s->ours)
            setenv(s->name, s->value, 0);
    }
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, level);
    for (int i = 0; i < SETTING_COUNT; i++)
        if (settings[i].ours && settings[i].alone)
            unsetenv(settings[i].name);
}

static void where_am_i(struct tt_world *world)
{
    gethostname(world->host, sizeof(world->host) - 1);
    world->host[strcspn(world->host, ".")] = '\0';
    MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world->size);
    self.rank = world->rank;
    memcpy(self.host, world->host, sizeof(self.host));
}

static void open_comms(struct tt_world *world)
{
    int first;

    MPI_Comm_dup(MPI_COMM_WORLD, &world->comm);
    MPI_Comm_split_type(world->comm, MPI_COMM_TYPE_SHARED, world->rank,
                        MPI_INFO_NULL, &world->node);
    MPI_Comm_rank(world->node, &world->node_rank);
    MPI_Comm_size(world->node, &world->node_size);
    first = world->node_rank == 0;
    MPI_Allreduce(&first, &world->node_count, 1, MPI_INT, MPI_SUM, world->comm);
}

static void count_cpus(struct tt_world *world)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set); /* fails: stays empty */
    world->cpus = CPU_COUNT(&set);
    MPI_Allreduce(MPI_IN_PLACE, &set, sizeof(set), MPI_BYTE, MPI_BOR,
                  world->node);
    world->node_cpus = CPU_COUNT(&set);
}

static int check(const struct tt_world *world, int tasks, int level,
                 struct tt_error *err)
{
    if (level < MPI_THREAD_FUNNELED)
        return tt_fail(err, TT_ECOMM,
                       "this MPI library was built without threads "
                       "(MPI_THREAD_FUNNELED); load one that has them");
    if (world->size == 1 && tasks > 1)
        return tt_fail(err, TT_ECOMM,
                       "srun started %d tasks, but MPI started each alone: "
                       "they speak different PMIs. Try srun --mpi=pmix (srun "
                       "--mpi=list shows what there is) or mpirun",
                       tasks);
    return 0;
}

int tt_world_start(struct tt_world *world, int *argc, char ***argv,
                   struct tt_error *err)
{
    int level, tasks = step_tasks();
    double start = tt_clock_s();

    memset(world, 0, sizeof(*world));
    init(argc, argv, &level);
    world->init_s = tt_clock_s() - start;
    where_am_i(world);
    if (check(world, tasks, level, err) < 0) {
        world->rank = env_int("SLURM_PROCID", world->rank);
        MPI_Finalize();
        return -1;
    }
    set_handler(MPI_COMM_WORLD); /* its duplicates inherit it */
    open_comms(world);
    count_cpus(world);
    tt_log_start("tutti", world->rank, TT_LOG_INFO);
    return 0;
}

void tt_world_end(struct tt_world *world)
{
    MPI_Comm_free(&world->node);
    MPI_Comm_free(&world->comm);
    MPI_Finalize();
}
