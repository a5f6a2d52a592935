/* SPDX-License-Identifier: BSD-3-Clause */
/* column.c - elements of every type come out as stored x scale + shift. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "data/column.h"
#include "make.h"

enum { ROWS = 50, VALUES = 15 };

static const double scale[] = {0.5, -3, 1.0 / 255, 1e-3, 7};
static const double shift[] = {0, 10, -1, 0.25, 1e6};

static double number(int64_t i)
{
    return (double)(i * 37 % 100);
}

/* Cast in two pieces that do not begin at a row. */
static int is_cast(enum tt_dtype dtype, int64_t scales)
{
    size_t bytes = tt_dtype_bytes(dtype);
    double numbers[10];
    char in[ROWS * VALUES * 8];
    float out[ROWS * VALUES];
    struct tt_column col = {.values = VALUES,
                            .scale_count = scales,
                            .stored = dtype,
                            .kept = TT_F32,
                            .out = TT_F32};
    struct tt_cast cast = {&col, numbers, dtype, 0};
    int64_t cut = 7 * VALUES + 4;
    int good = 1;

    memcpy(numbers, scale, (size_t)scales * sizeof(double));
    memcpy(numbers + scales, shift, (size_t)scales * sizeof(double));
    for (int64_t i = 0; i < ROWS * VALUES; i++)
        make_put(dtype, number(i), in + (size_t)i * bytes);
    tt_cast_run(&cast, cut, in, out);
    cast.first = cut;
    tt_cast_run(&cast, ROWS * VALUES - cut, in + (size_t)cut * bytes,
                out + cut);
    for (int64_t i = 0; i < ROWS * VALUES; i++) {
        int64_t k = scales ? i % VALUES % scales : 0;
        double want = scales ? number(i) * scale[k] + shift[k] : number(i);

        good = good && out[i] == (float)want;
    }
    return good;
}

static void test_casts(void)
{
    static const int64_t counts[] = {0, 1, 3, 5};

    for (int d = 0; d < TT_DTYPE_COUNT; d++) {
        int good = 1;

        if (d == TT_F16 || d == TT_BF16)
            continue;
        for (int c = 0; c < 4; c++)
            good = good && is_cast((enum tt_dtype)d, counts[c]);
        tap_ok(good, "%s with 0, 1, 3 and 5 scales",
               tt_dtype_name((enum tt_dtype)d));
    }
}

static float of_half(enum tt_dtype dtype, uint16_t bits)
{
    struct tt_column col = {.values = 1, .kept = TT_F32};
    struct tt_cast cast = {&col, NULL, dtype, 0};
    float out;

    tt_cast_run(&cast, 1, &bits, &out);
    return out;
}

/* Values of IEEE 754 binary16 and of bfloat16, from their definitions. */
static void test_halves(void)
{
    static const struct {
        uint16_t bits;
        double value;
    } f16[] = {{0x3c00, 1},
               {0xc000, -2},
               {0x7bff, 65504},
               {0x0001, 0x1p-24},
               {0x03ff, 1023 * 0x1p-24},
               {0x0400, 0x1p-14},
               {0x3555, 0.333251953125},
               {0x7c00, (double)INFINITY},
               {0xfc00, -(double)INFINITY}},
      bf16[] = {
          {0x3f80, 1}, {0xc000, -2}, {0x0080, 0x1p-126}, {0x4049, 3.140625}};
    int good = 1;

    for (size_t i = 0; i < sizeof(f16) / sizeof(f16[0]); i++)
        good = good && (double)of_half(TT_F16, f16[i].bits) == f16[i].value;
    tap_ok(good && isnan(of_half(TT_F16, 0x7e00)) &&
               signbit(of_half(TT_F16, 0x8000)),
           "f16");
    good = 1;
    for (size_t i = 0; i < sizeof(bf16) / sizeof(bf16[0]); i++)
        good = good && (double)of_half(TT_BF16, bf16[i].bits) == bf16[i].value;
    tap_ok(good, "bf16");
}

/* Labels are whole numbers of 32 bits or become TT_LABEL_BAD. */
static void test_labels(void)
{
    static const double in[] = {
        0,   7,    -100,  2147483647.0, 2147483648.0,
        0.5, -1e9, 1e300, (double)NAN,  (double)INFINITY};
    static const int32_t want[] = {0,
                                   7,
                                   -100,
                                   2147483647,
                                   TT_LABEL_BAD,
                                   TT_LABEL_BAD,
                                   -1000000000,
                                   TT_LABEL_BAD,
                                   TT_LABEL_BAD,
                                   TT_LABEL_BAD};
    struct tt_column col = {.values = 1, .kept = TT_I32, .out = TT_I32};
    struct tt_cast cast = {&col, NULL, TT_F64, 0};
    int64_t wide[] = {5, INT64_C(1) << 32, -1, INT64_MIN};
    int32_t out[10];

    tt_cast_run(&cast, 10, in, out);
    tap_ok(memcmp(out, want, sizeof(want)) == 0, "labels from f64");
    cast.from = TT_I64;
    tt_cast_run(&cast, 4, wide, out);
    tap_ok(out[0] == 5 && out[1] == TT_LABEL_BAD && out[2] == -1 &&
               out[3] == TT_LABEL_BAD,
           "labels from i64");
}

/* Pixels by table, by division and with a scale for each channel. */
static void test_pixels(const char *what, int64_t scales, const double *a,
                        const double *b)
{
    struct tt_error err = {0};
    struct tt_store *store = tt_store_create(&err);
    struct tt_column *col = &store->head.col[TT_COL_X];
    uint8_t in[4][93];
    float out[4][93];
    struct tt_rows rows = {{in, NULL}, store->head.col};
    int64_t row[] = {2, 0, 3, 3};
    int good = 1;

    col->values = 93;
    col->stored = TT_U8;
    col->out = TT_F32;
    for (int i = 0; i < 4 * 93; i++)
        in[i / 93][i % 93] = (uint8_t)(i * 89);
    tt_store_scale(store, TT_COL_X, scales, a, b, &err);
    tt_store_finish(store);
    tap_ok(col->kept == TT_U8, "%s: kept as they are", what);
    tt_rows_gather(store, &rows, row, 4, out, NULL);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 93; k++) {
            double want = in[row[i]][k] * a[k % scales] + b[k % scales];

            good = good && out[i][k] == (float)want;
        }
    tap_ok(good, "%s: come out scaled", what);
    tt_store_release(store);
}

int main(void)
{
    test_casts();
    test_halves();
    test_labels();
    test_pixels("pixels over 255", 1, (const double[]){1.0 / 255},
                (const double[]){0});
    test_pixels("pixels with a shift", 1, (const double[]){1.0 / 127.5},
                (const double[]){-1});
    test_pixels("pixels of 3 channels", 3, scale, shift);
    return tap_done();
}
