/* SPDX-License-Identifier: BSD-3-Clause */
/* path.c - files as other people leave them and as we leave them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"

enum { OPEN_DIRS = 32 }; /* descriptors that a tree walk may hold */

static int fail_errno(const char *path, struct tt_error *err)
{
    return tt_fail(err, errno == ENOMEM ? TT_ENOMEM : TT_EIO, "%s: %s", path,
                   strerror(errno));
}

/* A directory that is there already is fine, also where mkdir() says that it
 * may not make one. */
static int make_dir(const char *path, struct tt_error *err)
{
    struct stat st;
    int why;

    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    why = errno;
    if (stat(path, &st) == 0)
        return 0;
    errno = why;
    return fail_errno(path, err);
}

int tt_path_mkdirs(const char *path, struct tt_error *err)
{
    char *part = strdup(path);
    struct stat st;
    int rc = 0;

    if (!part)
        return tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    for (char *p = part + 1; part[0] && *p && rc == 0; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        rc = make_dir(part, err);
        *p = '/';
    }
    if (rc == 0)
        rc = make_dir(part, err);
    free(part);
    if (rc == 0 && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        rc = tt_fail(err, TT_EIO, "%s: is a file, not a directory", path);
    return rc;
}

static ssize_t read_some(int fd, char *to, size_t bytes)
{
    ssize_t got;

    do {
        got = read(fd, to, bytes);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Read to the end of 'fd', whatever fstat() said (pipes, /proc). */
static char *read_all(int fd, const char *path, size_t *bytes,
                      struct tt_error *err)
{
    size_t used = 0, room = 4096;
    struct stat st;
    char *data = NULL, *more;
    ssize_t got;

    if (fstat(fd, &st) == 0 && st.st_size > 0)
        room = (size_t)st.st_size + 1;
    do {
        if (used + 1 >= room)
            room *= 2;
        if (!(more = realloc(data, room))) {
            tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
            goto fail;
        }
        data = more;
        if ((got = read_some(fd, data + used, room - used - 1)) < 0) {
            fail_errno(path, err);
            goto fail;
        }
        used += (size_t)got;
    } while (got > 0);
    data[used] = 0;
    if (bytes)
        *bytes = used;
    return data;
fail:
    free(data);
    return NULL;
}

char *tt_path_read(const char *path, size_t *bytes, struct tt_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data;

    if (fd < 0) {
        fail_errno(path, err);
        return NULL;
    }
    data = read_all(fd, path, bytes, err);
    close(fd);
    return data;
}

/* The directory that 'path' lies in, on the heap. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int sync_parent(const char *path, struct tt_error *err)
{
    char *dir = parent_of(path);
    int rc;

    if (!dir)
        return tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    rc = tt_path_sync_dir(dir, err);
    free(dir);
    return rc;
}

/* mkstemp() makes files of mode 0600; give them what the umask leaves. */
static void follow_umask(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
}

static int write_temporary(int fd, const char *path, const void *data,
                           size_t bytes, struct tt_error *err)
{
    int rc = tt_path_pwrite(fd, data, bytes, 0, path, err);

    if (rc == 0 && fsync(fd) < 0)
        rc = fail_errno(path, err);
    if (close(fd) < 0 && rc == 0)
        rc = fail_errno(path, err);
    return rc;
}

int tt_path_write(const char *path, const void *data, size_t bytes,
                  struct tt_error *err)
{
    size_t room = strlen(path) + 12;
    char *aside = malloc(room);
    int fd, rc = -1;

    if (!aside)
        return tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    snprintf(aside, room, "%s.tmpXXXXXX", path);
    if ((fd = mkstemp(aside)) < 0) {
        fail_errno(path, err);
        goto out;
    }
    follow_umask(fd);
    rc = write_temporary(fd, path, data, bytes, err);
    if (rc == 0 && rename(aside, path) < 0)
        rc = fail_errno(path, err);
    if (rc < 0)
        unlink(aside);
    else
        rc = sync_parent(path, err);
out:
    free(aside);
    return rc;
}

int tt_path_pread(int fd, void *data, size_t bytes, int64_t offset,
                  const char *path, struct tt_error *err)
{
    char *to = data;

    while (bytes > 0) {
        ssize_t got = pread(fd, to, bytes, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(path, err);
        if (got == 0)
            return tt_fail(err, TT_EIO,
                           "%s: ends at byte %lld, %zu bytes too early", path,
                           (long long)offset, bytes);
        to += got;
        offset += got;
        bytes -= (size_t)got;
    }
    return 0;
}

int tt_path_pwrite(int fd, const void *data, size_t bytes, int64_t offset,
                   const char *path, struct tt_error *err)
{
    const char *from = data;

    while (bytes > 0) {
        ssize_t put = pwrite(fd, from, bytes, (off_t)offset);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_errno(path, err);
        from += put;
        offset += put;
        bytes -= (size_t)put;
    }
    return 0;
}

int tt_path_sync_dir(const char *path, struct tt_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = 0;

    if (fd < 0)
        return fail_errno(path, err);
    /* Some network file systems cannot sync a directory: nothing to do. */
    if (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
        rc = fail_errno(path, err);
    close(fd);
    return rc;
}

static int remove_one(const char *path, const struct stat *st, int flag,
                      struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int tt_path_remove(const char *path, struct tt_error *err)
{
    if (nftw(path, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS) < 0 &&
        errno != ENOENT)
        return fail_errno(path, err);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes 'name' over. */
static int push(struct tt_paths *paths, char *name, struct tt_error *err)
{
    int64_t n = paths->count;
    char **more = paths->at;

    if (name && (n & (n - 1)) == 0)
        more = realloc(paths->at, (size_t)(n ? 2 * n : 1) * sizeof(*more));
    if (!name || !more) {
        free(name);
        return tt_fail(err, TT_ENOMEM, "list of files: out of memory");
    }
    paths->at = more;
    more[paths->count++] = name;
    return 0;
}

static char *join(const char *dir, const char *name)
{
    size_t room = strlen(dir) + strlen(name) + 2;
    char *path = malloc(room);

    if (path)
        snprintf(path, room, "%s%s%s", dir,
                 dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    return path;
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t have = strlen(name), want = suffix ? strlen(suffix) : 0;

    return have >= want && (!want || strcmp(name + have - want, suffix) == 0);
}

static bool is_file(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int list_dir(const char *dir, const char *suffix, struct tt_paths *paths,
                    struct tt_error *err)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int rc = 0;

    if (!d)
        return fail_errno(dir, err);
    while (rc == 0 && (e = readdir(d))) {
        char *path;

        if (e->d_name[0] == '.' || !ends_with(e->d_name, suffix))
            continue;
        path = join(dir, e->d_name);
        if (path && !is_file(path))
            free(path);
        else
            rc = push(paths, path, err);
    }
    closedir(d);
    return rc;
}

static int list_one(const char *path, const char *suffix,
                    struct tt_paths *paths, struct tt_error *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return fail_errno(path, err);
    if (S_ISDIR(st.st_mode))
        return list_dir(path, suffix, paths, err);
    return push(paths, strdup(path), err);
}

static int list_pattern(const char *pattern, const char *suffix,
                        struct tt_paths *paths, struct tt_error *err)
{
    glob_t found;
    int rc = glob(pattern, GLOB_ERR, NULL, &found);

    if (rc == GLOB_NOMATCH)
        return tt_fail(err, TT_EIO, "%s: no file matches", pattern);
    if (rc == GLOB_NOSPACE)
        return tt_fail(err, TT_ENOMEM, "%s: out of memory", pattern);
    if (rc != 0)
        return fail_errno(pattern, err);
    for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
        rc = list_one(found.gl_pathv[i], suffix, paths, err);
    globfree(&found);
    return rc;
}

int tt_paths_find(const char *pattern, const char *suffix,
                  struct tt_paths *paths, struct tt_error *err)
{
    struct stat st;
    int rc;

    *paths = (struct tt_paths){0};
    /* A name with a [ in it that exists is meant as it is written. */
    if (stat(pattern, &st) == 0 || !strpbrk(pattern, "*?["))
        rc = list_one(pattern, suffix, paths, err);
    else
        rc = list_pattern(pattern, suffix, paths, err);
    if (rc == 0 && paths->count == 0)
        rc = tt_fail(err, TT_EIO, "%s: holds no file named *%s", pattern,
                     suffix ? suffix : "");
    if (rc < 0)
        tt_paths_free(paths);
    else
        qsort(paths->at, (size_t)paths->count, sizeof(*paths->at),
              compare_names);
    return rc;
}

void tt_paths_free(struct tt_paths *paths)
{
    for (int64_t i = 0; i < paths->count; i++)
        free(paths->at[i]);
    free(paths->at);
    *paths = (struct tt_paths){0};
}
