/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.c - 64-bit hashes. */
#include <string.h>

#include <xxhash.h>

#include "base/hash.h"

uint64_t tt_hash(const void *data, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, bytes, seed);
}

/* One 64 x 64 -> 128 bit product folded to 64 bits (as wyhash and XXH3 mix),
 * then one odd product so that the sum of many does not cancel. */
static uint64_t mix(uint64_t idx, uint64_t bits)
{
    __extension__ typedef unsigned __int128 wide;
    wide product =
        (wide)(bits ^ 0xA0761D6478BD642Fu) * (idx ^ 0xE7037ED1A0B428DBu);
    uint64_t h = (uint64_t)(product >> 64) ^ (uint64_t)product;

    return (h ^ h >> 32) * 0x9E3779B97F4A7C15u;
}

static uint64_t sum_8(const uint8_t *at, uint64_t first, int64_t count)
{
    uint64_t sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += mix(first + (uint64_t)i, at[i]);
    return sum;
}

static uint64_t sum_16(const uint8_t *at, uint64_t first, int64_t count)
{
    uint64_t sum = 0;
    uint16_t bits;

    for (int64_t i = 0; i < count; i++) {
        memcpy(&bits, at + 2 * i, sizeof(bits));
        sum += mix(first + (uint64_t)i, bits);
    }
    return sum;
}

static uint64_t sum_32(const uint8_t *at, uint64_t first, int64_t count)
{
    uint64_t sum = 0;
    uint32_t bits;

    for (int64_t i = 0; i < count; i++) {
        memcpy(&bits, at + 4 * i, sizeof(bits));
        sum += mix(first + (uint64_t)i, bits);
    }
    return sum;
}

static uint64_t sum_64(const uint8_t *at, uint64_t first, int64_t count)
{
    uint64_t sum = 0;
    uint64_t bits;

    for (int64_t i = 0; i < count; i++) {
        memcpy(&bits, at + 8 * i, sizeof(bits));
        sum += mix(first + (uint64_t)i, bits);
    }
    return sum;
}

uint64_t tt_hash_elements(const void *data, int64_t first, int64_t count,
                          size_t elem_bytes)
{
    switch (elem_bytes) {
    case 1:
        return sum_8(data, (uint64_t)first, count);
    case 2:
        return sum_16(data, (uint64_t)first, count);
    case 4:
        return sum_32(data, (uint64_t)first, count);
    default:
        return sum_64(data, (uint64_t)first, count);
    }
}
