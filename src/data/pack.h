/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h - pack files by others into shards: the story of tutti-shard. */
#ifndef TT_DATA_PACK_H
#define TT_DATA_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#include "base/err.h"
#include "base/opt.h"

struct tt_pack_conf {
    /* What is packed: one of these. */
    const char *text, *csv, *jsonl, *idx, *npy, *hdf5;
    /* More about it; see struct tt_intake_conf. */
    const char *labels, *x, *y, *label, *drop, *task, *header, *missing;
    const char *separator, *quotes, *classes, *channels, *tokenizer;
    int64_t skip, one_hot;
    /* Where to and how. */
    const char *out, *like, *split, *valid, *split_by;
    int64_t seed, shard_bytes;
    bool force, standardize;
    /* Instead of packing. */
    const char *describe, *show, *verify;
};

/* The options of tutti-shard, one section of struct tt_pack_conf. */
extern const struct tt_opt_section tt_pack_sections[];

/* Read the command line over the defaults; texts belong to 'doc'. */
int tt_pack_read(struct tt_pack_conf *conf, int argc, char **argv,
                 struct tt_doc *doc, struct tt_error *err);

/* Collective over 'comm'.  Describe, show or pack, as the flags say; what was
 * asked for goes to 'out', on rank 0. */
int tt_pack_run_all(const struct tt_pack_conf *conf, FILE *out, MPI_Comm comm,
                    struct tt_error *err);

/* --help, from the table. */
void tt_pack_help(FILE *out);

/* Collective over 'comm'.  Pack; the files are the same for any number of
 * ranks.  A run that was killed goes on where it was; a set that the same
 * command packed before is left as it is. */
int tt_pack_all(const struct tt_pack_conf *conf, MPI_Comm comm,
                struct tt_error *err);

#endif
