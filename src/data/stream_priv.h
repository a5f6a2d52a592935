/* SPDX-License-Identifier: BSD-3-Clause */
/* stream_priv.h - what a way of packing offers to stream.c. */
#ifndef TT_DATA_STREAM_PRIV_H
#define TT_DATA_STREAM_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tt_codec {
    const char *name;
    const char *magic; /* first bytes of such a file; "" fits all */
    size_t magic_bytes;
    /* 'fd' stands at byte 0 and stays the caller's. */
    void *(*open)(int fd, struct tt_error *err);
    int64_t (*read)(void *state, void *to, int64_t bytes, struct tt_error *err);
    void (*close)(void *state);
};

extern const struct tt_codec tt_codec_plain, tt_codec_gz, tt_codec_zst;

#endif
