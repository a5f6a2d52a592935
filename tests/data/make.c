/* SPDX-License-Identifier: BSD-3-Clause */
/* make.c - small sets made by the tests themselves. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/shard.h"
#include "io/h5.h"
#include "io/path.h"
#include "make.h"

int make_value(int64_t sample, int64_t element)
{
    if (element == 0)
        return (int)(sample % 256);
    if (element == 1)
        return (int)(sample / 256 % 256);
    return (int)((sample * 31 + element * 17) % 256);
}

int64_t make_sample(int v0, int v1)
{
    return v0 + 256 * (int64_t)v1;
}

int make_token(int64_t i)
{
    return (int)((i * 2654435761u >> 7) % 200);
}

void make_put(enum tt_dtype dtype, double value, void *out)
{
    float f = (float)value;
    int64_t i = (int64_t)value;

    switch (dtype) {
    case TT_F32:
        memcpy(out, &f, sizeof(f));
        break;
    case TT_F64:
        memcpy(out, &value, sizeof(value));
        break;
    default: /* little endian integers */
        memcpy(out, &i, tt_dtype_bytes(dtype));
    }
}

/* What a shard is made of. */
struct plan {
    const char *dir;
    enum tt_dtype dtype;
    int64_t values;
    bool tokens;
};

static int write_bytes(const char *path, const void *data, int64_t bytes,
                       int64_t offset, struct tt_error *err)
{
    int fd = open(path, O_WRONLY);
    int rc = tt_path_pwrite(fd, data, (size_t)bytes, offset, path, err);

    close(fd);
    return rc;
}

static int write_rows(const char *path, const struct plan *plan, int64_t first,
                      struct tt_shard *shard, struct tt_error *err)
{
    size_t elem = tt_dtype_bytes(plan->dtype);
    int64_t count = shard->sample_count, bytes;
    char *x = malloc((size_t)(count * plan->values) * elem + 1);
    int32_t *y = malloc((size_t)count * 4 + 1);
    int rc;

    for (int64_t s = 0; s < count; s++) {
        for (int64_t e = 0; e < plan->values; e++)
            make_put(plan->dtype,
                     plan->tokens ? make_token(first + s)
                                  : make_value(first + s, e),
                     x + (size_t)(s * plan->values + e) * elem);
        y[s] = (int32_t)((first + s) % MAKE_CLASSES);
    }
    bytes = count * plan->values * (int64_t)elem;
    rc = write_bytes(path, x, bytes, shard->x_offset, err);
    if (rc == 0 && !plan->tokens)
        rc = write_bytes(path, y, count * 4, shard->y_offset, err);
    free(x);
    free(y);
    return rc;
}

static int make_shard(const struct plan *plan, int number, int64_t first,
                      struct tt_shard *shard, struct tt_error *err)
{
    int64_t dim[2] = {shard->sample_count, plan->values};
    char path[512];
    hid_t file;

    snprintf(path, sizeof(path), "shard-%05d.h5", number);
    shard->file = strdup(path);
    snprintf(path, sizeof(path), "%s/shard-%05d.h5", plan->dir, number);
    file = tt_h5_create(path, err);
    if (file < 0 ||
        tt_h5_create_dataset(file, path, plan->tokens ? "/tokens" : "/x",
                             plan->dtype, plan->tokens ? 1 : 2, dim,
                             &shard->x_offset, err) < 0 ||
        (!plan->tokens && tt_h5_create_dataset(file, path, "/y", TT_I32, 1, dim,
                                               &shard->y_offset, err) < 0) ||
        tt_h5_close(file, path, err) < 0 ||
        write_rows(path, plan, first, shard, err) < 0)
        return -1;
    return tt_shard_hash_file(path, &shard->hash, &shard->bytes, err);
}

static void describe(struct tt_shard_index *index, const struct plan *plan)
{
    index->kind = plan->tokens ? TT_SHARD_TOKENS : TT_SHARD_ROWS;
    index->split = strdup("train");
    index->class_count = plan->tokens ? 200 : MAKE_CLASSES;
    index->x.dtype = plan->dtype;
    index->x.dims = plan->tokens ? 0 : 1;
    index->x.dim[0] = index->x.values = plan->values;
    if (plan->tokens) {
        index->tokenizer = strdup("bytes");
        return;
    }
    index->y.dtype = TT_I32;
    index->y.values = 1;
    if (plan->dtype == TT_U8) {
        index->x.scale_count = 1;
        index->x.scale = calloc(1, sizeof(double));
        index->x.shift = calloc(1, sizeof(double));
        index->x.scale[0] = 1.0 / 255;
    }
}

static int make_set(const struct plan *plan, const int64_t *counts, int shards,
                    struct tt_error *err)
{
    struct tt_shard_index *index = tt_shard_index_create();
    int rc = 0;

    describe(index, plan);
    index->shard = calloc((size_t)shards, sizeof(*index->shard));
    index->shard_count = shards;
    mkdir(plan->dir, 0777);
    for (int i = 0; i < shards && rc == 0; i++) {
        index->shard[i].sample_count = counts[i];
        rc = make_shard(plan, i, index->sample_count, &index->shard[i], err);
        index->sample_count += counts[i];
    }
    if (rc == 0)
        rc = tt_shard_index_write(index, plan->dir, err);
    tt_shard_index_destroy(index);
    return rc;
}

int make_rows(const char *dir, enum tt_dtype dtype, int64_t values,
              const int64_t *counts, int shards, struct tt_error *err)
{
    struct plan plan = {dir, dtype, values, false};

    return make_set(&plan, counts, shards, err);
}

int make_tokens(const char *dir, enum tt_dtype dtype, const int64_t *counts,
                int shards, struct tt_error *err)
{
    struct plan plan = {dir, dtype, 1, true};

    return make_set(&plan, counts, shards, err);
}

void make_chunked(const char *path, int64_t rows, int64_t values)
{
    hsize_t dim[2] = {(hsize_t)rows, (hsize_t)values}, chunk[2] = {16, 3};
    int *x = malloc((size_t)(rows * values) * sizeof(*x));
    int *y = malloc((size_t)rows * sizeof(*y));
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), file, space, set;

    for (int64_t s = 0; s < rows; s++) {
        y[s] = (int)(s % MAKE_CLASSES);
        for (int64_t e = 0; e < values; e++)
            x[s * values + e] = make_value(s, e);
    }
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_deflate(dcpl, 1);
    space = H5Screate_simple(2, dim, NULL);
    set = H5Dcreate2(file, "x", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl,
                     H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Sclose(space);
    space = H5Screate_simple(1, dim, NULL);
    set = H5Dcreate2(file, "y", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                     H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, y);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(dcpl);
    free(x);
    free(y);
}

struct tt_node *make_node(const char *text)
{
    static struct tt_doc *doc;
    struct tt_error err = {0};
    struct tt_node *node;

    if (!doc)
        doc = tt_doc_create();
    node = tt_doc_parse(doc, text, "test", &err);
    if (!node)
        fprintf(stderr, "%s\n", err.text);
    return node;
}
