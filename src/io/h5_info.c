/* SPDX-License-Identifier: BSD-3-Clause */
/* h5_info.c - how a dataset lies in its file, and its rows. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/h5.h"
#include "io/h5_priv.h"

/* The nearest dtype of an integer or float type, or -1. */
static int nearest_dtype(hid_t type, H5T_class_t class)
{
    static const enum tt_dtype ints[2][4] = {{TT_U8, TT_U16, TT_U32, TT_U64},
                                             {TT_I8, TT_I16, TT_I32, TT_I64}};
    size_t bytes = H5Tget_size(type);
    size_t at, exponent, e_bits, m_at, m_bits;
    int log = bytes <= 1 ? 0 : bytes <= 2 ? 1 : bytes <= 4 ? 2 : 3;

    if (class == H5T_INTEGER)
        return (int)ints[H5Tget_sign(type) == H5T_SGN_2][log];
    if (bytes == 2 &&
        H5Tget_fields(type, &at, &exponent, &e_bits, &m_at, &m_bits) >= 0)
        return e_bits == 8 ? TT_BF16 : TT_F16;
    return bytes <= 4 ? TT_F32 : TT_F64;
}

static const char *why_not(H5T_class_t class)
{
    switch (class) {
    case H5T_COMPOUND:
        return "a compound: write the wanted member as a dataset of its own";
    case H5T_VLEN:
        return "ragged (variable length): pad it to a fixed shape";
    case H5T_STRING:
        return "text: numbers are needed";
    case H5T_REFERENCE:
        return "references to other objects: numbers are needed";
    case H5T_OPAQUE:
        return "opaque bytes: numbers are needed";
    case H5T_BITFIELD:
        return "a bit field: write it as an unsigned integer";
    case H5T_ARRAY:
        return "of array elements: write them as further axes";
    case H5T_TIME:
        return "of HDF5's time type: write it as an integer";
    default:
        return "of a type that is no number";
    }
}

static int info_type(hid_t type, struct tt_h5_info *info, struct tt_error *err)
{
    H5T_class_t class = H5Tget_class(type);
    hid_t base = type;

    if (class == H5T_ENUM) {
        base = H5Tget_super(type);
        class = H5Tget_class(base);
    }
    if (class == H5T_INTEGER || class == H5T_FLOAT)
        info->dtype = (enum tt_dtype)nearest_dtype(base, class);
    else
        return tt_fail(err, TT_EFORMAT, "is %s", why_not(class));
    if (base != type)
        H5Tclose(base);
    return 0;
}

static int info_shape(hid_t space, struct tt_h5_info *info,
                      struct tt_error *err)
{
    hsize_t dim[H5S_MAX_RANK];

    if (H5Sget_simple_extent_type(space) == H5S_NULL)
        return tt_fail(err, TT_EFORMAT, "is empty (a null dataspace)");
    info->dims = H5Sget_simple_extent_dims(space, dim, NULL);
    if (info->dims < 0 || info->dims > TT_H5_DIMS)
        return tt_fail(err, TT_EFORMAT, "has %d axes: at most %d can be read",
                       info->dims, TT_H5_DIMS);
    for (int i = 0; i < info->dims; i++)
        info->dim[i] = (int64_t)dim[i];
    return 0;
}

static int info_filters(hid_t dcpl, struct tt_h5_info *info,
                        struct tt_error *err)
{
    info->filters = H5Pget_nfilters(dcpl);
    for (int i = 0; i < info->filters; i++) {
        char name[64] = "";
        unsigned flags, what = 0;
        size_t none = 0;
        H5Z_filter_t id = H5Pget_filter2(dcpl, (unsigned)i, &flags, &none, NULL,
                                         sizeof(name), name, NULL);

        if (H5Zfilter_avail(id) > 0 && H5Zget_filter_info(id, &what) >= 0 &&
            (what & H5Z_FILTER_CONFIG_DECODE_ENABLED))
            continue;
        return tt_fail(err, TT_EFORMAT,
                       "is stored with filter %d (%s), which this HDF5 lacks: "
                       "set HDF5_PLUGIN_PATH to its plug-in, or repack the "
                       "file with h5repack",
                       (int)id, name[0] ? name : "unnamed");
    }
    return 0;
}

/* Does 'dataset' exist in the source file of a virtual dataset? */
static bool has_source(const char *path, const char *source,
                       const char *dataset)
{
    const char *slash = strrchr(path, '/');
    char full[PATH_MAX];
    struct tt_error err;
    hid_t file, set;

    if (source[0] == '/' || !slash)
        snprintf(full, sizeof(full), "%s", source);
    else
        snprintf(full, sizeof(full), "%.*s/%s", (int)(slash - path), path,
                 source);
    if (access(full, R_OK) < 0)
        snprintf(full, sizeof(full), "%s", source);
    /* HDF5 itself may hold it open, with its own locking: then ask for that. */
    if ((file = tt_h5_open(full, &err)) < 0 &&
        (file = H5Fopen(full, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
        return false;
    if ((set = H5Dopen2(file, dataset, H5P_DEFAULT)) >= 0)
        H5Dclose(set);
    H5Fclose(file);
    return set >= 0;
}

static int info_virtual(hid_t dcpl, const char *path, struct tt_error *err)
{
    size_t count = 0;

    if (H5Pget_virtual_count(dcpl, &count) < 0)
        return tt_fail(err, TT_EFORMAT, "is virtual and cannot be followed");
    for (size_t i = 0; i < count; i++) {
        char source[1024] = "", dataset[1024] = "";

        H5Pget_virtual_filename(dcpl, i, source, sizeof(source));
        H5Pget_virtual_dsetname(dcpl, i, dataset, sizeof(dataset));
        if (strcmp(source, ".") == 0 || strstr(source, "%b") ||
            has_source(path, source, dataset))
            continue;
        return tt_fail(err, TT_EFORMAT,
                       "is virtual and its source %s:%s is missing (it would "
                       "read as zeros): bring it back, or list the files "
                       "themselves",
                       source, dataset);
    }
    return 0;
}

static int info_layout(hid_t set, hid_t type, const char *path,
                       struct tt_h5_info *info, struct tt_error *err)
{
    hid_t dcpl = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(dcpl);
    hsize_t chunk[H5S_MAX_RANK] = {0};
    haddr_t at = H5Dget_offset(set);
    int rc = info_filters(dcpl, info, err);

    if (layout == H5D_CHUNKED)
        H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk);
    for (int i = 0; i < info->dims; i++)
        info->chunk[i] = (int64_t)chunk[i];
    if (rc == 0 && layout == H5D_VIRTUAL)
        rc = info_virtual(dcpl, path, err);
    info->plain = layout == H5D_CONTIGUOUS && at != HADDR_UNDEF &&
                  info->filters == 0 && H5Pget_external_count(dcpl) == 0 &&
                  H5Tequal(type, tt_h5_type(info->dtype)) > 0;
    if (info->plain)
        info->offset = (int64_t)at;
    H5Pclose(dcpl);
    return rc;
}

/* The scalar attribute 'name' as a double, or 'other'. */
static double attribute(hid_t set, const char *name, double other)
{
    double value[16];
    hid_t at, space;

    if (H5Aexists(set, name) <= 0 || (at = H5Aopen(set, name, H5P_DEFAULT)) < 0)
        return other;
    space = H5Aget_space(at);
    if (H5Sget_simple_extent_npoints(space) == 1 &&
        H5Aread(at, H5T_NATIVE_DOUBLE, value) >= 0)
        other = value[0];
    H5Sclose(space);
    H5Aclose(at);
    return other;
}

/* A plain dataset that runs past the end of its file is truncated. */
static int check_end(const char *path, const struct tt_h5_info *info,
                     struct tt_error *err)
{
    int64_t bytes = (int64_t)tt_dtype_bytes(info->dtype);
    struct stat st;

    for (int i = 0; i < info->dims; i++)
        bytes *= info->dim[i];
    if (!info->plain || stat(path, &st) < 0 ||
        info->offset + bytes <= st.st_size)
        return 0;
    return tt_fail(err, TT_EFORMAT,
                   "ends %" PRId64 " bytes behind the end of the file: it is "
                   "truncated, copy it again",
                   info->offset + bytes - (int64_t)st.st_size);
}

static int describe(hid_t set, const char *path, struct tt_h5_info *info,
                    struct tt_error *err)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    int rc = info_type(type, info, err);

    if (rc == 0)
        rc = info_shape(space, info, err);
    if (rc == 0)
        rc = info_layout(set, type, path, info, err);
    if (rc == 0)
        rc = check_end(path, info, err);
    info->scale = attribute(set, "scale_factor", 1);
    info->shift = attribute(set, "add_offset", 0);
    H5Sclose(space);
    H5Tclose(type);
    return rc;
}

/* Names of what lies in a group, for "no such dataset" messages. */
struct names {
    char text[120];
    size_t used;
};

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info,
                       void *data)
{
    struct names *names = data;
    size_t room = sizeof(names->text) - names->used;
    int put = snprintf(names->text + names->used, room, "%s%s",
                       names->used ? ", " : "", name);

    (void)group, (void)info;
    if (put < 0 || (size_t)put >= room) {
        memcpy(names->text + sizeof(names->text) - 4, "...", 4);
        return 1;
    }
    names->used += (size_t)put;
    return 0;
}

static hid_t fail_missing(hid_t file, const char *path, const char *dataset,
                          struct tt_error *err)
{
    struct names names = {0};
    char group[256] = "/";
    const char *slash = strrchr(dataset, '/');

    if (slash && slash > dataset)
        snprintf(group, sizeof(group), "%.*s", (int)(slash - dataset), dataset);
    if (H5Lexists(file, group, H5P_DEFAULT) <= 0)
        snprintf(group, sizeof(group), "/");
    H5Literate_by_name(file, group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name,
                       &names, H5P_DEFAULT);
    return tt_fail(err, TT_EFORMAT, "%s: no dataset %s (%s holds: %s)", path,
                   dataset, group, names.used ? names.text : "nothing");
}

int tt_h5_info(hid_t file, const char *path, const char *dataset,
               struct tt_h5_info *info, struct tt_error *err)
{
    hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
    int rc;

    *info = (struct tt_h5_info){.scale = 1};
    if (set < 0)
        return (int)fail_missing(file, path, dataset, err);
    rc = describe(set, path, info, err);
    H5Dclose(set);
    if (rc < 0)
        return tt_fail_in(err, "%s: %s", path, dataset);
    return 0;
}

/* -1: HDF5 failed; 1: there are no such rows. */
static int read_slab(hid_t set, int64_t first, int64_t count,
                     enum tt_dtype dtype, void *out)
{
    hsize_t start[H5S_MAX_RANK] = {0}, size[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(set), memory;
    int dims = H5Sget_simple_extent_dims(space, size, NULL), rc = -1;

    if (dims < 1 || first < 0 || (hsize_t)(first + count) > size[0]) {
        H5Sclose(space);
        return 1;
    }
    start[0] = (hsize_t)first;
    size[0] = (hsize_t)count;
    memory = H5Screate_simple(dims, size, NULL);
    if (memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL,
                                           size, NULL) >= 0)
        rc = H5Dread(set, tt_h5_type(dtype), memory, space, H5P_DEFAULT, out);
    if (memory >= 0)
        H5Sclose(memory);
    H5Sclose(space);
    return rc < 0 ? -1 : 0;
}

int tt_h5_read_rows(hid_t file, const char *path, const char *dataset,
                    int64_t first, int64_t count, enum tt_dtype dtype,
                    void *out, struct tt_error *err)
{
    hid_t set;
    int rc;

    if (count == 0)
        return 0;
    set = H5Dopen2(file, dataset, H5P_DEFAULT);
    if (set < 0)
        return (int)fail_missing(file, path, dataset, err);
    rc = read_slab(set, first, count, dtype, out);
    if (rc != 0)
        rc = tt_fail(err, TT_EIO,
                     "%s: %s: rows %" PRId64 " to %" PRId64
                     " cannot be read: %s",
                     path, dataset, first, first + count - 1,
                     rc > 0 ? "it has no such rows" : tt_h5_reason().text);
    H5Dclose(set);
    return rc;
}
