/* SPDX-License-Identifier: BSD-3-Clause */
/* array_head.h - the heads of files that hold one array: IDX and NPY. */
#ifndef TT_DATA_ARRAY_HEAD_H
#define TT_DATA_ARRAY_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"
#include "data/shard.h"
#include "data/stream.h"

enum { TT_ARRAY_AXES = TT_SHARD_DIMS + 1 };

struct tt_array_head {
    enum tt_dtype dtype;
    bool is_big; /* endian */
    int dims;    /* >= 1; the first axis is the sample */
    int64_t dim[TT_ARRAY_AXES];
    int64_t bytes; /* of the head itself */
};

/* Read the head of an open file; the stream then stands at the numbers. */
typedef int (*tt_array_head_fn)(struct tt_stream *stream, const char *path,
                                struct tt_array_head *head,
                                struct tt_error *err);

int tt_array_head_idx(struct tt_stream *stream, const char *path,
                      struct tt_array_head *head, struct tt_error *err);
int tt_array_head_npy(struct tt_stream *stream, const char *path,
                      struct tt_array_head *head, struct tt_error *err);

#endif
