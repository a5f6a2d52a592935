/* SPDX-License-Identifier: BSD-3-Clause */
/* intake.c - open, scan and read the files that a converter knows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "comm/agree.h"
#include "data/intake.h"
#include "data/values.h"

enum { MOST_CLASSES = 1 << 20 };

int tt_intake_agree(int rc, struct tt_error *err, MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size == 1 ? rc : tt_agree(rc, err, comm);
}

static int open_local(struct tt_intake *intake, struct tt_error *err)
{
    const struct tt_intake_conf *conf = &intake->conf;

    intake->shape = tt_shard_index_create();
    if (!intake->shape)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    if (tt_paths_find(conf->files, NULL, &intake->files, err) < 0)
        return -1;
    if (conf->labels &&
        tt_paths_find(conf->labels, NULL, &intake->labels, err) < 0)
        return -1;
    if (conf->labels && intake->labels.count != intake->files.count)
        return tt_fail(err, TT_EINVAL,
                       "%s: %" PRId64 " files, but %s: %" PRId64
                       " files of labels: each needs its own",
                       conf->files, intake->files.count, conf->labels,
                       intake->labels.count);
    intake->first =
        calloc((size_t)intake->files.count + 1, sizeof(*intake->first));
    if (!intake->first)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return intake->ops->open(intake, err);
}

static int64_t hash_names(const struct tt_paths *paths)
{
    uint64_t hash = 0;

    for (int64_t i = 0; i < paths->count; i++)
        hash = tt_hash(paths->at[i], strlen(paths->at[i]), hash);
    return (int64_t)(hash >> 1);
}

/* This rank's share of the files. */
static int scan_local(struct tt_intake *intake, int rank, int size,
                      struct tt_error *err)
{
    for (int64_t i = rank; i < intake->files.count; i += size)
        if (intake->ops->scan(intake, i, &intake->first[i + 1], err) < 0)
            return -1;
    return 0;
}

/* Everybody's texts, as a list of what they hold. */
static json_t *gather_found(json_t *own, MPI_Comm comm)
{
    char *text = json_dumps(own, JSON_COMPACT | JSON_REAL_PRECISION(17)), *all;
    int bytes = (int)strlen(text), size, *count, *start, total = 0;
    json_t *list = json_array();

    MPI_Comm_size(comm, &size);
    count = calloc(2 * (size_t)size, sizeof(*count));
    start = count + size;
    MPI_Allgather(&bytes, 1, MPI_INT, count, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++) {
        start[i] = total;
        total += count[i];
    }
    all = malloc((size_t)total);
    MPI_Allgatherv(text, bytes, MPI_CHAR, all, count, start, MPI_CHAR, comm);
    for (int i = 0; i < size; i++)
        json_array_append_new(
            list, json_loadb(all + start[i], (size_t)count[i], 0, NULL));
    free(all);
    free(count);
    free(text);
    return list;
}

static int learn_all(struct tt_intake *intake, MPI_Comm comm,
                     struct tt_error *err)
{
    json_t *own, *all;
    int rc;

    if (!intake->ops->learn)
        return 0;
    own = intake->ops->found(intake);
    all = gather_found(own, comm);
    rc = intake->ops->learn(intake, all, err);
    json_decref(all);
    json_decref(own);
    return rc;
}

int tt_intake_cut_list(const char *text, char ***names, int64_t *count,
                       struct tt_error *err)
{
    char **list = calloc(strlen(text) + 1, sizeof(*list));

    *count = 0;
    for (const char *p = text; list; p += 1) {
        size_t part = strcspn(p, ",");

        if (!(list[(*count)++] = strndup(p, part)))
            break;
        p += part;
        if (!*p) {
            *names = list;
            return 0;
        }
    }
    for (int64_t i = 0; list && i < *count; i++)
        free(list[i]);
    free(list);
    return tt_fail(err, TT_ENOMEM, "out of memory");
}

static int copy_names(char *const *from, int64_t count, char ***to,
                      struct tt_error *err)
{
    *to = calloc((size_t)count, sizeof(**to));
    for (int64_t i = 0; *to && i < count; i++)
        (*to)[i] = strdup(from[i]);
    return *to ? 0 : tt_fail(err, TT_ENOMEM, "out of memory");
}

/* How many classes there are, and their names. */
static int set_classes(struct tt_intake *intake, int64_t highest,
                       struct tt_error *err)
{
    const struct tt_shard_index *like = intake->conf.like;
    struct tt_shard_index *shape = intake->shape;

    if (highest < 0)
        return 0;
    shape->class_count = highest + 1;
    if (like && like->class_count > 0) {
        if (highest >= like->class_count)
            return tt_fail(err, TT_EFORMAT,
                           "%s: label %" PRId64 ", but the set that --like "
                           "names has %" PRId64 " classes",
                           intake->conf.files, highest, like->class_count);
        shape->class_count = like->class_count;
        if (like->class_name)
            return copy_names(like->class_name, like->class_count,
                              &shape->class_name, err);
    }
    if (!intake->conf.classes)
        return 0;
    if (tt_intake_cut_list(intake->conf.classes, &shape->class_name,
                           &shape->class_count, err) < 0)
        return -1;
    if (highest >= shape->class_count)
        return tt_fail(err, TT_EINVAL,
                       "%s: label %" PRId64 ", but --classes names only "
                       "%" PRId64,
                       intake->conf.files, highest, shape->class_count);
    return 0;
}

static int sum_up(struct tt_intake *intake, struct tt_error *err)
{
    for (int64_t i = 0; i < intake->files.count; i++)
        intake->first[i + 1] += intake->first[i];
    intake->sample_count = intake->first[intake->files.count];
    intake->shape->sample_count = intake->sample_count;
    if (intake->sample_count == 0)
        return tt_fail(err, TT_EFORMAT, "%s: no samples in it",
                       intake->conf.files);
    return 0;
}

/* Images as models take them, (H, W, C), out of (C, H, W). */
static int set_channels(struct tt_intake *intake, struct tt_error *err)
{
    struct tt_shard_field *x = &intake->shape->x;
    bool first = strcmp(intake->conf.channels, "first") == 0;
    int64_t channels = x->dim[0];

    if (first && x->dims != 3)
        return tt_fail(err, TT_EINVAL,
                       "--channels=first is for images of three axes, but "
                       "samples of %s have %d",
                       intake->conf.files, x->dims);
    if (!first && x->dims == 3 && channels <= 4 && x->dim[2] > 4)
        tt_log_warn("samples of %" PRId64 " x %" PRId64 " x %" PRId64
                    " look like images whose channels come first: "
                    "--channels=first packs them as models take them",
                    x->dim[0], x->dim[1], x->dim[2]);
    if (!first)
        return 0;
    x->dim[0] = x->dim[1];
    x->dim[1] = x->dim[2];
    x->dim[2] = channels;
    intake->turn = malloc((size_t)tt_shard_field_bytes(x));
    return intake->turn ? 0 : tt_fail(err, TT_ENOMEM, "out of memory");
}

static void turn_samples(const struct tt_intake *intake, int64_t count, char *x)
{
    const struct tt_shard_field *f = &intake->shape->x;

    for (int64_t i = 0; i < count; i++, x += tt_shard_field_bytes(f))
        tt_values_transpose(x, f->dim[2], f->dim[0] * f->dim[1],
                            tt_dtype_bytes(f->dtype), intake->turn);
}

int tt_intake_open_all(struct tt_intake *intake,
                       const struct tt_intake_ops *ops,
                       const struct tt_intake_conf *conf, MPI_Comm comm,
                       struct tt_error *err)
{
    int rank, size, rc;

    *intake = (struct tt_intake){.ops = ops, .conf = *conf};
    intake->file = intake->highest = -1;
    intake->scale = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    rc = open_local(intake, err);
    if (tt_intake_agree(rc, err, comm) < 0 ||
        tt_same(hash_names(&intake->files), "the list of files", err, comm) < 0)
        return -1;
    rc = scan_local(intake, rank, size, err);
    if (tt_intake_agree(rc, err, comm) < 0)
        return -1;
    MPI_Allreduce(MPI_IN_PLACE, intake->first, (int)intake->files.count + 1,
                  MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &intake->highest, 1, MPI_INT64_T, MPI_MAX,
                  comm);
    if (sum_up(intake, err) < 0) /* the same everywhere */
        return -1;
    rc = learn_all(intake, comm, err);
    if (rc == 0)
        rc = set_classes(intake, intake->highest, err);
    if (rc == 0)
        rc = set_channels(intake, err);
    return tt_intake_agree(rc, err, comm);
}

void tt_intake_close(struct tt_intake *intake)
{
    if (intake->ops)
        intake->ops->close(intake);
    tt_paths_free(&intake->files);
    tt_paths_free(&intake->labels);
    tt_shard_index_destroy(intake->shape);
    free(intake->first);
    free(intake->is_plain);
    free(intake->turn);
    *intake = (struct tt_intake){0};
}

/* The file that holds a sample. */
static int64_t find_file(const struct tt_intake *intake, int64_t sample)
{
    int64_t low = 0, high = intake->files.count - 1;

    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;

        if (intake->first[middle] <= sample)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int seek(struct tt_intake *intake, int64_t sample, struct tt_error *err)
{
    int64_t file = find_file(intake, sample);

    if (intake->file == file && intake->next == sample)
        return 0;
    intake->file = file;
    if (intake->ops->seek(intake, file, sample - intake->first[file], err) <
        0) {
        intake->file = -1;
        return -1;
    }
    intake->next = sample;
    return 0;
}

int tt_intake_read(struct tt_intake *intake, int64_t first, int64_t count,
                   void *x, void *y, struct tt_error *err)
{
    int64_t x_bytes = tt_shard_field_bytes(&intake->shape->x);
    int64_t y_bytes = tt_shard_field_bytes(&intake->shape->y);

    while (count > 0) {
        int64_t some;

        if (seek(intake, first, err) < 0)
            return -1;
        some = intake->first[intake->file + 1] - first;
        some = some < count ? some : count;
        if (intake->ops->read(intake, some, x, y, err) < 0) {
            intake->file = -1;
            return -1;
        }
        if (intake->turn)
            turn_samples(intake, some, x);
        first += some;
        intake->next = first;
        count -= some;
        x = (char *)x + some * x_bytes;
        y = y ? (char *)y + some * y_bytes : NULL;
    }
    return 0;
}

int tt_intake_set_y(struct tt_intake *intake, enum tt_dtype dtype, int dims,
                    const int64_t *dim, const char *path, struct tt_error *err)
{
    const char *task = intake->conf.task;
    struct tt_shard_field *y = &intake->shape->y;
    bool whole = !tt_dtype_is_float(dtype);

    if (dims == 1 && dim[0] == 1) /* (n, 1) is (n) */
        dims = 0;
    if (dims > TT_SHARD_DIMS)
        return tt_fail(err, TT_EFORMAT, "%s: labels have too many axes", path);
    *y = (struct tt_shard_field){.dtype = TT_F32, .dims = dims, .values = 1};
    for (int i = 0; i < dims; i++) {
        y->dim[i] = dim[i];
        y->values *= dim[i];
    }
    if (y->values == 0)
        return tt_fail(err, TT_EFORMAT, "%s: labels have no values", path);
    if (strcmp(task, "classify") == 0 && (dims > 0 || !whole))
        return tt_fail(err, TT_EFORMAT,
                       "%s: classes are single whole numbers, these labels are "
                       "not: --task=regress learns them as values",
                       path);
    if (dims == 0 && whole && strcmp(task, "regress") != 0)
        y->dtype = TT_I32;
    return 0;
}

int tt_intake_note_class(struct tt_intake *intake, int64_t label,
                         const char *path, int64_t sample, struct tt_error *err)
{
    if (label < 0 || label >= MOST_CLASSES)
        return tt_fail(err, TT_EFORMAT,
                       "%s: sample %" PRId64 " has label %" PRId64
                       ": classes are 0, 1, 2 ...; --task=regress packs "
                       "labels as values",
                       path, sample, label);
    if (label > intake->highest)
        intake->highest = label;
    return 0;
}
