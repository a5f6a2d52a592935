/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_h5.c - the datasets of an HDF5 file by others, and how well single
 * samples can be read from them. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "data/describe.h"
#include "io/h5.h"

enum { TOUCH_LEAST = 1 << 20, TOUCH_FACTOR = 8 };

struct visit {
    hid_t file;
    const char *path;
    FILE *out;
    int64_t count;
};

static void print_dims(const int64_t *dim, int dims, FILE *out)
{
    for (int i = 0; i < dims; i++)
        fprintf(out, "%s%" PRId64, i ? " x " : "", dim[i]);
}

/* Bytes that are read and unpacked for one sample: every chunk it meets. */
static int64_t touched_bytes(const struct tt_h5_info *info)
{
    int64_t bytes = (int64_t)tt_dtype_bytes(info->dtype) * info->chunk[0];

    for (int i = 1; i < info->dims; i++)
        bytes *= (info->dim[i] + info->chunk[i] - 1) / info->chunk[i] *
                 info->chunk[i];
    return bytes;
}

static int64_t sample_bytes(const struct tt_h5_info *info)
{
    int64_t bytes = (int64_t)tt_dtype_bytes(info->dtype);

    for (int i = 1; i < info->dims; i++)
        bytes *= info->dim[i];
    return bytes;
}

static void warn_chunks(const struct visit *v, const char *name,
                        const struct tt_h5_info *info)
{
    int64_t touched, sample = sample_bytes(info);
    char text[32], of[32];

    if (info->dims < 1 || info->chunk[0] == 0 || sample == 0)
        return;
    touched = touched_bytes(info);
    if (touched < TOUCH_LEAST || touched < TOUCH_FACTOR * sample)
        return;
    fprintf(v->out,
            "    warning: one sample touches %s to get its %s: reading in "
            "random order is slow.\n"
            "    cure: tutti-shard --hdf5=%s --x=%s --out=DIR\n"
            "      or: h5repack -l %s:CHUNK=1",
            tt_bytes_format(touched, text, sizeof(text)),
            tt_bytes_format(sample, of, sizeof(of)), v->path, name, name);
    for (int i = 1; i < info->dims; i++)
        fprintf(v->out, "x%" PRId64, info->dim[i]);
    fprintf(v->out, " OLD NEW\n");
}

static void print_dataset(struct visit *v, const char *name)
{
    struct tt_h5_info info;
    struct tt_error why;
    const char *text;

    v->count++;
    if (tt_h5_info(v->file, v->path, name, &info, &why) < 0) {
        text = strstr(why.text, name);
        fprintf(v->out, "  %s  cannot be used:%s\n", name,
                text ? text + strlen(name) + 1 : why.text);
        return;
    }
    fprintf(v->out, "  %s  %s (", name, tt_dtype_name(info.dtype));
    print_dims(info.dim, info.dims, v->out);
    fputc(')', v->out);
    if (info.chunk[0] > 0) {
        fprintf(v->out, ", chunks of ");
        print_dims(info.chunk, info.dims, v->out);
    }
    if (info.filters > 0)
        fprintf(v->out, ", %d filter%s", info.filters,
                info.filters == 1 ? "" : "s");
    if (info.scale != 1 || info.shift != 0)
        fprintf(v->out, ", scale %g, offset %g", info.scale, info.shift);
    fputc('\n', v->out);
    warn_chunks(v, name, &info);
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *link,
                         void *data)
{
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    char full[1024];

    (void)link;
    if (object < 0) /* a link that leads nowhere */
        return 0;
    snprintf(full, sizeof(full), "/%s", name);
    if (H5Iget_type(object) == H5I_DATASET)
        print_dataset(data, full);
    H5Oclose(object);
    return 0;
}

int tt_describe_h5(const char *path, FILE *out, struct tt_error *err)
{
    struct visit visit = {.path = path, .out = out};

    visit.file = tt_h5_open(path, err);
    if (visit.file < 0)
        return -1;
    fprintf(out, "%s: HDF5 by others\n", path);
    H5Lvisit(visit.file, H5_INDEX_NAME, H5_ITER_INC, visit_link, &visit);
    if (visit.count == 0)
        fprintf(out, "  no datasets\n");
    H5Fclose(visit.file);
    return 0;
}
