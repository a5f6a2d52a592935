/* SPDX-License-Identifier: BSD-3-Clause */
/* open_packed.c - a folder packed by tutti-shard. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "data/open.h"
#include "data/shard.h"

/* The offsets of the index hold as long as the size is right. */
static int check_size(const char *path, const struct tt_shard *shard,
                      struct tt_error *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return tt_fail(err, TT_EIO,
                       "%s: %s: a shard of the set is missing: copy it again, "
                       "or run tutti-shard again",
                       path, strerror(errno));
    if (st.st_size != shard->bytes)
        return tt_fail(err, TT_EFORMAT,
                       "%s: %" PRId64 " bytes instead of %" PRId64
                       ": truncated or changed: copy it again, or run "
                       "tutti-shard again",
                       path, (int64_t)st.st_size, shard->bytes);
    return 0;
}

static int add_shard(struct tt_store *store, const char *dir,
                     const struct tt_shard *shard, struct tt_error *err)
{
    struct tt_part part = {
        .count = shard->sample_count,
        .offset = {shard->x_offset, shard->y_offset},
    };
    char path[4096];

    if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, shard->file) >=
        sizeof(path))
        return tt_fail(err, TT_EINVAL, "%.200s: the path is too long", dir);
    if (check_size(path, shard, err) < 0)
        return -1;
    return tt_store_add(store, path, &part, err);
}

static int describe_field(struct tt_store *store, int c, const char *dataset,
                          const struct tt_shard_field *field,
                          struct tt_error *err)
{
    struct tt_column *col = &store->head.col[c];

    if (field->values == 0)
        return 0;
    col->values = field->values;
    col->stored = field->dtype;
    col->dataset = tt_store_name(store, dataset, err);
    if (col->dataset < 0)
        return -1;
    if (col->out == TT_I32 || field->scale_count == 0)
        return 0;
    return tt_store_scale(store, c, field->scale_count, field->scale,
                          field->shift, err);
}

static void describe_shape(struct tt_set_info *info,
                           const struct tt_shard_field *x)
{
    info->x_dims = x->dims > 0 ? x->dims : 1;
    info->x_dim[0] = 1;
    for (int i = 0; i < x->dims; i++)
        info->x_dim[i] = x->dim[i];
}

static int describe(struct tt_store *store, const struct tt_shard_index *index,
                    struct tt_error *err)
{
    struct tt_store_head *head = &store->head;
    struct tt_set_info *info = &head->info;
    bool tokens = index->kind == TT_SHARD_TOKENS;

    info->kind = tokens ? TT_SET_TOKENS : TT_SET_ROWS;
    info->classes = index->class_count;
    info->y_is_class = index->class_count > 0;
    info->y_values = index->y.values;
    info->hash = index->text_hash;
    describe_shape(info, &index->x);
    head->col[TT_COL_X].out = tokens ? TT_I32 : TT_F32;
    head->col[TT_COL_Y].out = info->y_is_class ? TT_I32 : TT_F32;
    if (describe_field(store, TT_COL_X, tokens ? "/tokens" : "/x", &index->x,
                       err) < 0)
        return -1;
    return tokens ? 0 : describe_field(store, TT_COL_Y, "/y", &index->y, err);
}

int tt_open_packed(struct tt_store *store, const char *dir,
                   struct tt_error *err)
{
    struct tt_shard_index *index = tt_shard_index_read(dir, err);
    int rc;

    if (!index)
        return -1;
    rc = describe(store, index, err);
    for (int64_t i = 0; i < index->shard_count && rc == 0; i++)
        rc = add_shard(store, dir, &index->shard[i], err);
    tt_shard_index_destroy(index);
    return rc;
}
