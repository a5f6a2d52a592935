/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - rows of a store as kept. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "data/column.h"
#include "data/source.h"
#include "io/h5.h"
#include "io/path.h"

enum { OPEN_FILES = 32, SCRATCH_BYTES = 1 << 20 };

/* A part whose file is open: fd, or an HDF5 id where it is not plain. */
struct open_file {
    int64_t part; /* -1: free */
    int fd;
    hid_t h5;
};

struct tt_source {
    const struct tt_store *store;
    struct open_file file[OPEN_FILES];
    int next; /* whose turn it is to be closed */
    void *scratch;
};

struct tt_source *tt_source_create(const struct tt_store *store,
                                   struct tt_error *err)
{
    struct tt_source *source = calloc(1, sizeof(*source));

    if (!source || !(source->scratch = malloc(SCRATCH_BYTES))) {
        free(source);
        tt_fail(err, TT_ENOMEM, "no memory to read data");
        return NULL;
    }
    source->store = store;
    for (int i = 0; i < OPEN_FILES; i++)
        source->file[i] = (struct open_file){-1, -1, -1};
    return source;
}

static void file_close(struct open_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->h5 >= 0)
        H5Fclose(file->h5);
    *file = (struct open_file){-1, -1, -1};
}

void tt_source_destroy(struct tt_source *source)
{
    if (!source)
        return;
    for (int i = 0; i < OPEN_FILES; i++)
        file_close(&source->file[i]);
    free(source->scratch);
    free(source);
}

static int file_open(struct open_file *file, const char *path, bool plain,
                     struct tt_error *err)
{
    if (plain) {
        file->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (file->fd < 0)
            return tt_fail(
                err, TT_EIO,
                "%.150s: %s: it was there when the run began: bring it back "
                "and start again: the run resumes",
                path, strerror(errno));
        return 0;
    }
    file->h5 = tt_h5_open(path, err);
    return file->h5 < 0 ? -1 : 0;
}

/* The open file of a part; it stays open until 31 others were opened. */
static struct open_file *file_of(struct tt_source *source, int64_t part,
                                 bool plain, struct tt_error *err)
{
    const char *path =
        tt_store_text(source->store, source->store->part[part].path);
    struct open_file *file;

    for (int i = 0; i < OPEN_FILES; i++) {
        file = &source->file[i];
        if (file->part == part && (plain ? file->fd >= 0 : file->h5 >= 0))
            return file;
    }
    file = &source->file[source->next];
    file_close(file);
    if (file_open(file, path, plain, err) < 0)
        return NULL;
    file->part = part;
    source->next = (source->next + 1) % OPEN_FILES;
    return file;
}

/* A run of rows inside one part. */
struct piece {
    const struct tt_part *part;
    const struct tt_column *col;
    const char *path, *dataset;
    int64_t first, count; /* within the part */
};

/* Straight into 'out' where the bytes need no change, else by the scratch. */
static int read_plain(struct tt_source *source, const struct piece *piece,
                      int64_t offset, int fd, void *out, struct tt_error *err)
{
    const struct tt_column *col = piece->col;
    int64_t elem = (int64_t)tt_dtype_bytes((enum tt_dtype)col->stored);
    int64_t elem_kept = (int64_t)tt_dtype_bytes((enum tt_dtype)col->kept);
    int64_t left = piece->count * col->values;
    int64_t most = elem == elem_kept ? left : SCRATCH_BYTES / elem;
    struct tt_cast cast = {col, source->store->numbers,
                           (enum tt_dtype)col->stored, 0};

    offset += piece->first * col->values * elem;
    while (left > 0) {
        int64_t some = left < most ? left : most;
        void *raw = elem == elem_kept ? out : source->scratch;

        if (tt_path_pread(fd, raw, (size_t)(some * elem), offset, piece->path,
                          err) < 0)
            return -1;
        tt_cast_run(&cast, some, raw, out);
        cast.first += some;
        out = (char *)out + some * elem_kept;
        offset += some * elem;
        left -= some;
    }
    return 0;
}

/* HDF5 hands over native elements of the stored kind, which are then cast as
 * those of read_plain(): the bits are the same. */
static int read_h5(struct tt_source *source, const struct piece *piece,
                   hid_t file, void *out, struct tt_error *err)
{
    const struct tt_column *col = piece->col;
    enum tt_dtype carrier = (enum tt_dtype)col->stored;
    bool direct =
        tt_dtype_bytes(carrier) == tt_dtype_bytes((enum tt_dtype)col->kept);
    int64_t row_bytes = col->values * (int64_t)tt_dtype_bytes(carrier);
    int64_t most = direct ? piece->count : SCRATCH_BYTES / row_bytes;
    void *own = NULL;
    int rc = 0;

    if (most < 1) {
        most = 1;
        own = malloc((size_t)row_bytes);
        if (!own)
            return tt_fail(err, TT_ENOMEM, "%s: %s: no memory for one row",
                           piece->path, piece->dataset);
    }
    for (int64_t at = 0; at < piece->count && rc == 0; at += most) {
        int64_t some = piece->count - at < most ? piece->count - at : most;
        char *to = (char *)out + at * tt_column_row_bytes(col);
        void *raw = direct ? to : own ? own : source->scratch;

        rc = tt_h5_read_rows(file, piece->path, piece->dataset,
                             piece->first + at, some, carrier, raw, err);
        if (rc == 0)
            tt_cast_run(
                &(struct tt_cast){col, source->store->numbers, carrier, 0},
                some * col->values, raw, to);
    }
    free(own);
    return rc;
}

static int read_piece(struct tt_source *source, int c, struct piece *piece,
                      void *out, struct tt_error *err)
{
    const struct tt_store *store = source->store;
    int64_t offset = piece->part->offset[c];
    struct tt_error why = {0};
    int rc;
    struct open_file *file =
        file_of(source, piece->part - store->part, offset >= 0, err);

    if (!file)
        return -1;
    piece->path = tt_store_text(store, piece->part->path);
    piece->dataset = tt_store_text(store, piece->col->dataset);
    rc = offset < 0 ? read_h5(source, piece, file->h5, out, &why)
                    : read_plain(source, piece, offset, file->fd, out, &why);
    if (rc == 0)
        return 0;
    return tt_fail(err, TT_EIO,
                   "%.150s (%.40s, rows %" PRId64 " to %" PRId64
                   "): bring the file back and start again: the run resumes",
                   why.text, piece->dataset, piece->first,
                   piece->first + piece->count - 1);
}

static void make_up(const struct tt_store *store, int c, int64_t first,
                    int64_t count, void *out)
{
    const struct tt_synthetic *synth = &store->head.synth;

    if (synth->is_tokens)
        tt_synthetic_tokens(synth, first, count, out);
    else if (c == TT_COL_X)
        tt_synthetic_x(synth, first, count, out);
    else if (synth->task == TT_SYNTH_REGRESS)
        tt_synthetic_targets(synth, first, count, out);
    else
        tt_synthetic_labels(synth, first, count, out);
}

/* The run of rows from 'first' on that lies in one part. */
static struct piece piece_of(const struct tt_store *store, int c, int64_t first,
                             int64_t count)
{
    const struct tt_part *part = &store->part[tt_store_part(store, first)];
    int64_t end = part->first + part->count;

    return (struct piece){
        .part = part,
        .col = &store->head.col[c],
        .first = first - part->first,
        .count = end - first < count ? end - first : count,
    };
}

int tt_source_read(struct tt_source *source, int c, int64_t first,
                   int64_t count, void *out, struct tt_error *err)
{
    const struct tt_store *store = source->store;
    int64_t row_bytes = tt_column_row_bytes(&store->head.col[c]);

    if (store->head.part_count == 0) {
        make_up(store, c, first, count, out);
        return 0;
    }
    while (count > 0) {
        struct piece piece = piece_of(store, c, first, count);

        if (read_piece(source, c, &piece, out, err) < 0)
            return -1;
        out = (char *)out + piece.count * row_bytes;
        first += piece.count;
        count -= piece.count;
    }
    return 0;
}

void tt_source_advise(struct tt_source *source, int c, int64_t first,
                      int64_t count)
{
    const struct tt_store *store = source->store;
    const struct tt_column *col = &store->head.col[c];
    int64_t row_bytes =
        col->values * (int64_t)tt_dtype_bytes((enum tt_dtype)col->stored);

    while (count > 0 && store->head.part_count > 0) {
        struct piece piece = piece_of(store, c, first, count);
        int64_t offset = piece.part->offset[c];
        struct open_file *file =
            offset < 0 ? NULL
                       : file_of(source, piece.part - store->part, true, NULL);

        if (!file)
            return;
        posix_fadvise(file->fd, offset + piece.first * row_bytes,
                      piece.count * row_bytes, POSIX_FADV_WILLNEED);
        first += piece.count;
        count -= piece.count;
    }
}
