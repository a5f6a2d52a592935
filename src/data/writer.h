/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.h - write one unit: a range of a intake's samples, one shard file for
 * each part that it has samples of.  A file gets its name when it is complete
 * and on the disk, so a file that has its name may be relied on. */
#ifndef TT_DATA_WRITER_H
#define TT_DATA_WRITER_H

#include <stdint.h>

#include "base/err.h"
#include "data/intake.h"
#include "data/split.h"

struct tt_writer {
    struct tt_intake *intake;
    const struct tt_split *split;
    const char *out;    /* folder of the parts' folders */
    const double *fill; /* for NaN in float x, per place; NULL: leave it */
    int64_t fill_count;
    int64_t unit_samples; /* per unit, a multiple of the split's pieces */
};

/* A shard that is on the disk.  Plain data, goes through MPI as bytes. */
struct tt_written {
    int64_t unit, part;
    int64_t sample_count, bytes, x_offset, y_offset;
    uint64_t hash;
};

/* How many units there are. */
int64_t tt_writer_unit_count(const struct tt_writer *writer);

/* Local.  Write unit 'unit', or take what is there already from an earlier
 * run; fills one entry per part that has samples, *count of them. */
int tt_writer_unit(const struct tt_writer *writer, int64_t unit,
                   struct tt_written *written, int *count,
                   struct tt_error *err);

/* The folder of a part, and the name of a unit's shard in it. */
void tt_writer_part_dir(const char *out, const struct tt_split *split, int part,
                        char *path, size_t path_bytes);
void tt_writer_shard_name(int64_t unit, char *name, size_t name_bytes);

#endif
