/* SPDX-License-Identifier: BSD-3-Clause */
/* save.c - write a checkpoint, all ranks together.
 *
 * Rank 0 makes the file with all its datasets and learns where each lies; then
 * every rank writes its runs with pwrite at those offsets, so that no data
 * passes through HDF5 or through another rank, and a full disk is an errno
 * here and not a hang there.  The file becomes a checkpoint by one rename,
 * after all ranks have synced what they wrote.  Writing needs neither MPI nor
 * HDF5, so it may be done by a thread while training goes on. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

struct tt_ckpt_save {
    MPI_Comm comm;
    int rank;
    char root[TT_CKPT_PATH];
    char dir[TT_CKPT_PATH]; /* the temporary; "" where there is none */
    struct tt_ckpt_file file;
    struct tt_manifest man;  /* names and scalars are its own */
    struct tt_ckpt_run *run; /* of this rank, one for each tensor */
    struct tt_tiles tiles;
    char *names, *copy; /* what 'man' and 'run' point into; copy may be NULL */

    pthread_t thread;
    bool threaded;
    atomic_bool written; /* this rank's part is, or failed */
    int rc;              /* of writing, with its error */
    struct tt_error err;
};

/* --- what is to be saved ---------------------------------------------- */

/* Tensors with names of our own: the caller's may be gone by the end. */
static int tensors_init(struct tt_ckpt_save *s,
                        const struct tt_ckpt_state *state, struct tt_error *err)
{
    struct tt_manifest *man = &s->man;
    size_t count = (size_t)state->tensor_count, bytes = 1;
    char *name;

    for (size_t i = 0; i < count; i++)
        bytes += strlen(state->tensor[i].name) + 1;
    man->tensor = calloc(count + 1, sizeof(*man->tensor));
    s->run = calloc(count + 1, sizeof(*s->run));
    s->names = name = malloc(bytes);
    if (!man->tensor || !s->run || !name)
        return tt_fail(err, TT_ENOMEM, "no memory for %zu tensors", count);
    man->tensor_count = state->tensor_count;
    for (size_t i = 0; i < count; i++) {
        const struct tt_ckpt_tensor *t = &state->tensor[i];

        man->tensor[i] = (struct tt_manifest_tensor){
            .name = name, .dtype = t->dtype, .dims = t->dims};
        memcpy(man->tensor[i].dim, t->dim, sizeof(t->dim));
        s->run[i] = (struct tt_ckpt_run){t->first, t->count, t->data};
        name = stpcpy(name, t->name) + 1;
    }
    return tt_manifest_count(man, err);
}

/* Only rank 0 writes scalars; a reference will not do, they may change. */
static int scalars_init(struct tt_ckpt_save *s, json_t *scalars,
                        struct tt_error *err)
{
    s->man.scalars = json_deep_copy(scalars);
    if (s->rank == 0 && !json_is_object(s->man.scalars))
        return tt_fail(err, TT_EINVAL, "the scalars to save are no object");
    return 0;
}

/* All of this rank's runs, in one piece of memory. */
static int runs_copy(struct tt_ckpt_save *s, struct tt_error *err)
{
    size_t bytes = 0, at = 0;

    for (int64_t i = 0; i < s->man.tensor_count; i++)
        bytes +=
            (size_t)s->run[i].count * tt_dtype_bytes(s->man.tensor[i].dtype);
    s->copy = malloc(bytes + 1);
    if (!s->copy)
        return tt_fail(err, TT_ENOMEM,
                       "no memory for a copy of %zu bytes to save", bytes);
    for (int64_t i = 0; i < s->man.tensor_count; i++) {
        size_t part =
            (size_t)s->run[i].count * tt_dtype_bytes(s->man.tensor[i].dtype);

        if (part > 0)
            memcpy(s->copy + at, s->run[i].data, part);
        s->run[i].data = s->copy + at;
        at += part;
    }
    return 0;
}

static int runs_check(struct tt_ckpt_save *s, struct tt_error *err)
{
    for (int64_t i = 0; i < s->man.tensor_count; i++)
        if (tt_tiles_add(&s->tiles, &s->man, i, s->run[i], err) < 0)
            return -1;
    return 0;
}

static int save_init(struct tt_ckpt_save *s, const char *root, int64_t step,
                     const struct tt_ckpt_state *state, struct tt_error *err)
{
    int size;

    MPI_Comm_size(s->comm, &size);
    s->man.step = step;
    s->man.time = tt_clock_epoch_s();
    s->man.rank_count = size;
    if (snprintf(s->root, sizeof(s->root), "%s", root) >= (int)sizeof(s->root))
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", root);
    if (tensors_init(s, state, err) < 0 ||
        scalars_init(s, state->scalars, err) < 0 ||
        tt_tiles_init(&s->tiles, &s->man, err) < 0)
        return -1;
    return runs_check(s, err);
}

static void save_destroy(struct tt_ckpt_save *s)
{
    if (!s)
        return;
    tt_ckpt_file_close(&s->file, NULL);
    if (s->rank == 0 && s->dir[0] != '\0')
        tt_path_remove(s->dir, NULL); /* not there after a commit */
    tt_tiles_clear(&s->tiles);
    json_decref(s->man.scalars);
    free(s->man.tensor);
    free(s->run);
    free(s->names);
    free(s->copy);
    free(s);
}

static struct tt_ckpt_save *save_create(MPI_Comm comm, struct tt_error *err)
{
    struct tt_ckpt_save *s = calloc(1, sizeof(*s));

    if (!s) {
        tt_fail(err, TT_ENOMEM, "no memory to save");
        return NULL;
    }
    s->comm = comm;
    s->file.fd = -1;
    MPI_Comm_rank(comm, &s->rank);
    return s;
}

/* --- rank 0: the file ------------------------------------------------- */

static int file_create(struct tt_ckpt_save *s, struct tt_error *err)
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
static int file_create_all(struct tt_ckpt_save *s, struct tt_error *err)
{
    struct tt_manifest *man = &s->man;
    int rc = 0;

    if (s->rank == 0) {
        rc = tt_ckpt_tmp_create(s->dir, s->root, man->step, err);
        if (rc == 0)
            rc = file_create(s, err);
    }
    if (tt_agree_root(rc, err, s->comm) < 0)
        return -1;
    MPI_Bcast(s->dir, sizeof(s->dir), MPI_CHAR, 0, s->comm);
    for (int64_t i = 0; i < man->tensor_count; i++)
        s->tiles.offset[i] = man->tensor[i].offset;
    MPI_Bcast(s->tiles.offset, (int)man->tensor_count, MPI_INT64_T, 0, s->comm);
    for (int64_t i = 0; i < man->tensor_count; i++)
        man->tensor[i].offset = s->tiles.offset[i];
    return 0;
}

/* --- every rank: its runs; no MPI from here... ------------------------ */

static int runs_write(struct tt_ckpt_save *s, struct tt_error *err)
{
    if (s->rank != 0 && tt_ckpt_file_open(&s->file, s->dir, 1, err) < 0)
        return -1;
    for (int64_t i = 0; i < s->man.tensor_count; i++)
        if (tt_ckpt_run_write(&s->file, &s->man.tensor[i], s->run[i],
                              s->tiles.sum, err) < 0)
            return -1;
    if (fsync(s->file.fd) < 0)
        return tt_fail(err, TT_EIO, "%s: sync: %s", s->file.path,
                       strerror(errno));
    return 0;
}

/* Every rank but 0 is done with the file before it says so: rank 0 may have to
 * remove it. */
static void *part_write(void *arg)
{
    struct tt_ckpt_save *s = arg;

    s->rc = runs_write(s, &s->err);
    if (s->rank != 0 &&
        tt_ckpt_file_close(&s->file, s->rc < 0 ? NULL : &s->err) < 0)
        s->rc = -1;
    atomic_store(&s->written, true);
    return NULL;
}

/* --- ... to here; rank 0: the commit ---------------------------------- */

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

static int sums_write(struct tt_ckpt_save *s, struct tt_error *err)
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

static int manifest_write(struct tt_ckpt_save *s, struct tt_error *err)
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

static int save_commit(struct tt_ckpt_save *s, struct tt_error *err)
{
    for (int64_t i = 0; i < s->man.tensor_count; i++)
        if (tt_tiles_check(&s->tiles, &s->man, i, err) < 0)
            return -1;
    if (sums_write(s, err) < 0 || manifest_write(s, err) < 0 ||
        tt_ckpt_set_aside(s->root, s->man.step, err) < 0)
        return -1;
    return tt_ckpt_commit(s->dir, s->root, s->man.step, err);
}

/* --- all together ----------------------------------------------------- */

/* Collective: everything before the writing; NULL on all ranks on failure. */
static struct tt_ckpt_save *open_all(const char *root, int64_t step,
                                     const struct tt_ckpt_state *state,
                                     MPI_Comm comm, struct tt_error *err)
{
    struct tt_ckpt_save *s = save_create(comm, err);
    int rc = s ? save_init(s, root, step, state, err) : -1;

    rc = tt_agree(rc, err, comm);
    if (rc == 0)
        rc = tt_same(tt_tiles_hash(&s->man), "what is to be saved", err, comm);
    if (rc == 0)
        rc = file_create_all(s, err);
    if (rc == 0)
        return s;
    save_destroy(s);
    return NULL;
}

/* Collective: everything after the writing. */
static int close_all(struct tt_ckpt_save *s, struct tt_error *err)
{
    MPI_Comm comm = s->comm;
    int rc = s->rc;

    if (rc < 0)
        *err = s->err;
    rc = tt_agree(rc, err, comm);
    if (rc == 0) {
        tt_tiles_reduce(&s->tiles, comm);
        if (s->rank == 0)
            rc = save_commit(s, err);
        rc = tt_agree_root(rc, err, comm);
    }
    save_destroy(s);
    return rc;
}

int tt_ckpt_save_all(const char *root, int64_t step,
                     const struct tt_ckpt_state *state, MPI_Comm comm,
                     struct tt_error *err)
{
    struct tt_ckpt_save *s = open_all(root, step, state, comm, err);

    if (!s)
        return -1;
    part_write(s);
    return close_all(s, err);
}

/* Signals are for the thread that trains. */
static bool thread_start(struct tt_ckpt_save *s)
{
    sigset_t all, old;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    failed = pthread_create(&s->thread, NULL, part_write, s);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return !failed;
}

struct tt_ckpt_save *tt_ckpt_begin_all(const char *root, int64_t step,
                                       const struct tt_ckpt_state *state,
                                       MPI_Comm comm, struct tt_error *err)
{
    struct tt_ckpt_save *s = open_all(root, step, state, comm, err);

    if (!s)
        return NULL;
    if (tt_agree(runs_copy(s, err), err, comm) < 0) {
        save_destroy(s);
        return NULL;
    }
    s->threaded = thread_start(s);
    if (!s->threaded)
        part_write(s);
    return s;
}

bool tt_ckpt_is_written(const struct tt_ckpt_save *save)
{
    return atomic_load(&save->written);
}

int tt_ckpt_end_all(struct tt_ckpt_save *save, struct tt_error *err)
{
    if (save->threaded)
        pthread_join(save->thread, NULL);
    return close_all(save, err);
}
