/* SPDX-License-Identifier: BSD-3-Clause */
/* from_text.c - text files as one stream of bytes, a token each. */
#include <stdlib.h>
#include <string.h>

#include "data/intake.h"
#include "data/stream.h"

static int text_open(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_shard_index *shape = intake->shape;

    shape->kind = TT_SHARD_TOKENS;
    shape->x = (struct tt_shard_field){.dtype = TT_U8, .values = 1};
    shape->class_count = 256;
    shape->tokenizer = strdup("bytes");
    if (!shape->tokenizer)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return 0;
}

static int text_scan(struct tt_intake *intake, int64_t file,
                     int64_t *sample_count, struct tt_error *err)
{
    struct tt_stream *stream = tt_stream_open(intake->files.at[file], err);
    int rc;

    if (!stream)
        return -1;
    rc = tt_stream_measure(stream, sample_count, err);
    tt_stream_close(stream);
    return rc;
}

static int text_seek(struct tt_intake *intake, int64_t file, int64_t sample,
                     struct tt_error *err)
{
    tt_stream_close(intake->state);
    intake->state = tt_stream_open(intake->files.at[file], err);
    return intake->state ? tt_stream_seek(intake->state, sample, err) : -1;
}

static int text_read(struct tt_intake *intake, int64_t count, void *x, void *y,
                     struct tt_error *err)
{
    (void)y;
    return tt_stream_take(intake->state, x, count, err);
}

static void text_close(struct tt_intake *intake)
{
    tt_stream_close(intake->state);
}

const struct tt_intake_ops tt_intake_text = {
    .name = "text",
    .open = text_open,
    .scan = text_scan,
    .seek = text_seek,
    .read = text_read,
    .close = text_close,
};
