/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.c - XXH3's published values; element hashes by their properties. */
#include <string.h>

#include "../lib/tap.h"
#include "base/hash.h"

static void test_bytes(void)
{
    /* Of the empty text, from xxHash's specification: XXH3_64bits(""). */
    tap_ok(tt_hash("", 0, 0) == 0x2D06800538D394C2u, "XXH3 of nothing");
    tap_ok(tt_hash("a", 1, 0) == 0xE6C632B61E964E1Fu, "XXH3 of 'a'");
    tap_ok(tt_hash("abc", 3, 0) == 0x78AF5F94892F3950u, "XXH3 of 'abc'");
    tap_ok(tt_hash("abc", 3, 1) != tt_hash("abc", 3, 0), "a seed matters");
}

/* Any cut into runs gives the same sum; any change does not. */
static void test_elements(size_t bytes)
{
    enum { COUNT = 97 };
    unsigned char data[COUNT * 8], other[COUNT * 8];
    uint64_t whole;
    int same = 1, differ = 1;

    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i * 37 + 11);
    whole = tt_hash_elements(data, 5, COUNT, bytes);
    for (int64_t cut = 0; cut <= COUNT; cut++)
        same &= tt_hash_elements(data, 5, cut, bytes) +
                    tt_hash_elements(data + (size_t)cut * bytes, 5 + cut,
                                     COUNT - cut, bytes) ==
                whole;
    tap_ok(same, "%zu bytes: every cut adds up to the whole", bytes);
    for (size_t bit = 0; bit < COUNT * bytes * 8; bit++) {
        memcpy(other, data, sizeof(data));
        other[bit / 8] ^= (unsigned char)(1u << bit % 8);
        differ &= tt_hash_elements(other, 5, COUNT, bytes) != whole;
    }
    tap_ok(differ, "%zu bytes: every flipped bit is seen", bytes);
    tap_ok(tt_hash_elements(data, 6, COUNT, bytes) != whole,
           "%zu bytes: the place matters", bytes);
    memcpy(other, data, sizeof(data));
    memcpy(other, data + bytes, bytes);
    memcpy(other + bytes, data, bytes);
    tap_ok(tt_hash_elements(other, 5, COUNT, bytes) != whole,
           "%zu bytes: a swap is seen", bytes);
}

int main(void)
{
    test_bytes();
    for (size_t bytes = 1; bytes <= 8; bytes *= 2)
        test_elements(bytes);
    return tap_done();
}
