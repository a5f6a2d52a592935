/* SPDX-License-Identifier: BSD-3-Clause */
/* param.h - THE parameter table: every weight once, by name, with its place in
 * the flat arrays.  Initialisation, updates, checkpoints, the planner and the
 * summary all walk it.
 *
 * Flat arrays (weights, each gradient accumulator, each moment) share one
 * layout: blocks one after the other, a block's decaying parameters first,
 * each parameter on 16 elements, each block on 512; then the statistics of
 * batch norms ("gradient": sums of a step's statistics); then, in accumulators
 * only, the second accumulators of tied weights. */
#ifndef TT_MODEL_PARAM_H
#define TT_MODEL_PARAM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/spec.h"

enum tt_init { TT_INIT_ZERO, TT_INIT_ONE, TT_INIT_UNIFORM, TT_INIT_NORMAL };

enum tt_param_kind {
    TT_PARAM_WEIGHT,
    TT_PARAM_STAT, /* running statistic: no gradient, no moments */
    TT_PARAM_TIED  /* shares a weight; only a second accumulator is its own */
};

struct tt_param {
    char name[TT_NAME];
    int kind; /* enum tt_param_kind */
    int dims;
    int64_t dim[4];  /* global shape */
    int64_t count;   /* product of dim */
    int64_t storage; /* elements in memory: padded vocabulary rows */
    int64_t offset;  /* in the flat arrays */
    int block;
    bool decays;       /* weight decay: matrices, no norms, no biases */
    int init;          /* enum tt_init */
    double init_scale; /* half width or standard deviation */
    int tied_to;       /* of TT_PARAM_TIED: index of the weight */
};

struct tt_range {
    int64_t first, count;
};

struct tt_params {
    struct tt_param *at;
    int count;
    struct tt_range weights; /* first is 0; a multiple of 512 */
    struct tt_range stats;   /* behind them; a multiple of 512 */
    struct tt_range extras;  /* behind those, accumulators only */
    int64_t trained;         /* parameters, without padding and statistics */
};

/* Walk the layers, fill the table and the layers' param indices. */
int tt_params_build(struct tt_spec *spec, struct tt_params *params,
                    struct tt_error *err);
void tt_params_clear(struct tt_params *params);

/* The parameter called 'name' or NULL. */
const struct tt_param *tt_params_find(const struct tt_params *params,
                                      const char *name);

/* Write part 'part' of 'parts' of the initial values into the flat weights, for
 * threads that share the work: a function of (seed, parameter index, element)
 * alone. */
void tt_params_init(const struct tt_params *params, uint64_t seed, int part,
                    int parts, float *weights);

/* Runs of a block's weights with one decay flag, padding between them
 * included: what an update op works on.  Fills at most 'max', returns how
 * many.  all: decay does not matter, one run. */
int tt_params_runs(const struct tt_params *params, int block, bool all,
                   struct tt_range *run, bool *decays, int max);

/* Used while building: add a parameter to 'layer' in slot 'slot'. */
struct tt_param *tt_params_add(struct tt_params *params, struct tt_layer *layer,
                               int slot, const char *suffix);

#endif
