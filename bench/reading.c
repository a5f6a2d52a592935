/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.c - a loader on shuffled windows of shards beside bare pread of the
 * same runs into two buffers, both from warm page cache; and the fetch of a
 * tiny step from memory.
 *
 *     bench/reading [directory for 256 MiB of shards, default .]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "base/clock.h"
#include "data/loader.h"
#include "data/set.h"
#include "data/shard.h"
#include "io/path.h"
#include "layout/order.h"
#include "tests/data/make.h"

enum { SHARDS = 4, ROWS = 16384, BATCH = 64, TURNS = 5 };
enum { SET_BYTES = 256 << 20, BLOCK_BYTES = 1 << 20, WINDOW_BLOCKS = 16 };

static struct tt_error err;

static void need(int good)
{
    if (good)
        return;
    fprintf(stderr, "bench/reading: %s\n", err.text);
    exit(1);
}

static double min_of(double a, double b)
{
    return a < b ? a : b;
}

/* --- pread alone ----------------------------------------------------- */

struct raw {
    struct tt_shard_index *index;
    int fd[SHARDS];
    char *window[2];
    int64_t x_bytes; /* of a sample */
};

static void raw_open(struct raw *raw, const char *dir)
{
    char path[600];

    raw->index = tt_shard_index_read(dir, &err);
    need(raw->index != NULL);
    raw->x_bytes = tt_shard_field_bytes(&raw->index->x);
    for (int i = 0; i < SHARDS; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, raw->index->shard[i].file);
        raw->fd[i] = open(path, O_RDONLY);
        need(raw->fd[i] >= 0);
    }
    for (int i = 0; i < 2; i++) {
        raw->window[i] = malloc((WINDOW_BLOCKS + 2) * (size_t)BLOCK_BYTES);
        need(raw->window[i] != NULL);
    }
}

static void raw_close(struct raw *raw)
{
    for (int i = 0; i < SHARDS; i++)
        close(raw->fd[i]);
    free(raw->window[0]);
    free(raw->window[1]);
    tt_shard_index_destroy(raw->index);
}

/* x and y of a run that may reach into the next shard. */
static int64_t raw_run(const struct raw *raw, struct tt_order_run run, char *to)
{
    int64_t bytes = 0;

    while (run.count > 0) {
        int64_t s = run.first / ROWS, at = run.first % ROWS;
        int64_t some = ROWS - at < run.count ? ROWS - at : run.count;
        const struct tt_shard *shard = &raw->index->shard[s];

        need(tt_path_pread(
                 raw->fd[s], to + bytes, (size_t)(some * raw->x_bytes),
                 shard->x_offset + at * raw->x_bytes, shard->file, &err) == 0);
        bytes += some * raw->x_bytes;
        need(tt_path_pread(raw->fd[s], to + bytes, (size_t)some * 4,
                           shard->y_offset + at * 4, shard->file, &err) == 0);
        bytes += some * 4;
        run.first += some;
        run.count -= some;
    }
    return bytes;
}

static double raw_epoch(const struct raw *raw, const struct tt_order *order,
                        int64_t epoch)
{
    static struct tt_order_run run[WINDOW_BLOCKS + 1];
    int64_t at = 0, all = tt_order_lane_samples(order, epoch, 0);
    double begin = tt_clock_s();
    int turn = 0;

    while (at < all) {
        struct tt_order_window w = tt_order_window_of(order, epoch, 0, at);
        int runs =
            tt_order_window_runs(order, epoch, 0, w, run, WINDOW_BLOCKS + 1);
        int64_t to = 0;

        for (int i = 0; i < runs; i++)
            to += raw_run(raw, run[i], raw->window[turn] + to);
        turn = 1 - turn;
        at = w.first + w.count;
    }
    return tt_clock_s() - begin;
}

/* --- the loader ------------------------------------------------------ */

static double loader_epoch(struct tt_loader *loader,
                           const struct tt_order *order, int64_t epoch,
                           float *x, int32_t *y)
{
    int64_t steps = tt_order_epoch_steps(order);
    double begin = tt_clock_s();

    for (int64_t s = epoch * steps; s < (epoch + 1) * steps; s++)
        need(tt_loader_fetch(loader, s, 0, 0, BATCH, x, y, &err) == 0);
    return tt_clock_s() - begin;
}

static struct tt_order order_of(const struct tt_set_info *info)
{
    struct tt_order order = {.seed = 1,
                             .sample_count = info->sample_count,
                             .lanes = 1,
                             .shuffle = true,
                             .window_blocks = WINDOW_BLOCKS,
                             .batch_samples = BATCH};

    order.block_samples = tt_order_block_samples(
        info->sample_count, 1, info->sample_bytes, BLOCK_BYTES);
    return order;
}

/* Epochs of both ways in turns, the best of each. */
static void compare(const char *name, const char *dir, struct tt_set *set)
{
    const struct tt_set_info *info = tt_set_info(set);
    struct tt_order order = order_of(info);
    struct tt_loader *loader = tt_loader_create(set, &order, 0, 1, 0, 0, &err);
    float *x = malloc((size_t)(BATCH * info->x_values) * 4);
    double bytes = (double)(info->sample_count * info->sample_bytes);
    double alone = 1e9, loaded = 1e9;
    int32_t y[BATCH];
    struct raw raw = {0};

    need(loader && x);
    raw_open(&raw, dir);
    for (int64_t e = 0; e < TURNS; e++) {
        alone = min_of(alone, raw_epoch(&raw, &order, e));
        loaded = min_of(loaded, loader_epoch(loader, &order, e, x, y));
    }
    printf("reading %s: bare pread\t%.3f\tGB/s\n", name, bytes / alone / 1e9);
    printf("reading %s: loader\t%.3f\tGB/s\n", name, bytes / loaded / 1e9);
    printf("reading %s: loader over pread\t%.3f\n", name, alone / loaded);
    raw_close(&raw);
    tt_loader_destroy(loader);
    free(x);
}

static void bench_shards(const char *name, const char *dir, enum tt_dtype dtype)
{
    static const int64_t counts[SHARDS] = {ROWS, ROWS, ROWS, ROWS};
    struct tt_job_data conf = {.cache_bytes = 0};
    int64_t values =
        SET_BYTES / (SHARDS * ROWS) / (int64_t)tt_dtype_bytes(dtype);
    char text[600];
    struct tt_set *set;

    need(make_rows(dir, dtype, values, counts, SHARDS, &err) == 0);
    snprintf(text, sizeof(text), "'%s'", dir);
    set = tt_set_open_all(make_node(text), 0, &conf, MPI_COMM_WORLD, &err);
    need(set != NULL);
    compare(name, dir, set);
    tt_set_close(set);
    tt_path_remove(dir, NULL);
}

/* The classic first example: 32 rows of 10. */
static void bench_memory(void)
{
    struct tt_job_data conf = {.cache_bytes = 1 << 20};
    struct tt_set *set = tt_set_open_all(
        make_node("{synthetic: {samples: 1000, features: 10, classes: 2}}"), 0,
        &conf, MPI_COMM_WORLD, &err);
    struct tt_order order;
    struct tt_loader *loader;
    double best = 1e9;
    float x[320];
    int32_t y[32];

    need(set != NULL);
    order = order_of(tt_set_info(set));
    order.batch_samples = 32;
    order.last = TT_LAST_CARRY;
    loader = tt_loader_create(set, &order, 0, 1, 0, 0, &err);
    need(loader != NULL);
    for (int64_t turn = 0; turn < 200; turn++) {
        double begin = tt_clock_s();

        for (int64_t s = 1000 * turn; s < 1000 * turn + 1000; s++)
            need(tt_loader_fetch(loader, s, 0, 0, 32, x, y, &err) == 0);
        best = min_of(best, tt_clock_s() - begin);
    }
    printf("reading memory: 32 rows of 10\t%.3f\tus\n", best * 1e3);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

int main(int argc, char **argv)
{
    char dir[500];

    MPI_Init(&argc, &argv);
    snprintf(dir, sizeof(dir), "%s/reading-bench.%d", argc > 1 ? argv[1] : ".",
             (int)getpid());
    bench_shards("f32", dir, TT_F32);
    bench_shards("pixels", dir, TT_U8);
    bench_memory();
    MPI_Finalize();
    return 0;
}
