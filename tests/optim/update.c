/* SPDX-License-Identifier: BSD-3-Clause */
/* update.c - the ops that update rules emit, carried out by the kernels,
 * against the weights that torch.optim arrives at. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "../lib/tap.h"
#include "device/kernels.h"
#include "optim/rule.h"

/* The eight weights of a case are repeated, for kernels that take several at a
 * time and have a tail. */
enum { COUNT = 8, LENGTH = 5 * COUNT + 3, UPDATES = 20 };

struct update_case {
    const char *name, *rule;
    struct tt_rule_conf conf;
    double weight[2][COUNT]; /* after the first update and after the last */
};

#include "torch_values.h"

/* Fractions that f32 holds exactly; torch_values.py has the same formulas. */
static float weight_at(int i)
{
    return (float)((5 * i) % 11 - 5) / 8;
}

static float gradient_at(int update, int i)
{
    return (float)((7 * update + 13 * i * i) % 31 - 15) / 16;
}

static double rate_at(int update)
{
    return (1 + update % 3) / 64.0;
}

struct state {
    float w[LENGTH], grad[LENGTH], m[LENGTH], v[LENGTH];
};

/* Adam's moments start at 0; what SGD's holds before update 1 is not read. */
static void state_init(struct state *state, const char *rule)
{
    for (int i = 0; i < LENGTH; i++) {
        state->w[i] = weight_at(i % COUNT);
        state->m[i] = strcmp(rule, "sgd") == 0 ? 7 : 0;
        state->v[i] = 0;
    }
}

static void update_run(const struct tt_backend *backend,
                       const struct update_case *c, struct state *state,
                       int update)
{
    const struct tt_rule *rule = tt_rule_find(c->rule);
    int moments = rule->moment_count(&c->conf);
    void *ptr[TT_OP_REFS] = {state->w, state->grad,
                             moments > 0 ? state->m : NULL,
                             moments > 1 ? state->v : NULL};
    struct tt_now now = {
        .update = update, .lr = rate_at(update), .grad_scale = 0.125};
    struct tt_op op = {0};

    for (int i = 0; i < LENGTH; i++)
        state->grad[i] = 8 * gradient_at(update, i % COUNT);
    rule->emit(&c->conf, LENGTH, 1, &op);
    op.ref_count = 2 + moments;
    for (int i = op.ref_count; i < TT_OP_REFS; i++)
        op.ref[i].buf = -1;
    backend->kernel[op.kind].run(&op, ptr, &now, NULL);
}

static double off(const float *got, const double *want)
{
    double worst = 0;

    for (int i = 0; i < LENGTH; i++)
        worst = fmax(worst, fabs((double)got[i] - want[i % COUNT]));
    return worst;
}

static void test_case(const struct tt_backend *backend,
                      const struct update_case *c)
{
    struct state state;
    double first, last;

    state_init(&state, c->rule);
    update_run(backend, c, &state, 1);
    first = off(state.w, c->weight[0]);
    for (int update = 2; update <= UPDATES; update++)
        update_run(backend, c, &state, update);
    last = off(state.w, c->weight[1]);
    tap_ok(first < 2e-7, "%s, %s: update 1, off by %.1e", backend->name,
           c->name, first);
    tap_ok(last < 1e-6, "%s, %s: update %d, off by %.1e", backend->name,
           c->name, UPDATES, last);
}

static void test_backend(const struct tt_backend *backend)
{
    backend->start(1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        test_case(backend, &cases[i]);
}

int main(void)
{
    test_backend(&tt_backend_ref);
    test_backend(&tt_backend_cpu);
    return tap_done();
}
