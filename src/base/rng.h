/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.h - counter-based randomness: a draw is a function of what it is for,
 * never of who drew before.  Philox4x32-10 (Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011). */
#ifndef TT_BASE_RNG_H
#define TT_BASE_RNG_H

#include <stdint.h>

/* What a draw is for, in the high bits of a site. */
enum tt_rng_purpose {
    TT_RNG_INIT,    /* initial value of a parameter; low bits: its index */
    TT_RNG_DROPOUT, /* low bits: index of the op */
    TT_RNG_ORDER,   /* order of samples */
    TT_RNG_SPLIT,   /* which samples are held out */
    TT_RNG_SYNTH,   /* synthetic data */
    TT_RNG_AUGMENT, /* augmentation of samples */
};

/* A site of 24 bits: a purpose (8) and an index within it (16). */
uint32_t tt_rng_site(enum tt_rng_purpose purpose, uint32_t idx);

/* Four random words for (seed, site 24 bits, position 56 bits, quad 48 bits).
 * 'position' is mostly a global sample index, 'quad' is element / 4. */
void tt_rng_quad(uint64_t seed, uint32_t site, uint64_t position, uint64_t quad,
                 uint32_t out[4]);

/* Element 'i' of the stream (seed, site, position): word i%4 of quad i/4. */
uint32_t tt_rng_word(uint64_t seed, uint32_t site, uint64_t position,
                     uint64_t i);

/* A word as a float in [0, 1), on a grid of 2^-24. */
static inline float tt_rng_unit(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24f;
}

/* Fill 'out' with elements first .. first+count-1 of a stream: uniform in
 * [low, high), or normal with the given standard deviation (Box-Muller, the
 * words of one quad in pairs). */
void tt_rng_fill_uniform(uint64_t seed, uint32_t site, int64_t first,
                         int64_t count, float low, float high, float *out);
void tt_rng_fill_normal(uint64_t seed, uint32_t site, int64_t first,
                        int64_t count, float std, float *out);

#endif
