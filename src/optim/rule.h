/* SPDX-License-Identifier: BSD-3-Clause */
/* rule.h - update rules: what state each keeps and which op makes the update.
 * Pure: the op is carried out by a backend's kernel. */
#ifndef TT_OPTIM_RULE_H
#define TT_OPTIM_RULE_H

#include <stdint.h>

#include "device/op.h"

enum { TT_RULE_MOMENTS = 2 };

/* The knobs that update rules read. */
struct tt_rule_conf {
    double beta1, beta2, eps, momentum, weight_decay;
    int nesterov;
};

struct tt_rule {
    const char *name;                    /* "sgd", "adam", "adamw" */
    const char *moment[TT_RULE_MOMENTS]; /* "m", "v"; NULL where none */
    int (*moment_count)(const struct tt_rule_conf *conf);
    /* Fill kind, dims, floats, row_flops and row_bytes of the op that updates
     * 'count' elements, with weight decay where 'decays'; the caller fills the
     * refs (w, grad, moments in order) and all else. */
    void (*emit)(const struct tt_rule_conf *conf, int64_t count, int decays,
                 struct tt_op *op);
};

/* The rule called 'name' or NULL. */
const struct tt_rule *tt_rule_find(const char *name);

#endif
