/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - files from front to back: plain, or by a codec. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/stream.h"
#include "data/stream_priv.h"

enum { SKIP_BYTES = 1 << 16, MAGIC_BYTES = 6 };

struct tt_stream {
    char *path;
    int fd;
    int64_t offset; /* unpacked */
    const struct tt_codec *codec;
    void *state;
};

static void *plain_open(int fd, struct tt_error *err)
{
    int *own = malloc(sizeof(*own));

    if (!own)
        tt_fail(err, TT_ENOMEM, "out of memory");
    else
        *own = fd;
    return own;
}

static int64_t plain_read(void *state, void *to, int64_t bytes,
                          struct tt_error *err)
{
    int64_t used = 0;

    while (used < bytes) {
        ssize_t got =
            read(*(int *)state, (char *)to + used, (size_t)(bytes - used));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tt_fail(err, TT_EIO, "%s", strerror(errno));
        if (got == 0)
            break;
        used += got;
    }
    return used;
}

const struct tt_codec tt_codec_plain = {"plain",    "",         0,
                                        plain_open, plain_read, free};

static const struct tt_codec *const codecs[] = {&tt_codec_gz, &tt_codec_zst,
                                                &tt_codec_plain};

static const struct {
    const char *magic, *name;
} strangers[] = {{"\xfd"
                  "7zXZ",
                  "xz"},
                 {"BZh", "bzip2"},
                 {"PK\3\4", "zip"}};

/* The codec by the first bytes of the file. */
static const struct tt_codec *find_codec(int fd, struct tt_error *err)
{
    char magic[MAGIC_BYTES] = "";
    const struct tt_codec *const *codec = codecs;

    if (pread(fd, magic, sizeof(magic), 0) < 0) {
        tt_fail(err, TT_EIO, "%s", strerror(errno));
        return NULL;
    }
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
        if (memcmp(magic, strangers[i].magic, strlen(strangers[i].magic)) ==
            0) {
            tt_fail(err, TT_EFORMAT,
                    "is packed with %s, which is not read: unpack it, or pack "
                    "it with gzip or zstd",
                    strangers[i].name);
            return NULL;
        }
    while (memcmp(magic, (*codec)->magic, (*codec)->magic_bytes) != 0)
        codec++;
    return *codec;
}

static int start(struct tt_stream *s, struct tt_error *err)
{
    struct stat st;

    if (s->fd < 0)
        return tt_fail(err, TT_EIO, "%s", strerror(errno));
    if (fstat(s->fd, &st) == 0 && S_ISDIR(st.st_mode))
        return tt_fail(err, TT_EINVAL, "is a directory: name its files");
    if (!(s->codec = find_codec(s->fd, err)))
        return -1;
    s->state = s->codec->open(s->fd, err);
    return s->state ? 0 : -1;
}

struct tt_stream *tt_stream_open(const char *path, struct tt_error *err)
{
    struct tt_stream *s = calloc(1, sizeof(*s));

    if (s)
        s->path = strdup(path);
    if (!s || !s->path) {
        free(s);
        tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
        return NULL;
    }
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (start(s, err) == 0)
        return s;
    tt_fail_in(err, "%s", path);
    tt_stream_close(s);
    return NULL;
}

void tt_stream_close(struct tt_stream *s)
{
    if (!s)
        return;
    if (s->state)
        s->codec->close(s->state);
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s);
}

int64_t tt_stream_read(struct tt_stream *s, void *to, int64_t bytes,
                       struct tt_error *err)
{
    int64_t got = s->codec->read(s->state, to, bytes, err);

    if (got < 0)
        return tt_fail_in(err, "%s", s->path);
    s->offset += got;
    return got;
}

int tt_stream_take(struct tt_stream *s, void *to, int64_t bytes,
                   struct tt_error *err)
{
    int64_t got = tt_stream_read(s, to, bytes, err);

    if (got < 0)
        return -1;
    if (got < bytes)
        return tt_fail(err, TT_EFORMAT,
                       "%s: ends at byte %" PRId64 ", %" PRId64
                       " bytes too early: it is truncated",
                       s->path, s->offset, bytes - got);
    return 0;
}

static int restart(struct tt_stream *s, struct tt_error *err)
{
    s->codec->close(s->state);
    s->state = NULL;
    s->offset = 0;
    if (lseek(s->fd, 0, SEEK_SET) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", s->path, strerror(errno));
    s->state = s->codec->open(s->fd, err);
    return s->state ? 0 : tt_fail_in(err, "%s", s->path);
}

int tt_stream_seek(struct tt_stream *s, int64_t offset, struct tt_error *err)
{
    char scratch[SKIP_BYTES];

    if (s->codec == &tt_codec_plain) {
        if (lseek(s->fd, (off_t)offset, SEEK_SET) < 0)
            return tt_fail(err, TT_EIO, "%s: %s", s->path, strerror(errno));
        s->offset = offset;
        return 0;
    }
    if (offset < s->offset && restart(s, err) < 0)
        return -1;
    while (s->offset < offset) {
        int64_t left = offset - s->offset;

        if (tt_stream_take(s, scratch, left < SKIP_BYTES ? left : SKIP_BYTES,
                           err) < 0)
            return -1;
    }
    return 0;
}

int64_t tt_stream_offset(const struct tt_stream *s)
{
    return s->offset;
}

int64_t tt_stream_plain_bytes(const struct tt_stream *s)
{
    struct stat st;

    if (s->codec == &tt_codec_plain && fstat(s->fd, &st) == 0 &&
        S_ISREG(st.st_mode))
        return st.st_size;
    return -1;
}

int tt_stream_measure(struct tt_stream *s, int64_t *bytes, struct tt_error *err)
{
    char scratch[SKIP_BYTES];
    int64_t got;

    if ((*bytes = tt_stream_plain_bytes(s)) >= 0)
        return tt_stream_seek(s, 0, err);
    while ((got = tt_stream_read(s, scratch, SKIP_BYTES, err)) > 0)
        ;
    *bytes = s->offset;
    return got < 0 ? -1 : tt_stream_seek(s, 0, err);
}
