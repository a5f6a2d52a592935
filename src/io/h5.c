/* SPDX-License-Identifier: BSD-3-Clause */
/* h5.c - serial HDF5 files: open, create, close, native types. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/h5.h"
#include "io/h5_priv.h"

/* Keep the innermost reason that is a sentence of its own. */
static herr_t note_reason(unsigned n, const H5E_error2_t *e, void *data)
{
    struct tt_h5_reason *reason = data;

    if (n == 0 && e->desc)
        snprintf(reason->text, sizeof(reason->text), "%s", e->desc);
    return 0;
}

struct tt_h5_reason tt_h5_reason(void)
{
    struct tt_h5_reason reason = {"no reason given"};

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_reason, &reason);
    return reason;
}

static hid_t fail_open(const char *path, struct tt_error *err)
{
    struct tt_h5_reason why = tt_h5_reason();

    if (strstr(why.text, "already open for write"))
        return tt_fail(err, TT_EFORMAT,
                       "%s: is open for writing, or its writer died: wait for "
                       "it; if none is left, run h5clear -s and check the data",
                       path);
    if (strstr(why.text, "truncated file") || strstr(why.text, "eof"))
        return tt_fail(err, TT_EFORMAT,
                       "%s: truncated, or its writer did not close it (%s): "
                       "copy or write it again",
                       path, why.text);
    if (strstr(why.text, "signature not found"))
        return tt_fail(err, TT_EFORMAT,
                       "%s: not an HDF5 file (no signature): pack other "
                       "formats with tutti-shard",
                       path);
    return tt_fail(err, TT_EFORMAT, "%s: HDF5 cannot open it: %s", path,
                   why.text);
}

/* A file whose writer holds HDF5's lock is not complete.  The lock is only
 * looked at and given back at once; a file system without locks says nothing.
 */
static int check_writer(const char *path, struct tt_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
    struct stat st;

    if (fd < 0)
        return tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        rc = tt_fail(err, TT_EINVAL, "%s: is a directory, not an HDF5 file",
                     path);
    else if (flock(fd, LOCK_SH | LOCK_NB) == 0)
        flock(fd, LOCK_UN);
    else if (errno == EWOULDBLOCK)
        rc = tt_fail(err, TT_EFORMAT,
                     "%s: is open for writing: wait until its writer has "
                     "closed it",
                     path);
    close(fd);
    return rc;
}

/* HDF5 1.10.7 and 1.12.1 brought a property, before there was the variable. */
#if H5_VERSION_GE(1, 12, 1) ||                                                 \
    (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 11, 0))
static void set_no_locks(hid_t fapl)
{
    H5Pset_file_locking(fapl, 0, 1);
}
#else
static void set_no_locks(hid_t fapl)
{
    (void)fapl;
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
}
#endif

/* File access without HDF5's own locks. */
static hid_t plain_access(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    set_no_locks(fapl);
    return fapl;
}

hid_t tt_h5_open(const char *path, struct tt_error *err)
{
    hid_t fapl, file;

    if (check_writer(path, err) < 0)
        return -1;
    fapl = plain_access();
    file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    if (file < 0)
        file = fail_open(path, err);
    H5Pclose(fapl);
    return file;
}

/* A float of 2 bytes, little endian, which the library converts. */
static hid_t make_half(size_t exponent_bits)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    size_t mantissa_bits = 15 - exponent_bits;

    if (type < 0 ||
        H5Tset_fields(type, 15, mantissa_bits, exponent_bits, 0,
                      mantissa_bits) < 0 ||
        H5Tset_size(type, 2) < 0 ||
        H5Tset_ebias(type, ((size_t)1 << (exponent_bits - 1)) - 1) < 0)
        return -1;
    return type;
}

hid_t tt_h5_type(enum tt_dtype dtype)
{
    static hid_t half[2]; /* made once, kept for the process */

    switch (dtype) {
    case TT_F32:
        return H5T_NATIVE_FLOAT;
    case TT_F64:
        return H5T_NATIVE_DOUBLE;
    case TT_F16:
    case TT_BF16:
        if (half[dtype == TT_BF16] <= 0)
            half[dtype == TT_BF16] = make_half(dtype == TT_F16 ? 5 : 8);
        return half[dtype == TT_BF16];
    case TT_I8:
        return H5T_NATIVE_INT8;
    case TT_U8:
        return H5T_NATIVE_UINT8;
    case TT_I16:
        return H5T_NATIVE_INT16;
    case TT_U16:
        return H5T_NATIVE_UINT16;
    case TT_I32:
        return H5T_NATIVE_INT32;
    case TT_U32:
        return H5T_NATIVE_UINT32;
    case TT_I64:
        return H5T_NATIVE_INT64;
    case TT_U64:
        return H5T_NATIVE_UINT64;
    default:
        return -1;
    }
}

hid_t tt_h5_create(const char *path, struct tt_error *err)
{
    bool exists = access(path, F_OK) == 0;
    hid_t fapl = plain_access();
    hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, fapl);

    if (file < 0)
        file = tt_fail(err, TT_EIO, "%s: cannot create: %s", path,
                       exists ? "exists already" : tt_h5_reason().text);
    H5Pclose(fapl);
    return file;
}

static int create_at(hid_t file, const char *dataset, hid_t type, hid_t space,
                     int64_t *offset)
{
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    haddr_t at;
    int rc = -1;

    if (lcpl < 0 || dcpl < 0 || H5Pset_create_intermediate_group(lcpl, 1) < 0 ||
        H5Pset_layout(dcpl, H5D_CONTIGUOUS) < 0 ||
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) < 0 ||
        H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER) < 0 ||
        H5Pset_obj_track_times(dcpl, 0) < 0)
        goto out;
    set = H5Dcreate2(file, dataset, type, space, lcpl, dcpl, H5P_DEFAULT);
    if (set < 0)
        goto out;
    at = H5Dget_offset(set);
    *offset = at == HADDR_UNDEF ? 0 : (int64_t)at;
    rc = 0;
out:
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(dcpl);
    H5Pclose(lcpl);
    return rc;
}

int tt_h5_create_dataset(hid_t file, const char *path, const char *dataset,
                         enum tt_dtype dtype, int dims, const int64_t *dim,
                         int64_t *offset, struct tt_error *err)
{
    hsize_t size[TT_H5_DIMS];
    hid_t space;
    int rc;

    if (dims > TT_H5_DIMS)
        return tt_fail(err, TT_EINVAL, "%s: %s: more than %d axes", path,
                       dataset, TT_H5_DIMS);
    for (int i = 0; i < dims; i++)
        size[i] = (hsize_t)dim[i];
    space = H5Screate_simple(dims, size, NULL);
    rc = create_at(file, dataset, tt_h5_type(dtype), space, offset);
    if (space >= 0)
        H5Sclose(space);
    if (rc < 0)
        return tt_fail(err, TT_EIO, "%s: cannot create %s: %s", path, dataset,
                       tt_h5_reason().text);
    return 0;
}

int tt_h5_close(hid_t file, const char *path, struct tt_error *err)
{
    int flushed = H5Fflush(file, H5F_SCOPE_LOCAL);
    struct tt_h5_reason why = tt_h5_reason();
    int closed = H5Fclose(file);

    if (flushed >= 0 && closed >= 0)
        return 0;
    if (flushed >= 0)
        why = tt_h5_reason();
    return tt_fail(err, TT_EIO, "%s: cannot close: %s", path, why.text);
}
