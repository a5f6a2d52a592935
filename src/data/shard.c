/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.c - the index of a set: memory, checks of shard files. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "data/shard.h"
#include "io/path.h"

enum { HASH_BYTES = 1 << 20 };

struct tt_shard_index *tt_shard_index_create(void)
{
    return calloc(1, sizeof(struct tt_shard_index));
}

static void free_strings(char **string, int64_t count)
{
    for (int64_t i = 0; string && i < count; i++)
        free(string[i]);
    free(string);
}

static void free_field(struct tt_shard_field *field)
{
    free(field->scale);
    free(field->shift);
    free(field->mean);
    free(field->std);
    free(field->min);
    free(field->max);
}

void tt_shard_index_destroy(struct tt_shard_index *index)
{
    if (!index)
        return;
    for (int64_t i = 0; i < index->column_count; i++) {
        free(index->column[i].name);
        free_strings(index->column[i].category,
                     index->column[i].category_count);
    }
    for (int64_t i = 0; i < index->shard_count; i++)
        free(index->shard[i].file);
    free_strings(index->class_name, index->class_count);
    free_field(&index->x);
    free_field(&index->y);
    free(index->column);
    free(index->shard);
    free(index->split);
    free(index->tokenizer);
    free(index->label);
    free(index);
}

int64_t tt_shard_field_bytes(const struct tt_shard_field *field)
{
    return field->values * (int64_t)tt_dtype_bytes(field->dtype);
}

bool tt_shard_is_set(const char *dir)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/index.json", dir);
    return access(path, F_OK) == 0;
}

static int hash_fd(int fd, XXH64_state_t *state, char *buffer, int64_t *bytes)
{
    ssize_t got;

    *bytes = 0;
    while ((got = read(fd, buffer, HASH_BYTES)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        XXH64_update(state, buffer, (size_t)got);
        *bytes += got;
    }
    return 0;
}

int tt_shard_hash_file(const char *path, uint64_t *hash, int64_t *bytes,
                       struct tt_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
    XXH64_state_t *state = XXH64_createState();
    char *buffer = malloc(HASH_BYTES);

    if (fd < 0) {
        tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
        goto out;
    }
    if (!state || !buffer) {
        tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
        goto out;
    }
    XXH64_reset(state, 0);
    rc = hash_fd(fd, state, buffer, bytes);
    if (rc < 0)
        tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
    *hash = XXH64_digest(state);
out:
    if (fd >= 0)
        close(fd);
    free(buffer);
    XXH64_freeState(state);
    return rc;
}

int tt_shard_verify(const char *dir, const struct tt_shard *shard, bool deep,
                    struct tt_error *err)
{
    char path[PATH_MAX];
    struct stat st;
    uint64_t hash;
    int64_t bytes;

    snprintf(path, sizeof(path), "%s/%s", dir, shard->file);
    if (stat(path, &st) < 0)
        return tt_fail(err, TT_EIO, "%s: %s: the index lists it: copy it again",
                       path, strerror(errno));
    if (st.st_size != shard->bytes)
        return tt_fail(err, TT_EFORMAT,
                       "%s: has %lld bytes, the index says %" PRId64
                       ": copy it again or pack the set again",
                       path, (long long)st.st_size, shard->bytes);
    if (!deep)
        return 0;
    if (tt_shard_hash_file(path, &hash, &bytes, err) < 0)
        return -1;
    if (hash != shard->hash)
        return tt_fail(err, TT_EFORMAT,
                       "%s: its checksum is not the one in the index: it was "
                       "damaged or changed; copy it again or pack again",
                       path);
    return 0;
}

int tt_shard_open(const char *dir, const struct tt_shard *shard, char *path,
                  struct tt_error *err)
{
    int fd;

    if (tt_shard_verify(dir, shard, false, err) < 0)
        return -1;
    snprintf(path, PATH_MAX, "%s/%s", dir, shard->file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
    return fd;
}
