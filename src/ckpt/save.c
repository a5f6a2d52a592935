/* SPDX-License-Identifier: BSD-3-Clause */
/* save.c - write a checkpoint, all ranks together.
 *
 * Rank 0 makes the file with all its datasets and learns where each lies; then
 * every rank writes its runs with pwrite at those offsets, so that no data
 * passes through HDF5 or through another rank, and a full disk is an errno
 * here and not a hang there.  The file becomes a checkpoint by one rename,
 * after all ranks have synced what they wrote. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "ckpt/blocks.h"
#include "ckpt/ckpt.h"
#include "ckpt/image.h"
#include "ckpt/tiles.h"
#include "comm/agree.h"
#include "io/path.h"

struct save {
    const char *root;
    const struct tt_ckpt_state *state;
    MPI_Comm comm;
    int rank;
    char dir[TT_CKPT_PATH]; /* the temporary; "" where there is none */
    struct tt_ckpt_file file;
    struct tt_manifest man;
    struct tt_tiles tiles;
};

static int save_init(struct save *s, int64_t step, struct tt_error *err)
{
    struct tt_manifest *man = &s->man;
    int size;

    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &size);
    man->step = step;
    man->time = tt_clock_epoch_s();
    man->rank_count = size;
    man->scalars = s->state->scalars;
    man->tensor_count = s->state->tensor_count;
    man->tensor = calloc((size_t)man->tensor_count + 1, sizeof(*man->tensor));
    if (!man->tensor)
        return tt_fail(err, TT_ENOMEM, "no memory for %" PRId64 " tensors",
                       man->tensor_count);
    for (int64_t i = 0; i < man->tensor_count; i++) {
        const struct tt_ckpt_tensor *t = &s->state->tensor[i];

        man->tensor[i].name = t->name;
        man->tensor[i].dtype = t->dtype;
        man->tensor[i].dims = t->dims;
        memcpy(man->tensor[i].dim, t->dim, sizeof(t->dim));
    }
    if (tt_manifest_count(man, err) < 0)
        return -1;
    return tt_tiles_init(&s->tiles, man, err);
}

static void save_clear(struct save *s)
{
    tt_tiles_clear(&s->tiles);
    free(s->man.tensor);
}

/* --- rank 0: the file ------------------------------------------------- */

static int file_create(struct save *s, struct tt_error *err)
{
    int image = tt_ckpt_image_create(&s->man, err);
    int rc;

    if (image < 0)
        return -1;
    rc = tt_ckpt_file_create(&s->file, s->dir, s->man.file_bytes, err);
    if (rc == 0)
        rc = tt_ckpt_meta_write(&s->file, &s->man, image, err);
    close(image);
    return rc;
}

/* Collective.  Rank 0 makes directory and file; all learn names and offsets. */
static int save_begin(struct save *s, int64_t step, struct tt_error *err)
{
    struct tt_manifest *man = &s->man;
    int rc = 0;

    if (s->rank == 0) {
        rc = tt_ckpt_tmp_create(s->dir, s->root, step, err);
        if (rc == 0)
            rc = file_create(s, err);
    }
    if (tt_agree(rc, err, s->comm) < 0)
        return -1;
    MPI_Bcast(s->dir, sizeof(s->dir), MPI_CHAR, 0, s->comm);
    for (int64_t i = 0; i < man->tensor_count; i++)
        s->tiles.offset[i] = man->tensor[i].offset;
    MPI_Bcast(s->tiles.offset, (int)man->tensor_count, MPI_INT64_T, 0, s->comm);
    for (int64_t i = 0; i < man->tensor_count; i++)
        man->tensor[i].offset = s->tiles.offset[i];
    return 0;
}

/* --- every rank: its runs --------------------------------------------- */

static int runs_write(struct save *s, struct tt_error *err)
{
    for (int64_t i = 0; i < s->man.tensor_count; i++) {
        const struct tt_ckpt_tensor *t = &s->state->tensor[i];
        struct tt_ckpt_run run = {t->first, t->count, t->data};

        if (tt_tiles_add(&s->tiles, &s->man, i, run, err) < 0 ||
            tt_ckpt_run_write(&s->file, &s->man.tensor[i], run, s->tiles.sum,
                              err) < 0)
            return -1;
    }
    return 0;
}

static int save_write(struct save *s, struct tt_error *err)
{
    if (s->rank != 0 && tt_ckpt_file_open(&s->file, s->dir, 1, err) < 0)
        return -1;
    if (runs_write(s, err) < 0)
        return -1;
    if (fsync(s->file.fd) < 0)
        return tt_fail(err, TT_EIO, "%s: sync: %s", s->file.path,
                       strerror(errno));
    return 0;
}

/* Every rank but 0 is done with the file before it says so: rank 0 may have to
 * remove it. */
static int save_write_close(struct save *s, struct tt_error *err)
{
    int rc = save_write(s, err);

    if (s->rank != 0 && tt_ckpt_file_close(&s->file, rc < 0 ? NULL : err) < 0)
        rc = -1;
    return rc;
}

/* --- rank 0: the commit ----------------------------------------------- */

/* Sums are of all ranks now. */
static void hashes_fill(struct tt_manifest *man, const uint64_t *sum)
{
    man->root = tt_hash(sum, (size_t)man->block_count * sizeof(*sum), 0);
    for (int64_t i = 0; i < man->tensor_count; i++) {
        struct tt_manifest_tensor *t = &man->tensor[i];

        t->hash = 0;
        for (int64_t b = 0; b < t->block_count; b++)
            t->hash += sum[t->first_block + b];
    }
}

static int sums_write(struct save *s, struct tt_error *err)
{
    struct tt_manifest *man = &s->man;

    hashes_fill(man, s->tiles.sum);
    if (tt_path_pwrite(s->file.fd, s->tiles.sum,
                       (size_t)man->block_count * sizeof(uint64_t),
                       man->sums_offset, s->file.path, err) < 0)
        return -1;
    if (fsync(s->file.fd) < 0)
        return tt_fail(err, TT_EIO, "%s: sync: %s", s->file.path,
                       strerror(errno));
    return tt_ckpt_file_close(&s->file, err);
}

static int manifest_write(struct save *s, struct tt_error *err)
{
    char path[TT_CKPT_PATH + 16];
    char *text = tt_manifest_format(&s->man, err);
    int rc;

    if (!text)
        return -1;
    snprintf(path, sizeof(path), "%s/" TT_CKPT_MANIFEST, s->dir);
    rc = tt_path_write(path, text, strlen(text), err);
    free(text);
    return rc;
}

static int save_commit(struct save *s, struct tt_error *err)
{
    for (int64_t i = 0; i < s->man.tensor_count; i++)
        if (tt_tiles_check(&s->tiles, &s->man, i, err) < 0)
            return -1;
    if (sums_write(s, err) < 0 || manifest_write(s, err) < 0 ||
        tt_ckpt_set_aside(s->root, s->man.step, err) < 0)
        return -1;
    return tt_ckpt_commit(s->dir, s->root, s->man.step, err);
}

static int save_run(struct save *s, int64_t step, struct tt_error *err)
{
    int rc;

    if (save_begin(s, step, err) < 0)
        return -1;
    rc = save_write_close(s, err);
    if (tt_agree(rc, err, s->comm) < 0)
        return -1;
    tt_tiles_reduce(&s->tiles, s->comm);
    if (s->rank == 0)
        rc = save_commit(s, err);
    return tt_agree(rc, err, s->comm);
}

int tt_ckpt_save_all(const char *root, int64_t step,
                     const struct tt_ckpt_state *state, MPI_Comm comm,
                     struct tt_error *err)
{
    struct save s = {
        .root = root, .state = state, .comm = comm, .file = {.fd = -1}};
    int rc = save_init(&s, step, err);

    rc = tt_agree(rc, err, comm);
    if (rc == 0)
        rc = tt_same(tt_tiles_hash(&s.man), "what is to be saved", err, comm);
    if (rc == 0)
        rc = save_run(&s, step, err);
    tt_ckpt_file_close(&s.file, NULL);
    if (rc < 0 && s.rank == 0 && s.dir[0] != '\0')
        tt_path_remove(s.dir, NULL);
    save_clear(&s);
    return rc;
}
