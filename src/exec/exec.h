/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.h - memory of a rank and the walking of lists: every op bound to a
 * kernel and to addresses once, then run without a look-up or an allocation. */
#ifndef TT_EXEC_EXEC_H
#define TT_EXEC_EXEC_H

#include <stdint.h>

#include "base/err.h"
#include "base/exact.h"
#include "device/kernels.h"
#include "model/memory.h"
#include "model/param.h"
#include "model/prog.h"

struct tt_exec_conf {
    struct tt_memory_conf memory;
    int threads;
};

/* Host memory of one rank.  Flat arrays are laid out as model/param.h says. */
struct tt_exec {
    struct tt_exec_conf conf;
    float *weights;       /* weights and statistics */
    float **accumulator;  /* [accumulators]: weights, statistics, extras */
    float *moment[2];     /* weights; NULL where the rule has none */
    void *x, *y;          /* one micro-batch */
    double *tally;        /* [4], what the loss op left */
    float *class_weights; /* (V) or NULL */
    struct tt_exact *norm;
    void *arena, *work; /* shared by all lists, sized by the largest */
    int64_t flat_count, accumulator_count; /* elements */
    int64_t bytes;                         /* allocated in all */
};

/* Allocate for the lists prog[0 .. count-1], zeroed; start the backend. */
int tt_exec_init(struct tt_exec *exec, const struct tt_exec_conf *conf,
                 const struct tt_params *params,
                 const struct tt_prog *const *prog, int count,
                 struct tt_error *err);
void tt_exec_clear(struct tt_exec *exec);

struct tt_list;

/* Bind a program to memory, with TT_BUF_GRADS = accumulator 'acc'.  The
 * program must outlive the list. */
struct tt_list *tt_list_create(const struct tt_exec *exec,
                               const struct tt_prog *prog, int acc,
                               struct tt_error *err);
void tt_list_destroy(struct tt_list *list);

/* Run every op in order. */
void tt_list_run(const struct tt_list *list, const struct tt_now *now);

#endif
