/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - elements between memory and the data file, hashed as they pass.
 * A tensor is cut into blocks of TT_CKPT_BLOCK_ELEMS elements; the hash of a
 * block is a sum over its elements (base/hash.h), so that ranks which hold
 * parts of it add up their shares.  No MPI here, and no HDF5: the offsets are
 * in the manifest. */
#ifndef TT_CKPT_BLOCKS_H
#define TT_CKPT_BLOCKS_H

#include <stdint.h>

#include "ckpt/manifest.h"

/* An open data file; 'path' is for messages. */
struct tt_ckpt_file {
    int fd;
    char path[512];
};

/* Elements first .. first+count-1 of a tensor, which lie at 'data'. */
struct tt_ckpt_run {
    int64_t first, count;
    void *data;
};

/* Open dir/data.h5 for reading or, 'write', for writing into what is there. */
int tt_ckpt_file_open(struct tt_ckpt_file *file, const char *dir, int write,
                      struct tt_error *err);
/* Create it with all the space it will take, so that a full disk shows before
 * anything is written. */
int tt_ckpt_file_create(struct tt_ckpt_file *file, const char *dir,
                        int64_t bytes, struct tt_error *err);
/* Close; fails where the system reports a late error of writing.  An fd of -1
 * is fine. */
int tt_ckpt_file_close(struct tt_ckpt_file *file, struct tt_error *err);

/* Write or read elements first .. first+count-1 of a tensor from or to 'data'
 * in pieces of at most 1 MiB, and add their hashes to sums[block]; 'sums' is
 * the table over all blocks of the manifest. */
int tt_ckpt_run_write(const struct tt_ckpt_file *file,
                      const struct tt_manifest_tensor *tensor,
                      struct tt_ckpt_run run, uint64_t *sums,
                      struct tt_error *err);
int tt_ckpt_run_read(const struct tt_ckpt_file *file,
                     const struct tt_manifest_tensor *tensor,
                     struct tt_ckpt_run run, uint64_t *sums,
                     struct tt_error *err);

/* Copy all bytes that belong to no dataset from the descriptor 'image' into
 * the file; man->meta_hash becomes their hash. */
int tt_ckpt_meta_write(const struct tt_ckpt_file *file, struct tt_manifest *man,
                       int image, struct tt_error *err);

/* The table of block hashes, checked against the manifest's root, after the
 * file's length and its bytes outside datasets were checked; the caller frees.
 * NULL on failure. */
uint64_t *tt_ckpt_sums_read(const struct tt_ckpt_file *file,
                            const struct tt_manifest *man,
                            struct tt_error *err);

/* Fails, naming tensor, block and file, where a block of 'tensor' does not
 * have the hash it should have. */
int tt_ckpt_sums_check(const struct tt_ckpt_file *file,
                       const struct tt_manifest_tensor *tensor,
                       const uint64_t *have, const uint64_t *want,
                       struct tt_error *err);

/* Read and check blocks first .. first+count-1 (of all) against 'sums'. */
int tt_ckpt_blocks_verify(const struct tt_ckpt_file *file,
                          const struct tt_manifest *man, const uint64_t *sums,
                          int64_t first, int64_t count, struct tt_error *err);

#endif
