/* SPDX-License-Identifier: BSD-3-Clause */
/* make.h - small sets made by the tests themselves: the elements of sample s
 * say which one it is. */
#ifndef TESTS_DATA_MAKE_H
#define TESTS_DATA_MAKE_H

#include <stdint.h>

#include "base/doc.h"
#include "base/dtype.h"
#include "base/err.h"

enum { MAKE_CLASSES = 10 };

/* Element e of sample s, always 0 .. 255: s modulo 256, s / 256, then noise. */
int make_value(int64_t sample, int64_t element);
int64_t make_sample(int v0, int v1);

/* Write 'value' as one element of 'dtype' (no f16, bf16). */
void make_put(enum tt_dtype dtype, double value, void *out);

/* A folder of shards with 'counts[i]' samples of 'values' elements in shard i;
 * labels are sample % MAKE_CLASSES as i32.  u8 has scale 1/255.  0 or -1. */
int make_rows(const char *dir, enum tt_dtype dtype, int64_t values,
              const int64_t *counts, int shards, struct tt_error *err);

/* The same for tokens; token i is make_token(i). */
int make_tokens(const char *dir, enum tt_dtype dtype, const int64_t *counts,
                int shards, struct tt_error *err);
int make_token(int64_t i);

/* A file as others write them: x (big-endian i16 in compressed chunks of 16 x
 * 3) and y (i64), with the numbers of make_rows(). */
void make_chunked(const char *path, int64_t rows, int64_t values);

/* A YAML text as a node that lives as long as the process. */
struct tt_node *make_node(const char *text);

#endif
