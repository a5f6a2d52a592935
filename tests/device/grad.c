/* SPDX-License-Identifier: BSD-3-Clause */
/* grad.c - every backward kernel of ref/ against finite differences of its
 * forward kernel, along random directions.
 *
 * L = sum(dy y), or the loss itself.  D(h) = (L(x + h v) - L(x - h v)) / 2h,
 * and (4 D(h/2) - D(h)) / 3 is the slope up to O(h^4).  f32 outputs round L by
 * about 2^-24 |dy| |y|, which h divides: hence h = 1/32, and a tolerance of
 * 2e-3 |gradient| |v| / sqrt(count).  A wrong term is far larger. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/tap.h"
#include "cases.h"

enum { ROUNDS = 3 };

static int64_t valid_count(const struct tcase *c, const struct case_array *a)
{
    return a->per_sample > 0 ? a->per_sample * c->now.valid_rows : a->count;
}

static double loss_of(struct tcase *c)
{
    struct case_array *tally = case_find(c, "tally"), *y = case_find(c, "y");
    double sum = 0;

    case_run(c, 0, &tt_backend_ref);
    if (tally != NULL)
        return *(double *)tally->data;
    for (int64_t i = 0; i < valid_count(c, y); i++)
        sum += (double)((float *)y->data)[i] *
               (double)((float *)case_find(c, "dy")->data)[i];
    return sum;
}

/* The loss where 'name' has moved along v by h. */
static double loss_at(struct tcase *c, struct case_array *a, const float *x,
                      const float *v, double h)
{
    for (int64_t i = 0; i < valid_count(c, a); i++)
        ((float *)a->data)[i] = (float)((double)x[i] + h * (double)v[i]);
    return loss_of(c);
}

static double slope_of(struct tcase *c, struct case_array *a, const float *x,
                       const float *v)
{
    double h = 1.0 / 32;
    double coarse = (loss_at(c, a, x, v, h) - loss_at(c, a, x, v, -h)) / h / 2;
    double fine =
        (loss_at(c, a, x, v, h / 2) - loss_at(c, a, x, v, -h / 2)) / h;

    return (4 * fine - coarse) / 3;
}

/* |difference| over what rounding may make; above 1 is wrong. */
static double direction_error(struct tcase *c, const char *name)
{
    struct tcase moved;
    char dname[16];
    double dot = 0, norm = 0, size = 0, slope;
    static float v[1 << 18];

    snprintf(dname, sizeof(dname), "d%s", name);
    const float *g = case_find(c, dname)->data;
    const float *x = case_find(c, name)->data;
    int64_t count = valid_count(c, case_find(c, name));

    for (int64_t i = 0; i < count; i++) {
        v[i] = fmaxf(-2, fminf(2, case_draw_normal(c)));
        dot += (double)g[i] * (double)v[i];
        norm += (double)g[i] * (double)g[i];
        size += (double)v[i] * (double)v[i];
    }
    case_copy(&moved, c);
    slope = slope_of(&moved, case_find(&moved, name), x, v);
    case_clear(&moved);
    return fabs(slope - dot) /
           (2e-3 * sqrt(norm * size / (double)count) + 1e-5);
}

static void run_calls(struct tcase *c)
{
    for (int i = 0; i < c->call_count; i++)
        case_run(c, i, &tt_backend_ref);
}

static void check_slopes(struct tcase *c)
{
    char text[80], *save = NULL;

    snprintf(text, sizeof(text), "%s", c->wrt);
    for (char *name = strtok_r(text, " ", &save); name != NULL;
         name = strtok_r(NULL, " ", &save)) {
        double worst = 0;

        for (int i = 0; i < 4; i++)
            worst = fmax(worst, direction_error(c, name));
        if (!tap_ok(worst < 1, "%s, %d of %d samples: d%s", c->name,
                    (int)c->now.valid_rows, (int)c->samples, name))
            tap_note("error is %g of the tolerance", worst);
    }
}

/* Samples that are not there stay as they were, and so does what lies behind
 * an array. */
static void check_tails(struct tcase *c, const struct tcase *before)
{
    bool same = true;

    for (int i = 0; i < c->array_count; i++) {
        const struct case_array *a = &c->array[i];
        size_t one = a->type == CASE_F64 ? 8 : a->type == CASE_EXACT ? 176 : 4;
        size_t valid = (size_t)valid_count(c, a) * one;

        same &= memcmp((char *)a->data + valid,
                       (char *)before->array[i].data + valid,
                       a->bytes - valid) == 0;
    }
    tap_ok(same, "%s: absent samples are left alone", c->name);
}

/* Whether the ref that writes array 'idx' adds. */
static bool adds(const struct tcase *c, int idx)
{
    for (int i = 0; i < c->call_count; i++)
        for (int j = 0; j < c->call[i].op.ref_count; j++)
            if (c->call[i].array[j] == idx &&
                c->call[i].op.ref[j].mode != TT_REF_R)
                return tt_op_adds(&c->call[i].op, j, &c->now);
    return false;
}

/* Run again with gradients that already hold 1, and see whether those that
 * should have gone up by 1. */
static bool adds_one(struct tcase *c)
{
    struct tcase again;
    bool good = true;

    case_copy(&again, c);
    for (int i = 0; i < c->array_count; i++)
        for (int64_t j = 0; adds(c, i) && j < c->array[i].count; j++)
            ((float *)again.array[i].data)[j] = 1;
    run_calls(&again);
    for (int i = 0; i < c->array_count; i++) {
        const struct case_array *a = &c->array[i];
        const float *first = a->data, *second = again.array[i].data;
        float base = adds(c, i) ? 1 : 0;

        for (int64_t j = 0; a->type == CASE_F32 && j < valid_count(c, a); j++)
            good &= fabsf(second[j] - (first[j] + base)) <=
                    3e-7f * (1 + fabsf(first[j]));
    }
    case_clear(&again);
    return good;
}

static void check_adding(struct tcase *c)
{
    c->now.first_in_lane = false;
    tap_ok(adds_one(c), "%s: a later micro-batch adds", c->name);
    c->now.first_in_lane = true;
    case_set_mode(c, TT_REF_ADD);
    tap_ok(adds_one(c), "%s: mode ADD always adds", c->name);
}

static void check_case(int idx, uint64_t seed)
{
    struct tcase c, before;

    case_init(&c, idx, seed, false);
    if (c.wrt[0] != '\0') {
        c.now.valid_rows = c.samples - (int64_t)(seed % 2);
        case_copy(&before, &c);
        run_calls(&c);
        check_tails(&c, &before);
        check_slopes(&c);
        check_adding(&c);
        case_clear(&before);
    }
    case_clear(&c);
}

int main(void)
{
    for (int idx = 0; idx < case_table_count; idx++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            check_case(idx, seed);
    return tap_done();
}
