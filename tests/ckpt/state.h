/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - a state to save: tensors of several types and sizes whose elements
 * are a function of (seed, tensor, index), dealt to ranks in one of many ways.
 */
#ifndef TESTS_CKPT_STATE_H
#define TESTS_CKPT_STATE_H

#include "ckpt/ckpt.h"

enum { STATE_TENSORS = 6 };

struct state {
    struct tt_ckpt_tensor tensor[STATE_TENSORS];
    struct tt_ckpt_state ckpt;
};

/* How elements are dealt. */
enum deal { DEAL_EVEN, DEAL_RANDOM, DEAL_LAST, DEAL_WHOLE };

/* This rank's parts, filled with the values of 'seed'. */
void state_init(struct state *s, enum deal deal, uint64_t seed, MPI_Comm comm);
void state_clear(struct state *s);

/* Overwrite all that is owned. */
void state_wipe(struct state *s);

/* Elements of this rank that are not those of 'seed'. */
int64_t state_odd_count(const struct state *s, uint64_t seed);

/* How often to try what is random: 'few' times, or, where TUTTI_TEST_TRIES is
 * set, that share of 'full'. */
int test_tries(int few, int full);

/* A directory of our own, the same on all ranks of the world; removed again.
 */
const char *test_dir_make(void);
void test_dir_remove(const char *dir);

/* Passes where it passes on every rank of the world. */
int ok_all(int pass, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
