/* SPDX-License-Identifier: BSD-3-Clause */
/* image.c - the HDF5 side of a checkpoint's data file.
 *
 * HDF5 never sees the file system: when a disk is full, H5Fclose fails, the
 * library keeps a file it cannot close, and the process dies by a
 * segmentation fault at its end (measured, 1.10.8).  So the file is made in
 * memory, where closing does not fail, and its few bytes are copied by calls
 * whose errno can be looked at. */
#include "ckpt/image.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/h5.h"

enum {
    HEADER_BYTES = 8192, /* more than HDF5 needs for one dataset */
    BIG_BYTES = 1 << 16, /* a dataset from here on begins at a page */
    PAGE_BYTES = 4096
};

/* A limit on file sizes holds in memory too. */
static int limit_check(const struct tt_manifest *man, struct tt_error *err)
{
    int64_t bytes = HEADER_BYTES * (man->tensor_count + 4);
    struct rlimit limit;

    bytes += man->block_count * 8;
    for (int64_t i = 0; i < man->tensor_count; i++)
        bytes += man->tensor[i].elem_count *
                 (int64_t)tt_dtype_bytes(man->tensor[i].dtype);
    if (getrlimit(RLIMIT_FSIZE, &limit) < 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= (rlim_t)bytes)
        return 0;
    return tt_fail(err, TT_EIO,
                   "files may have %lld bytes here, %" PRId64
                   " are needed: raise the limit (ulimit -f)",
                   (long long)limit.rlim_cur, bytes);
}

/* An empty file in memory, or else on the node; 'path' is its name. */
static int memory_open(char *path, size_t path_bytes, struct tt_error *err)
{
    const char *top[] = {"/dev/shm", getenv("TMPDIR"), "/tmp"};
    int fd = -1;

    for (int i = 0; i < 3 && fd < 0; i++) {
        snprintf(path, path_bytes, "%s/tutti-XXXXXX", top[i] ? top[i] : "");
        fd = mkstemp(path);
    }
    if (fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s: no file can be made in memory",
                       path, strerror(errno));
    return fd;
}

/* HDF5 works on after the name is gone. */
static hid_t file_create(const char *path, struct tt_error *err)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Pset_file_locking(access, 0, 1);
    H5Pset_alignment(access, BIG_BYTES, PAGE_BYTES);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    unlink(path);
    if (file < 0)
        tt_fail(err, TT_EIO, "%s: HDF5 cannot make a file in memory", path);
    return file;
}

static int datasets_create(struct tt_manifest *man, hid_t file,
                           const char *path, struct tt_error *err)
{
    for (int64_t i = 0; i < man->tensor_count; i++) {
        struct tt_manifest_tensor *t = &man->tensor[i];

        if (tt_h5_create_dataset(file, path, t->name, t->dtype, t->dims, t->dim,
                                 &t->offset, err) < 0)
            return -1;
    }
    return tt_h5_create_dataset(file, path, TT_CKPT_SUMS, TT_U64, 1,
                                &man->block_count, &man->sums_offset, err);
}

static int image_fill(struct tt_manifest *man, int fd, const char *path,
                      struct tt_error *err)
{
    hid_t file = file_create(path, err);
    struct stat st;
    int rc;

    if (file < 0)
        return -1;
    rc = datasets_create(man, file, path, err);
    if (tt_h5_close(file, path, rc < 0 ? NULL : err) < 0 || rc < 0)
        return -1;
    if (fstat(fd, &st) < 0)
        return tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
    man->file_bytes = st.st_size;
    return 0;
}

int tt_ckpt_image_create(struct tt_manifest *man, struct tt_error *err)
{
    char path[512];
    int fd;

    if (limit_check(man, err) < 0)
        return -1;
    fd = memory_open(path, sizeof(path), err);
    if (fd < 0 || image_fill(man, fd, path, err) == 0)
        return fd;
    close(fd);
    return -1;
}
