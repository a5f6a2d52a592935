/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - elements between memory and the data file, hashed as they pass.
 */
#include "ckpt/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/path.h"

enum { PIECE_BYTES = 1 << 20 };

static int path_format(struct tt_ckpt_file *file, const char *dir,
                       struct tt_error *err)
{
    file->fd = -1;
    if (snprintf(file->path, sizeof(file->path), "%s/" TT_CKPT_DATA, dir) >=
        (int)sizeof(file->path))
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", dir);
    return 0;
}

int tt_ckpt_file_open(struct tt_ckpt_file *file, const char *dir, int write,
                      struct tt_error *err)
{
    if (path_format(file, dir, err) < 0)
        return -1;
    file->fd = open(file->path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (file->fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", file->path, strerror(errno));
    return 0;
}

/* Not posix_fallocate(): where the file system cannot reserve space, glibc
 * would touch every block of the file. */
static int space_reserve(int fd, int64_t bytes)
{
    if (fallocate(fd, 0, 0, bytes) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return -1;
    return ftruncate(fd, bytes);
}

int tt_ckpt_file_create(struct tt_ckpt_file *file, const char *dir,
                        int64_t bytes, struct tt_error *err)
{
    if (path_format(file, dir, err) < 0)
        return -1;
    file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", file->path, strerror(errno));
    if (space_reserve(file->fd, bytes) < 0)
        return tt_fail(err, TT_EIO, "%s: reserve %" PRId64 " bytes: %s",
                       file->path, bytes, strerror(errno));
    return 0;
}

int tt_ckpt_file_close(struct tt_ckpt_file *file, struct tt_error *err)
{
    int fd = file->fd;

    file->fd = -1;
    if (fd >= 0 && close(fd) < 0)
        return tt_fail(err, TT_EIO, "%s: close: %s", file->path,
                       strerror(errno));
    return 0;
}

/* --- runs ------------------------------------------------------------- */

/* What of a run is moved at once: never across a block's end. */
struct piece {
    int64_t first, count; /* elements of the tensor */
    int64_t block;        /* of all blocks */
    int64_t offset;       /* in the file */
    size_t bytes;
};

static struct piece piece_at(const struct tt_manifest_tensor *t,
                             const struct tt_ckpt_run *run, int64_t done)
{
    int64_t width = (int64_t)tt_dtype_bytes(t->dtype);
    int64_t block = (run->first + done) / TT_CKPT_BLOCK_ELEMS;
    struct piece p = {.first = run->first + done, .count = run->count - done};
    int64_t room = (block + 1) * TT_CKPT_BLOCK_ELEMS - p.first;

    if (p.count > room)
        p.count = room;
    if (p.count > PIECE_BYTES / width)
        p.count = PIECE_BYTES / width;
    p.block = t->first_block + block;
    p.offset = t->offset + p.first * width;
    p.bytes = (size_t)(p.count * width);
    return p;
}

static uint64_t piece_hash(const struct piece *p,
                           const struct tt_manifest_tensor *t, const char *data)
{
    return tt_hash_elements(data, p->first, p->count, tt_dtype_bytes(t->dtype));
}

int tt_ckpt_run_write(const struct tt_ckpt_file *file,
                      const struct tt_manifest_tensor *tensor,
                      struct tt_ckpt_run run, uint64_t *sums,
                      struct tt_error *err)
{
    const char *data = run.data;
    struct piece p;

    for (int64_t done = 0; done < run.count; done += p.count) {
        p = piece_at(tensor, &run, done);
        sums[p.block] += piece_hash(&p, tensor, data);
        if (tt_path_pwrite(file->fd, data, p.bytes, p.offset, file->path, err) <
            0)
            return tt_fail_in(err, "%s", tensor->name);
        data += p.bytes;
    }
    return 0;
}

int tt_ckpt_run_read(const struct tt_ckpt_file *file,
                     const struct tt_manifest_tensor *tensor,
                     struct tt_ckpt_run run, uint64_t *sums,
                     struct tt_error *err)
{
    char *data = run.data;
    struct piece p;

    for (int64_t done = 0; done < run.count; done += p.count) {
        p = piece_at(tensor, &run, done);
        if (tt_path_pread(file->fd, data, p.bytes, p.offset, file->path, err) <
            0)
            return tt_fail_in(err, "%s", tensor->name);
        sums[p.block] += piece_hash(&p, tensor, data);
        data += p.bytes;
    }
    return 0;
}

/* --- the file around the datasets ------------------------------------- */

struct range {
    int64_t first, end; /* bytes of the file */
};

static int range_order(const void *a, const void *b)
{
    int64_t x = ((const struct range *)a)->first;
    int64_t y = ((const struct range *)b)->first;

    return (x > y) - (x < y);
}

/* Byte ranges of all datasets, sorted; tensor_count + 1 of them, then an empty
 * one at the file's end. */
static struct range *ranges_create(const struct tt_manifest *man)
{
    size_t count = (size_t)man->tensor_count + 1;
    struct range *range = calloc(count + 1, sizeof(*range));

    if (!range)
        return NULL;
    for (int64_t i = 0; i < man->tensor_count; i++) {
        const struct tt_manifest_tensor *t = &man->tensor[i];
        int64_t width = (int64_t)tt_dtype_bytes(t->dtype);

        range[i] = (struct range){t->offset, t->offset + t->elem_count * width};
    }
    range[count - 1] = (struct range){man->sums_offset,
                                      man->sums_offset + 8 * man->block_count};
    qsort(range, count, sizeof(*range), range_order);
    range[count] = (struct range){man->file_bytes, man->file_bytes};
    return range;
}

/* A walk over what lies between the datasets. */
struct walk {
    const struct tt_ckpt_file *file;
    int from;   /* descriptor that is read */
    bool write; /* into the file, what was read */
    char *scratch;
    uint64_t hash; /* of what was passed, with its places */
};

static int gap_walk(struct walk *w, struct range r, struct tt_error *err)
{
    const char *path = w->file->path;

    for (int64_t at = r.first; at < r.end; at += PIECE_BYTES) {
        int64_t left = r.end - at;
        size_t bytes = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;

        if (tt_path_pread(w->from, w->scratch, bytes, at, path, err) < 0)
            return -1;
        if (w->write &&
            tt_path_pwrite(w->file->fd, w->scratch, bytes, at, path, err) < 0)
            return -1;
        w->hash = tt_hash(w->scratch, bytes, w->hash ^ (uint64_t)at);
    }
    return 0;
}

static int gaps_walk(struct walk *w, const struct tt_manifest *man,
                     struct tt_error *err)
{
    struct range *range = ranges_create(man);
    int64_t end = 0;
    int rc = 0;

    w->scratch = malloc(PIECE_BYTES);
    if (!range || !w->scratch)
        rc = tt_fail(err, TT_ENOMEM, "%s: no memory", w->file->path);
    for (int64_t i = 0; i < man->tensor_count + 2 && rc == 0; i++) {
        rc = gap_walk(w, (struct range){end, range[i].first}, err);
        end = range[i].end;
    }
    free(w->scratch);
    free(range);
    return rc;
}

int tt_ckpt_meta_write(const struct tt_ckpt_file *file, struct tt_manifest *man,
                       int image, struct tt_error *err)
{
    struct walk w = {.file = file, .from = image, .write = true};

    if (gaps_walk(&w, man, err) < 0)
        return -1;
    man->meta_hash = w.hash;
    return 0;
}

static int length_check(const struct tt_ckpt_file *file,
                        const struct tt_manifest *man, struct tt_error *err)
{
    struct stat st;

    if (fstat(file->fd, &st) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", file->path, strerror(errno));
    if (st.st_size != man->file_bytes)
        return tt_fail(err, TT_EFORMAT,
                       "%s: damaged: %" PRId64 " bytes, were %" PRId64,
                       file->path, (int64_t)st.st_size, man->file_bytes);
    return 0;
}

static int meta_check(const struct tt_ckpt_file *file,
                      const struct tt_manifest *man, struct tt_error *err)
{
    struct walk w = {.file = file, .from = file->fd};

    if (gaps_walk(&w, man, err) < 0)
        return -1;
    if (w.hash != man->meta_hash)
        return tt_fail(err, TT_EFORMAT,
                       "%s: damaged: HDF5's own bytes were changed",
                       file->path);
    return 0;
}

uint64_t *tt_ckpt_sums_read(const struct tt_ckpt_file *file,
                            const struct tt_manifest *man, struct tt_error *err)
{
    size_t bytes = (size_t)man->block_count * sizeof(uint64_t);
    uint64_t *sums;

    if (length_check(file, man, err) < 0 || meta_check(file, man, err) < 0)
        return NULL;
    sums = malloc(bytes + 1);
    if (!sums) {
        tt_fail(err, TT_ENOMEM, "%s: no memory for hashes", file->path);
        return NULL;
    }
    if (tt_path_pread(file->fd, sums, bytes, man->sums_offset, file->path,
                      err) == 0) {
        if (tt_hash(sums, bytes, 0) == man->root)
            return sums;
        tt_fail(err, TT_EFORMAT, "%s: damaged: " TT_CKPT_SUMS, file->path);
    }
    free(sums);
    return NULL;
}

/* --- checks ----------------------------------------------------------- */

static int block_fail(const struct tt_ckpt_file *file,
                      const struct tt_manifest_tensor *t, int64_t block,
                      struct tt_error *err)
{
    return tt_fail(err, TT_EFORMAT,
                   "%s: damaged: %s, block %" PRId64 " (from element %" PRId64
                   ")",
                   file->path, t->name, block, block * TT_CKPT_BLOCK_ELEMS);
}

int tt_ckpt_sums_check(const struct tt_ckpt_file *file,
                       const struct tt_manifest_tensor *tensor,
                       const uint64_t *have, const uint64_t *want,
                       struct tt_error *err)
{
    for (int64_t b = 0; b < tensor->block_count; b++) {
        int64_t i = tensor->first_block + b;

        if (have[i] != want[i])
            return block_fail(file, tensor, b, err);
    }
    return 0;
}

/* One block of a tensor, through a scratch of PIECE_BYTES. */
static int block_verify(const struct tt_ckpt_file *file,
                        const struct tt_manifest_tensor *t, int64_t block,
                        const uint64_t *sums, char *scratch,
                        struct tt_error *err)
{
    int64_t first = block * TT_CKPT_BLOCK_ELEMS;
    int64_t left = t->elem_count - first;
    struct tt_ckpt_run run = {
        first, left < TT_CKPT_BLOCK_ELEMS ? left : TT_CKPT_BLOCK_ELEMS, NULL};
    uint64_t sum = 0;
    struct piece p;

    for (int64_t done = 0; done < run.count; done += p.count) {
        p = piece_at(t, &run, done);
        if (tt_path_pread(file->fd, scratch, p.bytes, p.offset, file->path,
                          err) < 0)
            return tt_fail_in(err, "%s", t->name);
        sum += piece_hash(&p, t, scratch);
    }
    if (sum != sums[t->first_block + block])
        return block_fail(file, t, block, err);
    return 0;
}

int tt_ckpt_blocks_verify(const struct tt_ckpt_file *file,
                          const struct tt_manifest *man, const uint64_t *sums,
                          int64_t first, int64_t count, struct tt_error *err)
{
    char *scratch = malloc(PIECE_BYTES);
    const struct tt_manifest_tensor *t = man->tensor;
    int rc = 0;

    if (!scratch)
        return tt_fail(err, TT_ENOMEM, "%s: no memory to check it", file->path);
    for (int64_t i = first; i < first + count && rc == 0; i++) {
        while (i >= t->first_block + t->block_count)
            t++;
        rc = block_verify(file, t, i - t->first_block, sums, scratch, err);
    }
    free(scratch);
    return rc;
}
