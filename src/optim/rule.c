/* SPDX-License-Identifier: BSD-3-Clause */
/* rule.c - update rules: their state and their ops. */
#include "optim/rule.h"

#include <stddef.h>
#include <string.h>

/* What a rule costs per element: each array is read or written as f32. */
static void emit_cost(struct tt_op *op, int64_t flops, int64_t arrays_touched)
{
    op->row_flops = flops * op->dim[0];
    op->row_bytes = arrays_touched * (int64_t)sizeof(float) * op->dim[0];
}

static int sgd_moment_count(const struct tt_rule_conf *conf)
{
    return conf->momentum != 0;
}

static void sgd_emit(const struct tt_rule_conf *conf, int64_t count, int decays,
                     struct tt_op *op)
{
    int has_moment = sgd_moment_count(conf);

    op->kind = TT_OP_SGD;
    op->dim[0] = count;
    op->dim[1] = conf->nesterov;
    op->f[0] = decays ? conf->weight_decay : 0;
    op->f[1] = conf->momentum;
    emit_cost(op, 5 + (has_moment ? 2 : 0) + (conf->nesterov ? 2 : 0),
              has_moment ? 5 : 3);
}

static int adam_moment_count(const struct tt_rule_conf *conf)
{
    (void)conf;
    return 2;
}

static void adam_fill(const struct tt_rule_conf *conf, int64_t count,
                      int decays, struct tt_op *op)
{
    op->kind = TT_OP_ADAM;
    op->dim[0] = count;
    op->f[0] = decays ? conf->weight_decay : 0;
    op->f[1] = conf->beta1;
    op->f[2] = conf->beta2;
    op->f[3] = conf->eps;
    emit_cost(op, 15, 7);
}

static void adam_emit(const struct tt_rule_conf *conf, int64_t count,
                      int decays, struct tt_op *op)
{
    adam_fill(conf, count, decays, op);
    op->dim[1] = 0;
}

static void adamw_emit(const struct tt_rule_conf *conf, int64_t count,
                       int decays, struct tt_op *op)
{
    adam_fill(conf, count, decays, op);
    op->dim[1] = 1;
}

static const struct tt_rule rules[] = {
    {"sgd", {"m", NULL}, sgd_moment_count, sgd_emit},
    {"adam", {"m", "v"}, adam_moment_count, adam_emit},
    {"adamw", {"m", "v"}, adam_moment_count, adamw_emit},
};

const struct tt_rule *tt_rule_find(const char *name)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}
