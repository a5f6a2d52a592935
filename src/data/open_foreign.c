/* SPDX-License-Identifier: BSD-3-Clause */
/* open_foreign.c - HDF5 files by others, read as they are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "data/column.h"
#include "data/keys.h"
#include "data/open.h"
#include "data/source.h"
#include "io/h5.h"
#include "io/path.h"

/* What the map asks for. */
struct ask {
    const struct tt_node *map, *files;
    const char *x, *y; /* datasets; y NULL for tokens */
    bool tokens;
    int64_t classes;    /* 0: to be found */
    const char *target; /* class | value | NULL: by the type */
    bool has_scale;
    double scale, shift;
    const char *channels; /* first | last | NULL */
};

static int parse_scale(struct ask *ask, struct tt_error *err)
{
    ask->has_scale =
        tt_node_find(ask->map, "scale") || tt_node_find(ask->map, "shift");
    ask->scale = 1;
    if (tt_key_f64(ask->map, "scale", &ask->scale, err) < 0)
        return -1;
    return tt_key_f64(ask->map, "shift", &ask->shift, err);
}

static int parse_names(struct ask *ask, struct tt_error *err)
{
    ask->tokens = tt_node_find(ask->map, "tokens") != NULL;
    if (tt_key_text(ask->map, "x", &ask->x, err) < 0 ||
        tt_key_text(ask->map, "tokens", &ask->x, err) < 0 ||
        tt_key_text(ask->map, "y", &ask->y, err) < 0 ||
        tt_key_text(ask->map, "target", &ask->target, err) < 0)
        return -1;
    if (ask->tokens && (tt_node_find(ask->map, "x") || ask->y))
        return tt_node_fail(ask->map, err,
                            "'tokens' is a stream of ids, 'x' and 'y' are "
                            "datasets of samples: give one of both");
    if (!ask->tokens && (!ask->x || !ask->y))
        return tt_node_fail(ask->map, err,
                            "name the datasets: x: /images, y: /labels; or "
                            "tokens: /ids");
    if (ask->target && strcmp(ask->target, "class") != 0 &&
        strcmp(ask->target, "value") != 0)
        return tt_node_fail(tt_node_find(ask->map, "target"), err,
                            "target: one of class, value");
    return 0;
}

static int parse(const struct tt_node *map, struct ask *ask,
                 struct tt_error *err)
{
    static const char *const known[] = {"files", "x",        "y",      "tokens",
                                        "vocab", "classes",  "target", "scale",
                                        "shift", "channels", NULL};

    *ask = (struct ask){.map = map, .files = tt_node_find(map, "files")};
    if (tt_keys_known(map, known, err) < 0 || parse_names(ask, err) < 0 ||
        parse_scale(ask, err) < 0 ||
        tt_key_text(map, "channels", &ask->channels, err) < 0)
        return -1;
    if (ask->channels && strcmp(ask->channels, "first") != 0 &&
        strcmp(ask->channels, "last") != 0)
        return tt_node_fail(tt_node_find(map, "channels"), err,
                            "channels: one of first, last");
    return tt_key_i64(map, ask->tokens ? "vocab" : "classes", 1, 1 << 24,
                      &ask->classes, err);
}

static bool is_integer(int dtype)
{
    return dtype >= TT_I8;
}

static int64_t row_values(const struct tt_h5_info *h5)
{
    int64_t values = 1;

    for (int i = 1; i < h5->dims; i++)
        values *= h5->dim[i];
    return values;
}

/* Axes beyond the fourth are folded into it. */
static void take_shape(struct tt_set_info *info, const struct tt_h5_info *h5)
{
    info->x_dims = 1;
    info->x_dim[0] = 1;
    for (int i = 1; i < h5->dims; i++) {
        if (i > TT_SET_DIMS) {
            info->x_dim[TT_SET_DIMS - 1] *= h5->dim[i];
            continue;
        }
        info->x_dims = i;
        info->x_dim[i - 1] = h5->dim[i];
    }
}

static int check_rows(const char *path, const char *dataset,
                      const struct tt_h5_info *h5, struct tt_error *err)
{
    if (h5->dims < 1)
        return tt_fail(err, TT_EFORMAT,
                       "%.120s: %.60s is one number: its first axis has to be "
                       "the sample",
                       path, dataset);
    if (row_values(h5) < 1)
        return tt_fail(err, TT_EFORMAT,
                       "%.120s: %.60s: an axis of a sample has no elements",
                       path, dataset);
    return 0;
}

/* Scales: the map's, else the file's own, else 1/255 for pixels. */
static int take_scale(struct tt_store *store, int c, const struct ask *ask,
                      const struct tt_h5_info *h5, struct tt_error *err)
{
    double scale = h5->scale, shift = h5->shift;

    if (store->head.col[c].out == TT_I32)
        return 0;
    if (c == TT_COL_X && h5->dtype == TT_U8 && scale == 1 && shift == 0)
        scale = 1.0 / 255;
    if (c == TT_COL_X && ask->has_scale) {
        scale = ask->scale;
        shift = ask->shift;
    }
    if (scale == 1 && shift == 0)
        return 0;
    return tt_store_scale(store, c, 1, &scale, &shift, err);
}

/* The first file says what the others have to be. */
static int take_column(struct tt_store *store, int c, const struct ask *ask,
                       const struct tt_h5_info *h5, struct tt_error *err)
{
    struct tt_column *col = &store->head.col[c];

    col->values = row_values(h5);
    col->stored = h5->dtype;
    col->dataset = tt_store_name(store, c == TT_COL_X ? ask->x : ask->y, err);
    if (col->dataset < 0)
        return -1;
    return take_scale(store, c, ask, h5, err);
}

static int take_y(struct tt_store *store, const struct ask *ask,
                  const struct tt_h5_info *y, const char *path,
                  struct tt_error *err)
{
    struct tt_set_info *info = &store->head.info;

    info->y_values = row_values(y);
    info->y_is_class =
        ask->target
            ? strcmp(ask->target, "class") == 0
            : (is_integer(y->dtype) || ask->classes > 0) && info->y_values == 1;
    if (info->y_is_class && info->y_values != 1)
        return tt_fail(err, TT_EFORMAT,
                       "%.120s: %.60s has %" PRId64
                       " numbers a sample: a class is one; ask for 'target: "
                       "value'",
                       path, ask->y, info->y_values);
    store->head.col[TT_COL_Y].out = info->y_is_class ? TT_I32 : TT_F32;
    return take_column(store, TT_COL_Y, ask, y, err);
}

/* (C, H, W) as (H, W, C). */
static void turn_dims(int64_t *dim)
{
    int64_t channels = dim[0];

    dim[0] = dim[1];
    dim[1] = dim[2];
    dim[2] = channels;
}

/* Models take images as (H, W, C). */
static int take_channels(struct tt_store *store, const struct ask *ask,
                         const char *path, struct tt_error *err)
{
    struct tt_set_info *info = &store->head.info;
    int64_t *dim = info->x_dim;
    bool first = ask->channels && strcmp(ask->channels, "first") == 0;

    if (first && info->x_dims != 3)
        return tt_fail(err, TT_EFORMAT,
                       "%.120s: %.60s: 'channels: first' is for images of "
                       "three axes, but a sample has %d",
                       path, ask->x, info->x_dims);
    if (!ask->channels && info->x_dims == 3 && dim[0] <= 4 && dim[2] > 4)
        tt_log_warn("%s: samples of %s look like images whose channels come "
                    "first: 'channels: first' turns them, 'channels: last' "
                    "takes them as they are",
                    path, ask->x);
    if (!first)
        return 0;
    store->head.col[TT_COL_X].channels = dim[0];
    turn_dims(dim);
    return 0;
}

static int take_first(struct tt_store *store, const struct ask *ask,
                      const struct tt_h5_info h5[], const char *path,
                      struct tt_error *err)
{
    struct tt_store_head *head = &store->head;

    head->info.kind = ask->tokens ? TT_SET_TOKENS : TT_SET_ROWS;
    take_shape(&head->info, &h5[TT_COL_X]);
    head->col[TT_COL_X].out = ask->tokens ? TT_I32 : TT_F32;
    if (ask->tokens && (h5->dims != 1 || !is_integer(h5->dtype)))
        return tt_fail(err, TT_EFORMAT,
                       "%.120s: %.60s: a stream of tokens is one axis of "
                       "integers",
                       path, ask->x);
    if (take_column(store, TT_COL_X, ask, &h5[TT_COL_X], err) < 0 ||
        take_channels(store, ask, path, err) < 0)
        return -1;
    return ask->tokens ? 0 : take_y(store, ask, &h5[TT_COL_Y], path, err);
}

static int fail_differs(const struct tt_store *store, const char *path,
                        const char *dataset, const char *what,
                        struct tt_error *err)
{
    return tt_fail(err, TT_EFORMAT,
                   "%.80s: %.40s: its %s differs from that in %.80s: files of "
                   "one set have to agree",
                   path, dataset, what,
                   tt_store_text(store, store->part[0].path));
}

static bool same_shape(const struct tt_store *store,
                       const struct tt_h5_info *h5)
{
    const struct tt_set_info *info = &store->head.info;
    struct tt_set_info own = {0};

    take_shape(&own, h5);
    if (store->head.col[TT_COL_X].channels > 0 && own.x_dims == 3)
        turn_dims(own.x_dim);
    return own.x_dims == info->x_dims &&
           memcmp(own.x_dim, info->x_dim,
                  (size_t)own.x_dims * sizeof(own.x_dim[0])) == 0;
}

static int check_same(const struct tt_store *store, int c, const char *path,
                      const struct ask *ask, const struct tt_h5_info *h5,
                      struct tt_error *err)
{
    const struct tt_column *col = &store->head.col[c];
    const char *dataset = c == TT_COL_X ? ask->x : ask->y;
    bool own_scale = col->scale_count == 1 &&
                     !(c == TT_COL_X && (ask->has_scale || h5->dtype == TT_U8));

    if (row_values(h5) != col->values ||
        (c == TT_COL_X && !same_shape(store, h5)))
        return fail_differs(store, path, dataset, "shape of a sample", err);
    if ((int)h5->dtype != col->stored)
        return fail_differs(store, path, dataset, "type of numbers", err);
    if ((own_scale && (h5->scale != store->numbers[col->scale_at] ||
                       h5->shift != store->numbers[col->scale_at + 1])) ||
        (col->scale_count == 0 && (h5->scale != 1 || h5->shift != 0) &&
         col->out == TT_F32 && !ask->has_scale))
        return fail_differs(store, path, dataset, "scale_factor or add_offset",
                            err);
    return 0;
}

static int add_part(struct tt_store *store, const struct ask *ask,
                    const char *path, const struct tt_h5_info h5[],
                    struct tt_error *err)
{
    struct tt_part part = {.count = h5[TT_COL_X].dim[0]};
    int cols = ask->tokens ? 1 : TT_COLS;

    for (int c = 0; c < cols; c++) {
        struct tt_column *col = &store->head.col[c];

        if (store->head.part_count > 0 &&
            check_same(store, c, path, ask, &h5[c], err) < 0)
            return -1;
        part.offset[c] = h5[c].plain ? h5[c].offset : -1;
        if (h5[c].chunk[0] > col->chunk_rows)
            col->chunk_rows = h5[c].chunk[0];
    }
    if (cols > 1 && h5[TT_COL_Y].dim[0] != part.count)
        return tt_fail(err, TT_EFORMAT,
                       "%.120s: %.40s has %" PRId64 " rows, but %.40s has "
                       "%" PRId64 ": both need one for each sample",
                       path, ask->x, part.count, ask->y, h5[TT_COL_Y].dim[0]);
    if (part.count == 0)
        return 0;
    return tt_store_add(store, path, &part, err);
}

/* What a resume compares: shapes, types and rows, but no place on disk. */
static void mix_hash(struct tt_store *store, const struct ask *ask,
                     const struct tt_h5_info h5[])
{
    for (int c = 0; c < (ask->tokens ? 1 : TT_COLS); c++) {
        struct tt_h5_info plain = {0};
        uint64_t *hash = &store->head.info.hash;

        plain.dims = h5[c].dims;
        memcpy(plain.dim, h5[c].dim, sizeof(plain.dim));
        plain.dtype = h5[c].dtype;
        *hash = tt_hash(&plain.dims, sizeof(plain.dims), *hash);
        *hash = tt_hash(plain.dim, sizeof(plain.dim), *hash);
        *hash = tt_hash(&plain.dtype, sizeof(plain.dtype), *hash);
    }
}

/* And how the numbers come out. */
static void mix_forms(struct tt_store *store)
{
    uint64_t *hash = &store->head.info.hash;
    const struct tt_column *col = store->head.col;

    *hash = tt_hash(store->numbers,
                    (size_t)store->head.number_count * sizeof(double), *hash);
    *hash = tt_hash(&col[TT_COL_X].channels, sizeof(col->channels), *hash);
    *hash = tt_hash(&col[TT_COL_Y].out, sizeof(col->out), *hash);
}

static int add_file(struct tt_store *store, const struct ask *ask,
                    const char *path, struct tt_error *err)
{
    struct tt_h5_info h5[TT_COLS];
    hid_t file = tt_h5_open(path, err);
    int rc = -1;

    if (file < 0)
        return -1;
    if (tt_h5_info(file, path, ask->x, &h5[TT_COL_X], err) < 0 ||
        check_rows(path, ask->x, &h5[TT_COL_X], err) < 0)
        goto out;
    if (!ask->tokens &&
        (tt_h5_info(file, path, ask->y, &h5[TT_COL_Y], err) < 0 ||
         check_rows(path, ask->y, &h5[TT_COL_Y], err) < 0))
        goto out;
    if (store->head.part_count == 0 &&
        take_first(store, ask, h5, path, err) < 0)
        goto out;
    mix_hash(store, ask, h5);
    rc = add_part(store, ask, path, h5, err);
out:
    H5Fclose(file);
    return rc;
}

static int add_pattern(struct tt_store *store, const struct ask *ask,
                       const struct tt_node *pattern, struct tt_error *err)
{
    struct tt_paths paths = {0};
    struct tt_error why = {0};
    int rc = 0;

    if (pattern->kind != TT_NODE_SCALAR)
        return tt_node_fail(pattern, err, "files: a path or a pattern");
    if (tt_paths_find(pattern->text, ".h5", &paths, &why) < 0)
        return tt_node_fail(pattern, err, "files: %.200s", why.text);
    for (int64_t i = 0; i < paths.count && rc == 0; i++)
        rc = add_file(store, ask, paths.at[i], err);
    tt_paths_free(&paths);
    return rc;
}

static int add_files(struct tt_store *store, const struct ask *ask,
                     struct tt_error *err)
{
    if (ask->files->kind != TT_NODE_LIST)
        return add_pattern(store, ask, ask->files, err);
    for (int i = 0; i < tt_node_count(ask->files); i++)
        if (add_pattern(store, ask, tt_node_at(ask->files, i), err) < 0)
            return -1;
    return 0;
}

/* The largest label or token of the whole store: one scan on one rank.  What
 * is below 0 is left to the fetch, which knows the label to be ignored. */
static int scan(struct tt_store *store, int c, int64_t *most,
                struct tt_error *err)
{
    enum { PIECE = 1 << 16 };
    struct tt_source *source = tt_source_create(store, err);
    const struct tt_column whole = store->head.col[c];
    static int32_t id[PIECE];
    int rc = source ? 0 : -1;

    store->head.col[c].kept = TT_I32;
    for (int64_t at = 0; at < store->head.row_count && rc == 0; at += PIECE) {
        int64_t left = store->head.row_count - at;
        int64_t some = left < PIECE ? left : PIECE;

        rc = tt_source_read(source, c, at, some, id, err);
        for (int64_t i = 0; i < some && rc == 0; i++)
            *most = id[i] > *most ? id[i] : *most;
    }
    tt_source_destroy(source);
    store->head.col[c] = whole;
    return rc;
}

static int find_classes(struct tt_store *store, const struct ask *ask,
                        struct tt_error *err)
{
    struct tt_set_info *info = &store->head.info;
    int64_t most = 0;

    if (!ask->tokens && !info->y_is_class)
        return 0;
    info->classes = ask->classes;
    if (ask->tokens && info->classes == 0 &&
        store->head.col[TT_COL_X].stored == TT_U8)
        info->classes = 256;
    if (info->classes > 0)
        return 0;
    if (scan(store, ask->tokens ? TT_COL_X : TT_COL_Y, &most, err) < 0)
        return -1;
    if (most >= 1 << 24)
        return tt_node_fail(ask->map, err,
                            "%s holds %" PRId64
                            ": that is no class; if it is a measured number, "
                            "ask for 'target: value'",
                            ask->tokens ? ask->x : ask->y, most);
    info->classes = most + 1;
    return 0;
}

int tt_open_foreign(struct tt_store *store, const struct tt_node *map,
                    struct tt_error *err)
{
    struct ask ask;

    if (parse(map, &ask, err) < 0 || add_files(store, &ask, err) < 0)
        return -1;
    if (store->head.part_count == 0)
        return tt_node_fail(map, err, "the files hold no rows");
    mix_forms(store);
    return find_classes(store, &ask, err);
}
