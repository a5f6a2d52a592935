/* SPDX-License-Identifier: BSD-3-Clause */
/* image.h - the HDF5 side of a checkpoint's data file: everything but the data.
 */
#ifndef TT_CKPT_IMAGE_H
#define TT_CKPT_IMAGE_H

#include "ckpt/manifest.h"

/* Make the file in memory, sparse, with all datasets of the manifest and the
 * one of block hashes: contiguous, allocated, not filled.  Fills in the
 * offsets and file_bytes.  Returns a descriptor, or -1. */
int tt_ckpt_image_create(struct tt_manifest *man, struct tt_error *err);

#endif
