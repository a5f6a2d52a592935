/* SPDX-License-Identifier: BSD-3-Clause */
/* manifest.c - manifest.json of a checkpoint. */
#include "ckpt/manifest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/path.h"

#define FORMAT_NAME "tutti-checkpoint"

static int tensor_count_elems(struct tt_manifest_tensor *t,
                              struct tt_error *err)
{
    int64_t n = 1;

    if ((unsigned)t->dtype >= TT_DTYPE_COUNT || t->dims < 1 ||
        t->dims > TT_CKPT_DIMS)
        return tt_fail(err, TT_EINVAL, "%s: no type or shape to save", t->name);
    for (int d = 0; d < t->dims; d++) {
        if (t->dim[d] < 1 || t->dim[d] > INT64_MAX / 8 / n)
            return tt_fail(err, TT_EINVAL, "%s: dimension %d is %" PRId64,
                           t->name, d, t->dim[d]);
        n *= t->dim[d];
    }
    t->elem_count = n;
    t->block_count = (n - 1) / TT_CKPT_BLOCK_ELEMS + 1;
    return 0;
}

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int names_differ(const struct tt_manifest *man, struct tt_error *err)
{
    const char **name = calloc((size_t)man->tensor_count + 1, sizeof(*name));
    int rc = 0;

    if (!name)
        return tt_fail(err, TT_ENOMEM, "no memory for %" PRId64 " names",
                       man->tensor_count);
    for (int64_t i = 0; i < man->tensor_count; i++)
        name[i] = man->tensor[i].name;
    qsort(name, (size_t)man->tensor_count, sizeof(*name), name_order);
    for (int64_t i = 1; i < man->tensor_count && rc == 0; i++)
        if (strcmp(name[i - 1], name[i]) == 0)
            rc = tt_fail(err, TT_EINVAL, "%s: there are two of this name",
                         name[i]);
    free(name);
    return rc;
}

int tt_manifest_count(struct tt_manifest *man, struct tt_error *err)
{
    int64_t blocks = 0;

    for (int64_t i = 0; i < man->tensor_count; i++) {
        struct tt_manifest_tensor *t = &man->tensor[i];

        if (tensor_count_elems(t, err) < 0)
            return -1;
        t->first_block = blocks;
        blocks += t->block_count;
        if (blocks > INT_MAX - man->tensor_count)
            return tt_fail(err, TT_EINVAL, "%s: too many elements in all",
                           t->name);
    }
    man->block_count = blocks;
    return names_differ(man, err);
}

const struct tt_manifest_tensor *
tt_manifest_find(const struct tt_manifest *man, const char *name, int64_t hint)
{
    if (hint < man->tensor_count && strcmp(man->tensor[hint].name, name) == 0)
        return &man->tensor[hint];
    for (int64_t i = 0; i < man->tensor_count; i++)
        if (strcmp(man->tensor[i].name, name) == 0)
            return &man->tensor[i];
    return NULL;
}

/* --- to text ---------------------------------------------------------- */

/* Hashes are hex strings: a reader's number may have only 53 bits. */
static json_t *hex_json(uint64_t value)
{
    return json_sprintf("%016" PRIx64, value);
}

static json_t *tensor_json(const struct tt_manifest_tensor *t)
{
    json_t *shape = json_array();

    for (int d = 0; d < t->dims; d++)
        json_array_append_new(shape, json_integer(t->dim[d]));
    return json_pack("{s:s, s:s, s:o, s:I, s:I, s:o}", "name", t->name, "dtype",
                     tt_dtype_name(t->dtype), "shape", shape, "offset",
                     (json_int_t)t->offset, "first_block",
                     (json_int_t)t->first_block, "hash", hex_json(t->hash));
}

static json_t *manifest_json(const struct tt_manifest *man)
{
    json_t *tensors = json_array();

    for (int64_t i = 0; i < man->tensor_count; i++)
        json_array_append_new(tensors, tensor_json(&man->tensor[i]));
    return json_pack(
        "{s:s, s:i, s:I, s:f, s:I, s:{s:s, s:I, s:o}, "
        "s:{s:s, s:I, s:I, s:I, s:o}, s:o, s:O}",
        "format", FORMAT_NAME, "version", TT_CKPT_VERSION, "step",
        (json_int_t)man->step, "time", man->time, "ranks",
        (json_int_t)man->rank_count, "data", "file", TT_CKPT_DATA, "bytes",
        (json_int_t)man->file_bytes, "metadata_hash", hex_json(man->meta_hash),
        "checksums", "dataset", TT_CKPT_SUMS, "block_elements",
        (json_int_t)TT_CKPT_BLOCK_ELEMS, "blocks", (json_int_t)man->block_count,
        "offset", (json_int_t)man->sums_offset, "root", hex_json(man->root),
        "tensors", tensors, "scalars", man->scalars);
}

/* Of the document's meaning, not of its spaces. */
static int json_hash(const json_t *doc, uint64_t *hash)
{
    char *text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);

    if (!text)
        return -1;
    *hash = tt_hash(text, strlen(text), 0);
    free(text);
    return 0;
}

char *tt_manifest_format(const struct tt_manifest *man, struct tt_error *err)
{
    json_t *doc = manifest_json(man);
    char *text = NULL;
    uint64_t hash;

    if (doc && json_hash(doc, &hash) == 0 &&
        json_object_set_new(doc, "self", hex_json(hash)) == 0)
        text = json_dumps(doc, JSON_INDENT(1));
    if (!text)
        tt_fail(err, TT_EINVAL,
                "the manifest cannot be written as JSON: "
                "is a name or a scalar not UTF-8 or not finite?");
    json_decref(doc);
    return text;
}

/* --- from text -------------------------------------------------------- */

static int hex_parse(const char *text, uint64_t *value)
{
    char *end;

    *value = strtoull(text, &end, 16);
    return strlen(text) == 16 && *end == '\0' ? 0 : -1;
}

static int self_check(json_t *doc, const char *path, struct tt_error *err)
{
    const char *text = json_string_value(json_object_get(doc, "self"));
    uint64_t want, have;

    if (!text || hex_parse(text, &want) < 0)
        return tt_fail(err, TT_EFORMAT, "%s: damaged: no hash of its own",
                       path);
    json_object_del(doc, "self");
    if (json_hash(doc, &have) < 0 || have != want)
        return tt_fail(err, TT_EFORMAT,
                       "%s: damaged: its text does not fit its hash", path);
    return 0;
}

/* A later version may mean things by its fields that we do not know. */
static int version_check(const json_t *doc, const char *path,
                         struct tt_error *err)
{
    const char *format = json_string_value(json_object_get(doc, "format"));
    json_int_t version = json_integer_value(json_object_get(doc, "version"));

    if (!format || strcmp(format, FORMAT_NAME) != 0)
        return tt_fail(err, TT_EFORMAT, "%s: not a manifest of tutti", path);
    if (version != TT_CKPT_VERSION)
        return tt_fail(err, TT_EFORMAT,
                       "%s: version %" JSON_INTEGER_FORMAT
                       ", this tutti reads version %d: use a newer tutti",
                       path, version, TT_CKPT_VERSION);
    return 0;
}

static int shape_parse(struct tt_manifest_tensor *t, const json_t *shape)
{
    size_t dims = json_array_size(shape);

    if (dims < 1 || dims > TT_CKPT_DIMS)
        return -1;
    t->dims = (int)dims;
    for (size_t d = 0; d < dims; d++)
        t->dim[d] = json_integer_value(json_array_get(shape, d));
    return 0;
}

static int tensor_parse(struct tt_manifest_tensor *t, json_t *node)
{
    const char *dtype, *hash;
    json_t *shape;
    json_int_t offset, first_block;
    int found;

    if (json_unpack(node, "{s:s, s:s, s:o, s:I, s:I, s:s}", "name", &t->name,
                    "dtype", &dtype, "shape", &shape, "offset", &offset,
                    "first_block", &first_block, "hash", &hash) < 0)
        return -1;
    found = tt_dtype_find(dtype);
    if (found < 0)
        return -1;
    t->dtype = (enum tt_dtype)found;
    t->offset = offset;
    if (shape_parse(t, shape) < 0 || hex_parse(hash, &t->hash) < 0)
        return -1;
    return 0;
}

static int tensors_parse(struct tt_manifest *man, const json_t *list,
                         const char *path, struct tt_error *err)
{
    size_t count = json_array_size(list);

    man->tensor = calloc(count + 1, sizeof(*man->tensor));
    if (!man->tensor)
        return tt_fail(err, TT_ENOMEM, "%s: no memory for %zu tensors", path,
                       count);
    man->tensor_count = (int64_t)count;
    for (size_t i = 0; i < count; i++)
        if (tensor_parse(&man->tensor[i], json_array_get(list, i)) < 0)
            return tt_fail(err, TT_EFORMAT, "%s: tensor %zu is odd", path, i);
    return tt_manifest_count(man, err) < 0 ? tt_fail_in(err, "%s", path) : 0;
}

static int fields_parse(struct tt_manifest *man, const char *path,
                        struct tt_error *err)
{
    const char *meta, *root;
    json_t *list;
    json_int_t step, ranks, bytes, elems, blocks, offset;

    if (json_unpack(man->doc,
                    "{s:I, s:f, s:I, s:{s:I, s:s}, s:{s:I, s:I, s:I, s:s}, "
                    "s:o, s:o}",
                    "step", &step, "time", &man->time, "ranks", &ranks, "data",
                    "bytes", &bytes, "metadata_hash", &meta, "checksums",
                    "block_elements", &elems, "blocks", &blocks, "offset",
                    &offset, "root", &root, "tensors", &list, "scalars",
                    &man->scalars) < 0 ||
        hex_parse(meta, &man->meta_hash) < 0 ||
        hex_parse(root, &man->root) < 0 || elems != TT_CKPT_BLOCK_ELEMS ||
        !json_is_object(man->scalars))
        return tt_fail(err, TT_EFORMAT, "%s: a field is missing or odd", path);
    man->step = step;
    man->rank_count = ranks;
    man->file_bytes = bytes;
    man->sums_offset = offset;
    if (tensors_parse(man, list, path, err) < 0)
        return -1;
    if (blocks != man->block_count)
        return tt_fail(err, TT_EFORMAT, "%s: blocks do not add up", path);
    return 0;
}

static bool is_inside(const struct tt_manifest *man, int64_t offset,
                      int64_t elems, int64_t elem_bytes)
{
    return offset >= 0 && offset <= man->file_bytes &&
           elems <= (man->file_bytes - offset) / elem_bytes;
}

static int ranges_check(const struct tt_manifest *man, const char *path,
                        struct tt_error *err)
{
    bool good = is_inside(man, man->sums_offset, man->block_count, 8);

    for (int64_t i = 0; i < man->tensor_count; i++) {
        const struct tt_manifest_tensor *t = &man->tensor[i];

        good = good && is_inside(man, t->offset, t->elem_count,
                                 (int64_t)tt_dtype_bytes(t->dtype));
    }
    return good ? 0
                : tt_fail(err, TT_EFORMAT,
                          "%s: a tensor lies outside of the data file", path);
}

int tt_manifest_parse(struct tt_manifest *man, const char *text,
                      const char *path, struct tt_error *err)
{
    json_error_t where;

    memset(man, 0, sizeof(*man));
    man->doc = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!man->doc)
        return tt_fail(err, TT_EFORMAT, "%s: damaged: line %d: %.80s", path,
                       where.line, where.text);
    if (version_check(man->doc, path, err) < 0 ||
        self_check(man->doc, path, err) < 0 ||
        fields_parse(man, path, err) < 0 || ranges_check(man, path, err) < 0) {
        tt_manifest_clear(man);
        return -1;
    }
    return 0;
}

int tt_manifest_read(struct tt_manifest *man, const char *dir, char **text,
                     struct tt_error *err)
{
    char path[PATH_MAX];
    char *read;
    size_t bytes;
    int rc;

    if (snprintf(path, sizeof(path), "%s/" TT_CKPT_MANIFEST, dir) >=
        (int)sizeof(path))
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", dir);
    read = tt_path_read(path, &bytes, err);
    if (!read)
        return -1;
    if (strlen(read) != bytes)
        rc = tt_fail(err, TT_EFORMAT, "%s: damaged: NUL at byte %zu", path,
                     strlen(read));
    else
        rc = tt_manifest_parse(man, read, path, err);
    if (text && rc == 0)
        *text = read;
    else
        free(read);
    return rc;
}

void tt_manifest_clear(struct tt_manifest *man)
{
    free(man->tensor);
    json_decref(man->doc);
    memset(man, 0, sizeof(*man));
}
