/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - what a set is made of: rows (the first axis of its datasets) in
 * parts (files), each with columns x and y.  A token set has one column of one
 * id per row.  Rank 0 fills a store; the others receive it as bytes.
 *
 * An element has three forms: 'stored' in the file, 'kept' in memory, 'out' in
 * the caller's batch.  Whatever way the bytes take, value = (float)((double)
 * stored x scale + shift), so every way gives the same bits; numbers that have
 * a table (u8) come out of the same formula. */
#ifndef TT_DATA_STORE_H
#define TT_DATA_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"
#include "data/set.h"
#include "data/synthetic.h"

enum { TT_COL_X, TT_COL_Y, TT_COLS };
enum { TT_TABLES = 4 }; /* u8 of more scales than these is kept as f32 */

struct tt_column {
    int64_t values;      /* per row; 0: the store has no such column */
    int64_t dataset;     /* its name, as an offset in names */
    int64_t chunk_rows;  /* of the file's chunks, 1 where contiguous */
    int64_t scale_at;    /* in numbers: scale_count scales, then shifts */
    int64_t channels;    /* > 0: rows are (C, H, W) and come out (H, W, C) */
    int64_t scale_count; /* element e of a row has the (e % count)th; 0: none */
    int32_t stored;      /* enum tt_dtype, native byte order */
    int32_t kept;        /* u8, u16, i32 or f32 (then scale is applied) */
    int32_t out;         /* f32 or i32 */
    int32_t pad;
};

/* Rows first .. first+count-1 of the store lie in one file. */
struct tt_part {
    int64_t path; /* offset in names */
    int64_t first, count;
    int64_t offset[TT_COLS]; /* of row 'first' in the file, where it can be
                              * pread; else -1: through HDF5 */
};

/* Plain data. */
struct tt_store_head {
    struct tt_set_info info; /* of the whole store */
    struct tt_column col[TT_COLS];
    struct tt_synthetic synth;
    int64_t row_count;
    int64_t part_count; /* 0: synthetic */
    int64_t name_bytes;
    int64_t number_count;
    int32_t is_plain;    /* no part needs HDF5: any thread may read */
    int32_t has_ignored; /* a label 'ignored' is allowed: no target */
    int64_t ignored;
};

struct tt_store {
    struct tt_store_head head;
    struct tt_part *part;
    char *names;
    double *numbers;
    void *rows[TT_COLS]; /* all rows as kept, once they are in memory */
    struct tt_column mem[TT_COLS]; /* the columns as rows[] holds them */
    float divide; /* > 0: decode[0][v] is v / divide for every v */
    float decode[TT_TABLES][256]; /* values of u8 elements of x, by e % count */
    int users;
};

/* A set is a store, or the part of its samples that a hold-out gave it. */
struct tt_set {
    struct tt_store *store;
    struct tt_set_info info;
    int64_t unit; /* samples that were kept or held out together */
    int64_t unit_count;
    int32_t *unit_at; /* units of the store, in order; NULL: all of it */
    int64_t cache_bytes;
    int read; /* enum tt_set_read */
    MPI_Comm comm;
    const struct tt_node *hints;
};

enum tt_set_read { TT_READ_INDEPENDENT, TT_READ_COLLECTIVE };

/* New and empty, one user; NULL where memory is out. */
struct tt_store *tt_store_create(struct tt_error *err);
void tt_store_release(struct tt_store *store);

/* Append a text to names; its offset or -1. */
int64_t tt_store_name(struct tt_store *store, const char *text,
                      struct tt_error *err);
/* Append a part behind the others; its path is 'path'. */
int tt_store_add(struct tt_store *store, const char *path,
                 const struct tt_part *part, struct tt_error *err);

/* Give a column 'count' scales and shifts; NULL shifts are 0. */
int tt_store_scale(struct tt_store *store, int c, int64_t count,
                   const double *scale, const double *shift,
                   struct tt_error *err);

/* Fill in what follows from the columns: kept and out forms, the table of u8,
 * is_plain. */
void tt_store_finish(struct tt_store *store);

static inline const char *tt_store_text(const struct tt_store *store,
                                        int64_t offset)
{
    return store->names + offset;
}

/* The part that holds a row. */
int64_t tt_store_part(const struct tt_store *store, int64_t row);

/* Rows of sample 0-based 'sample' begin at sample x stride and are stride +
 * extra long: (1, 0) for rows, (context, 1) for tokens. */
int64_t tt_store_stride(const struct tt_store *store);
int64_t tt_store_extra(const struct tt_store *store);

/* Sample of the store that is sample 'idx' of the set. */
int64_t tt_set_sample(const struct tt_set *set, int64_t idx);

/* Where a row of column 'c' lies, for people. */
void tt_store_describe_row(const struct tt_store *store, int64_t row, int c,
                           char *text, size_t bytes);

/* Say where a bad label lies: file, dataset, row, value, cause, cure. */
int tt_store_fail_label(const struct tt_store *store, int64_t sample,
                        const void *x, const void *y, struct tt_error *err);

#endif
