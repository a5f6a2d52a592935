/* SPDX-License-Identifier: BSD-3-Clause */
/* array_idx.c - the head of an IDX file (as MNIST has them): 0, 0, type, number
 * of axes; the axes as big-endian 32-bit counts. */
#include "data/array_head.h"

static int type_of(unsigned char code)
{
    static const struct {
        unsigned char code;
        enum tt_dtype dtype;
    } types[] = {{8, TT_U8},   {9, TT_I8},   {11, TT_I16},
                 {12, TT_I32}, {13, TT_F32}, {14, TT_F64}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].code == code)
            return (int)types[i].dtype;
    return -1;
}

int tt_array_head_idx(struct tt_stream *stream, const char *path,
                      struct tt_array_head *head, struct tt_error *err)
{
    unsigned char magic[4], axis[4];

    if (tt_stream_take(stream, magic, 4, err) < 0)
        return -1;
    if (magic[0] || magic[1] || type_of(magic[2]) < 0 || magic[3] < 1 ||
        magic[3] > TT_ARRAY_AXES)
        return tt_fail(err, TT_EFORMAT,
                       "%s: not an IDX file: it begins with %02x %02x %02x "
                       "%02x, not with 00 00, a type and a number of axes",
                       path, magic[0], magic[1], magic[2], magic[3]);
    head->dtype = (enum tt_dtype)type_of(magic[2]);
    head->is_big = true;
    head->dims = magic[3];
    head->bytes = 4 + 4 * head->dims;
    for (int i = 0; i < head->dims; i++) {
        if (tt_stream_take(stream, axis, 4, err) < 0)
            return -1;
        head->dim[i] =
            (int64_t)axis[0] << 24 | axis[1] << 16 | axis[2] << 8 | axis[3];
    }
    return 0;
}
