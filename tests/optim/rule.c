/* SPDX-License-Identifier: BSD-3-Clause */
/* rule.c - which op and how much state each update rule asks for. */
#include "optim/rule.h"

#include <string.h>

#include "../lib/tap.h"

static const struct tt_rule_conf conf = {0.9, 0.95, 1e-8, 0.8, 0.1, 1};

static void test_find(void)
{
    const char *const name[] = {"sgd", "adam", "adamw"};

    for (int i = 0; i < 3; i++) {
        const struct tt_rule *rule = tt_rule_find(name[i]);

        tap_ok(rule && strcmp(rule->name, name[i]) == 0, "%s is found",
               name[i]);
    }
    tap_ok(tt_rule_find("lion") == NULL, "an unknown rule is not");
}

static void test_moments(void)
{
    struct tt_rule_conf plain = conf;
    const struct tt_rule *sgd = tt_rule_find("sgd");
    const struct tt_rule *adam = tt_rule_find("adam");

    plain.momentum = 0;
    tap_ok(sgd->moment_count(&plain) == 0, "sgd keeps nothing");
    tap_ok(sgd->moment_count(&conf) == 1, "sgd keeps a momentum");
    tap_ok(adam->moment_count(&conf) == 2, "adam keeps two moments");
    tap_ok(strcmp(adam->moment[0], "m") == 0 &&
               strcmp(adam->moment[1], "v") == 0,
           "adam's are called m and v");
}

static void test_sgd(void)
{
    struct tt_op op = {0};

    tt_rule_find("sgd")->emit(&conf, 512, 1, &op);
    tap_ok(op.kind == TT_OP_SGD && op.dim[0] == 512 && op.dim[1] == 1,
           "sgd: kind, count, nesterov");
    tap_ok(op.f[0] == 0.1 && op.f[1] == 0.8, "sgd: decay, momentum");
    tap_ok(op.row_bytes == 5 * 4 * 512, "sgd: reads w g m, writes w m");
    tt_rule_find("sgd")->emit(&conf, 512, 0, &op);
    tap_ok(op.f[0] == 0, "sgd: no decay where none is wanted");
}

static void test_adam(const char *name, int decoupled)
{
    struct tt_op op = {0};

    op.dim[1] = 7; /* left by somebody */
    tt_rule_find(name)->emit(&conf, 1024, 1, &op);
    tap_ok(op.kind == TT_OP_ADAM && op.dim[0] == 1024 && op.dim[1] == decoupled,
           "%s: kind, count, decoupled", name);
    tap_ok(op.f[0] == 0.1 && op.f[1] == 0.9 && op.f[2] == 0.95 &&
               op.f[3] == 1e-8,
           "%s: decay, betas, eps", name);
    tap_ok(op.row_bytes == 7 * 4 * 1024, "%s: reads w g m v, writes w m v",
           name);
    tt_rule_find(name)->emit(&conf, 1024, 0, &op);
    tap_ok(op.f[0] == 0, "%s: no decay where none is wanted", name);
}

int main(void)
{
    test_find();
    test_moments();
    test_sgd();
    test_adam("adam", 0);
    test_adam("adamw", 1);
    return tap_done();
}
