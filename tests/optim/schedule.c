/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - every schedule against its formula and its known points. */
#include "optim/schedule.h"

#include <math.h>

#include "../lib/tap.h"

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-15 * fmax(fabs(a), fabs(b));
}

static void test_warmup(const char *name)
{
    struct tt_schedule s = {name, 0.5, 0.125, 4, 3, 20};
    int good = 1;

    for (int64_t step = 0; step < 4; step++)
        good &= tt_schedule_lr(&s, step) == 0.125 * (double)(step + 1);
    tap_ok(good, "%s: warm-up rises by lr / warmup a step", name);
    tap_ok(tt_schedule_lr(&s, 4) == 0.5, "%s: lr follows the warm-up", name);
}

static void test_no_warmup(const char *name)
{
    struct tt_schedule s = {name, 0.3, 0, 0, 5, 10};

    tap_ok(tt_schedule_lr(&s, 0) == 0.3, "%s: starts at lr", name);
}

static void test_constant(void)
{
    struct tt_schedule s = {"constant", 0.3, 0.1, 2, 5, 10};

    tap_ok(tt_schedule_lr(&s, 9) == 0.3 && tt_schedule_lr(&s, 1000) == 0.3,
           "constant: stays");
}

/* Steps 4 to 11 fall from 1 by 1/8 of 1 - 1/2 each. */
static void test_linear(void)
{
    struct tt_schedule s = {"linear", 1, 0.5, 4, 0, 12};
    int good = 1;

    for (int64_t i = 0; i < 8; i++)
        good &= tt_schedule_lr(&s, 4 + i) == 1 - (double)i / 16;
    tap_ok(good, "linear: falls by (lr - min) / n a step");
    tap_ok(tt_schedule_lr(&s, 11) == 0.5 + 0.5 / 8,
           "linear: the last step has 1/n of the way left");
    tap_ok(tt_schedule_lr(&s, 12) == 0.5 && tt_schedule_lr(&s, 99) == 0.5,
           "linear: stays at the minimum");
}

/* cos at multiples of pi / 12 has closed forms. */
static void test_cosine(void)
{
    struct tt_schedule s = {"cosine", 3, 1, 5, 0, 17};
    const double cosine[] = {1,
                             (sqrt(6) + sqrt(2)) / 4,
                             sqrt(3) / 2,
                             sqrt(2) / 2,
                             0.5,
                             (sqrt(6) - sqrt(2)) / 4,
                             0};
    int good = 1;

    for (int64_t i = 0; i <= 6; i++) {
        good &= close_to(tt_schedule_lr(&s, 5 + i), 2 + cosine[i]);
        good &= close_to(tt_schedule_lr(&s, 17 - i), 2 - cosine[i]);
    }
    tap_ok(good, "cosine: 1 + (1 + cos(pi i / 12))");
    tap_ok(tt_schedule_lr(&s, 18) == 1, "cosine: stays at the minimum");
}

/* Between linear's ends the cosine's mean is linear's. */
static void test_cosine_mean(void)
{
    struct tt_schedule c = {"cosine", 6e-4, 6e-5, 700, 0, 20000};
    struct tt_schedule l = {"linear", 6e-4, 6e-5, 700, 0, 20000};
    double sum_c = 0, sum_l = 0;

    for (int64_t step = 701; step < 20000; step++) {
        sum_c += tt_schedule_lr(&c, step);
        sum_l += tt_schedule_lr(&l, step);
    }
    tap_ok(fabs(sum_c / sum_l - 1) < 1e-12, "cosine: same mean as linear");
}

static void test_wsd(void)
{
    struct tt_schedule s = {"wsd", 1, 0.25, 2, 4, 20};
    int good = 1;

    for (int64_t step = 2; step <= 16; step++)
        good &= tt_schedule_lr(&s, step) == 1;
    tap_ok(good, "wsd: holds lr until the last phase");
    tap_ok(tt_schedule_lr(&s, 17) == 0.8125 &&
               tt_schedule_lr(&s, 18) == 0.625 &&
               tt_schedule_lr(&s, 19) == 0.4375,
           "wsd: falls linearly over the last steps");
    tap_ok(tt_schedule_lr(&s, 20) == 0.25, "wsd: stays at the minimum");
}

static void test_wsd_odd(void)
{
    struct tt_schedule s = {"wsd", 1, 0.5, 6, 100, 10};

    tap_ok(tt_schedule_lr(&s, 5) == 1 && tt_schedule_lr(&s, 6) == 1 &&
               tt_schedule_lr(&s, 7) == 0.875,
           "wsd: a phase longer than the run starts after warm-up");
    s.decay_steps = 0;
    tap_ok(tt_schedule_lr(&s, 9) == 1 && tt_schedule_lr(&s, 10) == 1,
           "wsd: without a last phase holds");
}

/* A run that is all warm-up, or a step beyond its end. */
static void test_all_warmup(const char *name)
{
    struct tt_schedule s = {name, 1, 0.5, 8, 4, 8};

    tap_ok(tt_schedule_lr(&s, 7) == 1, "%s: a run may be all warm-up", name);
    s.total_steps = 4;
    tap_ok(tt_schedule_lr(&s, 3) == 0.5, "%s: or less", name);
    tap_ok(isfinite(tt_schedule_lr(&s, 8)), "%s: finite beyond", name);
}

int main(void)
{
    const char *const name[] = {"constant", "linear", "cosine", "wsd"};

    for (int i = 0; i < 4; i++) {
        test_warmup(name[i]);
        test_no_warmup(name[i]);
        test_all_warmup(name[i]);
    }
    test_constant();
    test_linear();
    test_cosine();
    test_cosine_mean();
    test_wsd();
    test_wsd_odd();
    return tap_done();
}
