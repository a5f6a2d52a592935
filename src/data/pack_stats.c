/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_stats.c - statistics of the train part; scale and shift from them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/agree.h"
#include "data/pack_priv.h"
#include "data/values.h"
#include "layout/block.h"

enum { BATCH_BYTES = 4 << 20, SLOT_VALUES = 1 << 20 };

/* One set of numbers for each place of the last axis: a feature of a row, a
 * channel of an image; a plane of numbers has one. */
static int64_t slots_of(const struct tt_shard_field *x)
{
    return x->dims == 0 || x->dims == 2 ? 1 : x->dim[x->dims - 1];
}

static int64_t batch_samples(const struct tt_shard_index *shape,
                             int64_t slot_count)
{
    int64_t most = BATCH_BYTES / (tt_shard_field_bytes(&shape->x) +
                                  tt_shard_field_bytes(&shape->y));
    int64_t exact = SLOT_VALUES * slot_count / shape->x.values;

    most = most < exact ? most : exact;
    return most > 1 ? most : 1;
}

/* Add those samples of a batch that are of the train part. */
static void add_batch(struct tt_pack *pack, int64_t first, int64_t count,
                      const char *x)
{
    const struct tt_shard_field *f = &pack->intake.shape->x;
    int64_t at = 0, run, train = tt_split_train(&pack->split);

    while (at < count) {
        int part = tt_split_part(&pack->split, first + at, &run);

        run = run < count - at ? run : count - at;
        if (part == train)
            tt_stats_add(&pack->stats, f->dtype,
                         x + at * tt_shard_field_bytes(f), run * f->values);
        at += run;
    }
}

static int add_share(struct tt_pack *pack, struct tt_block share,
                     struct tt_error *err)
{
    struct tt_shard_index *shape = pack->intake.shape;
    int64_t batch = batch_samples(shape, pack->stats.slot_count);
    char *x = malloc((size_t)(batch * tt_shard_field_bytes(&shape->x)));
    char *y = malloc((size_t)(batch * tt_shard_field_bytes(&shape->y)) + 1);
    int rc = x && y ? 0 : tt_fail(err, TT_ENOMEM, "batch: out of memory");

    for (int64_t at = 0; rc == 0 && at < share.count; at += batch) {
        int64_t some = share.count - at < batch ? share.count - at : batch;

        rc = tt_intake_read(&pack->intake, share.first + at, some, x,
                            shape->y.values ? y : NULL, err);
        if (rc == 0)
            add_batch(pack, share.first + at, some, x);
    }
    free(y);
    free(x);
    return rc;
}

/* The name of the column that a place of x belongs to, for messages. */
static const char *column_of(const struct tt_shard_index *shape, int64_t slot)
{
    for (int64_t i = 0; i < shape->column_count; i++) {
        const struct tt_shard_column *c = &shape->column[i];

        if (slot >= c->first_value && slot < c->first_value + c->value_count)
            return c->name;
    }
    return NULL;
}

static int check_slot(const struct tt_pack *pack, int64_t slot,
                      struct tt_error *err)
{
    const struct tt_stats *s = &pack->stats;
    const char *column = column_of(pack->intake.shape, slot);
    const char *file = pack->intake.conf.files;
    char name[96];

    snprintf(name, sizeof(name), column ? "column %.80s" : "place %s%" PRId64,
             column ? column : "", slot);
    if (s->missing[slot] > 0 && strcmp(pack->conf->missing, "refuse") == 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: %s misses %" PRId64 " numbers: --missing=mean "
                       "puts the mean of the train part there",
                       file, name, s->missing[slot]);
    if (s->missing[slot] > 0 && s->count[slot] == 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: %s has no number at all: leave it out (--drop)",
                       file, name);
    if (isinf(s->low[slot]) != isinf(s->high[slot]) ||
        (s->count[slot] > 0 && isinf(s->low[slot])))
        return tt_fail(err, TT_EFORMAT, "%s: %s holds an infinity", file, name);
    return 0;
}

int tt_pack_stats_all(struct tt_pack *pack, struct tt_error *err)
{
    struct tt_shard_index *shape = pack->intake.shape;
    struct tt_block share =
        tt_block_of(pack->intake.sample_count, pack->size, pack->rank);
    int rc;

    if (shape->kind == TT_SHARD_TOKENS)
        return 0;
    rc = tt_stats_init(&pack->stats, slots_of(&shape->x), err);
    if (rc == 0)
        rc = add_share(pack, share, err);
    if (tt_intake_agree(rc, err, pack->comm) < 0)
        return -1;
    tt_stats_merge_all(&pack->stats, pack->comm);
    for (int64_t i = 0; i < pack->stats.slot_count && rc == 0; i++)
        rc = check_slot(pack, i, err);
    return tt_intake_agree(rc, err, pack->comm);
}

static int allocate(struct tt_shard_field *x, int64_t slots, int64_t scales,
                    struct tt_error *err)
{
    x->stat_count = slots;
    x->scale_count = scales;
    x->mean = calloc((size_t)slots + 1, sizeof(*x->mean));
    x->std = calloc((size_t)slots + 1, sizeof(*x->std));
    x->min = calloc((size_t)slots + 1, sizeof(*x->min));
    x->max = calloc((size_t)slots + 1, sizeof(*x->max));
    x->scale = calloc((size_t)scales + 1, sizeof(*x->scale));
    x->shift = calloc((size_t)scales + 1, sizeof(*x->shift));
    if (!x->mean || !x->std || !x->min || !x->max || !x->scale || !x->shift)
        return tt_fail(err, TT_ENOMEM, "statistics: out of memory");
    return 0;
}

static void copy_stats(struct tt_shard_field *x, const struct tt_stats *s)
{
    for (int64_t i = 0; i < x->stat_count; i++) {
        x->mean[i] = tt_stats_mean(s, i);
        x->std[i] = tt_stats_std(s, i);
        x->min[i] = s->low[i];
        x->max[i] = s->high[i];
    }
}

/* x = (raw - mean) / std; a place without spread only loses its mean. */
static void standardize(struct tt_shard_field *x,
                        const struct tt_intake *intake)
{
    double sign = intake->scale < 0 ? -1 : 1;

    for (int64_t i = 0; i < x->scale_count; i++) {
        x->scale[i] = sign / (x->std[i] > 0 ? x->std[i] : 1);
        x->shift[i] = -x->mean[i] * x->scale[i];
        if (intake->is_plain && intake->is_plain[i]) {
            x->scale[i] = 1;
            x->shift[i] = 0;
        }
    }
}

static int follow_like(struct tt_pack *pack, struct tt_error *err)
{
    const struct tt_shard_field *from = &pack->like->x;
    struct tt_shard_field *x = &pack->intake.shape->x;
    size_t slots = (size_t)from->stat_count;
    size_t scales = (size_t)from->scale_count;

    if (allocate(x, from->stat_count, from->scale_count, err) < 0)
        return -1;
    memcpy(x->mean, from->mean, slots * sizeof(*x->mean));
    memcpy(x->std, from->std, slots * sizeof(*x->std));
    memcpy(x->min, from->min, slots * sizeof(*x->min));
    memcpy(x->max, from->max, slots * sizeof(*x->max));
    if (scales > 0) {
        memcpy(x->scale, from->scale, scales * sizeof(*x->scale));
        memcpy(x->shift, from->shift, scales * sizeof(*x->shift));
    }
    return 0;
}

static int own_scale(struct tt_pack *pack, struct tt_error *err)
{
    struct tt_shard_field *x = &pack->intake.shape->x;
    const struct tt_intake *intake = &pack->intake;
    int64_t slots = pack->stats.slot_count;
    bool stretched = intake->scale != 1 || intake->shift != 0;

    if (pack->conf->standardize) {
        if (allocate(x, slots, slots, err) < 0)
            return -1;
        copy_stats(x, &pack->stats);
        standardize(x, intake);
        return 0;
    }
    if (allocate(x, slots, stretched || x->dtype == TT_U8, err) < 0)
        return -1;
    copy_stats(x, &pack->stats);
    x->scale[0] = x->dtype == TT_U8 && !stretched ? 1.0 / 255 : intake->scale;
    x->shift[0] = intake->shift;
    return 0;
}

int tt_pack_set_scale(struct tt_pack *pack, struct tt_error *err)
{
    struct tt_shard_index *shape = pack->intake.shape;

    if (shape->kind == TT_SHARD_TOKENS)
        return 0;
    if (pack->like)
        return follow_like(pack, err);
    return own_scale(pack, err);
}
