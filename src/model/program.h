/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - the lists of a model: one micro-batch of training (forward, loss,
 * backward), one of evaluation, and the update at the end of a step. */
#ifndef TT_MODEL_PROGRAM_H
#define TT_MODEL_PROGRAM_H

#include "model/param.h"
#include "model/prog.h"
#include "model/spec.h"

/* Forward, loss and backward of one micro-batch of up to 'samples'; gradients
 * go to TT_BUF_GRADS.  Passes done: fuse, arena, count. */
int tt_program_train(const struct tt_spec *spec, const struct tt_params *params,
                     int64_t samples, struct tt_prog *prog,
                     struct tt_error *err);

/* Forward and loss alone: no dropout, running statistics, no gradients. */
int tt_program_eval(const struct tt_spec *spec, const struct tt_params *params,
                    int64_t samples, struct tt_prog *prog,
                    struct tt_error *err);

/* What ends a lane: second accumulators of tied weights are added to the first.
 * Empty where nothing is tied. */
int tt_program_lane_end(const struct tt_params *params, struct tt_prog *prog,
                        struct tt_error *err);

/* How an update rule makes its op (optim/rule.h, which this room must not
 * include). */
struct tt_updater {
    void (*emit)(const void *rule_conf, int64_t count, int decays,
                 struct tt_op *op);
    const void *rule_conf;
    int moment_count;
    bool decay_all;  /* decay norms and biases too, or nothing at all */
    double momentum; /* of running statistics: 0.1 as PyTorch */
};

/* One update op per run of a block, and the running statistics. */
int tt_program_update(const struct tt_spec *spec,
                      const struct tt_params *params,
                      const struct tt_updater *updater, struct tt_prog *prog,
                      struct tt_error *err);

#endif
