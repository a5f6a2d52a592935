/* SPDX-License-Identifier: BSD-3-Clause */
/* stream_zst.c - Zstandard files, also of several frames. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "data/stream_priv.h"

enum { READ_AHEAD = 1 << 17 };

struct zst {
    int fd;
    ZSTD_DStream *stream;
    ZSTD_inBuffer in;
    size_t hint;  /* 0: a frame has just ended */
    bool flushed; /* the decoder keeps no output back */
    char buffer[READ_AHEAD];
};

static void zst_close(void *state)
{
    struct zst *z = state;

    ZSTD_freeDStream(z->stream);
    free(z);
}

static void *zst_open(int fd, struct tt_error *err)
{
    struct zst *z = calloc(1, sizeof(*z));

    if (z) {
        z->fd = fd;
        z->in.src = z->buffer;
        z->flushed = true;
        z->stream = ZSTD_createDStream();
    }
    if (!z || !z->stream) {
        free(z);
        tt_fail(err, TT_ENOMEM, "cannot start unpacking");
        return NULL;
    }
    return z;
}

/* 1: there is input; 0: the file is at its end. */
static int refill(struct zst *z, struct tt_error *err)
{
    ssize_t got;

    if (z->in.pos < z->in.size || !z->flushed)
        return 1;
    do {
        got = read(z->fd, z->buffer, READ_AHEAD);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return tt_fail(err, TT_EIO, "%s", strerror(errno));
    if (got == 0 && z->hint != 0)
        return tt_fail(err, TT_EFORMAT,
                       "its zstd frame is truncated: copy it again");
    z->in.pos = 0;
    z->in.size = (size_t)got;
    return got > 0;
}

static int64_t zst_read(void *state, void *to, int64_t bytes,
                        struct tt_error *err)
{
    struct zst *z = state;
    ZSTD_outBuffer out = {to, (size_t)bytes, 0};

    while (out.pos < out.size) {
        int more = refill(z, err);

        if (more < 0)
            return -1;
        if (more == 0)
            break;
        z->hint = ZSTD_decompressStream(z->stream, &out, &z->in);
        z->flushed = out.pos < out.size;
        if (ZSTD_isError(z->hint))
            return tt_fail(err, TT_EFORMAT, "its zstd frame is damaged (%s)",
                           ZSTD_getErrorName(z->hint));
    }
    return (int64_t)out.pos;
}

const struct tt_codec tt_codec_zst = {"zstd",   "\x28\xb5\x2f\xfd", 4,
                                      zst_open, zst_read,           zst_close};
