/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - 64-bit hashes (xxHash's XXH3), and hashes of a tensor that do not
 * depend on who holds which part of it. */
#ifndef TT_BASE_HASH_H
#define TT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t tt_hash(const void *data, size_t bytes, uint64_t seed);

/* Sum over elements of mix(global index, bits), modulo 2^64: add the results
 * for disjoint runs to get the hash of their union.  'elem_bytes' is 1, 2, 4
 * or 8. */
uint64_t tt_hash_elements(const void *data, int64_t first, int64_t count,
                          size_t elem_bytes);

#endif
