/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.c - write the shard files of one unit. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/writer.h"
#include "io/h5.h"

enum { BATCH_BYTES = 4 << 20, HEAD_BYTES = 8192 };

/* One shard that is being written. */
struct shard {
    int64_t sample_count, done;
    int64_t x_offset, y_offset;
    int fd; /* -1: not open */
    char path[PATH_MAX - 16], aside[PATH_MAX];
    char *x, *y; /* what of the batch belongs here */
    int64_t held;
};

struct unit {
    const struct tt_writer *writer;
    int64_t number, first, count;
    struct shard shard[TT_SPLIT_PARTS];
    char *x, *y; /* the batch */
    int64_t batch_samples;
};

int64_t tt_writer_unit_count(const struct tt_writer *w)
{
    return (w->intake->sample_count + w->unit_samples - 1) / w->unit_samples;
}

void tt_writer_part_dir(const char *out, const struct tt_split *split, int part,
                        char *path, size_t path_bytes)
{
    snprintf(path, path_bytes, "%s%s%s", out, split->name[part][0] ? "/" : "",
             split->name[part]);
}

void tt_writer_shard_name(int64_t unit, char *name, size_t name_bytes)
{
    snprintf(name, name_bytes, "shard-%05" PRId64 ".h5", unit);
}

static const char *x_name(const struct tt_writer *w)
{
    return w->intake->shape->kind == TT_SHARD_TOKENS ? "/tokens" : "/x";
}

static bool has_y(const struct tt_writer *w)
{
    return w->intake->shape->y.values > 0;
}

/* A name aside that no other process has: a rank of a run that was killed may
 * live on for a while. */
static void name_files(struct unit *u)
{
    const struct tt_writer *w = u->writer;
    char dir[PATH_MAX - 160], name[32], host[64] = "";

    gethostname(host, sizeof(host) - 1);
    tt_writer_shard_name(u->number, name, sizeof(name));
    for (int p = 0; p < w->split->part_count; p++) {
        struct shard *s = &u->shard[p];

        tt_writer_part_dir(w->out, w->split, p, dir, sizeof(dir));
        snprintf(s->path, sizeof(s->path), "%s/%s", dir, name);
        snprintf(s->aside, sizeof(s->aside), "%s/.%s.%s-%ld.tmp", dir, name,
                 host, (long)getpid());
    }
}

static void count_samples(struct unit *u)
{
    int64_t at = u->first, end = u->first + u->count, run;

    while (at < end) {
        int part = tt_split_part(u->writer->split, at, &run);

        run = run < end - at ? run : end - at;
        u->shard[part].sample_count += run;
        at += run;
    }
}

/* Datasets of one field: the first axis is the sample. */
static int create_field(hid_t file, const char *path, const char *name,
                        const struct tt_shard_field *f, int64_t samples,
                        int64_t *offset, struct tt_error *err)
{
    int64_t dim[TT_SHARD_DIMS + 1] = {samples};

    memcpy(dim + 1, f->dim, sizeof(f->dim));
    return tt_h5_create_dataset(file, path, name, f->dtype, f->dims + 1, dim,
                                offset, err);
}

/* Is there room for the file?  Asked before HDF5 begins, which does not outlive
 * a file that it cannot write to its end. */
static int check_room(const struct tt_writer *w, const struct shard *s,
                      struct tt_error *err)
{
    int64_t bytes = HEAD_BYTES;
    int fd, rc = 0;

    bytes += s->sample_count * (tt_shard_field_bytes(&w->intake->shape->x) +
                                tt_shard_field_bytes(&w->intake->shape->y));
    unlink(s->aside); /* of a namesake long ago */
    fd = open(s->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", s->aside, strerror(errno));
    if (fallocate(fd, 0, 0, (off_t)bytes) < 0 && errno != EOPNOTSUPP &&
        errno != ENOSYS && errno != EINVAL)
        rc = tt_fail(err, TT_EIO, "%s: no room for %" PRId64 " bytes: %s",
                     s->aside, bytes, strerror(errno));
    close(fd);
    unlink(s->aside);
    return rc;
}

static int create_shard(const struct tt_writer *w, struct shard *s,
                        struct tt_error *err)
{
    hid_t file;
    int rc;

    if (check_room(w, s, err) < 0 || (file = tt_h5_create(s->aside, err)) < 0)
        return -1;
    rc = create_field(file, s->aside, x_name(w), &w->intake->shape->x,
                      s->sample_count, &s->x_offset, err);
    if (rc == 0 && has_y(w))
        rc = create_field(file, s->aside, "/y", &w->intake->shape->y,
                          s->sample_count, &s->y_offset, err);
    if (tt_h5_close(file, s->aside, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc == 0)
        s->fd = open(s->aside, O_WRONLY | O_CLOEXEC);
    if (rc < 0)
        unlink(s->aside);
    else if (s->fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", s->aside, strerror(errno));
    return rc;
}

static int open_unit(struct unit *u, struct tt_error *err)
{
    const struct tt_writer *w = u->writer;
    int64_t x_bytes = tt_shard_field_bytes(&w->intake->shape->x);
    int64_t y_bytes = tt_shard_field_bytes(&w->intake->shape->y);
    size_t x_room, y_room;

    u->batch_samples = BATCH_BYTES / (x_bytes + y_bytes);
    if (u->batch_samples > u->count)
        u->batch_samples = u->count;
    if (u->batch_samples < 1)
        u->batch_samples = 1;
    x_room = (size_t)(u->batch_samples * x_bytes);
    y_room = (size_t)(u->batch_samples * y_bytes) + 1;
    u->x = malloc(x_room);
    u->y = malloc(y_room);
    if (!u->x || !u->y)
        return tt_fail(err, TT_ENOMEM, "batch of samples: out of memory");
    for (int p = 0; p < w->split->part_count; p++) {
        struct shard *s = &u->shard[p];

        if (s->sample_count == 0)
            continue;
        if (!(s->x = malloc(x_room)) || !(s->y = malloc(y_room)))
            return tt_fail(err, TT_ENOMEM, "batch of samples: out of memory");
        if (create_shard(w, s, err) < 0)
            return -1;
    }
    return 0;
}

static void fill_f32(const struct tt_writer *w, float *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isnan(x[i]))
            x[i] = (float)w->fill[i % w->fill_count];
}

static void fill_f64(const struct tt_writer *w, double *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isnan(x[i]))
            x[i] = w->fill[i % w->fill_count];
}

static void fill_missing(const struct tt_writer *w, void *x, int64_t samples)
{
    const struct tt_shard_field *f = &w->intake->shape->x;

    if (w->fill && f->dtype == TT_F32)
        fill_f32(w, x, samples * f->values);
    else if (w->fill && f->dtype == TT_F64)
        fill_f64(w, x, samples * f->values);
}

/* Copy each run of the batch to the shard of its part. */
static void deal_batch(struct unit *u, int64_t first, int64_t count)
{
    const struct tt_writer *w = u->writer;
    size_t x_bytes = (size_t)tt_shard_field_bytes(&w->intake->shape->x);
    size_t y_bytes = (size_t)tt_shard_field_bytes(&w->intake->shape->y);
    int64_t at = 0, run;

    while (at < count) {
        struct shard *s = &u->shard[tt_split_part(w->split, first + at, &run)];

        run = run < count - at ? run : count - at;
        memcpy(s->x + (size_t)s->held * x_bytes, u->x + (size_t)at * x_bytes,
               (size_t)run * x_bytes);
        memcpy(s->y + (size_t)s->held * y_bytes, u->y + (size_t)at * y_bytes,
               (size_t)run * y_bytes);
        s->held += run;
        at += run;
    }
}

static int write_held(const struct tt_writer *w, struct shard *s,
                      struct tt_error *err)
{
    int64_t x_bytes = tt_shard_field_bytes(&w->intake->shape->x);
    int64_t y_bytes = tt_shard_field_bytes(&w->intake->shape->y);

    if (s->held == 0)
        return 0;
    if (tt_path_pwrite(s->fd, s->x, (size_t)(s->held * x_bytes),
                       s->x_offset + s->done * x_bytes, s->aside, err) < 0 ||
        tt_path_pwrite(s->fd, s->y, (size_t)(s->held * y_bytes),
                       s->y_offset + s->done * y_bytes, s->aside, err) < 0)
        return -1;
    s->done += s->held;
    s->held = 0;
    return 0;
}

static int write_batches(struct unit *u, struct tt_error *err)
{
    const struct tt_writer *w = u->writer;

    for (int64_t at = 0; at < u->count; at += u->batch_samples) {
        int64_t left = u->count - at;
        int64_t some = left < u->batch_samples ? left : u->batch_samples;

        if (tt_intake_read(w->intake, u->first + at, some, u->x,
                           has_y(w) ? u->y : NULL, err) < 0)
            return -1;
        fill_missing(w, u->x, some);
        deal_batch(u, u->first + at, some);
        for (int p = 0; p < w->split->part_count; p++)
            if (write_held(w, &u->shard[p], err) < 0)
                return -1;
    }
    return 0;
}

static int finish_shard(struct shard *s, struct tt_written *entry,
                        struct tt_error *err)
{
    int rc = 0;

    if (fsync(s->fd) < 0)
        rc = tt_fail(err, TT_EIO, "%s: %s", s->aside, strerror(errno));
    if (close(s->fd) < 0 && rc == 0)
        rc = tt_fail(err, TT_EIO, "%s: %s", s->aside, strerror(errno));
    s->fd = -1;
    if (rc == 0)
        rc = tt_shard_hash_file(s->aside, &entry->hash, &entry->bytes, err);
    if (rc == 0 && rename(s->aside, s->path) < 0)
        rc = tt_fail(err, TT_EIO, "%s: %s", s->path, strerror(errno));
    return rc;
}

/* Take a file of an earlier run: 0 where it is what is to be written. */
static int find_shard(const struct tt_writer *w, struct shard *s,
                      struct tt_written *entry)
{
    struct tt_h5_info x, y = {0};
    struct tt_error why;
    hid_t file;
    int rc;

    if (access(s->path, F_OK) < 0 || (file = tt_h5_open(s->path, &why)) < 0)
        return -1;
    rc = tt_h5_info(file, s->path, x_name(w), &x, &why);
    if (rc == 0 && has_y(w))
        rc = tt_h5_info(file, s->path, "/y", &y, &why);
    H5Fclose(file);
    if (rc < 0 || x.dim[0] != s->sample_count)
        return -1;
    s->x_offset = x.offset;
    s->y_offset = y.offset;
    return tt_shard_hash_file(s->path, &entry->hash, &entry->bytes, &why);
}

static bool find_unit(struct unit *u, struct tt_written *entry)
{
    for (int p = 0; p < u->writer->split->part_count; p++)
        if (u->shard[p].sample_count > 0 &&
            find_shard(u->writer, &u->shard[p], &entry[p]) < 0)
            return false;
    return true;
}

static int write_unit(struct unit *u, struct tt_written *entry,
                      struct tt_error *err)
{
    int rc = open_unit(u, err);

    if (rc == 0)
        rc = write_batches(u, err);
    for (int p = 0; p < u->writer->split->part_count && rc == 0; p++)
        if (u->shard[p].sample_count > 0)
            rc = finish_shard(&u->shard[p], &entry[p], err);
    return rc;
}

static void clear_unit(struct unit *u)
{
    for (int p = 0; p < TT_SPLIT_PARTS; p++) {
        struct shard *s = &u->shard[p];

        if (s->fd >= 0) {
            close(s->fd);
            unlink(s->aside);
        }
        free(s->x);
        free(s->y);
    }
    free(u->x);
    free(u->y);
    free(u);
}

static void list_written(const struct unit *u, const struct tt_written *entry,
                         struct tt_written *written, int *count)
{
    *count = 0;
    for (int p = 0; p < u->writer->split->part_count; p++) {
        const struct shard *s = &u->shard[p];

        if (s->sample_count == 0)
            continue;
        written[*count] = entry[p];
        written[*count].unit = u->number;
        written[*count].part = p;
        written[*count].sample_count = s->sample_count;
        written[*count].x_offset = s->x_offset;
        written[*count].y_offset = s->y_offset;
        ++*count;
    }
}

int tt_writer_unit(const struct tt_writer *w, int64_t number,
                   struct tt_written *written, int *count, struct tt_error *err)
{
    struct tt_written entry[TT_SPLIT_PARTS] = {0};
    struct unit *u = calloc(1, sizeof(*u));
    int64_t left;
    int rc = 0;

    if (!u)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    u->writer = w;
    u->number = number;
    u->first = number * w->unit_samples;
    left = w->intake->sample_count - u->first;
    u->count = left < w->unit_samples ? left : w->unit_samples;
    for (int p = 0; p < TT_SPLIT_PARTS; p++)
        u->shard[p].fd = -1;
    name_files(u);
    count_samples(u);
    if (!find_unit(u, entry))
        rc = write_unit(u, entry, err);
    if (rc == 0)
        list_written(u, entry, written, count);
    clear_unit(u);
    return rc;
}
