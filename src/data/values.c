/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c - arrays of numbers: byte order and element type. */
#include <math.h>
#include <string.h>

#include "data/values.h"

enum { BATCH = 1024 };

void tt_values_swap(void *at, int64_t count, size_t elem_bytes)
{
    unsigned char *p = at;

    for (int64_t i = 0; i < count && elem_bytes > 1; i++, p += elem_bytes)
        for (size_t a = 0, b = elem_bytes - 1; a < b; a++, b--) {
            unsigned char c = p[a];

            p[a] = p[b];
            p[b] = c;
        }
}

static bool is_big_machine(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 0;
}

void tt_values_from_big(void *at, int64_t count, size_t elem_bytes)
{
    if (!is_big_machine())
        tt_values_swap(at, count, elem_bytes);
}

void tt_values_from_little(void *at, int64_t count, size_t elem_bytes)
{
    if (is_big_machine())
        tt_values_swap(at, count, elem_bytes);
}

void tt_values_transpose(void *at, int64_t rows, int64_t columns,
                         size_t elem_bytes, void *scratch)
{
    const char *from = scratch;
    char *to = at;

    memcpy(scratch, at, (size_t)(rows * columns) * elem_bytes);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++, from += elem_bytes)
            memcpy(to + (size_t)(c * rows + r) * elem_bytes, from, elem_bytes);
}

static double from_f16(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value;

    if (exponent == 31)
        value = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, -24);
    else
        value = ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -value : value;
}

static double from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof(value));
    return value;
}

bool tt_dtype_is_float(enum tt_dtype dtype)
{
    return dtype == TT_F32 || dtype == TT_F64 || dtype == TT_F16 ||
           dtype == TT_BF16;
}

void tt_values_to_f64(enum tt_dtype from, const void *raw, int64_t count,
                      double *out)
{
    switch (from) {
    case TT_F32:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const float *)raw)[i];
        break;
    case TT_F64:
        memcpy(out, raw, (size_t)count * sizeof(*out));
        break;
    case TT_F16:
        for (int64_t i = 0; i < count; i++)
            out[i] = from_f16(((const uint16_t *)raw)[i]);
        break;
    case TT_BF16:
        for (int64_t i = 0; i < count; i++)
            out[i] = from_bf16(((const uint16_t *)raw)[i]);
        break;
    case TT_I8:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const int8_t *)raw)[i];
        break;
    case TT_U8:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const uint8_t *)raw)[i];
        break;
    case TT_I16:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const int16_t *)raw)[i];
        break;
    case TT_U16:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const uint16_t *)raw)[i];
        break;
    case TT_I32:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const int32_t *)raw)[i];
        break;
    case TT_U32:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const uint32_t *)raw)[i];
        break;
    case TT_I64:
        for (int64_t i = 0; i < count; i++)
            out[i] = (double)((const int64_t *)raw)[i];
        break;
    case TT_U64:
        for (int64_t i = 0; i < count; i++)
            out[i] = (double)((const uint64_t *)raw)[i];
        break;
    default:
        break;
    }
}

static void from_f64(const double *value, int64_t count, enum tt_dtype to,
                     void *out)
{
    for (int64_t i = 0; i < count; i++)
        switch (to) {
        case TT_F32:
            ((float *)out)[i] = (float)value[i];
            break;
        case TT_F64:
            ((double *)out)[i] = value[i];
            break;
        case TT_I32:
            ((int32_t *)out)[i] =
                (int32_t)fmin(fmax(value[i], INT32_MIN), INT32_MAX);
            break;
        default:
            ((int64_t *)out)[i] = (int64_t)value[i];
        }
}

void tt_values_convert(enum tt_dtype from, const void *raw, int64_t count,
                       enum tt_dtype to, void *out)
{
    size_t from_bytes = tt_dtype_bytes(from), to_bytes = tt_dtype_bytes(to);
    double value[BATCH];

    if (from == to) {
        memcpy(out, raw, (size_t)count * to_bytes);
        return;
    }
    while (count > 0) {
        int64_t some = count < BATCH ? count : BATCH;

        tt_values_to_f64(from, raw, some, value);
        from_f64(value, some, to, out);
        raw = (const char *)raw + (size_t)some * from_bytes;
        out = (char *)out + (size_t)some * to_bytes;
        count -= some;
    }
}
