/* SPDX-License-Identifier: BSD-3-Clause */
/* stream_gz.c - gzip files, also of several members. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "data/stream_priv.h"

enum { READ_AHEAD = 1 << 18, MOST_BYTES = 1 << 30 };

static void *gz_open(int fd, struct tt_error *err)
{
    int own = dup(fd); /* gzclose() closes what it was given */
    gzFile file = own < 0 ? NULL : gzdopen(own, "rb");

    if (!file) {
        if (own >= 0)
            close(own);
        tt_fail(err, TT_ENOMEM, "cannot start unpacking");
        return NULL;
    }
    gzbuffer(file, READ_AHEAD);
    return file;
}

static int fail_gz(gzFile file, struct tt_error *err)
{
    int code = Z_OK;
    const char *why = gzerror(file, &code);

    if (code == Z_BUF_ERROR)
        return tt_fail(err, TT_EFORMAT,
                       "its gzip stream is truncated: copy it again");
    if (code == Z_ERRNO)
        return tt_fail(err, TT_EIO, "%s", strerror(errno));
    return tt_fail(err, TT_EFORMAT, "its gzip stream is damaged (%s)", why);
}

static int64_t gz_read(void *state, void *to, int64_t bytes,
                       struct tt_error *err)
{
    int64_t used = 0;
    int code = Z_OK;

    while (used < bytes) {
        int64_t want = bytes - used < MOST_BYTES ? bytes - used : MOST_BYTES;
        int got = gzread(state, (char *)to + used, (unsigned)want);

        if (got < 0)
            return fail_gz(state, err);
        used += got;
        if (got < want)
            break;
    }
    if (used < bytes) { /* a stream cut short looks like an end to gzread() */
        gzerror(state, &code);
        if (code != Z_OK && code != Z_STREAM_END)
            return fail_gz(state, err);
    }
    return used;
}

static void gz_close(void *state)
{
    gzclose(state);
}

const struct tt_codec tt_codec_gz = {"gzip",  "\x1f\x8b", 2,
                                     gz_open, gz_read,    gz_close};
