/* SPDX-License-Identifier: BSD-3-Clause */
/* philox_priv.h - runs of random words, many quads at once; the same words as
 * tt_rng_word() gives one by one. */
#ifndef TT_DEVICE_PHILOX_PRIV_H
#define TT_DEVICE_PHILOX_PRIV_H

#include "device/cpu/cpu_priv.h"

enum { TT_RUN_WORDS = 1024, TT_RUN_ROOM = TT_RUN_WORDS + 8 };

/* A stream of words: of one op and one sample. */
struct tt_stream {
    uint64_t seed, position;
    uint32_t site;
};

TT_INLINE struct tt_stream
tt_stream_of(const struct tt_op *op, const struct tt_now *now, int64_t sample)
{
    return (struct tt_stream){now->seed, (uint64_t)(now->position + sample),
                              op->site};
}

TT_INLINE void tt_philox_quad(struct tt_stream s, uint64_t quad, uint32_t *out)
{
    uint32_t k0 = (uint32_t)s.seed, k1 = (uint32_t)(s.seed >> 32);
    uint32_t c0 = (uint32_t)quad;
    uint32_t c1 =
        (uint32_t)(quad >> 32 & 0xffff) | (uint32_t)(s.position & 0xffff) << 16;
    uint32_t c2 = (uint32_t)(s.position >> 16);
    uint32_t c3 =
        (uint32_t)(s.position >> 48 & 0xff) << 24 | (s.site & 0xffffff);

#pragma GCC unroll 10
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

/* Words of elements first .. first+count-1, count <= TT_RUN_WORDS, made in
 * 'room'; returns where the first one is. */
TT_INLINE const uint32_t *tt_stream_run(struct tt_stream s, int64_t first,
                                        int64_t count, uint32_t *room)
{
    uint64_t quad = (uint64_t)first / 4;
    int64_t quads = (first + count + 3) / 4 - first / 4;

#pragma omp simd
    for (int64_t i = 0; i < quads; i++)
        tt_philox_quad(s, quad + (uint64_t)i, room + 4 * i);
    return room + first % 4;
}

/* A word below this is dropped, as tt_rng_unit(word) < p. */
TT_INLINE uint32_t tt_drop_below(double p)
{
    float limit = (float)p * 16777216.0f;
    uint32_t whole = (uint32_t)limit;

    return whole + ((float)whole < limit);
}

#endif
