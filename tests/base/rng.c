/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.c - Philox against its authors' known answers (Random123's kat_vectors),
 * and fills that do not depend on how they are cut. */
#include <math.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/rng.h"

enum { COUNT = 100003 };

static float whole[COUNT], pieces[COUNT];

static int draws(uint64_t seed, uint32_t site, uint64_t position, uint64_t quad,
                 const uint32_t want[4])
{
    uint32_t got[4];

    tt_rng_quad(seed, site, position, quad, got);
    return memcmp(got, want, sizeof(got)) == 0 &&
           tt_rng_word(seed, site, position, quad * 4 + 2) == want[2];
}

static void test_known_answers(void)
{
    tap_ok(draws(0, 0, 0, 0,
                 (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}),
           "zeros");
    tap_ok(draws(UINT64_MAX, 0xffffff, 0xffffffffffffff, 0xffffffffffff,
                 (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}),
           "ones");
    tap_ok(draws(0x299f31d0a4093822, 0x707344, 0x0313198a2e85a3, 0x08d3243f6a88,
                 (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}),
           "digits of pi");
}

typedef void (*fill_fn)(int64_t first, int64_t count, float *out);

static void fill_normal(int64_t first, int64_t count, float *out)
{
    tt_rng_fill_normal(7, 3, first, count, 1.0f, out);
}

static void fill_uniform(int64_t first, int64_t count, float *out)
{
    tt_rng_fill_uniform(7, 3, first, count, -2.0f, 4.0f, out);
}

static int cuts_agree(fill_fn fill)
{
    int64_t at = 0;

    for (int64_t n = 1; at < COUNT; n = n * 2 + 1) {
        int64_t count = n < COUNT - at ? n : COUNT - at;

        fill(at, count, pieces + at);
        at += count;
    }
    return memcmp(whole, pieces, sizeof(whole)) == 0;
}

static double moment(int power, double about)
{
    double sum = 0;

    for (int i = 0; i < COUNT; i++)
        sum += pow(whole[i] - about, power);
    return sum / COUNT;
}

int main(void)
{
    test_known_answers();
    fill_normal(0, COUNT, whole);
    tap_ok(cuts_agree(fill_normal), "normal: any cuts, the same bits");
    tap_ok(fabs(moment(1, 0)) < 5 / sqrt(COUNT), "normal: mean 0");
    tap_ok(fabs(moment(2, 0) - 1) < 5 * sqrt(2.0 / COUNT), "variance 1");
    tap_ok(fabs(moment(4, 0) - 3) < 5 * sqrt(96.0 / COUNT), "kurtosis 3");
    fill_uniform(0, COUNT, whole);
    tap_ok(cuts_agree(fill_uniform), "uniform: any cuts, the same bits");
    tap_ok(fabs(moment(1, 1)) < 5 * sqrt(3.0 / COUNT), "uniform: mean");
    tap_ok(fabs(moment(2, 1) - 3) < 5 * sqrt(7.2 / COUNT), "and variance");
    return tap_done();
}
