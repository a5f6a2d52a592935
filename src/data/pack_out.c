/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_out.c - the folders that are written, and who writes them.
 *
 * OUT/packing holds the hash of the plan while packing is under way, and a
 * lock.  Shards that are there when a run starts are taken over only if the
 * plan is the same; index.json is written last, packing removed after it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "data/pack_priv.h"

enum { PLAN_BYTES = 16 };

static void part_dir(const struct tt_pack *pack, int part, char *dir,
                     size_t dir_bytes)
{
    tt_writer_part_dir(pack->conf->out, &pack->split, part, dir, dir_bytes);
}

/* How many parts have an index, and how many of these the same plan. */
static void look_at_sets(const struct tt_pack *pack, int *have, int *same)
{
    char dir[PATH_MAX - 64];

    /* A set in the folder above the parts would be taken for theirs. */
    *have = pack->split.part_count > 1 && tt_shard_is_set(pack->conf->out);
    *same = 0;
    for (int p = 0; p < pack->split.part_count; p++) {
        struct tt_shard_index *index;
        struct tt_error why;

        part_dir(pack, p, dir, sizeof(dir));
        if (!tt_shard_is_set(dir))
            continue;
        ++*have;
        if ((index = tt_shard_index_read(dir, &why)))
            *same += index->plan_hash == pack->plan_hash;
        tt_shard_index_destroy(index);
    }
}

/* Remove the files in 'dir' that match; none is fine. */
static int remove_matches(const char *dir, const char *names,
                          struct tt_error *err)
{
    char pattern[PATH_MAX];
    struct tt_paths paths;
    int rc = 0;

    snprintf(pattern, sizeof(pattern), "%s/%s", dir, names);
    if (tt_paths_find(pattern, NULL, &paths, NULL) < 0)
        return 0;
    for (int64_t i = 0; i < paths.count && rc == 0; i++)
        if (unlink(paths.at[i]) < 0 && errno != ENOENT)
            rc = tt_fail(err, TT_EIO, "%s: %s", paths.at[i], strerror(errno));
    tt_paths_free(&paths);
    return rc;
}

static int remove_shards(const char *dir, struct tt_error *err)
{
    if (remove_matches(dir, "index.json", err) < 0)
        return -1;
    return remove_matches(dir, "shard-*.h5", err);
}

/* What killed runs have left half written. */
static int remove_halves(const struct tt_pack *pack, struct tt_error *err)
{
    char dir[PATH_MAX - 64];

    for (int p = 0; p < pack->split.part_count; p++) {
        part_dir(pack, p, dir, sizeof(dir));
        if (remove_matches(dir, ".shard-*.tmp", err) < 0)
            return -1;
    }
    return 0;
}

static int remove_parts(const struct tt_pack *pack, struct tt_error *err)
{
    char dir[PATH_MAX - 64];

    if (pack->split.part_count > 1 && remove_shards(pack->conf->out, err) < 0)
        return -1;
    for (int p = 0; p < pack->split.part_count; p++) {
        part_dir(pack, p, dir, sizeof(dir));
        if (remove_shards(dir, err) < 0)
            return -1;
    }
    return 0;
}

/* Has an unfinished run left shards in the parts' folders? */
static bool has_shards(const struct tt_pack *pack)
{
    char dir[PATH_MAX - 64], pattern[PATH_MAX];

    for (int p = 0; p < pack->split.part_count; p++) {
        struct tt_paths paths;

        part_dir(pack, p, dir, sizeof(dir));
        snprintf(pattern, sizeof(pattern), "%s/shard-*.h5", dir);
        if (tt_paths_find(pattern, NULL, &paths, NULL) < 0)
            continue;
        tt_paths_free(&paths);
        return true;
    }
    return false;
}

static int make_dirs(const struct tt_pack *pack, struct tt_error *err)
{
    char dir[PATH_MAX - 64];

    for (int p = 0; p < pack->split.part_count; p++) {
        part_dir(pack, p, dir, sizeof(dir));
        if (tt_path_mkdirs(dir, err) < 0)
            return -1;
    }
    return 0;
}

/* Lock OUT/packing and read the plan that an earlier run left there ("" if
 * none).  A file system without locks lets everybody pass. */
static int open_lock(struct tt_pack *pack, char *plan, struct tt_error *err)
{
    char path[PATH_MAX];
    ssize_t got;

    snprintf(path, sizeof(path), "%s/packing", pack->conf->out);
    pack->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (pack->lock_fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
    if (flock(pack->lock_fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return tt_fail(err, TT_EINVAL,
                       "%s: another tutti-shard is packing there: wait for it "
                       "or choose another --out",
                       pack->conf->out);
    got = pread(pack->lock_fd, plan, PLAN_BYTES, 0);
    plan[got > 0 ? got : 0] = 0;
    return 0;
}

static int write_plan(struct tt_pack *pack, const char *plan,
                      struct tt_error *err)
{
    if (tt_path_pwrite(pack->lock_fd, plan, PLAN_BYTES, 0, pack->conf->out,
                       err) < 0)
        return -1;
    if (fsync(pack->lock_fd) < 0)
        return tt_fail(err, TT_EIO, "%s/packing: %s", pack->conf->out,
                       strerror(errno));
    return tt_path_sync_dir(pack->conf->out, err);
}

/* Nothing is under way: the folder is new, or holds a set. */
static void unlock(struct tt_pack *pack)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/packing", pack->conf->out);
    unlink(path);
}

int tt_pack_begin(struct tt_pack *pack, bool *done, struct tt_error *err)
{
    char old[PLAN_BYTES + 1], plan[PLAN_BYTES + 1];
    const struct tt_pack_conf *conf = pack->conf;
    int have, same;

    *done = false;
    snprintf(plan, sizeof(plan), "%016" PRIx64, pack->plan_hash);
    if (make_dirs(pack, err) < 0 || open_lock(pack, old, err) < 0)
        return -1;
    look_at_sets(pack, &have, &same);
    if (!conf->force && !old[0] && same == pack->split.part_count &&
        have == same) {
        *done = true;
        unlock(pack);
        return 0;
    }
    if (!conf->force && !old[0] && have > 0) {
        unlock(pack);
        return tt_fail(err, TT_EINVAL,
                       "%s: holds another packed set: --force packs over it",
                       conf->out);
    }
    if (!conf->force && old[0] && strcmp(old, plan) != 0 && has_shards(pack))
        return tt_fail(err, TT_EINVAL,
                       "%s: holds the unfinished work of another command (or "
                       "its files have changed): repeat that one, or --force "
                       "starts anew",
                       conf->out);
    if (strcmp(old, plan) != 0 || conf->force)
        if (remove_parts(pack, err) < 0)
            return -1;
    if (remove_halves(pack, err) < 0)
        return -1;
    return write_plan(pack, plan, err);
}

/* The index of one part: the intake's shape with the part's shards. */
static int write_part(const struct tt_pack *pack, int part,
                      struct tt_error *err)
{
    struct tt_shard_index index = *pack->intake.shape;
    char(*name)[32] = calloc((size_t)pack->written_count + 1, sizeof(*name));
    char dir[PATH_MAX - 64];
    int rc;

    index.shard = calloc((size_t)pack->written_count + 1, sizeof(*index.shard));
    if (!name || !index.shard) {
        free(name);
        free(index.shard);
        return tt_fail(err, TT_ENOMEM, "index: out of memory");
    }
    index.split =
        (char *)(pack->split.name[part][0] ? pack->split.name[part] : "all");
    index.seed = pack->conf->seed;
    index.plan_hash = pack->plan_hash;
    index.sample_count = index.shard_count = 0;
    for (int64_t i = 0; i < pack->written_count; i++) {
        const struct tt_written *w = &pack->written[i];
        int64_t n = index.shard_count;

        if (w->part != part)
            continue;
        tt_writer_shard_name(w->unit, name[n], sizeof(name[n]));
        index.shard[n] = (struct tt_shard){.file = name[n],
                                           .sample_count = w->sample_count,
                                           .bytes = w->bytes,
                                           .hash = w->hash,
                                           .x_offset = w->x_offset,
                                           .y_offset = w->y_offset};
        index.sample_count += w->sample_count;
        index.shard_count++;
    }
    part_dir(pack, part, dir, sizeof(dir));
    rc = tt_shard_index_write(&index, dir, err);
    free(index.shard);
    free(name);
    return rc;
}

int tt_pack_end(struct tt_pack *pack, struct tt_error *err)
{
    if (remove_halves(pack, err) < 0)
        return -1;
    for (int p = 0; p < pack->split.part_count; p++)
        if (write_part(pack, p, err) < 0)
            return -1;
    unlock(pack);
    return 0;
}
