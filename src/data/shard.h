/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.h - our own data format: a folder of HDF5 shards and an index.
 *
 *   DIR/index.json       written last; a folder without it is not a set
 *   DIR/shard-00000.h5   plain contiguous datasets, first axis the sample:
 *   DIR/shard-00001.h5   /x and /y of rows, or /tokens of a token stream
 *
 * Numbers lie in the shards as they were packed (images stay u8); what a model
 * sees is x = raw * scale + shift, by the arrays of the index, so that
 * standardisation by the train split is kept as numbers.
 *
 * index.json, version 1, written by tutti-shard, read by data/set.c:
 *   tutti_shards   format version
 *   kind           "rows" | "tokens"
 *   split, seed    which part of the packed data this is ("train")
 *   plan           hash of what was packed and how
 *   samples        rows, or tokens of the whole stream
 *   x              {dtype, shape (of one sample), scale, shift, mean, std, min,
 *                  max}; the arrays have one number, or one for each place of
 *                  the last axis; mean ... max are of raw numbers of the train
 *                  split.  Of tokens: {dtype, shape []}
 *   y              {dtype, shape}, absent where there are no labels
 *   classes        of labels (y is i32 0 .. classes-1), or the vocabulary;
 *                  absent where y is a value
 *   class_names    list of strings, may be absent
 *   tokenizer      of tokens: "bytes"
 *   columns        of a packed table: [{name, first, values, missing, fill,
 *                  categories}]: where the column lies in x, how many cells
 *                  were missing, what stands for them, and the dictionary of a
 *                  one-hot column
 *   label          name of the label column of a packed table
 *   shards         [{file, samples, bytes, xxh64, x_offset, y_offset}]: size
 *                  and XXH64 of the whole file; the offsets of the datasets'
 *                  bytes hold as long as the size is right
 */
#ifndef TT_DATA_SHARD_H
#define TT_DATA_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"

enum { TT_SHARD_VERSION = 1, TT_SHARD_DIMS = 4 };

enum tt_shard_kind { TT_SHARD_ROWS, TT_SHARD_TOKENS };

/* One dataset of every shard. */
struct tt_shard_field {
    enum tt_dtype dtype;
    int dims; /* of one sample; 0: one value */
    int64_t dim[TT_SHARD_DIMS];
    int64_t values; /* their product, 1 where dims is 0; 0: no such field */
    /* Element e of a sample is raw * scale[e % n] + shift[e % n], n being
     * scale_count; 0: as it is. */
    int64_t scale_count;
    double *scale, *shift;
    /* Of the raw numbers, as scale: element e belongs to e % stat_count. */
    int64_t stat_count;
    double *mean, *std, *min, *max;
};

/* A column of the table that was packed. */
struct tt_shard_column {
    char *name;
    int64_t first_value, value_count; /* in x */
    int64_t missing_count;
    double fill;            /* what stands for a missing number */
    int64_t category_count; /* 0: a column of numbers */
    char **category;        /* in the order of the one-hot values */
};

struct tt_shard {
    char *file; /* within the folder */
    int64_t sample_count;
    int64_t bytes;              /* of the file */
    uint64_t hash;              /* XXH64 of the file */
    int64_t x_offset, y_offset; /* in the file, where raw bytes begin */
};

struct tt_shard_index {
    int kind;    /* enum tt_shard_kind */
    char *split; /* "train", "valid", ... */
    int64_t seed;
    int64_t sample_count;
    struct tt_shard_field x; /* or the tokens */
    struct tt_shard_field y; /* values 0: none */
    int64_t class_count;     /* of labels, or the vocabulary; 0: y is a value */
    char **class_name;       /* class_count of them, or NULL */
    char *tokenizer;         /* of tokens, else NULL */
    char *label;             /* name of the label column, or NULL */
    struct tt_shard_column *column;
    int64_t column_count;
    struct tt_shard *shard;
    int64_t shard_count;
    uint64_t plan_hash; /* of what was packed and how: the same command again
                         * gives the same */
    uint64_t text_hash; /* of index.json as it was read */
};

/* Read DIR/index.json.  Everything in it is checked; the shards themselves are
 * not looked at.  Destroy with _destroy.  NULL on failure, with a cure. */
struct tt_shard_index *tt_shard_index_read(const char *dir,
                                           struct tt_error *err);

/* Write DIR/index.json aside and rename it: from then on DIR is a set. */
int tt_shard_index_write(const struct tt_shard_index *index, const char *dir,
                         struct tt_error *err);

/* An empty index on the heap, to be filled with heap strings and arrays; takes
 * them along when it is destroyed.  NULL without memory. */
struct tt_shard_index *tt_shard_index_create(void);
void tt_shard_index_destroy(struct tt_shard_index *index);

/* Bytes of one sample of a field in the files. */
int64_t tt_shard_field_bytes(const struct tt_shard_field *field);

/* Is 'dir' a folder with an index? */
bool tt_shard_is_set(const char *dir);

/* Check one shard file against its entry: size, then XXH64 where 'deep'. */
int tt_shard_verify(const char *dir, const struct tt_shard *shard, bool deep,
                    struct tt_error *err);

/* Open a shard for reading after a look at its size; its path goes to 'path'
 * of PATH_MAX bytes.  The descriptor, or -1. */
int tt_shard_open(const char *dir, const struct tt_shard *shard, char *path,
                  struct tt_error *err);

/* XXH64 and size of a file. */
int tt_shard_hash_file(const char *path, uint64_t *hash, int64_t *bytes,
                       struct tt_error *err);

#endif
