/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 3 4 */
/* loader.c - every sample exactly once an epoch, and each where the order says,
 * whatever keeps or reads the rows, wherever the run begins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "../lib/tap.h"
#include "data/loader.h"
#include "data/set.h"
#include "io/path.h"
#include "layout/lanes.h"
#include "layout/order.h"
#include "make.h"

enum { CONTEXT = 7 };

static int rank, size;
static char dir[64];
static uint64_t state = 88172645463325252;

/* The same on all ranks. */
static int64_t draw(int64_t low, int64_t high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)(state % (uint64_t)(high - low + 1));
}

static void ok_all(int pass, const char *name, const char *why)
{
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    tap_ok(pass, "%s%s%s", name, pass || !why[0] ? "" : ": ", pass ? "" : why);
}

/* One way to read one set. */
struct trial {
    const char *name; /* folder within 'dir' */
    int64_t cache_bytes, memory_bytes;
    const char *read;
    double scale; /* from x to the number that was packed */
    int64_t first_step;
};

static struct tt_set *open_set(const struct trial *t, struct tt_error *err)
{
    struct tt_job_data conf = {.read = t->read, .cache_bytes = t->cache_bytes};
    char path[160];

    snprintf(path, sizeof(path), "\"%s/%s\"", dir, t->name);
    return tt_set_open_all(make_node(path), CONTEXT, &conf, MPI_COMM_WORLD,
                           err);
}

static int is_rows_sample(const struct trial *t, const struct tt_set_info *info,
                          const float *x, const int32_t *y, int64_t sample)
{
    int good = y[0] == sample % MAKE_CLASSES;

    for (int64_t e = 0; e < info->x_values; e++)
        good = good && (double)x[e] ==
                           (double)(float)(make_value(sample, e) * t->scale);
    return good;
}

static int is_tokens_sample(const int32_t *x, const int32_t *y, int64_t sample)
{
    int good = 1;

    for (int64_t i = 0; i < CONTEXT; i++)
        good = good && x[i] == make_token(sample * CONTEXT + i) &&
               y[i] == make_token(sample * CONTEXT + i + 1);
    return good;
}

/* One lane's share of a step in random pieces; seen[sample] counts. */
static int play_lane(struct tt_loader *loader, const struct trial *t,
                     const struct tt_set *set, const struct tt_order *order,
                     int64_t step, int32_t lane, int64_t *seen,
                     struct tt_error *err)
{
    const struct tt_set_info *info = tt_set_info(set);
    int64_t epoch, index, piece = 1 + (step * 7 + lane) % 5;
    int64_t count = tt_order_step(order, step, lane, &epoch, &index);
    float *x = malloc((size_t)(piece * info->x_values) * 4);
    float *y = malloc((size_t)(piece * info->y_values) * 4);
    int good = 1;

    for (int64_t at = 0; at < count && good; at += piece) {
        int64_t some = count - at < piece ? count - at : piece;
        int64_t want[5];

        good = tt_loader_fetch(loader, step, lane, at, some, x, y, err) == 0;
        tt_order_samples(order, epoch, lane, index + at, some, want);
        for (int64_t i = 0; i < some && good; i++) {
            const int32_t *label = (const int32_t *)y + i * info->y_values;

            seen[want[i]]++;
            good =
                info->kind == TT_SET_TOKENS
                    ? is_tokens_sample((const int32_t *)x + i * info->x_values,
                                       label, want[i])
                    : is_rows_sample(t, info, x + i * info->x_values, label,
                                     want[i]);
        }
    }
    free(x);
    free(y);
    return good;
}

/* Play 'steps' steps on all ranks, beginning at the trial's first one. */
static int play(struct tt_set *set, const struct trial *t,
                const struct tt_order *order, int64_t steps, int64_t *seen,
                struct tt_error *err)
{
    struct tt_block mine = tt_lanes_of(order->lanes, size, rank);
    struct tt_loader *loader =
        tt_loader_create(set, order, (int32_t)mine.first, (int32_t)mine.count,
                         t->first_step, t->memory_bytes, err);
    int good = loader != NULL;

    for (int64_t step = t->first_step; good && step < t->first_step + steps;
         step++) {
        good = tt_loader_begin_step(loader, step, err) == 0;
        for (int64_t i = 0; i < mine.count && good; i++)
            good = play_lane(loader, t, set, order, step,
                             (int32_t)(mine.first + i), seen, err);
    }
    tt_loader_destroy(loader);
    return good;
}

static struct tt_order draw_order(int64_t samples)
{
    static const int32_t lanes[] = {1, 2, 3, 4, 8};
    struct tt_order order = {
        .seed = (uint64_t)draw(1, 1 << 30),
        .sample_count = samples,
        .block_samples = draw(1, 40),
        .window_blocks = draw(1, 6),
        .lanes = lanes[draw(0, 4)],
        .last = (int32_t)draw(0, 2),
        .shuffle = draw(0, 3) > 0,
    };

    order.batch_samples = order.lanes * draw(1, 30);
    return order;
}

/* Steps after which all samples were played equally often: one epoch, or with
 * carry as many as the batch has samples. */
static int64_t whole_steps(const struct tt_order *order)
{
    if (order->last == TT_LAST_CARRY)
        return order->sample_count;
    return tt_order_epoch_steps(order);
}

/* Every sample equally often; with drop at most once, and as many as fit. */
static int is_even(const struct tt_order *order, const int64_t *seen)
{
    int64_t sum = 0, most = 0, least = INT64_MAX;
    int64_t want = 1;

    for (int64_t s = 0; s < order->sample_count; s++) {
        sum += seen[s];
        most = seen[s] > most ? seen[s] : most;
        least = seen[s] < least ? seen[s] : least;
    }
    if (order->last == TT_LAST_CARRY)
        want = order->batch_samples;
    if (order->last == TT_LAST_DROP)
        return most <= 1 &&
               sum == tt_order_epoch_steps(order) * order->batch_samples;
    return most == want && least == want;
}

/* One random order, played in two halves by two loaders: a stop and a resume.
 */
static int try_once(struct trial t, int64_t *why, struct tt_error *err)
{
    struct tt_set *set = open_set(&t, err);
    struct tt_order order;
    int64_t steps, half, *seen, samples;
    int good;

    *why = 0;
    if (!set)
        return 0;
    samples = tt_set_info(set)->sample_count;
    order = draw_order(samples);
    /* Whole cycles of carry are long: keep the batch and the set small. */
    if (order.last == TT_LAST_CARRY && samples > 300)
        order.last = TT_LAST_SHORT;
    steps = whole_steps(&order);
    half = steps > 0 ? draw(0, steps) : 0;
    seen = calloc((size_t)samples, sizeof(*seen));
    good = play(set, &t, &order, half, seen, err);
    t.first_step = half;
    good = play(set, &t, &order, steps - half, seen, err) && good;
    MPI_Allreduce(MPI_IN_PLACE, seen, (int)samples, MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    if (!good)
        *why = 1;
    else if (steps > 0 && !is_even(&order, seen))
        *why = 2;
    free(seen);
    tt_set_close(set);
    return *why == 0;
}

static void try_many(const char *what, struct trial t, int times)
{
    static const char *const reasons[] = {
        "", "another sample than the order says", "not exactly once"};
    struct tt_error err = {0};
    int64_t why = 0;
    int good = 1;
    char text[300];

    for (int i = 0; i < times && good; i++)
        good = try_once(t, &why, &err);
    snprintf(text, sizeof(text), "%s %s", reasons[why], err.text);
    ok_all(good, what, text);
}

static void make_sets(struct tt_error *err)
{
    static const int64_t few[] = {37, 101, 1, 64};
    static const int64_t many[] = {900, 1100};
    static const int64_t tokens[] = {500, 3, 700, 801};
    static const struct {
        const char *name;
        enum tt_dtype dtype;
    } rows[] = {{"f32", TT_F32}, {"f64", TT_F64}, {"i16", TT_I16}};
    char path[128];
    int rc = 0;

    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
        rc |= make_rows(path, rows[i].dtype, 5, few, 4, err);
    }
    snprintf(path, sizeof(path), "%s/u8", dir);
    rc |= make_rows(path, TT_U8, 12, many, 2, err);
    snprintf(path, sizeof(path), "%s/tok16", dir);
    rc |= make_tokens(path, TT_U16, tokens, 4, err);
    snprintf(path, sizeof(path), "%s/tok8", dir);
    rc |= make_tokens(path, TT_U8, tokens, 4, err);
    snprintf(path, sizeof(path), "%s/tok32", dir);
    rc |= make_tokens(path, TT_I32, tokens, 4, err);
    tap_ok(rc == 0, "sets are made: %s", err->text);
}

static void test_ways(void)
{
    static const struct trial rows = {.scale = 1, .read = "auto"};
    static const char *const names[] = {"f32",   "f64",  "i16",  "u8",
                                        "tok16", "tok8", "tok32"};
    char what[64];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct trial t = rows;

        t.name = names[i];
        t.scale = strcmp(names[i], "u8") == 0 ? 1.0 / 255 : 1;
        t.cache_bytes = 1 << 30;
        snprintf(what, sizeof(what), "%s, kept in memory", t.name);
        try_many(what, t, 8);
        t.cache_bytes = 0;
        snprintf(what, sizeof(what), "%s, windows read ahead", t.name);
        try_many(what, t, 8);
    }
}

/* Memory for one window a lane, then not even that. */
static void test_memory(void)
{
    struct trial t = {.name = "f32", .scale = 1, .memory_bytes = 1};
    struct tt_order order = {.seed = 1,
                             .block_samples = 4,
                             .window_blocks = 4,
                             .lanes = 4,
                             .shuffle = true,
                             .batch_samples = 16};
    struct tt_error err = {0};
    struct tt_set *set = open_set(&t, &err);
    int64_t *seen = calloc(1000, sizeof(*seen));
    int64_t lanes = tt_lanes_of(4, size, rank).count;
    int rc;

    order.sample_count = tt_set_info(set)->sample_count;
    rc = play(set, &t, &order, 3, seen, &err);
    ok_all(rc == 0 && strstr(err.text, "data.window-bytes"),
           "too little memory is refused with the cure", err.text);
    t.memory_bytes = lanes * 16 * (5 * 4 + 4 + 8);
    ok_all(play(set, &t, &order, 30, seen, &err), "one window a lane is enough",
           err.text);
    free(seen);
    tt_set_close(set);
}

/* A jump back and forth is slow, but right. */
static void test_jumps(void)
{
    struct trial t = {.name = "u8", .scale = 1.0 / 255};
    struct tt_order order = {.seed = 1,
                             .sample_count = 2000,
                             .block_samples = 4,
                             .window_blocks = 4,
                             .lanes = 4,
                             .shuffle = true,
                             .batch_samples = 64};
    struct tt_block mine = tt_lanes_of(order.lanes, size, rank);
    struct tt_error err = {0};
    struct tt_set *set = open_set(&t, &err);
    struct tt_loader *loader = tt_loader_create(
        set, &order, (int32_t)mine.first, (int32_t)mine.count, 17, 0, &err);
    int64_t *seen = calloc(2000, sizeof(*seen));
    int good = loader != NULL;

    for (int i = 0; i < 60 && good; i++) {
        int64_t step = draw(0, 90);

        for (int64_t k = 0; k < mine.count && good; k++)
            good = play_lane(loader, &t, set, &order, step,
                             (int32_t)(mine.first + k), seen, &err);
    }
    ok_all(good, "steps in any order", err.text);
    good = mine.count == 0 || tt_loader_fetch(loader, 0, (int32_t)mine.first, 0,
                                              17, NULL, NULL, &err) < 0;
    ok_all(good, "more samples than a step has are refused", "");
    good = tt_loader_fetch(loader, 0, (int32_t)(mine.first + mine.count), 0, 1,
                           NULL, NULL, &err) < 0;
    ok_all(good, "another rank's lane is refused", "");
    free(seen);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

/* All samples of a set in storage order, in pieces of 7. */
static int read_plain(const struct trial *t, struct tt_set *set, int64_t *found,
                      struct tt_error *err)
{
    const struct tt_set_info *info = tt_set_info(set);
    struct tt_order order = {.sample_count = info->sample_count,
                             .block_samples = 1,
                             .window_blocks = 1,
                             .lanes = 1,
                             .batch_samples = 1};
    struct tt_loader *loader = tt_loader_create(set, &order, 0, 1, 0, 0, err);
    float x[7 * 12];
    int32_t y[7];
    int good = loader != NULL;

    for (int64_t at = 0; at < info->sample_count && good; at += 7) {
        int64_t some =
            info->sample_count - at < 7 ? info->sample_count - at : 7;

        good = tt_loader_fetch_plain(loader, at, some, x, y, err) == 0;
        for (int64_t i = 0; i < some && good; i++) {
            const float *v = x + i * info->x_values;

            found[at + i] = make_sample((int)lrint((double)v[0] / t->scale),
                                        (int)lrint((double)v[1] / t->scale));
            good = is_rows_sample(t, info, v, y + i, found[at + i]);
        }
    }
    if (good)
        good = tt_loader_fetch_plain(loader, info->sample_count - 1, 2, x, y,
                                     err) < 0;
    tt_loader_destroy(loader);
    return good;
}

/* Both sides of a hold-out, kept in memory or not: together every sample once,
 * the share exact, the same for the same seed only. */
static void test_hold_out(const char *what, struct trial t)
{
    struct tt_error err = {0};
    struct tt_set *set = open_set(&t, &err), *held = NULL;
    int64_t all = tt_set_info(set)->sample_count, few, seen_twice = 0;
    uint64_t hash = tt_set_info(set)->hash;
    int64_t *found = calloc((size_t)all, sizeof(*found));
    char *seen = calloc((size_t)all, 1);
    int good = tt_set_hold_out(set, 0.1, 7, &held, &err) == 0;

    few = held ? tt_set_info(held)->sample_count : 0;
    ok_all(good && few == (all + 5) / 10 &&
               tt_set_info(set)->sample_count == all - few,
           what, err.text);
    ok_all(tt_set_info(set)->hash != hash && tt_set_info(held)->hash != hash &&
               tt_set_info(set)->hash != tt_set_info(held)->hash,
           "parts are other sets", "");
    good = read_plain(&t, held, found, &err) &&
           read_plain(&t, set, found + few, &err);
    for (int64_t i = 0; i < all && good; i++)
        seen_twice += seen[found[i]]++;
    ok_all(good && seen_twice == 0, "the parts make up the set", err.text);
    good = 1;
    for (int64_t i = 1; i < all; i++)
        good = good && (found[i] > found[i - 1] || i == few);
    ok_all(good, "each in storage order", "");
    free(found);
    free(seen);
    tt_set_close(set);
    tt_set_close(held);
}

static void test_hold_out_share(void)
{
    struct trial t = {.name = "f32", .scale = 1};
    struct tt_error err = {0};
    struct tt_set *set = open_set(&t, &err), *held = NULL;

    ok_all(tt_set_hold_out(set, 0.0001, 7, &held, &err) < 0,
           "a share of nothing is refused", "");
    ok_all(tt_set_hold_out(set, 0.9999, 7, &held, &err) < 0,
           "a share of everything is refused", "");
    tt_set_close(set);
}

static void test_tokens_hold_out(void)
{
    struct trial t = {.name = "tok16"};
    struct tt_error err = {0};
    struct tt_set *set = open_set(&t, &err), *held = NULL;
    int64_t all = tt_set_info(set)->sample_count;
    int good = tt_set_hold_out(set, 0.2, 7, &held, &err) == 0;

    good = good &&
           tt_set_info(set)->sample_count + tt_set_info(held)->sample_count ==
               all &&
           all == (2004 - 1) / CONTEXT;
    ok_all(good, "a token set is parted", err.text);
    tt_set_close(set);
    tt_set_close(held);
}

static void make_dir(void)
{
    int pid = (int)getpid();
    struct tt_error err = {0};

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(dir, sizeof(dir), "loader-test.%d", pid);
    if (rank == 0) {
        tt_path_mkdirs(dir, &err);
        make_sets(&err);
    } else {
        tap_ok(1, "sets are made");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0)
        tap_mute();
    make_dir();
    test_ways();
    test_memory();
    test_jumps();
    test_hold_out("hold out, in memory",
                  (struct trial){.name = "u8",
                                 .scale = 1.0 / 255,
                                 .cache_bytes = 1 << 30});
    test_hold_out("hold out, read each time",
                  (struct trial){.name = "u8", .scale = 1.0 / 255});
    test_hold_out_share();
    test_tokens_hold_out();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        tt_path_remove(dir, NULL);
    status = tap_done();
    MPI_Finalize();
    return status;
}
