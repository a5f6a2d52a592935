/* SPDX-License-Identifier: BSD-3-Clause */
/* values.h - arrays of numbers: byte order and element type. */
#ifndef TT_DATA_VALUES_H
#define TT_DATA_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

/* Turn elements of 1, 2, 4 or 8 bytes around; from big endian to this
 * machine's order. */
void tt_values_swap(void *at, int64_t count, size_t elem_bytes);
void tt_values_from_big(void *at, int64_t count, size_t elem_bytes);
void tt_values_from_little(void *at, int64_t count, size_t elem_bytes);

/* Turn rows x columns into columns x rows; 'scratch' holds as much. */
void tt_values_transpose(void *at, int64_t rows, int64_t columns,
                         size_t elem_bytes, void *scratch);

/* As doubles; integers beyond 2^53 are rounded. */
void tt_values_to_f64(enum tt_dtype from, const void *raw, int64_t count,
                      double *out);

/* Into another element type: cut towards zero into integers, rounded into
 * floats.  'to' is f32, f64, i32 or i64. */
void tt_values_convert(enum tt_dtype from, const void *raw, int64_t count,
                       enum tt_dtype to, void *out);

bool tt_dtype_is_float(enum tt_dtype dtype);

#endif
