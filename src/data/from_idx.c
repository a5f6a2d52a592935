/* SPDX-License-Identifier: BSD-3-Clause */
/* from_idx.c - IDX files (as MNIST has them): magic 0, 0, type, number of axes;
 * the axes as big-endian 32-bit counts; the numbers, big-endian. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/intake.h"
#include "data/stream.h"
#include "data/values.h"

enum { MOST_AXES = TT_SHARD_DIMS + 1, LABEL_BATCH = 4096 };

struct head {
    enum tt_dtype dtype;
    int dims;
    int64_t dim[MOST_AXES];
    int64_t bytes; /* of the head itself */
};

struct idx {
    struct tt_stream *x, *y;
    struct head y_head; /* of the open label file */
};

static int type_of(unsigned char code)
{
    static const struct {
        unsigned char code;
        enum tt_dtype dtype;
    } types[] = {{8, TT_U8},   {9, TT_I8},   {11, TT_I16},
                 {12, TT_I32}, {13, TT_F32}, {14, TT_F64}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].code == code)
            return (int)types[i].dtype;
    return -1;
}

static int read_head(struct tt_stream *stream, const char *path,
                     struct head *head, struct tt_error *err)
{
    unsigned char magic[4], axis[4];

    if (tt_stream_take(stream, magic, 4, err) < 0)
        return -1;
    if (magic[0] || magic[1] || type_of(magic[2]) < 0 || magic[3] < 1 ||
        magic[3] > MOST_AXES)
        return tt_fail(err, TT_EFORMAT,
                       "%s: not an IDX file: it begins with %02x %02x %02x "
                       "%02x, not with 00 00, a type and a number of axes",
                       path, magic[0], magic[1], magic[2], magic[3]);
    head->dtype = (enum tt_dtype)type_of(magic[2]);
    head->dims = magic[3];
    head->bytes = 4 + 4 * head->dims;
    for (int i = 0; i < head->dims; i++) {
        if (tt_stream_take(stream, axis, 4, err) < 0)
            return -1;
        head->dim[i] =
            (int64_t)axis[0] << 24 | axis[1] << 16 | axis[2] << 8 | axis[3];
    }
    return 0;
}

static struct tt_stream *open_head(const char *path, struct head *head,
                                   struct tt_error *err)
{
    struct tt_stream *stream = tt_stream_open(path, err);

    if (stream && read_head(stream, path, head, err) == 0)
        return stream;
    tt_stream_close(stream);
    return NULL;
}

/* Two axes within a sample are an image of one channel. */
static int set_x(const struct head *head, const char *path,
                 struct tt_shard_field *x, struct tt_error *err)
{
    x->dtype = head->dtype;
    x->dims = head->dims - 1;
    x->values = 1;
    for (int i = 0; i < x->dims; i++) {
        x->dim[i] = head->dim[i + 1];
        x->values *= x->dim[i];
    }
    if (x->dims == 2)
        x->dim[x->dims++] = 1;
    if (x->values == 0)
        return tt_fail(err, TT_EFORMAT, "%s: its samples have no values", path);
    return 0;
}

static bool is_whole(enum tt_dtype dtype)
{
    return dtype != TT_F32 && dtype != TT_F64;
}

static int set_y(struct tt_intake *intake, const struct head *head,
                 struct tt_error *err)
{
    struct tt_shard_field *y = &intake->shape->y;
    bool regress = strcmp(intake->conf.task, "regress") == 0;

    if (head->dims != 1)
        return tt_fail(err, TT_EFORMAT,
                       "%s: has %d axes, labels have one: is it the file of "
                       "images?",
                       intake->labels.at[0], head->dims);
    *y = (struct tt_shard_field){.values = 1, .dtype = TT_F32};
    if (is_whole(head->dtype) && !regress)
        y->dtype = TT_I32;
    return 0;
}

static int idx_open(struct tt_intake *intake, struct tt_error *err)
{
    struct idx *idx = calloc(1, sizeof(*idx));
    struct head head;
    int rc;

    intake->state = idx;
    if (!idx)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    intake->shape->kind = TT_SHARD_ROWS;
    if (!(idx->x = open_head(intake->files.at[0], &head, err)))
        return -1;
    rc = set_x(&head, intake->files.at[0], &intake->shape->x, err);
    if (rc < 0 || intake->labels.count == 0)
        return rc;
    if (!(idx->y = open_head(intake->labels.at[0], &idx->y_head, err)))
        return -1;
    return set_y(intake, &idx->y_head, err);
}

/* Read labels as shape.y has them. */
static int read_labels(struct tt_intake *intake, const struct head *head,
                       struct tt_stream *stream, int64_t count, void *y,
                       struct tt_error *err)
{
    int64_t bytes = (int64_t)tt_dtype_bytes(head->dtype);
    char raw[LABEL_BATCH * 8];

    while (count > 0) {
        int64_t some = count < LABEL_BATCH ? count : LABEL_BATCH;

        if (tt_stream_take(stream, raw, some * bytes, err) < 0)
            return -1;
        tt_values_from_big(raw, some, (size_t)bytes);
        tt_values_convert(head->dtype, raw, some, intake->shape->y.dtype, y);
        y = (char *)y + 4 * some;
        count -= some;
    }
    return 0;
}

/* Are there as many labels as samples, all of them classes? */
static int scan_labels(struct tt_intake *intake, int64_t file,
                       int64_t sample_count, struct tt_error *err)
{
    const char *path = intake->labels.at[file];
    struct head head;
    struct tt_stream *stream = open_head(path, &head, err);
    int32_t label[LABEL_BATCH];
    int rc = stream ? 0 : -1;

    if (stream && head.dim[0] != sample_count)
        rc = tt_fail(err, TT_EFORMAT,
                     "%s: %" PRId64 " labels, but %s has %" PRId64 " samples",
                     path, head.dim[0], intake->files.at[file], sample_count);
    for (int64_t at = 0; rc == 0 && at < sample_count; at += LABEL_BATCH) {
        int64_t some = sample_count - at;

        some = some < LABEL_BATCH ? some : LABEL_BATCH;
        rc = read_labels(intake, &head, stream, some, label, err);
        for (int64_t i = 0; rc == 0 && i < some; i++)
            if (intake->shape->y.dtype == TT_I32)
                rc = tt_intake_note_class(intake, label[i], path, at + i, err);
    }
    tt_stream_close(stream);
    return rc;
}

static int idx_scan(struct tt_intake *intake, int64_t file,
                    int64_t *sample_count, struct tt_error *err)
{
    const struct tt_shard_field *want = &intake->shape->x;
    struct tt_shard_field have;
    struct head head;
    struct tt_stream *stream = open_head(intake->files.at[file], &head, err);
    int rc;

    if (!stream)
        return -1;
    tt_stream_close(stream);
    *sample_count = head.dim[0];
    rc = set_x(&head, intake->files.at[file], &have, err);
    if (rc == 0 && (have.dtype != want->dtype || have.dims != want->dims ||
                    memcmp(have.dim, want->dim,
                           (size_t)want->dims * sizeof(*have.dim)) != 0))
        rc = tt_fail(err, TT_EFORMAT,
                     "%s: its type or shape differs from that of %s",
                     intake->files.at[file], intake->files.at[0]);
    if (rc == 0 && intake->labels.count > 0)
        rc = scan_labels(intake, file, *sample_count, err);
    return rc;
}

static int idx_seek(struct tt_intake *intake, int64_t file, int64_t sample,
                    struct tt_error *err)
{
    struct idx *idx = intake->state;
    struct head head;
    int64_t y_bytes;

    tt_stream_close(idx->x);
    tt_stream_close(idx->y);
    idx->y = NULL;
    if (!(idx->x = open_head(intake->files.at[file], &head, err)) ||
        tt_stream_seek(idx->x,
                       head.bytes +
                           sample * tt_shard_field_bytes(&intake->shape->x),
                       err) < 0)
        return -1;
    if (intake->labels.count == 0)
        return 0;
    if (!(idx->y = open_head(intake->labels.at[file], &idx->y_head, err)))
        return -1;
    y_bytes = (int64_t)tt_dtype_bytes(idx->y_head.dtype);
    return tt_stream_seek(idx->y, idx->y_head.bytes + sample * y_bytes, err);
}

static int idx_read(struct tt_intake *intake, int64_t count, void *x, void *y,
                    struct tt_error *err)
{
    const struct tt_shard_field *field = &intake->shape->x;
    struct idx *idx = intake->state;

    if (tt_stream_take(idx->x, x, count * tt_shard_field_bytes(field), err) < 0)
        return -1;
    tt_values_from_big(x, count * field->values, tt_dtype_bytes(field->dtype));
    return y ? read_labels(intake, &idx->y_head, idx->y, count, y, err) : 0;
}

static void idx_close(struct tt_intake *intake)
{
    struct idx *idx = intake->state;

    if (!idx)
        return;
    tt_stream_close(idx->x);
    tt_stream_close(idx->y);
    free(idx);
}

const struct tt_intake_ops tt_intake_idx = {
    .name = "idx",
    .open = idx_open,
    .scan = idx_scan,
    .seek = idx_seek,
    .read = idx_read,
    .close = idx_close,
};
