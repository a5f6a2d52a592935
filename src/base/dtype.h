/* SPDX-License-Identifier: BSD-3-Clause */
/* dtype.h - the element types that tensors and files are made of. */
#ifndef TT_BASE_DTYPE_H
#define TT_BASE_DTYPE_H

#include <stddef.h>

enum tt_dtype {
    TT_F32,
    TT_F64,
    TT_F16,
    TT_BF16,
    TT_I8,
    TT_U8,
    TT_I16,
    TT_U16,
    TT_I32,
    TT_U32,
    TT_I64,
    TT_U64,
    TT_DTYPE_COUNT
};

/* Bytes of one element. */
size_t tt_dtype_bytes(enum tt_dtype dtype);

/* "f32", "bf16", "u8" ... */
const char *tt_dtype_name(enum tt_dtype dtype);

/* The dtype called 'name', or -1. */
int tt_dtype_find(const char *name);

#endif
