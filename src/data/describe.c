/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.c - what is in a packed set. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "data/describe.h"
#include "data/shard.h"
#include "io/path.h"

enum { LABEL_BATCH = 65536, CLASSES_SHOWN = 50, PLACES_SHOWN = 40 };

static void print_shape(const struct tt_shard_field *f, FILE *out)
{
    fprintf(out, "%s", tt_dtype_name(f->dtype));
    for (int i = 0; i < f->dims; i++)
        fprintf(out, "%s%" PRId64, i ? " x " : " (", f->dim[i]);
    fputs(f->dims ? ")" : "", out);
}

static void print_head(const char *dir, const struct tt_shard_index *index,
                       FILE *out)
{
    bool tokens = index->kind == TT_SHARD_TOKENS;
    int64_t bytes = 0;
    char text[32];

    for (int64_t i = 0; i < index->shard_count; i++)
        bytes += index->shard[i].bytes;
    fprintf(out, "%s: %" PRId64 " %s in %" PRId64 " shard%s, %s\n", dir,
            index->sample_count, tokens ? "tokens" : "samples",
            index->shard_count, index->shard_count == 1 ? "" : "s",
            tt_bytes_format(bytes, text, sizeof(text)));
    if (tokens) {
        fprintf(out, "  tokens  ");
        print_shape(&index->x, out);
        fprintf(out, ", tokenizer %s, vocabulary %" PRId64 "\n",
                index->tokenizer ? index->tokenizer : "unknown",
                index->class_count);
        return;
    }
    fprintf(out, "  x  ");
    print_shape(&index->x, out);
    if (index->x.scale_count > 0)
        fprintf(out, "; models see x * scale + shift");
    fprintf(out, "\n  y  ");
    if (index->y.values == 0)
        fprintf(out, "none\n");
    else
        print_shape(&index->y, out);
    if (index->y.values > 0 && index->class_count > 0)
        fprintf(out, ", %" PRId64 " classes", index->class_count);
    if (index->y.values > 0)
        fprintf(out, "\n");
}

/* Labels of one shard into the counts. */
static int count_labels(const char *dir, const struct tt_shard_index *index,
                        const struct tt_shard *shard, int64_t *count,
                        struct tt_error *err)
{
    char path[PATH_MAX];
    int32_t label[LABEL_BATCH / 4];
    int fd = tt_shard_open(dir, shard, path, err), rc = fd < 0 ? -1 : 0;
    int64_t at = 0, some;

    for (; rc == 0 && at < shard->sample_count; at += some) {
        some = shard->sample_count - at;
        some = some < LABEL_BATCH / 4 ? some : LABEL_BATCH / 4;
        rc = tt_path_pread(fd, label, (size_t)some * 4,
                           shard->y_offset + at * 4, path, err);
        for (int64_t i = 0; rc == 0 && i < some; i++) {
            if (label[i] < 0 || label[i] >= index->class_count)
                rc = tt_fail(err, TT_EFORMAT,
                             "%s: label %d, but there are %" PRId64 " classes",
                             path, (int)label[i], index->class_count);
            else
                count[label[i]]++;
        }
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

static void print_classes(const struct tt_shard_index *index,
                          const int64_t *count, FILE *out)
{
    fprintf(out, "  %-24s %12s %8s\n", "class", "samples", "share");
    for (int64_t i = 0; i < index->class_count && i < CLASSES_SHOWN; i++)
        fprintf(out, "  %5" PRId64 " %-18.18s %12" PRId64 " %6.2f %%\n", i,
                index->class_name ? index->class_name[i] : "", count[i],
                100.0 * (double)count[i] / (double)index->sample_count);
    if (index->class_count > CLASSES_SHOWN)
        fprintf(out, "  ... %" PRId64 " classes more\n",
                index->class_count - CLASSES_SHOWN);
}

static int describe_classes(const char *dir, const struct tt_shard_index *index,
                            FILE *out, struct tt_error *err)
{
    int64_t *count;
    int rc = 0;

    if (index->class_count == 0 || index->y.dtype != TT_I32 ||
        index->y.values != 1)
        return 0;
    count = calloc((size_t)index->class_count, sizeof(*count));
    if (!count)
        return tt_fail(err, TT_ENOMEM, "%s: out of memory", dir);
    for (int64_t i = 0; i < index->shard_count && rc == 0; i++)
        rc = count_labels(dir, index, &index->shard[i], count, err);
    if (rc == 0)
        print_classes(index, count, out);
    free(count);
    return rc;
}

/* The column that a place of x belongs to, or NULL. */
static const struct tt_shard_column *
column_of(const struct tt_shard_index *index, int64_t place)
{
    for (int64_t i = 0; i < index->column_count; i++) {
        const struct tt_shard_column *c = &index->column[i];

        if (place >= c->first_value && place < c->first_value + c->value_count)
            return c;
    }
    return NULL;
}

static void name_place(const struct tt_shard_index *index, int64_t place,
                       char *name, size_t name_bytes)
{
    const struct tt_shard_column *c = column_of(index, place);

    if (!c)
        snprintf(name, name_bytes, "%" PRId64, place);
    else if (c->category_count > 0)
        snprintf(name, name_bytes, "%s=%s", c->name,
                 c->category[place - c->first_value]);
    else
        snprintf(name, name_bytes, "%s", c->name);
}

static void print_stats(const struct tt_shard_index *index, FILE *out)
{
    const struct tt_shard_field *x = &index->x;
    char name[64];

    if (x->stat_count == 0)
        return;
    fprintf(out, "  %-24s %12s %12s %12s %12s %8s\n", "x (train part)", "min",
            "max", "mean", "std", "missing");
    for (int64_t i = 0; i < x->stat_count && i < PLACES_SHOWN; i++) {
        const struct tt_shard_column *c = column_of(index, i);

        name_place(index, i, name, sizeof(name));
        fprintf(out, "  %-24.24s %12.6g %12.6g %12.6g %12.6g %8" PRId64 "\n",
                x->stat_count == 1 && !c ? "all" : name, x->min[i], x->max[i],
                x->mean[i], x->std[i], c ? c->missing_count : 0);
    }
    if (x->stat_count > PLACES_SHOWN)
        fprintf(out, "  ... %" PRId64 " places more\n",
                x->stat_count - PLACES_SHOWN);
}

static int describe_set(const char *dir, bool head, FILE *out,
                        struct tt_error *err)
{
    struct tt_shard_index *index = tt_shard_index_read(dir, err);
    int rc = 0;

    if (!index)
        return -1;
    print_head(dir, index, out);
    for (int64_t i = 0; i < index->shard_count && rc == 0 && !head; i++)
        rc = tt_shard_verify(dir, &index->shard[i], false, err);
    if (rc == 0 && !head)
        rc = describe_classes(dir, index, out, err);
    if (rc == 0 && !head)
        print_stats(index, out);
    tt_shard_index_destroy(index);
    return rc;
}

/* The packed parts that lie in a folder, "train" and the like. */
static int describe_parts(const char *dir, bool head, FILE *out,
                          struct tt_error *err)
{
    struct tt_paths parts;
    char pattern[PATH_MAX];
    int rc = 0;

    snprintf(pattern, sizeof(pattern), "%s/*/index.json", dir);
    if (tt_paths_find(pattern, NULL, &parts, NULL) < 0)
        return tt_fail(err, TT_EIO,
                       "%s: no index.json there: not a packed set, or packing "
                       "did not finish",
                       dir);
    for (int64_t i = 0; i < parts.count && rc == 0; i++) {
        *strrchr(parts.at[i], '/') = 0;
        rc = describe_set(parts.at[i], head, out, err);
    }
    tt_paths_free(&parts);
    return rc;
}

int tt_describe(const char *path, FILE *out, struct tt_error *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return tt_describe_h5(path, out, err);
    if (tt_shard_is_set(path))
        return describe_set(path, false, out, err);
    return describe_parts(path, false, out, err);
}

int tt_describe_heads(const char *dir, FILE *out, struct tt_error *err)
{
    if (tt_shard_is_set(dir))
        return describe_set(dir, true, out, err);
    return describe_parts(dir, true, out, err);
}

int tt_describe_verify(const char *dir, FILE *out, struct tt_error *err)
{
    struct tt_shard_index *index = tt_shard_index_read(dir, err);
    int rc = index ? 0 : -1;

    for (int64_t i = 0; rc == 0 && i < index->shard_count; i++)
        rc = tt_shard_verify(dir, &index->shard[i], true, err);
    if (rc == 0)
        fprintf(out, "%s: all of its %" PRId64 " shards are as packed\n", dir,
                index->shard_count);
    tt_shard_index_destroy(index);
    return rc;
}
