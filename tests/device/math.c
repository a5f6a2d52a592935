/* SPDX-License-Identifier: BSD-3-Clause */
/* math.c - the tuned backend's exp, log, tanh ... against libm in f64, and its
 * matrix products against sums in f64. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TT_CPU_LEVEL base
#include "../lib/tap.h"
#include "base/rng.h"
#include "device/cpu/math_priv.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static double gelu(double x)
{
    return x * sigmoid(2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x));
}

static float fast_exp(float x)
{
    return tt_expf(x);
}

static float fast_log(float x)
{
    return tt_logf(x);
}

static float fast_tanh(float x)
{
    return tt_tanhf(x);
}

static float fast_sigmoid(float x)
{
    return tt_sigmoidf(x);
}

static float fast_normal(float x)
{
    float bell;

    return tt_normalf(x, &bell);
}

static float fast_gelu(float x)
{
    return tt_act_value(TT_ACT_GELU, x);
}

/* Largest relative error allowed from low to high.  Arguments are rounded to
 * 2^-24, which exp() of a large argument multiplies by it. */
static const struct {
    const char *name;
    float (*fast)(float x);
    double (*exact)(double x);
    double low, high, error;
} functions[] = {
    {"exp", fast_exp, exp, -1, 1, 1.5e-7},
    {"exp, far", fast_exp, exp, -87, 88, 2e-7},
    {"log", fast_log, log, 1.01, 1e5, 1.5e-7},
    {"log of small", fast_log, log, 1e-6, 0.98, 1.5e-7},
    {"tanh", fast_tanh, tanh, -10, 10, 2.5e-7},
    {"tanh, near 0", fast_tanh, tanh, -0.01, 0.01, 2.5e-7},
    {"sigmoid", fast_sigmoid, sigmoid, -20, 20, 2.5e-7},
    {"normal", fast_normal, normal, -3, 8, 8e-7},
    {"gelu", fast_gelu, gelu, -3, 10, 1e-6},
};

static void test_functions(void)
{
    enum { POINTS = 20011 };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        double low = functions[i].low, worst = 0;
        double step = (functions[i].high - low) / POINTS;

        for (int j = 0; j <= POINTS; j++) {
            float x = (float)(low + j * step);
            double want = functions[i].exact((double)x);

            if (want != 0)
                worst = fmax(worst, fabs((double)functions[i].fast(x) - want) /
                                        fabs(want));
        }
        tap_ok(worst <= functions[i].error, "%s is within %g (%g)",
               functions[i].name, functions[i].error, worst);
    }
}

static void test_limits(void)
{
    tap_ok(tt_expf(-INFINITY) == 0 && tt_expf(-200) == 0, "exp falls to 0");
    tap_ok(isfinite(tt_expf(INFINITY)), "exp does not overflow");
    tap_ok(tt_tanhf(50) == 1 && tt_tanhf(-50) == -1, "tanh ends at 1");
    for (int act = 0; act < TT_ACT_COUNT; act++)
        tap_ok(isnan(tt_act_value(act, NAN)), "%s of NaN is NaN",
               tt_act_name((enum tt_act)act));
}

static float drawn(int64_t i)
{
    return tt_rng_unit(tt_rng_word(7, 0, 0, (uint64_t)i)) - 0.5f;
}

static float *matrix(int64_t count, int64_t first)
{
    float *x = malloc((size_t)count * sizeof(*x));

    for (int64_t i = 0; i < count; i++)
        x[i] = drawn(first + i);
    return x;
}

/* Worst difference from sums in f64 in units of 2^-24 (1 + k / 8): products of
 * numbers within 1/2 make partial sums of about sqrt(i) / 12, whose roundings
 * add up to k / 17 half units, and the worst of 10^4 is 4.5 times that. */
static double product_error(const struct tt_gemm *g, const float *before)
{
    double worst = 0;

    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            double sum = g->adds ? (double)before[i * g->ldc + j] : 0;

            for (int64_t p = 0; p < g->k; p++)
                sum += (double)g->a[g->ta ? p * g->lda + i : i * g->lda + p] *
                       (double)g->b[g->tb ? j * g->ldb + p : p * g->ldb + j];
            worst = fmax(worst, fabs(sum - (double)g->c[i * g->ldc + j]));
        }
    return worst / ((1 + (double)g->k / 8) * 0x1p-24);
}

/* Columns n .. ldc-1 of c are nobody's. */
static bool gaps_same(const struct tt_gemm *g, const float *before)
{
    bool same = true;

    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = g->n; j < g->ldc; j++)
            same &= g->c[i * g->ldc + j] == before[i * g->ldc + j];
    return same;
}

static void test_product(const struct tt_cpu_level *level, int64_t m, int64_t n,
                         int64_t k)
{
    double worst = 0;
    bool same = true;

    for (int kind = 0; kind < 8; kind++) {
        struct tt_gemm g = {.m = m, .n = n, .k = k};
        float *before, *a, *b;

        g.ta = kind & 1;
        g.tb = kind & 2;
        g.adds = kind & 4;
        g.lda = (g.ta ? m : k) + 3;
        g.ldb = (g.tb ? k : n) + 5;
        g.ldc = n + 2;
        g.a = a = matrix((g.ta ? k : m) * g.lda, 0);
        g.b = b = matrix((g.tb ? n : k) * g.ldb, 1000);
        g.c = matrix(m * g.ldc, 2000);
        before = matrix(m * g.ldc, 2000);
        level->gemm(&g);
        worst = fmax(worst, product_error(&g, before));
        same &= gaps_same(&g, before);
        free(a);
        free(b);
        free(g.c);
        free(before);
    }
    tap_ok(worst < 3 && same, "%s: product %dx%d over %d (%.2g)", level->name,
           (int)m, (int)n, (int)k, worst);
}

static void test_products(const struct tt_cpu_level *level)
{
    static const int64_t shapes[][3] = {
        {1, 1, 1},    {1, 17, 3},    {2, 2, 50},   {32, 50, 10},
        {7, 33, 5},   {13, 16, 9},   {15, 48, 31}, {64, 64, 64},
        {3, 100, 70}, {129, 31, 65}, {65, 5, 700}, {100, 100, 100},
    };

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        test_product(level, shapes[i][0], shapes[i][1], shapes[i][2]);
}

int main(void)
{
    tt_backend_cpu.start(1);
    test_functions();
    test_limits();
    for (int i = 0; tt_cpu_level_at(i) != NULL; i++)
        test_products(tt_cpu_level_at(i));
    return tap_done();
}
