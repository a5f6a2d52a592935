/* SPDX-License-Identifier: BSD-3-Clause */
/* from_array.c - files that hold one array, first axis the sample (IDX, NPY),
 * with a file of labels beside each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/array_head.h"
#include "data/intake.h"
#include "data/values.h"

enum { LABEL_BATCH = 1024 };
static const int64_t most_values = (int64_t)1 << 40;

struct array {
    tt_array_head_fn read_head;
    bool planes; /* two axes within a sample are an image of one channel */
    struct tt_stream *x, *y;
    struct tt_array_head x_head, y_head; /* of the open files */
};

static struct tt_stream *open_head(const struct array *a, const char *path,
                                   struct tt_array_head *head,
                                   struct tt_error *err)
{
    struct tt_stream *stream = tt_stream_open(path, err);

    if (stream && a->read_head(stream, path, head, err) == 0)
        return stream;
    tt_stream_close(stream);
    return NULL;
}

static int field_of(const struct array *a, const struct tt_array_head *head,
                    const char *path, struct tt_shard_field *x,
                    struct tt_error *err)
{
    *x = (struct tt_shard_field){
        .dtype = head->dtype, .dims = head->dims - 1, .values = 1};
    for (int i = 0; i < x->dims; i++) {
        x->dim[i] = head->dim[i + 1];
        if (x->dim[i] < 1 || x->values > most_values / x->dim[i])
            return tt_fail(err, TT_EFORMAT,
                           "%s: its samples have no values, or too many", path);
        x->values *= x->dim[i];
    }
    if (x->dims == 0)
        x->dim[x->dims++] = 1;
    if (x->dims == 2 && a->planes)
        x->dim[x->dims++] = 1;
    return 0;
}

static int array_open(struct tt_intake *intake, tt_array_head_fn read_head,
                      bool planes, struct tt_error *err)
{
    struct array *a = calloc(1, sizeof(*a));
    const struct tt_array_head *y;

    intake->state = a;
    if (!a)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    a->read_head = read_head;
    a->planes = planes;
    intake->shape->kind = TT_SHARD_ROWS;
    if (!(a->x = open_head(a, intake->files.at[0], &a->x_head, err)) ||
        field_of(a, &a->x_head, intake->files.at[0], &intake->shape->x, err) <
            0)
        return -1;
    if (intake->labels.count == 0)
        return 0;
    if (!(a->y = open_head(a, intake->labels.at[0], &a->y_head, err)))
        return -1;
    y = &a->y_head;
    if (planes && y->dims != 1)
        return tt_fail(err, TT_EFORMAT,
                       "%s: has %d axes, labels have one: is it the file of "
                       "images?",
                       intake->labels.at[0], y->dims);
    return tt_intake_set_y(intake, y->dtype, y->dims - 1, y->dim + 1,
                           intake->labels.at[0], err);
}

static int idx_open(struct tt_intake *intake, struct tt_error *err)
{
    return array_open(intake, tt_array_head_idx, true, err);
}

static int npy_open(struct tt_intake *intake, struct tt_error *err)
{
    return array_open(intake, tt_array_head_npy, false, err);
}

/* Numbers as they lie in the file, in this machine's order. */
static int take_numbers(struct tt_stream *stream,
                        const struct tt_array_head *head, int64_t count,
                        void *out, struct tt_error *err)
{
    size_t bytes = tt_dtype_bytes(head->dtype);

    if (tt_stream_take(stream, out, count * (int64_t)bytes, err) < 0)
        return -1;
    if (head->is_big)
        tt_values_from_big(out, count, bytes);
    else
        tt_values_from_little(out, count, bytes);
    return 0;
}

/* Labels of 'count' samples as shape.y has them. */
static int read_labels(struct tt_intake *intake, struct tt_stream *stream,
                       const struct tt_array_head *head, int64_t count, void *y,
                       struct tt_error *err)
{
    int64_t left = count * intake->shape->y.values;
    char raw[LABEL_BATCH * 8];

    while (left > 0) {
        int64_t some = left < LABEL_BATCH ? left : LABEL_BATCH;

        if (take_numbers(stream, head, some, raw, err) < 0)
            return -1;
        tt_values_convert(head->dtype, raw, some, intake->shape->y.dtype, y);
        y = (char *)y + 4 * some;
        left -= some;
    }
    return 0;
}

static int scan_classes(struct tt_intake *intake, struct tt_stream *stream,
                        const struct tt_array_head *head, const char *path,
                        struct tt_error *err)
{
    int32_t label[LABEL_BATCH];
    int rc = 0;

    for (int64_t at = 0; rc == 0 && at < head->dim[0]; at += LABEL_BATCH) {
        int64_t some = head->dim[0] - at;

        some = some < LABEL_BATCH ? some : LABEL_BATCH;
        rc = read_labels(intake, stream, head, some, label, err);
        for (int64_t i = 0; rc == 0 && i < some; i++)
            rc = tt_intake_note_class(intake, label[i], path, at + i, err);
    }
    return rc;
}

static int scan_labels(struct tt_intake *intake, int64_t file,
                       int64_t sample_count, struct tt_error *err)
{
    const struct tt_shard_field *y = &intake->shape->y;
    const char *path = intake->labels.at[file];
    int64_t values = 1;
    struct tt_array_head head;
    struct tt_stream *stream = open_head(intake->state, path, &head, err);
    int rc = 0;

    if (!stream)
        return -1;
    for (int i = 1; i < head.dims; i++)
        values *= head.dim[i];
    if (head.dim[0] != sample_count)
        rc = tt_fail(err, TT_EFORMAT,
                     "%s: %" PRId64 " labels, but %s has %" PRId64 " samples",
                     path, head.dim[0], intake->files.at[file], sample_count);
    else if (values != y->values)
        rc = tt_fail(err, TT_EFORMAT, "%s: its shape differs from that of %s",
                     path, intake->labels.at[0]);
    else if (y->dtype == TT_I32)
        rc = scan_classes(intake, stream, &head, path, err);
    tt_stream_close(stream);
    return rc;
}

static int array_scan(struct tt_intake *intake, int64_t file,
                      int64_t *sample_count, struct tt_error *err)
{
    const struct tt_shard_field *want = &intake->shape->x;
    const char *path = intake->files.at[file];
    struct tt_shard_field have;
    struct tt_array_head head;
    struct tt_stream *stream = open_head(intake->state, path, &head, err);

    int64_t known;

    if (!stream)
        return -1;
    known = tt_stream_plain_bytes(stream);
    tt_stream_close(stream);
    *sample_count = head.dim[0];
    if (field_of(intake->state, &head, path, &have, err) < 0)
        return -1;
    if (known >= 0 &&
        (known - head.bytes) / tt_shard_field_bytes(&have) < *sample_count)
        return tt_fail(err, TT_EFORMAT,
                       "%s: has %" PRId64 " bytes, too few for the %" PRId64
                       " samples that it promises: it is truncated",
                       path, known, *sample_count);
    if (have.dtype != want->dtype || have.dims != want->dims ||
        memcmp(have.dim, want->dim, sizeof(have.dim)) != 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: its type or shape differs from that of %s", path,
                       intake->files.at[0]);
    return intake->labels.count > 0
               ? scan_labels(intake, file, *sample_count, err)
               : 0;
}

static int array_seek(struct tt_intake *intake, int64_t file, int64_t sample,
                      struct tt_error *err)
{
    int64_t x_bytes = tt_shard_field_bytes(&intake->shape->x), y_bytes;
    struct array *a = intake->state;

    tt_stream_close(a->x);
    tt_stream_close(a->y);
    a->y = NULL;
    if (!(a->x = open_head(a, intake->files.at[file], &a->x_head, err)) ||
        tt_stream_seek(a->x, a->x_head.bytes + sample * x_bytes, err) < 0)
        return -1;
    if (intake->labels.count == 0)
        return 0;
    if (!(a->y = open_head(a, intake->labels.at[file], &a->y_head, err)))
        return -1;
    y_bytes =
        intake->shape->y.values * (int64_t)tt_dtype_bytes(a->y_head.dtype);
    return tt_stream_seek(a->y, a->y_head.bytes + sample * y_bytes, err);
}

static int array_read(struct tt_intake *intake, int64_t count, void *x, void *y,
                      struct tt_error *err)
{
    struct array *a = intake->state;

    if (take_numbers(a->x, &a->x_head, count * intake->shape->x.values, x,
                     err) < 0)
        return -1;
    return y ? read_labels(intake, a->y, &a->y_head, count, y, err) : 0;
}

static void array_close(struct tt_intake *intake)
{
    struct array *a = intake->state;

    if (!a)
        return;
    tt_stream_close(a->x);
    tt_stream_close(a->y);
    free(a);
}

const struct tt_intake_ops tt_intake_idx = {
    .name = "idx",
    .open = idx_open,
    .scan = array_scan,
    .seek = array_seek,
    .read = array_read,
    .close = array_close,
};

const struct tt_intake_ops tt_intake_npy = {
    .name = "npy",
    .open = npy_open,
    .scan = array_scan,
    .seek = array_seek,
    .read = array_read,
    .close = array_close,
};
