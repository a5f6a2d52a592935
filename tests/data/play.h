/* SPDX-License-Identifier: BSD-3-Clause */
/* play.h - steps of a random order on all ranks, checked sample by sample. */
#ifndef TESTS_DATA_PLAY_H
#define TESTS_DATA_PLAY_H

#include <stdint.h>

#include "base/err.h"
#include "data/loader.h"
#include "data/set.h"
#include "layout/order.h"

enum { CONTEXT = 7 };

extern int play_rank, play_size;
extern char play_dir[64];

/* One way to read one set that make.h made. */
struct play {
    const char *name; /* folder within play_dir, or file of x and y */
    int64_t cache_bytes, memory_bytes;
    const char *read;
    double scale; /* from x to the number that was packed */
    int64_t first_step;
    const char *hints; /* of MPI-IO, a map, or NULL */
};

/* MPI_Init, a directory of its own in play_dir; and its end.  play_end()
 * returns main's status. */
void play_begin(int *argc, char ***argv, const char *name);
int play_end(void);

/* Passes where it passes on every rank. */
void play_ok_all(int pass, const char *name, const char *why);

/* A random number, the same on all ranks. */
int64_t play_draw(int64_t low, int64_t high);

struct tt_set *play_open(const struct play *t, struct tt_error *err);

/* Are x and y those of 'sample'? */
int play_is_rows_sample(const struct play *t, const struct tt_set_info *info,
                        const float *x, const int32_t *y, int64_t sample);

/* Play one lane of a step in small pieces, or whole steps from the first one
 * on; seen[sample] counts.  1 where every sample is the one of the order and
 * has its numbers, else 0. */
int play_lane(struct tt_loader *loader, const struct play *t,
              const struct tt_set *set, const struct tt_order *order,
              int64_t step, int32_t lane, int64_t *seen, struct tt_error *err);
int play_steps(struct tt_set *set, const struct play *t,
               const struct tt_order *order, int64_t steps, int64_t *seen,
               struct tt_error *err);

/* 'times' random orders, each stopped and resumed at a random step: every
 * sample comes exactly once an epoch (drop: at most once). */
void play_try(const char *what, struct play t, int times);

#endif
