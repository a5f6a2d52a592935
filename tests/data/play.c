/* SPDX-License-Identifier: BSD-3-Clause */
/* play.c - steps of a random order on all ranks, checked sample by sample. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "../lib/tap.h"
#include "io/path.h"
#include "layout/lanes.h"
#include "make.h"
#include "play.h"

int play_rank, play_size;
char play_dir[64];
static uint64_t state = 88172645463325252;

void play_begin(int *argc, char ***argv, const char *name)
{
    int pid = (int)getpid();

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &play_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &play_size);
    if (play_rank != 0)
        tap_mute();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(play_dir, sizeof(play_dir), "%s.%d", name, pid);
    if (play_rank == 0)
        tt_path_mkdirs(play_dir, NULL);
}

int play_end(void)
{
    int status;

    MPI_Barrier(MPI_COMM_WORLD);
    if (play_rank == 0)
        tt_path_remove(play_dir, NULL);
    status = tap_done();
    MPI_Finalize();
    return status;
}

/* The same on all ranks. */
int64_t play_draw(int64_t low, int64_t high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)(state % (uint64_t)(high - low + 1));
}

void play_ok_all(int pass, const char *name, const char *why)
{
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    tap_ok(pass, "%s%s%s", name, pass || !why[0] ? "" : ": ", pass ? "" : why);
}

struct tt_set *play_open(const struct play *t, struct tt_error *err)
{
    struct tt_job_data conf = {.read = t->read, .cache_bytes = t->cache_bytes};
    struct tt_set *set;
    char text[200];

    snprintf(text, sizeof(text),
             strstr(t->name, ".h5") ? "{files: '%s/%s', x: /x, y: /y}"
                                    : "'%s/%s'",
             play_dir, t->name);
    set = tt_set_open_all(make_node(text), CONTEXT, &conf, MPI_COMM_WORLD, err);
    if (set && t->hints)
        tt_set_hints(set, make_node(t->hints));
    return set;
}

int play_is_rows_sample(const struct play *t, const struct tt_set_info *info,
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
int play_lane(struct tt_loader *loader, const struct play *t,
              const struct tt_set *set, const struct tt_order *order,
              int64_t step, int32_t lane, int64_t *seen, struct tt_error *err)
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
                    : play_is_rows_sample(t, info, x + i * info->x_values,
                                          label, want[i]);
        }
    }
    free(x);
    free(y);
    return good;
}

/* Play 'steps' steps on all ranks, beginning at the trial's first one. */
int play_steps(struct tt_set *set, const struct play *t,
               const struct tt_order *order, int64_t steps, int64_t *seen,
               struct tt_error *err)
{
    struct tt_block mine = tt_lanes_of(order->lanes, play_size, play_rank);
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
        .seed = (uint64_t)play_draw(1, 1 << 30),
        .sample_count = samples,
        .block_samples = play_draw(1, 40),
        .window_blocks = play_draw(1, 6),
        .lanes = lanes[play_draw(0, 4)],
        .last = (int32_t)play_draw(0, 2),
        .shuffle = play_draw(0, 3) > 0,
    };

    order.batch_samples = order.lanes * play_draw(1, 30);
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
static int try_once(struct play t, int64_t *why, struct tt_error *err)
{
    struct tt_set *set = play_open(&t, err);
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
    half = steps > 0 ? play_draw(0, steps) : 0;
    seen = calloc((size_t)samples, sizeof(*seen));
    good = play_steps(set, &t, &order, half, seen, err);
    t.first_step = half;
    good = play_steps(set, &t, &order, steps - half, seen, err) && good;
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

void play_try(const char *what, struct play t, int times)
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
    play_ok_all(good, what, text);
}
