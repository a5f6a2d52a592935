/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.h - tell people what is in a set, and print one sample of it. */
#ifndef TT_DATA_DESCRIBE_H
#define TT_DATA_DESCRIBE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* What a packed set, a folder of packed parts, or an HDF5 file by others holds:
 * samples, shapes, types, classes, statistics; and what is wrong with it, such
 * as chunks that make one sample touch many bytes, with the cure. */
int tt_describe(const char *path, FILE *out, struct tt_error *err);

/* The first lines of that: what a packed folder holds. */
int tt_describe_heads(const char *dir, FILE *out, struct tt_error *err);

/* Read every shard of a packed set and compare size and checksum. */
int tt_describe_verify(const char *dir, FILE *out, struct tt_error *err);

/* One sample, "DIR:17": an image as characters, a row as name=value, tokens as
 * text from that one on. */
int tt_describe_sample(const char *what, FILE *out, struct tt_error *err);

/* The datasets of an HDF5 file. */
int tt_describe_h5(const char *path, FILE *out, struct tt_error *err);

#endif
