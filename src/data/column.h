/* SPDX-License-Identifier: BSD-3-Clause */
/* column.h - elements from their form in a file to the form in memory, and
 * from there into a batch. */
#ifndef TT_DATA_COLUMN_H
#define TT_DATA_COLUMN_H

#include <stdint.h>

#include "base/dtype.h"
#include "data/store.h"

/* A label that is no whole number or beyond 32 bits becomes this. */
#define TT_LABEL_BAD INT32_MIN

/* From a dtype to the kept form of a column. */
struct tt_cast {
    const struct tt_column *col;
    const double *number; /* of the store */
    enum tt_dtype from;
    int64_t first; /* element of a row that comes first: which scale */
};

/* 'count' elements.  in == out is fine where the bytes per element are equal.
 */
void tt_cast_run(const struct tt_cast *cast, int64_t count, const void *in,
                 void *out);

/* Bytes of a row as kept. */
int64_t tt_column_row_bytes(const struct tt_column *col);

/* Rows in memory: two pointers and the forms behind them. */
struct tt_rows {
    void *at[TT_COLS];
    const struct tt_column *col; /* [TT_COLS] */
};

/* Copy samples that begin at rows row[0 .. count-1] into x and y.  Returns -1,
 * or the index of the first one with a label outside the classes. */
int64_t tt_rows_gather(const struct tt_store *store, const struct tt_rows *rows,
                       const int64_t *row, int64_t count, void *x, void *y);

#endif
