/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - the folder of checkpoints of one run. */
#include "ckpt/steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ckpt/blocks.h"
#include "ckpt/manifest.h"
#include "ckpt/side.h"
#include "io/path.h"

#define STEP_NAME "step-%08" PRId64

enum { NAME_BYTES = 160 };

static int path_join(char path[TT_CKPT_PATH], const char *root,
                     const char *name, struct tt_error *err)
{
    if (snprintf(path, TT_CKPT_PATH, "%s/%s", root, name) >= TT_CKPT_PATH)
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", root);
    return 0;
}

int tt_ckpt_step_path(char path[TT_CKPT_PATH], const char *root, int64_t step,
                      struct tt_error *err)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), STEP_NAME, step);
    return path_join(path, root, name, err);
}

/* --- which steps are there -------------------------------------------- */

/* Exactly as we write it: "step-00000012.aside" and "step-12" are not ours. */
static bool is_step_name(const char *name, int64_t *step)
{
    char again[NAME_BYTES];

    if (strncmp(name, "step-", 5) != 0)
        return false;
    *step = strtoll(name + 5, NULL, 10);
    snprintf(again, sizeof(again), STEP_NAME, *step);
    return *step >= 0 && strcmp(name, again) == 0;
}

static int step_order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int list_add(int64_t **list, int64_t count, int64_t step)
{
    int64_t *more = realloc(*list, ((size_t)count + 1) * sizeof(*more));

    if (!more)
        return -1;
    more[count] = step;
    *list = more;
    return 0;
}

int64_t tt_ckpt_steps_list(const char *root, int64_t **step,
                           struct tt_error *err)
{
    DIR *dir = opendir(root);
    struct dirent *entry;
    int64_t count = 0, found;

    *step = NULL;
    if (!dir && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (!dir)
        return tt_fail(err, TT_EIO, "%s: %s", root, strerror(errno));
    while ((entry = readdir(dir))) {
        if (!is_step_name(entry->d_name, &found))
            continue;
        if (list_add(step, count, found) < 0) {
            closedir(dir);
            return tt_fail(err, TT_ENOMEM, "%s: no memory to list it", root);
        }
        count++;
    }
    closedir(dir);
    if (count > 0)
        qsort(*step, (size_t)count, sizeof(**step), step_order);
    return count;
}

/* --- removing --------------------------------------------------------- */

/* First out of sight, in one instant, then piece by piece. */
static int step_remove(const char *root, int64_t step, struct tt_error *err)
{
    char path[TT_CKPT_PATH], gone[TT_CKPT_PATH];
    if (tt_ckpt_step_path(path, root, step, err) < 0 ||
        tt_side_path(gone, root, step, "gone", err) < 0)
        return -1;
    if (rename(path, gone) < 0)
        return tt_fail(err, TT_EIO, "%s: remove: %s", path, strerror(errno));
    return tt_path_remove(gone, err);
}

static bool is_complete(const char *root, int64_t step)
{
    struct tt_manifest man;
    struct tt_error err;
    char path[TT_CKPT_PATH];

    if (tt_ckpt_step_path(path, root, step, &err) < 0 ||
        tt_manifest_read(&man, path, NULL, &err) < 0)
        return false;
    tt_manifest_clear(&man);
    return true;
}

static int steps_prune(const char *root, int64_t keep, int64_t best,
                       struct tt_error *err)
{
    int64_t *step, kept = 0;
    int64_t count = tt_ckpt_steps_list(root, &step, err);
    int rc = count < 0 ? -1 : 0;

    for (int64_t i = count - 1; i >= 0 && rc == 0; i--) {
        if (kept < keep)
            kept += is_complete(root, step[i]);
        else if (step[i] != best)
            rc = step_remove(root, step[i], err);
    }
    free(step);
    return rc;
}

static int side_prune(const char *root, const char *path,
                      const struct tt_side *side, struct tt_error *err)
{
    (void)root;
    return tt_side_is_dead(side, path) ? tt_path_remove(path, err) : 0;
}

int tt_ckpt_prune(const char *root, int64_t keep, int64_t best,
                  struct tt_error *err)
{
    if (tt_ckpt_recover(root, err) < 0 ||
        (keep > 0 && steps_prune(root, keep, best, err) < 0))
        return -1;
    return tt_sides_walk(root, side_prune, err);
}

/* --- moving ----------------------------------------------------------- */

static int side_recover(const char *root, const char *path,
                        const struct tt_side *side, struct tt_error *err)
{
    char target[TT_CKPT_PATH];

    if (strcmp(side->kind, "old") != 0)
        return 0;
    if (tt_ckpt_step_path(target, root, side->step, err) < 0)
        return -1;
    if (access(target, F_OK) < 0 && errno == ENOENT && rename(path, target) < 0)
        return tt_fail(err, TT_EIO, "%s: put back: %s", path, strerror(errno));
    return 0;
}

int tt_ckpt_recover(const char *root, struct tt_error *err)
{
    return tt_sides_walk(root, side_recover, err);
}

static int step_set_aside(const char *root, int64_t step, struct tt_error *err)
{
    char path[TT_CKPT_PATH], aside[TT_CKPT_PATH + 24];
    int serial = 1;

    if (tt_ckpt_step_path(path, root, step, err) < 0)
        return -1;
    snprintf(aside, sizeof(aside), "%s.aside", path);
    while (access(aside, F_OK) == 0)
        snprintf(aside, sizeof(aside), "%s.aside%d", path, ++serial);
    if (rename(path, aside) < 0)
        return tt_fail(err, TT_EIO, "%s: set aside: %s", path, strerror(errno));
    return 0;
}

int64_t tt_ckpt_set_aside(const char *root, int64_t step, struct tt_error *err)
{
    int64_t *list, moved = 0;
    int64_t count = tt_ckpt_steps_list(root, &list, err);
    int rc = count < 0 ? -1 : 0;

    for (int64_t i = 0; i < count && rc == 0; i++) {
        if (list[i] <= step)
            continue;
        rc = step_set_aside(root, list[i], err);
        moved++;
    }
    free(list);
    return rc < 0 ? -1 : moved;
}

int64_t tt_ckpt_best_find(const char *root)
{
    char path[TT_CKPT_PATH], name[NAME_BYTES];
    ssize_t bytes;
    int64_t step;

    if (path_join(path, root, "best", NULL) < 0 || access(path, F_OK) < 0)
        return -1;
    bytes = readlink(path, name, sizeof(name) - 1);
    if (bytes < 0)
        return -1;
    name[bytes] = '\0';
    return is_step_name(name, &step) ? step : -1;
}

int tt_ckpt_mark_best(const char *root, int64_t step, struct tt_error *err)
{
    char path[TT_CKPT_PATH], tmp[TT_CKPT_PATH + 24], name[NAME_BYTES];

    snprintf(name, sizeof(name), STEP_NAME, step);
    if (path_join(path, root, "best", err) < 0)
        return -1;
    snprintf(tmp, sizeof(tmp), "%s.%ld", path, (long)getpid());
    unlink(tmp);
    if (symlink(name, tmp) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", tmp, strerror(errno));
    if (rename(tmp, path) < 0) {
        tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
        unlink(tmp);
        return -1;
    }
    return tt_path_sync_dir(root, err);
}

/* --- the commit ------------------------------------------------------- */

int tt_ckpt_tmp_create(char path[TT_CKPT_PATH], const char *root, int64_t step,
                       struct tt_error *err)
{
    path[0] = '\0';
    if (tt_path_mkdirs(root, err) < 0)
        return -1;
    do {
        if (tt_side_path(path, root, step, "tmp", err) < 0)
            return -1;
    } while (mkdir(path, 0777) < 0 && errno == EEXIST);
    if (access(path, W_OK) < 0) {
        tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
        path[0] = '\0';
        return -1;
    }
    return 0;
}

#ifdef RENAME_EXCHANGE
static int names_exchange(const char *a, const char *b)
{
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}
#else
static int names_exchange(const char *a, const char *b)
{
    (void)a, (void)b;
    errno = ENOSYS;
    return -1;
}
#endif

/* Where two names cannot be exchanged: between the two renames the step has no
 * name that readers look for; tt_ckpt_recover() gives it back. */
static int replace_in_two(const char *tmp, const char *target, const char *old,
                          struct tt_error *err)
{
    if (rename(target, old) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", target, strerror(errno));
    if (rename(tmp, target) == 0)
        return 0;
    tt_fail(err, TT_EIO, "%s: %s", tmp, strerror(errno));
    if (rename(old, target) < 0)
        tt_fail_in(err, "%s could not be put back", old);
    return -1;
}

static int replace(const char *tmp, const char *target, const char *root,
                   int64_t step, struct tt_error *err)
{
    char old[TT_CKPT_PATH];

    if (names_exchange(tmp, target) == 0) {
        if (tt_path_sync_dir(root, err) < 0)
            return -1;
        tt_path_remove(tmp, NULL); /* else the next prune finds it */
        return 0;
    }
    if (tt_side_path(old, root, step, "old", err) < 0 ||
        replace_in_two(tmp, target, old, err) < 0 ||
        tt_path_sync_dir(root, err) < 0)
        return -1;
    tt_path_remove(old, NULL);
    return 0;
}

int tt_ckpt_commit(const char *tmp, const char *root, int64_t step,
                   struct tt_error *err)
{
    char target[TT_CKPT_PATH];

    if (tt_ckpt_step_path(target, root, step, err) < 0)
        return -1;
    if (access(target, F_OK) == 0)
        return replace(tmp, target, root, step, err);
    if (rename(tmp, target) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", target, strerror(errno));
    return tt_path_sync_dir(root, err);
}

/* --- reading, by one process ------------------------------------------ */

json_t *tt_ckpt_scalars(const char *path, struct tt_error *err)
{
    struct tt_manifest man;
    json_t *scalars;

    if (tt_manifest_read(&man, path, NULL, err) < 0)
        return NULL;
    scalars = json_incref(man.scalars);
    tt_manifest_clear(&man);
    return scalars;
}

static int data_verify(const struct tt_ckpt_file *file,
                       const struct tt_manifest *man, struct tt_error *err)
{
    uint64_t *sums = tt_ckpt_sums_read(file, man, err);
    int rc;

    if (!sums)
        return -1;
    rc = tt_ckpt_blocks_verify(file, man, sums, 0, man->block_count, err);
    free(sums);
    return rc;
}

int tt_ckpt_verify(const char *path, struct tt_error *err)
{
    struct tt_manifest man;
    struct tt_ckpt_file file;
    int rc;

    if (tt_manifest_read(&man, path, NULL, err) < 0)
        return -1;
    rc = tt_ckpt_file_open(&file, path, 0, err);
    if (rc == 0)
        rc = data_verify(&file, &man, err);
    tt_ckpt_file_close(&file, NULL);
    tt_manifest_clear(&man);
    return rc;
}
