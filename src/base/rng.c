/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.c - counter-based randomness (Philox4x32-10). */
#include <math.h>

#include "base/rng.h"

uint32_t tt_rng_site(enum tt_rng_purpose purpose, uint32_t idx)
{
    return (uint32_t)purpose << 16 | (idx & 0xffff);
}

static void philox(const uint32_t key[2], const uint32_t counter[4],
                   uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void tt_rng_quad(uint64_t seed, uint32_t site, uint64_t position, uint64_t quad,
                 uint32_t out[4])
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {
        (uint32_t)quad,
        (uint32_t)(quad >> 32 & 0xffff) | (uint32_t)(position & 0xffff) << 16,
        (uint32_t)(position >> 16),
        (uint32_t)(position >> 48 & 0xff) << 24 | (site & 0xffffff),
    };

    philox(key, counter, out);
}

uint32_t tt_rng_word(uint64_t seed, uint32_t site, uint64_t position,
                     uint64_t i)
{
    uint32_t quad[4];

    tt_rng_quad(seed, site, position, i / 4, quad);
    return quad[i % 4];
}

/* Box-Muller: a pair of words -> a pair of normals. */
static void normal_pair(const uint32_t word[2], double std, float out[2])
{
    double u = ((double)word[0] + 1.0) * 0x1p-32; /* (0, 1] */
    double a = 6.283185307179586477 * ((double)word[1] * 0x1p-32);
    double r = std * sqrt(-2.0 * log(u));

    out[0] = (float)(r * cos(a));
    out[1] = (float)(r * sin(a));
}

void tt_rng_fill_uniform(uint64_t seed, uint32_t site, int64_t first,
                         int64_t count, float low, float high, float *out)
{
    uint32_t quad[4];

    for (int64_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)(first + i);

        if (i == 0 || at % 4 == 0)
            tt_rng_quad(seed, site, 0, at / 4, quad);
        out[i] = low + (high - low) * tt_rng_unit(quad[at % 4]);
    }
}

void tt_rng_fill_normal(uint64_t seed, uint32_t site, int64_t first,
                        int64_t count, float std, float *out)
{
    for (int64_t quad = first / 4; quad * 4 < first + count; quad++) {
        uint32_t word[4];
        float four[4];

        tt_rng_quad(seed, site, 0, (uint64_t)quad, word);
        normal_pair(word, std, four);
        normal_pair(word + 2, std, four + 2);
        for (int64_t i = 0; i < 4; i++) {
            int64_t at = quad * 4 + i - first;

            if (at >= 0 && at < count)
                out[at] = four[i];
        }
    }
}
