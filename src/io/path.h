/* SPDX-License-Identifier: BSD-3-Clause */
/* path.h - files as other people leave them and as we leave them: write aside,
 * sync, rename; modes follow the umask; every errno is looked at. */
#ifndef TT_IO_PATH_H
#define TT_IO_PATH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Create a directory and its parents; existing ones are fine. */
int tt_path_mkdirs(const char *path, struct tt_error *err);

/* Whole file into a heap buffer with a NUL behind it; *bytes may be NULL. */
char *tt_path_read(const char *path, size_t *bytes, struct tt_error *err);

/* Replace 'path' by these bytes: temporary beside it, fsync, rename, fsync of
 * the directory.  A reader sees the old or the new file, never half of one. */
int tt_path_write(const char *path, const void *data, size_t bytes,
                  struct tt_error *err);

/* All of 'bytes' at 'offset', through short counts and EINTR. */
int tt_path_pread(int fd, void *data, size_t bytes, int64_t offset,
                  const char *path, struct tt_error *err);
int tt_path_pwrite(int fd, const void *data, size_t bytes, int64_t offset,
                   const char *path, struct tt_error *err);

/* fsync a directory, so that a rename in it survives a crash. */
int tt_path_sync_dir(const char *path, struct tt_error *err);

/* Remove a tree of files; an absent one is fine. */
int tt_path_remove(const char *path, struct tt_error *err);

/* Expand a shell pattern or a plain path (a directory: its files whose names
 * end in 'suffix', NULL for all), sorted by name; fails where nothing matches.
 * Free with _free. */
struct tt_paths {
    char **at;
    int64_t count;
};
int tt_paths_find(const char *pattern, const char *suffix,
                  struct tt_paths *paths, struct tt_error *err);
void tt_paths_free(struct tt_paths *paths);

#endif
