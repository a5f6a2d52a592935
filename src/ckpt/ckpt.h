/* SPDX-License-Identifier: BSD-3-Clause */
/* ckpt.h - a list of named, split tensors and scalars <-> a step directory of
 * manifest.json and plain HDF5.  Knows no model and no optimizer: the caller
 * registers what is to be kept.  A checkpoint has no layout: each tensor is one
 * global dataset, and ranks own runs of its elements.
 * What one process does alone (prune, mark the best, read scalars) is in
 * ckpt/steps.h. */
#ifndef TT_CKPT_CKPT_H
#define TT_CKPT_CKPT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/dtype.h"
#include "base/err.h"
#include "ckpt/manifest.h"
#include "ckpt/steps.h"

/* One tensor.  This rank owns elements first .. first+count-1 of it (row-major;
 * count may be 0), which lie at 'data'.  Ranks' runs tile the tensor; who owns
 * what may differ between save and load. */
struct tt_ckpt_tensor {
    const char *name; /* dataset: "weights/h.0.ln_1.weight", "adamw/m/..." */
    enum tt_dtype dtype;
    int dims;
    int64_t dim[TT_CKPT_DIMS];
    int64_t first, count;
    void *data;
    bool whole; /* load: every rank gets all elements at 'data', whatever
                 * first and count say; the same on all ranks */
};

struct tt_ckpt_state {
    struct tt_ckpt_tensor
        *tensor; /* same list in the same order on all ranks */
    int64_t tensor_count;
    json_t *scalars; /* an object, rank 0's counts: counters, best so far, job
                      * text and hash, fingerprint */
};

/* Collective over 'comm'.  Save as root/step-%08lld by DESIGN's commit: unique
 * temporary beside the target, data, sync on every rank, agree, manifest,
 * rename, sync of the parent.  Any failure on any rank: -1 on all, nothing
 * left behind, older checkpoints untouched.  Replaces a step that exists. Newer
 * steps belong to a course that the run left (it went on from an older one):
 * they are set aside, so that neither pruning nor the next start takes them for
 * the newest. */
int tt_ckpt_save_all(const char *root, int64_t step,
                     const struct tt_ckpt_state *state, MPI_Comm comm,
                     struct tt_error *err);

/* The same in two halves, so that training goes on while data is written: the
 * first copies this rank's parts (so much more memory is needed in between)
 * and has a thread write them; the tensors, their names and the scalars may
 * change or go once it has returned.  NULL on all ranks on failure.  Several
 * saves must not be under way at a time. */
struct tt_ckpt_save;
struct tt_ckpt_save *tt_ckpt_begin_all(const char *root, int64_t step,
                                       const struct tt_ckpt_state *state,
                                       MPI_Comm comm, struct tt_error *err);

/* Local, at any time: this rank's part is written, or failed.  When it is so on
 * all ranks tt_ckpt_end_all() waits for nobody. */
bool tt_ckpt_is_written(const struct tt_ckpt_save *save);

/* Collective: wait for what is left and commit.  Only then is it saved.
 * 'save' is gone, also on failure. */
int tt_ckpt_end_all(struct tt_ckpt_save *save, struct tt_error *err);

/* Collective.  Load 'path' (a step directory) into the tensors' own parts,
 * verifying every block of every tensor that is asked for; the checkpoint may
 * hold more.  *scalars (where not NULL) is a new reference on every rank.  On
 * failure the tensors' contents are undefined. */
int tt_ckpt_load_all(const char *path, const struct tt_ckpt_state *state,
                     json_t **scalars, MPI_Comm comm, struct tt_error *err);

/* Collective.  The whole of a step directory against its hashes, its blocks
 * dealt to the ranks. */
int tt_ckpt_verify_all(const char *path, MPI_Comm comm, struct tt_error *err);

/* Collective.  Newest step in root whose manifest is complete and whose data
 * verifies against it; damaged ones are passed over, each named in one warning
 * through 'warn' on rank 0.  *step -1 and 0 returned where there is none. */
int tt_ckpt_newest_all(const char *root, void (*warn)(const char *text),
                       int64_t *step, MPI_Comm comm, struct tt_error *err);

#endif
