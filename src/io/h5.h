/* SPDX-License-Identifier: BSD-3-Clause */
/* h5.h - serial HDF5: open what others wrote, find out how a dataset lies in
 * its file, read it as the element type we compute in.  HDF5 is not
 * thread-safe: only the compute thread calls these. */
#ifndef TT_IO_H5_H
#define TT_IO_H5_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "base/dtype.h"
#include "base/err.h"

enum { TT_H5_DIMS = 8 };

/* What a dataset is. */
struct tt_h5_info {
    int dims; /* 0: a scalar */
    int64_t dim[TT_H5_DIMS];
    enum tt_dtype dtype;       /* the nearest native type of its elements */
    bool plain;                /* contiguous, unfiltered, native byte order, one
                                * file: may be pread at 'offset' */
    int64_t offset;            /* in the file, where plain */
    int64_t chunk[TT_H5_DIMS]; /* 0s where not chunked */
    int filters;               /* 1 and more: compressed or checksummed */
    double scale, shift; /* of scale_factor and add_offset attributes: 1, 0 */
};

/* Open read-only without taking a lock; works on read-only and lock-less
 * mounts.  A file that is open for writing, truncated, or no HDF5 is refused
 * with the reason and the cure.  Returns the id or -1. */
hid_t tt_h5_open(const char *path, struct tt_error *err);

/* Describe /a/dataset.  Compounds, variable-length, references, strings,
 * opaque types, unavailable filters and virtual datasets with a missing source
 * (which would read as zeros) are refused by name; an enum is its integers.
 * A dataset that does not exist is reported with what stands in its place. */
int tt_h5_info(hid_t file, const char *path, const char *dataset,
               struct tt_h5_info *info, struct tt_error *err);

/* Read rows first .. first+count-1 (along the first axis) as 'dtype' (f32,
 * i32, i64, u8 or f64), without scale and shift. */
int tt_h5_read_rows(hid_t file, const char *path, const char *dataset,
                    int64_t first, int64_t count, enum tt_dtype dtype,
                    void *out, struct tt_error *err);

/* The native HDF5 type of a dtype (f16 and bf16: 2-byte opaque-free floats
 * where the library can, else -1). */
hid_t tt_h5_type(enum tt_dtype dtype);

/* Create a file for writing (fails if it exists); create a contiguous dataset
 * whose space is allocated early and never filled, with the groups above it,
 * and say where its bytes lie (0 where it has none).  Once the file is closed
 * the bytes may be written there with pwrite. */
hid_t tt_h5_create(const char *path, struct tt_error *err);
int tt_h5_create_dataset(hid_t file, const char *path, const char *dataset,
                         enum tt_dtype dtype, int dims, const int64_t *dim,
                         int64_t *offset, struct tt_error *err);
/* Close, reporting what the last flush could not write. */
int tt_h5_close(hid_t file, const char *path, struct tt_error *err);

#endif
