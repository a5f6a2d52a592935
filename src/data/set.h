/* SPDX-License-Identifier: BSD-3-Clause */
/* set.h - a set of samples: shards of our own, HDF5 files by others, a part of
 * either, or synthetic.  Opening looks at everything that can be wrong and
 * reads no samples. */
#ifndef TT_DATA_SET_H
#define TT_DATA_SET_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/doc.h"
#include "base/err.h"
#include "config/job.h"

enum tt_set_kind {
    TT_SET_ROWS,  /* x of x_dim[] f32 per sample, y a label or f32 values */
    TT_SET_TOKENS /* one stream of token ids; a sample is context + 1 of them,
                   * x the first context, y the last context */
};

enum { TT_SET_DIMS = 4 };

struct tt_set_info {
    int kind; /* enum tt_set_kind */
    int64_t sample_count;
    int x_dims;
    int64_t x_dim[TT_SET_DIMS]; /* of one sample; images (H, W, C) */
    int64_t x_values;           /* their product; tokens: context */
    bool y_is_class;            /* y is i32 labels, else f32 */
    int64_t y_values;           /* per sample: 1 label, k values, context ids */
    int64_t classes;            /* of labels; tokens: vocabulary; else 0 */
    int64_t sample_bytes;       /* in the files */
    int64_t chunk_samples;      /* of one chunk of the files, which is decoded
                                 * whole; 1: any run is as good */
    uint64_t hash;              /* of the set's index: what a resume compares */
    int64_t token_count;        /* of the stream, 0 for rows */
};

struct tt_set;

/* Collective over 'comm': rank 0 looks at the files and tells the others.
 * 'what' is a value of data.train or data.valid: a path of our shards (a folder
 * with index.json), {synthetic: {...}} (data/synthetic.h), or HDF5 by others:
 *   files    a path or pattern, or a list of these; one set, in this order
 *   x, y     datasets whose first axis is the sample
 *   tokens   instead of these: a dataset of one axis, a stream of token ids
 *   classes  of integer labels (vocab: of tokens); else found by one scan
 *   target   class | value; else class where y is one integer a sample, or one
 *            number and 'classes' is given
 *   scale, shift  of x; else scale_factor and add_offset of the file, else
 *            1/255 where x is u8, else none
 *   channels last | first: where images of three axes have them; models take
 *            them last
 * 'context' is the sample length for token sets.  On failure one message, file
 * or dataset, cause, cure, on all ranks. */
struct tt_set *tt_set_open_all(const struct tt_node *what, int64_t context,
                               const struct tt_job_data *conf, MPI_Comm comm,
                               struct tt_error *err);
void tt_set_close(struct tt_set *set);
const struct tt_set_info *tt_set_info(const struct tt_set *set);

/* A label that stands for "no target" and is let through unchecked, such as
 * train.ignore-index; any other label outside the classes fails a fetch. */
void tt_set_ignore(struct tt_set *set, int64_t label);

/* io.hints for data.read: collective; before the loader is created.  The node
 * must outlive the set. */
void tt_set_hints(struct tt_set *set, const struct tt_node *hints);

/* Split 'set' by seed: 'held' becomes a share of its samples, drawn at random
 * and exact to one sample (token sets: to one run of up to 64 neighbours, which
 * stay together); 'set' keeps the others.  Both then count their own samples
 * from 0, in storage order.  Local; the same on all ranks. */
int tt_set_hold_out(struct tt_set *set, double share, uint64_t seed,
                    struct tt_set **held, struct tt_error *err);

/* The first of 'count' samples, x and y as a loader copied them, that holds a
 * number that is not finite, 'in_y' or in x; -1: none. */
int64_t tt_set_find_odd(const struct tt_set *set, int64_t count, const void *x,
                        const void *y, bool *in_y);

/* Fail, naming file and row: sample 'idx' of the set holds such a number. */
int tt_set_fail_odd(const struct tt_set *set, int64_t idx, bool in_y,
                    struct tt_error *err);

#endif
