/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c - read a checkpoint, all ranks together, whoever wrote it.
 *
 * Rank 0 reads manifest and block hashes and tells them; every rank reads its
 * runs with pread at the manifest's offsets.  A tensor that all ranks want
 * whole is read once, a share by each, and passed on.  What the ranks' shares
 * of every block add up to must be what the manifest says. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckpt/blocks.h"
#include "ckpt/ckpt.h"
#include "ckpt/tiles.h"
#include "comm/agree.h"
#include "layout/block.h"

/* A whole tensor is passed on in segments, of which each rank reads a share, so
 * that counts fit MPI's int; a small one is read by a single rank. */
enum { SHARE_BYTES = 1 << 22, SEGMENT_BYTES = 1 << 30, SMALL_BYTES = 1 << 18 };

/* --- opening, collectively -------------------------------------------- */

struct load {
    MPI_Comm comm;
    int rank, size;
    struct tt_manifest man;
    struct tt_ckpt_file file;
    uint64_t *sums; /* as they must be */
};

/* Rank 0: the manifest as text. */
static int text_read(struct load *l, const char *path, char **text,
                     struct tt_error *err)
{
    if (tt_manifest_read(&l->man, path, text, err) < 0 ||
        tt_ckpt_file_open(&l->file, path, 0, err) < 0)
        return -1;
    l->sums = tt_ckpt_sums_read(&l->file, &l->man, err);
    if (!l->sums)
        return -1;
    return strlen(*text) < INT_MAX
               ? 0
               : tt_fail(err, TT_EINVAL, "%s: manifest too long", path);
}

/* The other ranks: room for what rank 0 sends, then what it means. */
static int rest_prepare(struct load *l, int64_t blocks, int64_t bytes,
                        char **text, struct tt_error *err)
{
    *text = calloc((size_t)bytes + 1, 1);
    l->sums = calloc((size_t)blocks + 1, sizeof(*l->sums));
    if (!*text || !l->sums)
        return tt_fail(err, TT_ENOMEM, "no memory for a manifest");
    return 0;
}

static int rest_open(struct load *l, const char *path, const char *text,
                     struct tt_error *err)
{
    if (tt_manifest_parse(&l->man, text, path, err) < 0)
        return -1;
    return tt_ckpt_file_open(&l->file, path, 0, err);
}

/* Collective: what rank 0 read reaches all. */
static int load_spread(struct load *l, const char *path, char **text,
                       struct tt_error *err)
{
    int64_t size[2] = {l->man.block_count, 0};
    int rc = 0;

    if (l->rank == 0)
        size[1] = (int64_t)strlen(*text);
    MPI_Bcast(size, 2, MPI_INT64_T, 0, l->comm);
    if (l->rank != 0)
        rc = rest_prepare(l, size[0], size[1], text, err);
    if (tt_agree(rc, err, l->comm) < 0)
        return -1;
    MPI_Bcast(*text, (int)size[1], MPI_CHAR, 0, l->comm);
    MPI_Bcast(l->sums, (int)size[0], MPI_UINT64_T, 0, l->comm);
    if (l->rank != 0)
        rc = rest_open(l, path, *text, err);
    return tt_agree(rc, err, l->comm);
}

static int load_open(struct load *l, const char *path, MPI_Comm comm,
                     struct tt_error *err)
{
    char *text = NULL;
    int rc = 0;

    *l = (struct load){.comm = comm, .file = {.fd = -1}};
    MPI_Comm_rank(comm, &l->rank);
    MPI_Comm_size(comm, &l->size);
    if (l->rank == 0)
        rc = text_read(l, path, &text, err);
    rc = tt_agree_root(rc, err, comm);
    if (rc == 0)
        rc = load_spread(l, path, &text, err);
    free(text);
    return rc;
}

static void load_close(struct load *l)
{
    tt_ckpt_file_close(&l->file, NULL);
    tt_manifest_clear(&l->man);
    free(l->sums);
}

/* --- tensors ---------------------------------------------------------- */

static void shape_format(char *out, size_t out_bytes, int dims,
                         const int64_t *dim)
{
    size_t at = 0;

    out[0] = '\0';
    for (int d = 0; d < dims && at < out_bytes; d++)
        at += (size_t)snprintf(out + at, out_bytes - at, "%s%" PRId64,
                               d ? " x " : "", dim[d]);
}

static int tensor_compare(const struct tt_manifest_tensor *have,
                          const struct tt_ckpt_tensor *want,
                          struct tt_error *err)
{
    char is[64], should[64];

    if (have->dtype != want->dtype)
        return tt_fail(err, TT_EINVAL, "%s is %s, not %s", want->name,
                       tt_dtype_name(have->dtype), tt_dtype_name(want->dtype));
    if (have->dims == want->dims &&
        memcmp(have->dim, want->dim,
               (size_t)have->dims * sizeof(have->dim[0])) == 0)
        return 0;
    shape_format(is, sizeof(is), have->dims, have->dim);
    shape_format(should, sizeof(should), want->dims, want->dim);
    return tt_fail(err, TT_EINVAL, "%s is %s, not %s", want->name, is, should);
}

/* Index in the manifest of each tensor that is asked for. */
static int64_t *match_create(const struct load *l, const char *path,
                             const struct tt_ckpt_state *state,
                             struct tt_error *err)
{
    int64_t *match = calloc((size_t)state->tensor_count + 1, sizeof(*match));
    int rc = match ? 0 : tt_fail(err, TT_ENOMEM, "no memory for an index");

    for (int64_t i = 0; i < state->tensor_count && rc == 0; i++) {
        const struct tt_ckpt_tensor *want = &state->tensor[i];
        const struct tt_manifest_tensor *have =
            tt_manifest_find(&l->man, want->name, i);

        if (have)
            rc = tensor_compare(have, want, err);
        else
            rc = tt_fail(err, TT_EINVAL, "%s is not in it", want->name);
        if (have && rc == 0)
            match[i] = have - l->man.tensor;
    }
    if (rc < 0) {
        tt_fail_in(err, "%s", path);
        free(match);
        return NULL;
    }
    return match;
}

/* --- data ------------------------------------------------------------- */

struct fill {
    const struct load *load;
    struct tt_tiles tiles;
    int *count, *shift; /* per rank, bytes */
    int rc;             /* the first failure here; collectives go on */
};

static int fill_init(struct fill *f, const struct load *l, struct tt_error *err)
{
    *f = (struct fill){.load = l};
    if (tt_tiles_init(&f->tiles, &l->man, err) < 0)
        return -1;
    f->count = calloc(2 * (size_t)l->size, sizeof(*f->count));
    if (!f->count)
        return tt_fail(err, TT_ENOMEM, "no memory for %d ranks", l->size);
    f->shift = f->count + l->size;
    return 0;
}

static void fill_clear(struct fill *f)
{
    tt_tiles_clear(&f->tiles);
    free(f->count);
}

static void run_fill(struct fill *f, int64_t i, struct tt_ckpt_run run,
                     struct tt_error *err)
{
    const struct load *l = f->load;

    if (f->rc < 0 || run.count == 0)
        return;
    f->rc = tt_tiles_add(&f->tiles, &l->man, i, run, err);
    if (f->rc == 0)
        f->rc = tt_ckpt_run_read(&l->file, &l->man.tensor[i], run, f->tiles.sum,
                                 err);
}

/* Collective: a segment to all ranks, each reading its share. */
static void segment_fill(struct fill *f, int64_t i, struct tt_ckpt_run run,
                         struct tt_error *err)
{
    const struct load *l = f->load;
    int64_t width = (int64_t)tt_dtype_bytes(l->man.tensor[i].dtype);
    struct tt_block mine = tt_block_of(run.count, l->size, l->rank);
    char *data = run.data;

    for (int r = 0; r < l->size; r++) {
        struct tt_block b = tt_block_of(run.count, l->size, r);

        f->count[r] = (int)(b.count * width);
        f->shift[r] = (int)(b.first * width);
    }
    run_fill(f, i,
             (struct tt_ckpt_run){run.first + mine.first, mine.count,
                                  data + mine.first * width},
             err);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, f->count, f->shift,
                   MPI_BYTE, l->comm);
}

/* Collective: a small tensor, read by one rank. */
static void small_fill(struct fill *f, int64_t i, struct tt_ckpt_run run,
                       struct tt_error *err)
{
    const struct load *l = f->load;
    int root = (int)(i % l->size);
    size_t bytes = (size_t)run.count * tt_dtype_bytes(l->man.tensor[i].dtype);

    if (l->rank == root)
        run_fill(f, i, run, err);
    MPI_Bcast(run.data, (int)bytes, MPI_BYTE, root, l->comm);
}

/* Collective: all of a tensor to all ranks. */
static void whole_fill(struct fill *f, int64_t i, void *data,
                       struct tt_error *err)
{
    const struct tt_manifest_tensor *t = &f->load->man.tensor[i];
    int64_t width = (int64_t)tt_dtype_bytes(t->dtype);
    int64_t bytes = (int64_t)f->load->size * SHARE_BYTES;
    int64_t step = (bytes < SEGMENT_BYTES ? bytes : SEGMENT_BYTES) / width;
    struct tt_ckpt_run run = {0, t->elem_count, data};

    if (t->elem_count * width <= SMALL_BYTES) {
        small_fill(f, i, run, err);
        return;
    }
    for (int64_t at = 0; at < t->elem_count; at += step) {
        run.first = at;
        run.count = t->elem_count - at < step ? t->elem_count - at : step;
        run.data = (char *)data + at * width;
        segment_fill(f, i, run, err);
    }
}

/* After the reduction, so the same verdict on all ranks. */
static int fill_check(const struct fill *f, const int64_t *match, int64_t count,
                      struct tt_error *err)
{
    const struct load *l = f->load;

    for (int64_t i = 0; i < count; i++)
        if (tt_tiles_check(&f->tiles, &l->man, match[i], err) < 0 ||
            tt_ckpt_sums_check(&l->file, &l->man.tensor[match[i]], f->tiles.sum,
                               l->sums, err) < 0)
            return -1;
    return 0;
}

static int tensors_fill(struct fill *f, const int64_t *match,
                        const struct tt_ckpt_state *state, struct tt_error *err)
{
    for (int64_t i = 0; i < state->tensor_count; i++) {
        const struct tt_ckpt_tensor *t = &state->tensor[i];

        if (t->whole)
            whole_fill(f, match[i], t->data, err);
        else
            run_fill(f, match[i],
                     (struct tt_ckpt_run){t->first, t->count, t->data}, err);
    }
    if (tt_agree(f->rc, err, f->load->comm) < 0)
        return -1;
    tt_tiles_reduce(&f->tiles, f->load->comm);
    return fill_check(f, match, state->tensor_count, err);
}

static int load_run(struct load *l, const char *path,
                    const struct tt_ckpt_state *state, struct tt_error *err)
{
    struct fill f = {0};
    int64_t *match = match_create(l, path, state, err);
    int rc = match ? fill_init(&f, l, err) : -1;

    rc = tt_agree(rc, err, l->comm);
    if (rc == 0)
        rc = tensors_fill(&f, match, state, err);
    fill_clear(&f);
    free(match);
    return rc;
}

int tt_ckpt_load_all(const char *path, const struct tt_ckpt_state *state,
                     json_t **scalars, MPI_Comm comm, struct tt_error *err)
{
    struct load l;
    int rc = load_open(&l, path, comm, err);

    if (rc == 0)
        rc = load_run(&l, path, state, err);
    if (rc == 0 && scalars)
        *scalars = json_incref(l.man.scalars);
    load_close(&l);
    return rc;
}

/* --- verifying -------------------------------------------------------- */

int tt_ckpt_verify_all(const char *path, MPI_Comm comm, struct tt_error *err)
{
    struct load l;
    int rc = load_open(&l, path, comm, err);

    if (rc == 0) {
        struct tt_block b = tt_block_of(l.man.block_count, l.size, l.rank);

        rc = tt_ckpt_blocks_verify(&l.file, &l.man, l.sums, b.first, b.count,
                                   err);
        rc = tt_agree(rc, err, comm);
    }
    load_close(&l);
    return rc;
}

/* Collective: rank 0 looks, all learn what it found; -1 on all on failure. */
static int64_t steps_spread(const char *root, int64_t **step, MPI_Comm comm,
                            struct tt_error *err)
{
    int64_t count = 0;
    int rank, rc = 0;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        tt_ckpt_recover(root, NULL); /* as far as we may write here */
        count = tt_ckpt_steps_list(root, step, err);
        rc = count < 0 ? -1 : 0;
    }
    MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm);
    if (rank != 0 && count > 0) {
        *step = calloc((size_t)count, sizeof(**step));
        rc = *step ? 0 : tt_fail(err, TT_ENOMEM, "no memory for steps");
    }
    if (tt_agree(rc, err, comm) < 0)
        return -1;
    MPI_Bcast(*step, (int)count, MPI_INT64_T, 0, comm);
    return count;
}

static void damage_warn(void (*warn)(const char *), const char *path,
                        const struct tt_error *err, MPI_Comm comm)
{
    char text[TT_CKPT_PATH + 300];
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (rank != 0 || !warn)
        return;
    snprintf(text, sizeof(text), "%s is passed over: %s", path, err->text);
    warn(text);
}

int tt_ckpt_newest_all(const char *root, void (*warn)(const char *text),
                       int64_t *step, MPI_Comm comm, struct tt_error *err)
{
    int64_t *list = NULL;
    int64_t count = steps_spread(root, &list, comm, err);
    struct tt_error why = {0};
    char path[TT_CKPT_PATH];
    int rc = count < 0 ? -1 : 0;

    *step = -1;
    for (int64_t i = count - 1; i >= 0 && *step < 0 && rc == 0; i--) {
        rc = tt_ckpt_step_path(path, root, list[i], err);
        if (rc == 0 && tt_ckpt_verify_all(path, comm, &why) == 0)
            *step = list[i];
        else if (rc == 0)
            damage_warn(warn, path, &why, comm);
    }
    free(list);
    return rc;
}
