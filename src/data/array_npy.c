/* SPDX-License-Identifier: BSD-3-Clause */
/* array_npy.c - the head of a NumPy array file: \x93NUMPY, version, length of
 * the text (16 or 32 bits, little endian), and the text of a Python dictionary
 * such as {'descr': '<f4', 'fortran_order': False, 'shape': (100, 3), }. */
#include <stdlib.h>
#include <string.h>

#include "data/array_head.h"

enum { TEXT_BYTES = 4096 };

static int type_of(const char *code)
{
    static const struct {
        const char *code;
        enum tt_dtype dtype;
    } types[] = {{"b1", TT_U8},  {"u1", TT_U8},  {"i1", TT_I8},
                 {"u2", TT_U16}, {"i2", TT_I16}, {"u4", TT_U32},
                 {"i4", TT_I32}, {"u8", TT_U64}, {"i8", TT_I64},
                 {"f2", TT_F16}, {"f4", TT_F32}, {"f8", TT_F64}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strncmp(types[i].code, code, 2) == 0)
            return (int)types[i].dtype;
    return -1;
}

/* The text behind 'key': or NULL. */
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, "': ");
}

static int read_type(const char *text, const char *path,
                     struct tt_array_head *head, struct tt_error *err)
{
    const char *descr = value_of(text, "'descr'");
    int dtype;

    if (!descr || !strchr("<>|=", *descr))
        return tt_fail(err, TT_EFORMAT,
                       "%s: its elements are records: save one field as an "
                       "array of its own",
                       path);
    dtype = type_of(descr + 1);
    if (dtype < 0 || descr[3] != '\'')
        return tt_fail(err, TT_EFORMAT,
                       "%s: its elements are of type '%.*s': numbers are "
                       "needed (objects and texts cannot be read)",
                       path, (int)strcspn(descr, "'"), descr);
    head->dtype = (enum tt_dtype)dtype;
    head->is_big = *descr == '>';
    return 0;
}

static int read_shape(const char *text, const char *path,
                      struct tt_array_head *head, struct tt_error *err)
{
    const char *order = value_of(text, "'fortran_order'");
    const char *at = value_of(text, "'shape'");
    char *end;

    if (!order || !at || *at != '(')
        return tt_fail(err, TT_EFORMAT, "%s: its NPY head is damaged", path);
    if (strncmp(order, "False", 5) != 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: is stored column by column: save "
                       "numpy.ascontiguousarray(x)",
                       path);
    for (at++; *at && *at != ')'; at = end + strspn(end, ", L")) {
        if (head->dims == TT_ARRAY_AXES)
            return tt_fail(err, TT_EFORMAT, "%s: more than %d axes", path,
                           TT_ARRAY_AXES);
        head->dim[head->dims++] = strtoll(at, &end, 10);
        if (end == at)
            return tt_fail(err, TT_EFORMAT, "%s: its NPY head is damaged",
                           path);
    }
    if (head->dims == 0)
        return tt_fail(err, TT_EFORMAT, "%s: is one number, not samples", path);
    return 0;
}

int tt_array_head_npy(struct tt_stream *stream, const char *path,
                      struct tt_array_head *head, struct tt_error *err)
{
    unsigned char magic[8], length[4] = {0};
    char text[TEXT_BYTES + 1];
    int64_t bytes, length_bytes;

    if (tt_stream_take(stream, magic, 8, err) < 0)
        return -1;
    if (memcmp(magic, "\x93NUMPY", 6) != 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: not an NPY file: it does not begin with \\x93NUMPY",
                       path);
    length_bytes = magic[6] == 1 ? 2 : 4;
    if (tt_stream_take(stream, length, length_bytes, err) < 0)
        return -1;
    bytes =
        length[0] | length[1] << 8 | length[2] << 16 | (int64_t)length[3] << 24;
    if (bytes > TEXT_BYTES)
        return tt_fail(err, TT_EFORMAT,
                       "%s: its elements are records: save one field as an "
                       "array of its own",
                       path);
    if (tt_stream_take(stream, text, bytes, err) < 0)
        return -1;
    text[bytes] = 0;
    *head = (struct tt_array_head){.bytes = 8 + length_bytes + bytes};
    return read_type(text, path, head, err) < 0
               ? -1
               : read_shape(text, path, head, err);
}
