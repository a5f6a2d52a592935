/* SPDX-License-Identifier: BSD-3-Clause */
/* manifest.h - manifest.json of a checkpoint: what the data file holds, where,
 * and which hashes it must have.  It is written last and hashes itself, so a
 * manifest that reads says that the checkpoint was complete.  No MPI here. */
#ifndef TT_CKPT_MANIFEST_H
#define TT_CKPT_MANIFEST_H

#include <stdint.h>

#include <jansson.h>

#include "base/dtype.h"
#include "base/err.h"

enum {
    TT_CKPT_DIMS = 4,
    TT_CKPT_VERSION = 1,
    TT_CKPT_BLOCK_ELEMS = 1 << 20 /* elements under one hash */
};

#define TT_CKPT_MANIFEST "manifest.json"
#define TT_CKPT_DATA "data.h5"
#define TT_CKPT_SUMS "checksums/blocks" /* dataset of all block hashes */

struct tt_manifest_tensor {
    const char *name;
    enum tt_dtype dtype;
    int dims;
    int64_t dim[TT_CKPT_DIMS];
    int64_t elem_count;
    int64_t offset;      /* of its first byte in the data file */
    int64_t first_block; /* index of its first block among all blocks */
    int64_t block_count;
    uint64_t hash; /* of the whole tensor: the sum of its blocks' */
};

struct tt_manifest {
    int64_t step;
    double time;        /* seconds since the epoch */
    int64_t rank_count; /* that wrote it */
    int64_t file_bytes; /* of the data file */
    struct tt_manifest_tensor *tensor;
    int64_t tensor_count;
    int64_t block_count; /* of all tensors */
    int64_t sums_offset; /* of the block hashes in the data file */
    uint64_t root;       /* hash of the block hashes */
    uint64_t meta_hash;  /* of all bytes of the file outside datasets */
    json_t *scalars;     /* borrowed from 'doc' when read */
    json_t *doc;         /* owns names and scalars when read, else NULL */
};

/* Fill in elem_count, first_block and block_count from the shapes, and
 * man->block_count.  Fails on a shape or type that a checkpoint cannot hold,
 * and on a name that occurs twice. */
int tt_manifest_count(struct tt_manifest *man, struct tt_error *err);

/* The tensor called 'name' or NULL; looks at index 'hint' first. */
const struct tt_manifest_tensor *
tt_manifest_find(const struct tt_manifest *man, const char *name, int64_t hint);

/* The manifest's text, its own hash in it; the caller frees. */
char *tt_manifest_format(const struct tt_manifest *man, struct tt_error *err);

/* Read a text ('path' is for messages): fails unless it is whole, its own hash
 * fits and every number lies within the file it describes. */
int tt_manifest_parse(struct tt_manifest *man, const char *text,
                      const char *path, struct tt_error *err);

/* Read dir/manifest.json.  On success clear it; *text, where wanted, is the
 * text, which the caller frees. */
int tt_manifest_read(struct tt_manifest *man, const char *dir, char **text,
                     struct tt_error *err);

void tt_manifest_clear(struct tt_manifest *man);

#endif
