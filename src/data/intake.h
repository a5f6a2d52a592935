/* SPDX-License-Identifier: BSD-3-Clause */
/* intake.h - what a converter offers: the samples of files by others, in file
 * order, from any sample on.  A token stream is a intake whose sample is one
 * token.
 *
 * A intake is opened on every rank.  Its files are then scanned, each by one
 * rank, which counts their samples; what the scans found (dictionaries, labels)
 * is told to all ranks.  After that every rank can read any range. */
#ifndef TT_DATA_INTAKE_H
#define TT_DATA_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <mpi.h>

#include "base/err.h"
#include "data/shard.h"
#include "io/path.h"

/* What the user said about the files. */
struct tt_intake_conf {
    const char *files;     /* pattern of the files */
    const char *labels;    /* pattern of the label files, or NULL */
    const char *x, *y;     /* datasets within HDF5 files; y may be NULL */
    const char *label;     /* CSV: label column, or NULL */
    const char *drop;      /* CSV: columns to leave out, by commas, or NULL */
    const char *channels;  /* last | first: of images in the files */
    const char *task;      /* auto | classify | regress */
    const char *header;    /* CSV: auto | yes | no */
    const char *missing;   /* mean | refuse */
    const char *separator; /* CSV: one character, or NULL: found out */
    const char *quotes;    /* CSV: auto, yes or no */
    const char *classes;   /* names of the classes, by commas, or NULL */
    int64_t skip;          /* CSV: lines to skip at the head of each file */
    int64_t one_hot;       /* CSV: most categories of a column */
    const struct tt_shard_index *like; /* follow these dictionaries, or NULL */
};

struct tt_intake;

struct tt_intake_ops {
    const char *name; /* "csv" */
    /* Local.  Look at the first file; fill intake->shape with kind, x and y as
     * far as they are known without a scan. */
    int (*open)(struct tt_intake *intake, struct tt_error *err);
    /* Local.  How many samples file number 'file' has, and whatever else is
     * wanted of it; what does not fit the first file is refused. */
    int (*scan)(struct tt_intake *intake, int64_t file, int64_t *sample_count,
                struct tt_error *err);
    /* Local.  What scans on this rank have found, a new reference, and its
     * use: 'all' is the list of what the ranks have found.  Every rank
     * gets the same list; the shape must be complete afterwards and must not
     * depend on who scanned what.  NULL where nothing is to be learnt. */
    json_t *(*found)(struct tt_intake *intake);
    int (*learn)(struct tt_intake *intake, const json_t *all,
                 struct tt_error *err);
    /* Local.  The next read starts with this sample of this file. */
    int (*seek)(struct tt_intake *intake, int64_t file, int64_t sample,
                struct tt_error *err);
    /* Local.  Read 'count' samples as shape.x and shape.y have them; they do
     * not run over the end of the file.  Missing numbers of float x are NaN. */
    int (*read)(struct tt_intake *intake, int64_t count, void *x, void *y,
                struct tt_error *err);
    void (*close)(struct tt_intake *intake);
};

struct tt_intake {
    const struct tt_intake_ops *ops;
    struct tt_intake_conf conf;
    struct tt_paths files, labels;
    int64_t *first;       /* first sample of each file, files.count + 1 */
    int64_t sample_count; /* in all */
    struct tt_shard_index *shape; /* no shards in it */
    bool *is_plain; /* per place of the last axis: not to be standardised; NULL:
                     * all are.  Heap, freed by tt_intake_close() */
    double scale, shift; /* of what the files hold: 1, 0 mostly */
    void *turn;  /* room for one sample where channels come first, or NULL */
    void *state; /* the converter's */
    int64_t highest;    /* class that scans of this rank have seen, or -1 */
    int64_t file, next; /* position: file, sample in all; -1: none yet */
};

extern const struct tt_intake_ops tt_intake_text, tt_intake_idx, tt_intake_csv,
    tt_intake_jsonl, tt_intake_npy, tt_intake_hdf5;

/* Collective over 'comm'.  Open, scan, learn. */
int tt_intake_open_all(struct tt_intake *intake,
                       const struct tt_intake_ops *ops,
                       const struct tt_intake_conf *conf, MPI_Comm comm,
                       struct tt_error *err);
void tt_intake_close(struct tt_intake *intake);

/* Local.  Samples first .. first+count-1 in all, across files.  In order is
 * fast; another order is right.  'y' is NULL where there are no labels. */
int tt_intake_read(struct tt_intake *intake, int64_t first, int64_t count,
                   void *x, void *y, struct tt_error *err);

/* tt_agree() that does not name the rank where there is only one. */
int tt_intake_agree(int rc, struct tt_error *err, MPI_Comm comm);

/* Local, for converters: decide what labels of that type and shape (of one
 * sample) become: i32 classes where they are single whole numbers and --task
 * does not say otherwise, else f32 values. */
int tt_intake_set_y(struct tt_intake *intake, enum tt_dtype dtype, int dims,
                    const int64_t *dim, const char *path, struct tt_error *err);

/* Local, for converters: take note of a label that is a class number, or fail
 * where it is none; 'sample' of 'path' has it. */
int tt_intake_note_class(struct tt_intake *intake, int64_t label,
                         const char *path, int64_t sample,
                         struct tt_error *err);

/* Local, for converters: a list "a,b,c" cut into heap strings. */
int tt_intake_cut_list(const char *text, char ***names, int64_t *count,
                       struct tt_error *err);

#endif
