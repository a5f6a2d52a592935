/* SPDX-License-Identifier: BSD-3-Clause */
/* from_hdf5.c - datasets in HDF5 files by others, first axis the sample. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/intake.h"
#include "data/values.h"
#include "io/h5.h"

enum { LABEL_BATCH = 4096, SLAB_BYTES = 64 << 20 };

struct source {
    hid_t file; /* -1: none is open */
    const char *path;
    int64_t next;          /* sample within the file */
    enum tt_dtype y_dtype; /* as it is read */
    /* Chunked data is read a row of chunks at a time, so that no chunk is
     * unpacked twice. */
    int64_t slab_samples; /* 0: not so */
    char *slab;
    int64_t slab_first, slab_count;
};

static int field_of(const struct tt_h5_info *info, const char *path,
                    const char *dataset, struct tt_shard_field *x,
                    struct tt_error *err)
{
    if (info->dims < 1 || info->dims > TT_SHARD_DIMS + 1)
        return tt_fail(err, TT_EFORMAT,
                       "%s: %s has %d axes: the sample and at most %d more can "
                       "be packed",
                       path, dataset, info->dims, TT_SHARD_DIMS);
    *x = (struct tt_shard_field){
        .dtype = info->dtype, .dims = info->dims - 1, .values = 1};
    for (int i = 0; i < x->dims; i++) {
        x->dim[i] = info->dim[i + 1];
        x->values *= x->dim[i];
    }
    if (x->dims == 0)
        x->dim[x->dims++] = 1;
    if (x->values == 0)
        return tt_fail(err, TT_EFORMAT, "%s: %s: its samples have no values",
                       path, dataset);
    return 0;
}

static int look_at(const struct tt_intake *intake, const char *path,
                   struct tt_h5_info *x, struct tt_h5_info *y,
                   struct tt_error *err)
{
    hid_t file = tt_h5_open(path, err);
    int rc = 0;

    if (file < 0)
        return -1;
    rc = tt_h5_info(file, path, intake->conf.x, x, err);
    if (rc == 0 && intake->conf.y)
        rc = tt_h5_info(file, path, intake->conf.y, y, err);
    H5Fclose(file);
    if (rc == 0 && intake->conf.y && (y->dims < 1 || y->dim[0] != x->dim[0]))
        rc = tt_fail(err, TT_EFORMAT,
                     "%s: %s has %" PRId64 " rows, but %s has %" PRId64, path,
                     intake->conf.y, y->dims < 1 ? 0 : y->dim[0],
                     intake->conf.x, x->dim[0]);
    return rc;
}

static int set_slab(struct source *s, const struct tt_h5_info *x,
                    int64_t sample_bytes, struct tt_error *err)
{
    if (x->chunk[0] < 1 || x->chunk[0] > SLAB_BYTES / sample_bytes)
        return 0;
    s->slab_samples = x->chunk[0];
    s->slab = malloc((size_t)(s->slab_samples * sample_bytes));
    return s->slab ? 0 : tt_fail(err, TT_ENOMEM, "chunks: out of memory");
}

static int h5_open(struct tt_intake *intake, struct tt_error *err)
{
    struct source *s = calloc(1, sizeof(*s));
    struct tt_h5_info x, y;

    intake->state = s;
    if (!s)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    s->file = -1;
    if (look_at(intake, intake->files.at[0], &x, &y, err) < 0)
        return -1;
    intake->scale = x.scale;
    intake->shift = x.shift;
    intake->shape->kind = TT_SHARD_ROWS;
    if (field_of(&x, intake->files.at[0], intake->conf.x, &intake->shape->x,
                 err) < 0 ||
        set_slab(s, &x, tt_shard_field_bytes(&intake->shape->x), err) < 0)
        return -1;
    if (!intake->conf.y)
        return 0;
    s->y_dtype = tt_dtype_is_float(y.dtype) ? TT_F64 : TT_I64;
    return tt_intake_set_y(intake, y.dtype, y.dims - 1, y.dim + 1,
                           intake->files.at[0], err);
}

/* Labels of a range as shape.y has them. */
static int read_labels(const struct tt_intake *intake, hid_t file,
                       const char *path, int64_t first, int64_t count, void *y,
                       struct tt_error *err)
{
    const struct tt_shard_field *f = &intake->shape->y;
    const struct source *s = intake->state;
    void *raw = malloc((size_t)(LABEL_BATCH * f->values) * 8);
    int rc = raw ? 0 : tt_fail(err, TT_ENOMEM, "labels: out of memory");

    while (rc == 0 && count > 0) {
        int64_t some = count < LABEL_BATCH ? count : LABEL_BATCH;

        rc = tt_h5_read_rows(file, path, intake->conf.y, first, some,
                             s->y_dtype, raw, err);
        if (rc == 0)
            tt_values_convert(s->y_dtype, raw, some * f->values, f->dtype, y);
        y = (char *)y + tt_shard_field_bytes(f) * some;
        first += some;
        count -= some;
    }
    free(raw);
    return rc;
}

static int scan_classes(struct tt_intake *intake, const char *path,
                        int64_t sample_count, struct tt_error *err)
{
    hid_t file = tt_h5_open(path, err);
    int32_t label[LABEL_BATCH];
    int rc = file < 0 ? -1 : 0;

    for (int64_t at = 0; rc == 0 && at < sample_count; at += LABEL_BATCH) {
        int64_t some = sample_count - at;

        some = some < LABEL_BATCH ? some : LABEL_BATCH;
        rc = read_labels(intake, file, path, at, some, label, err);
        for (int64_t i = 0; rc == 0 && i < some; i++)
            rc = tt_intake_note_class(intake, label[i], path, at + i, err);
    }
    if (file >= 0)
        H5Fclose(file);
    return rc;
}

static int h5_scan(struct tt_intake *intake, int64_t file,
                   int64_t *sample_count, struct tt_error *err)
{
    const struct tt_shard_field *want = &intake->shape->x;
    const char *path = intake->files.at[file];
    struct tt_shard_field have;
    struct tt_h5_info x, y;

    if (look_at(intake, path, &x, &y, err) < 0 ||
        field_of(&x, path, intake->conf.x, &have, err) < 0)
        return -1;
    if (have.dtype != want->dtype || have.dims != want->dims ||
        memcmp(have.dim, want->dim, sizeof(have.dim)) != 0 ||
        x.scale != intake->scale || x.shift != intake->shift)
        return tt_fail(err, TT_EFORMAT,
                       "%s: %s: its type, shape or scale differs from that in "
                       "%s",
                       path, intake->conf.x, intake->files.at[0]);
    *sample_count = x.dim[0];
    return intake->shape->y.dtype == TT_I32 && intake->conf.y
               ? scan_classes(intake, path, x.dim[0], err)
               : 0;
}

static int h5_seek(struct tt_intake *intake, int64_t file, int64_t sample,
                   struct tt_error *err)
{
    struct source *s = intake->state;

    if (s->file >= 0)
        H5Fclose(s->file);
    s->path = intake->files.at[file];
    s->file = tt_h5_open(s->path, err);
    s->next = sample;
    s->slab_count = 0;
    return s->file < 0 ? -1 : 0;
}

/* Make the slab hold sample 'next'. */
static int fill_slab(const struct tt_intake *intake, struct source *s,
                     struct tt_error *err)
{
    int64_t file_samples =
        intake->first[intake->file + 1] - intake->first[intake->file];

    s->slab_first = s->next / s->slab_samples * s->slab_samples;
    s->slab_count = s->slab_samples;
    if (s->slab_count > file_samples - s->slab_first)
        s->slab_count = file_samples - s->slab_first;
    return tt_h5_read_rows(s->file, s->path, intake->conf.x, s->slab_first,
                           s->slab_count, intake->shape->x.dtype, s->slab, err);
}

static int read_by_slabs(const struct tt_intake *intake, struct source *s,
                         int64_t count, char *x, struct tt_error *err)
{
    int64_t bytes = tt_shard_field_bytes(&intake->shape->x);

    while (count > 0) {
        int64_t at = s->next - s->slab_first, some;

        if (at < 0 || at >= s->slab_count) {
            if (fill_slab(intake, s, err) < 0)
                return -1;
            at = s->next - s->slab_first;
        }
        some = s->slab_count - at < count ? s->slab_count - at : count;
        memcpy(x, s->slab + at * bytes, (size_t)(some * bytes));
        x += some * bytes;
        s->next += some;
        count -= some;
    }
    return 0;
}

static int h5_read(struct tt_intake *intake, int64_t count, void *x, void *y,
                   struct tt_error *err)
{
    struct source *s = intake->state;

    if (y && read_labels(intake, s->file, s->path, s->next, count, y, err) < 0)
        return -1;
    if (s->slab_samples > 0)
        return read_by_slabs(intake, s, count, x, err);
    if (tt_h5_read_rows(s->file, s->path, intake->conf.x, s->next, count,
                        intake->shape->x.dtype, x, err) < 0)
        return -1;
    s->next += count;
    return 0;
}

static void h5_close(struct tt_intake *intake)
{
    struct source *s = intake->state;

    if (!s)
        return;
    if (s->file >= 0)
        H5Fclose(s->file);
    free(s->slab);
    free(s);
}

const struct tt_intake_ops tt_intake_hdf5 = {
    .name = "hdf5",
    .open = h5_open,
    .scan = h5_scan,
    .seek = h5_seek,
    .read = h5_read,
    .close = h5_close,
};
