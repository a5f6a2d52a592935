/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 3 4 */
/* loader.c - every sample exactly once an epoch, and each where the order says,
 * whatever keeps or reads the rows, wherever the run begins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "../lib/tap.h"
#include "data/loader.h"
#include "data/set.h"
#include "layout/lanes.h"
#include "layout/order.h"
#include "make.h"
#include "play.h"

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
        snprintf(path, sizeof(path), "%s/%s", play_dir, rows[i].name);
        rc |= make_rows(path, rows[i].dtype, 5, few, 4, err);
    }
    snprintf(path, sizeof(path), "%s/u8", play_dir);
    rc |= make_rows(path, TT_U8, 12, many, 2, err);
    snprintf(path, sizeof(path), "%s/tok16", play_dir);
    rc |= make_tokens(path, TT_U16, tokens, 4, err);
    snprintf(path, sizeof(path), "%s/tok8", play_dir);
    rc |= make_tokens(path, TT_U8, tokens, 4, err);
    snprintf(path, sizeof(path), "%s/tok32", play_dir);
    rc |= make_tokens(path, TT_I32, tokens, 4, err);
    snprintf(path, sizeof(path), "%s/chunks.h5", play_dir);
    make_chunked(path, 500, 4);
    tap_ok(rc == 0, "sets are made: %s", err->text);
}

static void test_ways(void)
{
    static const struct play rows = {.scale = 1, .read = "auto"};
    static const char *const names[] = {"f32",   "f64",  "i16",   "u8",
                                        "tok16", "tok8", "tok32", "chunks.h5"};
    char what[64];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct play t = rows;

        t.name = names[i];
        t.scale = strcmp(names[i], "u8") == 0 ? 1.0 / 255 : 1;
        t.cache_bytes = 1 << 30;
        snprintf(what, sizeof(what), "%s, kept in memory", t.name);
        play_try(what, t, 8);
        t.cache_bytes = 0;
        snprintf(what, sizeof(what), "%s, windows read ahead", t.name);
        play_try(what, t, 8);
    }
}

/* Memory for one window a lane, then not even that. */
static void test_memory(void)
{
    struct play t = {.name = "f32", .scale = 1, .memory_bytes = 1};
    struct tt_order order = {.seed = 1,
                             .block_samples = 4,
                             .window_blocks = 4,
                             .lanes = 4,
                             .shuffle = true,
                             .batch_samples = 16};
    struct tt_error err = {0};
    struct tt_set *set = play_open(&t, &err);
    int64_t *seen = calloc(1000, sizeof(*seen));
    int64_t lanes = tt_lanes_of(4, play_size, play_rank).count;
    int rc;

    order.sample_count = tt_set_info(set)->sample_count;
    rc = play_steps(set, &t, &order, 3, seen, &err);
    play_ok_all(rc == 0 && strstr(err.text, "data.window"),
                "too little memory is refused with the cure", err.text);
    t.memory_bytes = lanes * 16 * (5 * 4 + 4 + 8);
    play_ok_all(play_steps(set, &t, &order, 30, seen, &err),
                "one window a lane is enough", err.text);
    free(seen);
    tt_set_close(set);
}

/* A jump back and forth is slow, but right. */
static void test_jumps(void)
{
    struct play t = {.name = "u8", .scale = 1.0 / 255};
    struct tt_order order = {.seed = 1,
                             .sample_count = 2000,
                             .block_samples = 4,
                             .window_blocks = 4,
                             .lanes = 4,
                             .shuffle = true,
                             .batch_samples = 64};
    struct tt_block mine = tt_lanes_of(order.lanes, play_size, play_rank);
    struct tt_error err = {0};
    struct tt_set *set = play_open(&t, &err);
    struct tt_loader *loader = tt_loader_create(
        set, &order, (int32_t)mine.first, (int32_t)mine.count, 17, 0, &err);
    int64_t *seen = calloc(2000, sizeof(*seen));
    int good = loader != NULL;

    for (int i = 0; i < 60 && good; i++) {
        int64_t step = play_draw(0, 90);

        for (int64_t k = 0; k < mine.count && good; k++)
            good = play_lane(loader, &t, set, &order, step,
                             (int32_t)(mine.first + k), seen, &err);
    }
    play_ok_all(good, "steps in any order", err.text);
    good = mine.count == 0 || tt_loader_fetch(loader, 0, (int32_t)mine.first, 0,
                                              17, NULL, NULL, &err) < 0;
    play_ok_all(good, "more samples than a step has are refused", "");
    good = tt_loader_fetch(loader, 0, (int32_t)(mine.first + mine.count), 0, 1,
                           NULL, NULL, &err) < 0;
    play_ok_all(good, "another rank's lane is refused", "");
    free(seen);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

/* All samples of a set in storage order, in pieces of 7. */
static int read_plain(const struct play *t, struct tt_set *set, int64_t *found,
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
            good = play_is_rows_sample(t, info, v, y + i, found[at + i]);
        }
    }
    if (good)
        good = tt_loader_fetch_plain(loader, info->sample_count - 1, 2, x, y,
                                     err) < 0;
    tt_loader_destroy(loader);
    return good;
}

/* Of samples drawn with a share of a tenth, a tenth has its neighbour too; the
 * bound is six standard deviations off.  Each tenth of the set has some. */
static int is_scattered(const int64_t *found, int64_t count)
{
    int64_t pairs = 0, tenth[10] = {0}, empty = 0;

    for (int64_t i = 0; i < count; i++) {
        pairs += i > 0 && found[i] == found[i - 1] + 1;
        tenth[found[i] / count % 10]++;
    }
    for (int i = 0; i < 10; i++)
        empty += tenth[i] == 0;
    return (double)pairs <
               0.1 * (double)count + 6 * sqrt(0.09 * (double)count) &&
           empty == 0;
}

/* Both sides of a hold-out, kept in memory or not: together every sample once,
 * the share exact, the same for the same seed only. */
static void test_hold_out(const char *what, struct play t)
{
    struct tt_error err = {0};
    struct tt_set *set = play_open(&t, &err), *held = NULL;
    int64_t all = tt_set_info(set)->sample_count, few, seen_twice = 0;
    uint64_t hash = tt_set_info(set)->hash;
    int64_t *found = calloc((size_t)all, sizeof(*found));
    char *seen = calloc((size_t)all, 1);
    int good = tt_set_hold_out(set, 0.1, 7, &held, &err) == 0;

    few = held ? tt_set_info(held)->sample_count : 0;
    play_ok_all(good && few == (all + 5) / 10 &&
                    tt_set_info(set)->sample_count == all - few,
                what, err.text);
    play_ok_all(tt_set_info(set)->hash != hash &&
                    tt_set_info(held)->hash != hash &&
                    tt_set_info(set)->hash != tt_set_info(held)->hash,
                "parts are other sets", "");
    good = read_plain(&t, held, found, &err) &&
           read_plain(&t, set, found + few, &err);
    for (int64_t i = 0; i < all && good; i++)
        seen_twice += seen[found[i]]++;
    play_ok_all(good && seen_twice == 0, "the parts make up the set", err.text);
    good = 1;
    for (int64_t i = 1; i < all; i++)
        good = good && (found[i] > found[i - 1] || i == few);
    play_ok_all(good, "each in storage order", "");
    play_ok_all(is_scattered(found, few), "drawn all over the set", "");
    free(found);
    free(seen);
    tt_set_close(set);
    tt_set_close(held);
}

static void test_hold_out_share(void)
{
    struct play t = {.name = "f32", .scale = 1};
    struct tt_error err = {0};
    struct tt_set *set = play_open(&t, &err), *held = NULL;

    play_ok_all(tt_set_hold_out(set, 0.0001, 7, &held, &err) < 0,
                "a share of nothing is refused", "");
    play_ok_all(tt_set_hold_out(set, 0.9999, 7, &held, &err) < 0,
                "a share of everything is refused", "");
    tt_set_close(set);
}

static void test_tokens_hold_out(void)
{
    struct play t = {.name = "tok16"};
    struct tt_error err = {0};
    struct tt_set *set = play_open(&t, &err), *held = NULL;
    int64_t all = tt_set_info(set)->sample_count;
    int good = tt_set_hold_out(set, 0.2, 7, &held, &err) == 0;

    good = good &&
           tt_set_info(set)->sample_count + tt_set_info(held)->sample_count ==
               all &&
           all == (2004 - 1) / CONTEXT;
    play_ok_all(good, "a token set is parted", err.text);
    tt_set_close(set);
    tt_set_close(held);
}

int main(int argc, char **argv)
{
    struct tt_error err = {0};

    play_begin(&argc, &argv, "loader-test");
    if (play_rank == 0)
        make_sets(&err);
    else
        tap_ok(1, "sets are made");
    MPI_Barrier(MPI_COMM_WORLD);
    test_ways();
    test_memory();
    test_jumps();
    test_hold_out("hold out, in memory", (struct play){.name = "u8",
                                                       .scale = 1.0 / 255,
                                                       .cache_bytes = 1 << 30});
    test_hold_out("hold out, read each time",
                  (struct play){.name = "u8", .scale = 1.0 / 255});
    test_hold_out_share();
    test_tokens_hold_out();
    return play_end();
}
