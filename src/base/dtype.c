/* SPDX-License-Identifier: BSD-3-Clause */
/* dtype.c - the element types that tensors and files are made of. */
#include <string.h>

#include "base/dtype.h"

static const struct {
    const char *name;
    size_t bytes;
} dtypes[TT_DTYPE_COUNT] = {
    [TT_F32] = {"f32", 4},   [TT_F64] = {"f64", 8}, [TT_F16] = {"f16", 2},
    [TT_BF16] = {"bf16", 2}, [TT_I8] = {"i8", 1},   [TT_U8] = {"u8", 1},
    [TT_I16] = {"i16", 2},   [TT_U16] = {"u16", 2}, [TT_I32] = {"i32", 4},
    [TT_U32] = {"u32", 4},   [TT_I64] = {"i64", 8}, [TT_U64] = {"u64", 8},
};

size_t tt_dtype_bytes(enum tt_dtype dtype)
{
    return dtypes[dtype].bytes;
}

const char *tt_dtype_name(enum tt_dtype dtype)
{
    return dtypes[dtype].name;
}

int tt_dtype_find(const char *name)
{
    for (int i = 0; i < TT_DTYPE_COUNT; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return i;
    return -1;
}
