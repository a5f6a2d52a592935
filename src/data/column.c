/* SPDX-License-Identifier: BSD-3-Clause */
/* column.c - elements from file to memory to batch. */
#include <math.h>
#include <string.h>

#include "data/column.h"

enum { PIECE = 256, SOME = 32 };

typedef void (*widen_fn)(const void *in, int64_t count, double *out);

static void widen_f32(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = (double)((const float *)in)[i];
}

static void widen_f64(const void *in, int64_t count, double *out)
{
    memcpy(out, in, (size_t)count * sizeof(double));
}

/* Subnormal halves are whole multiples of 2^-24. */
static double half_of(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    int mantissa = bits & 1023;
    double value;

    if (exponent == 31)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, -24);
    else
        value = ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

static void widen_f16(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = half_of(((const uint16_t *)in)[i]);
}

static void widen_bf16(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)((const uint16_t *)in)[i] << 16;
        float value;

        memcpy(&value, &bits, sizeof(value));
        out[i] = (double)value;
    }
}

static void widen_i8(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = ((const int8_t *)in)[i];
}

static void widen_u8(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = ((const uint8_t *)in)[i];
}

static void widen_i16(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = ((const int16_t *)in)[i];
}

static void widen_u16(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = ((const uint16_t *)in)[i];
}

static void widen_i32(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = ((const int32_t *)in)[i];
}

static void widen_u32(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = ((const uint32_t *)in)[i];
}

static void widen_i64(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = (double)((const int64_t *)in)[i];
}

static void widen_u64(const void *in, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = (double)((const uint64_t *)in)[i];
}

static const widen_fn widens[TT_DTYPE_COUNT] = {
    [TT_F32] = widen_f32,   [TT_F64] = widen_f64, [TT_F16] = widen_f16,
    [TT_BF16] = widen_bf16, [TT_I8] = widen_i8,   [TT_U8] = widen_u8,
    [TT_I16] = widen_i16,   [TT_U16] = widen_u16, [TT_I32] = widen_i32,
    [TT_U32] = widen_u32,   [TT_I64] = widen_i64, [TT_U64] = widen_u64,
};

/* 'first' counts elements from the beginning of a row. */
static void narrow_f32(const struct tt_cast *cast, int64_t first,
                       const double *in, int64_t count, float *out)
{
    int64_t scales = cast->col->scale_count;
    const double *scale = cast->number + cast->col->scale_at;
    const double *shift = scale + scales;
    int64_t k = scales > 0 ? first % cast->col->values % scales : 0;

    for (int64_t i = 0; i < count; i++) {
        out[i] =
            scales > 0 ? (float)(in[i] * scale[k] + shift[k]) : (float)in[i];
        k = k + 1 < scales ? k + 1 : 0;
    }
}

/* Doubles hold every label of 32 bits exactly; the comparison is false for
 * NaN. */
static void narrow_i32(const double *in, int64_t count, int32_t *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = fabs(in[i]) <= (double)INT32_MAX && in[i] == trunc(in[i])
                     ? (int32_t)in[i]
                     : TT_LABEL_BAD;
}

static bool is_copy(const struct tt_cast *cast)
{
    return (int)cast->from == cast->col->kept &&
           (cast->from != TT_F32 || cast->col->scale_count == 0);
}

void tt_cast_run(const struct tt_cast *cast, int64_t count, const void *in,
                 void *out)
{
    size_t from_bytes = tt_dtype_bytes(cast->from);
    double wide[PIECE];

    if (is_copy(cast)) {
        if (in != out)
            memcpy(out, in, (size_t)count * from_bytes);
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        int64_t some = count - i < PIECE ? count - i : PIECE;

        widens[cast->from]((const char *)in + (size_t)i * from_bytes, some,
                           wide);
        if (cast->col->kept == TT_F32)
            narrow_f32(cast, cast->first + i, wide, some, (float *)out + i);
        else
            narrow_i32(wide, some, (int32_t *)out + i);
    }
}

int64_t tt_column_row_bytes(const struct tt_column *col)
{
    return col->values * (int64_t)tt_dtype_bytes((enum tt_dtype)col->kept);
}

static void gather_word(const int32_t *from, const int64_t *row, int64_t count,
                        int32_t *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[row[i]];
}

static void gather_words(const struct tt_rows *rows, int c, const int64_t *row,
                         int64_t count, void *out)
{
    size_t bytes = (size_t)rows->col[c].values * 4;
    const char *from = rows->at[c];
    char *to = out;

    if (bytes == 0)
        return;
    if (bytes == 4) {
        gather_word(rows->at[c], row, count, out);
        return;
    }
    for (int64_t i = 0; i < count; i++, to += bytes)
        memcpy(to, from + (size_t)row[i] * bytes, bytes);
}

/* A constant number of turns without aliasing: compilers use vectors here. */
static void divide_some(const uint8_t *restrict from, float by,
                        float *restrict x)
{
    for (int i = 0; i < SOME; i++)
        x[i] = (float)from[i] / by;
}

/* Pixels over 'divide', where that is what the table says, else by the table.
 */
static void decode_row(const struct tt_store *store, const uint8_t *from,
                       int64_t count, float *x)
{
    int64_t i = 0;

    if (store->divide > 0)
        for (; i + SOME <= count; i += SOME)
            divide_some(from + i, store->divide, x + i);
    for (; i < count; i++)
        x[i] = store->decode[0][from[i]];
}

static void gather_u8(const struct tt_store *store, const struct tt_rows *rows,
                      const int64_t *row, int64_t count, float *x)
{
    int64_t values = rows->col[TT_COL_X].values;
    int64_t scales = rows->col[TT_COL_X].scale_count;

    for (int64_t i = 0; i < count; i++, x += values) {
        const uint8_t *from = rows->at[TT_COL_X];

        from += row[i] * values;
        if (scales <= 1)
            decode_row(store, from, values, x);
        else
            for (int64_t k = 0; k < values; k++)
                x[k] = store->decode[k % scales][from[k]];
    }
}

/* One row of (C, pixels) as (pixels, C). */
static void turn_row(const struct tt_store *store, const struct tt_column *col,
                     const void *row, float *x)
{
    int64_t channels = col->channels, pixels = col->values / channels;

    for (int64_t c = 0; c < channels; c++) {
        const uint8_t *u8 = (const uint8_t *)row + c * pixels;
        const float *f32 = (const float *)row + c * pixels;

        if (col->kept == TT_U8)
            for (int64_t p = 0; p < pixels; p++)
                x[p * channels + c] = store->decode[0][u8[p]];
        else
            for (int64_t p = 0; p < pixels; p++)
                x[p * channels + c] = f32[p];
    }
}

static void gather_turned(const struct tt_store *store,
                          const struct tt_rows *rows, const int64_t *row,
                          int64_t count, float *x)
{
    const struct tt_column *col = &rows->col[TT_COL_X];
    int64_t row_bytes = tt_column_row_bytes(col);

    for (int64_t i = 0; i < count; i++)
        turn_row(store, col,
                 (const char *)rows->at[TT_COL_X] + row[i] * row_bytes,
                 x + i * col->values);
}

static void gather_x(const struct tt_store *store, const struct tt_rows *rows,
                     const int64_t *row, int64_t count, void *x)
{
    if (rows->col[TT_COL_X].channels > 0)
        gather_turned(store, rows, row, count, x);
    else if (rows->col[TT_COL_X].kept == TT_U8)
        gather_u8(store, rows, row, count, x);
    else
        gather_words(rows, TT_COL_X, row, count, x);
}

static int64_t bad_label(const struct tt_store *store, const int32_t *y,
                         int64_t count)
{
    const struct tt_store_head *head = &store->head;

    for (int64_t i = 0; i < count; i++)
        if ((uint64_t)(int64_t)y[i] >= (uint64_t)head->info.classes &&
            !(head->has_ignored && y[i] == head->ignored))
            return i;
    return -1;
}

/* ids[0 .. count]: x is all but the last, y all but the first. */
static void copy_ids(const struct tt_rows *rows, int64_t row, int64_t count,
                     int32_t *out)
{
    const void *from = rows->at[TT_COL_X];

    switch (rows->col[TT_COL_X].kept) {
    case TT_U8:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const uint8_t *)from)[row + i];
        break;
    case TT_U16:
        for (int64_t i = 0; i < count; i++)
            out[i] = ((const uint16_t *)from)[row + i];
        break;
    default:
        memcpy(out, (const int32_t *)from + row, (size_t)count * 4);
    }
}

static bool is_id_bad(const int32_t *id, int64_t count, int64_t vocab)
{
    uint32_t most = 0;

    for (int64_t i = 0; i < count; i++)
        most = (uint32_t)id[i] > most ? (uint32_t)id[i] : most;
    return (int64_t)most >= vocab;
}

static int64_t gather_tokens(const struct tt_store *store,
                             const struct tt_rows *rows, const int64_t *row,
                             int64_t count, int32_t *x, int32_t *y)
{
    int64_t context = store->head.info.x_values;
    int64_t vocab = store->head.info.classes;

    for (int64_t i = 0; i < count; i++, x += context, y += context) {
        copy_ids(rows, row[i], context, x);
        memcpy(y, x + 1, (size_t)(context - 1) * 4);
        copy_ids(rows, row[i] + context, 1, y + context - 1);
        if (is_id_bad(x, context, vocab) ||
            is_id_bad(y + context - 1, 1, vocab))
            return i;
    }
    return -1;
}

int64_t tt_rows_gather(const struct tt_store *store, const struct tt_rows *rows,
                       const int64_t *row, int64_t count, void *x, void *y)
{
    if (store->head.info.kind == TT_SET_TOKENS)
        return gather_tokens(store, rows, row, count, x, y);
    gather_x(store, rows, row, count, x);
    gather_words(rows, TT_COL_Y, row, count, y);
    return store->head.info.y_is_class ? bad_label(store, y, count) : -1;
}
