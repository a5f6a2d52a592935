/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - the numbers in a checkpoint, seen by one process. */
#include "ckpt/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"

enum { PIECE_ELEMS = 1 << 16, WIDTH_MAX = 8 };

/* --- elements as doubles ---------------------------------------------- */

static double half_value(uint16_t bits)
{
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double value;

    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, -24);
    else
        value = ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static double brain_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof(value));
    return value;
}

static double value_at(const void *data, int64_t i, enum tt_dtype dtype)
{
    switch (dtype) {
    case TT_F32:
        return ((const float *)data)[i];
    case TT_F64:
        return ((const double *)data)[i];
    case TT_F16:
        return half_value(((const uint16_t *)data)[i]);
    case TT_BF16:
        return brain_value(((const uint16_t *)data)[i]);
    case TT_I8:
        return ((const int8_t *)data)[i];
    case TT_U8:
        return ((const uint8_t *)data)[i];
    case TT_I16:
        return ((const int16_t *)data)[i];
    case TT_U16:
        return ((const uint16_t *)data)[i];
    case TT_I32:
        return ((const int32_t *)data)[i];
    case TT_U32:
        return ((const uint32_t *)data)[i];
    case TT_I64:
        return (double)((const int64_t *)data)[i];
    default:
        return (double)((const uint64_t *)data)[i];
    }
}

/* Elements from 'first' on into 'out': how many, or -1. */
static int64_t piece_read(struct tt_ckpt_operand o, int64_t first, void *out,
                          struct tt_error *err)
{
    int64_t width = (int64_t)tt_dtype_bytes(o.tensor->dtype);
    int64_t count = o.tensor->elem_count - first;

    if (count > PIECE_ELEMS)
        count = PIECE_ELEMS;
    if (tt_path_pread(o.file->fd, out, (size_t)(count * width),
                      o.tensor->offset + first * width, o.file->path, err) < 0)
        return tt_fail_in(err, "%s", o.tensor->name);
    return count;
}

/* --- one tensor ------------------------------------------------------- */

static void stats_add(struct tt_ckpt_stats *s, double value)
{
    if (!isfinite(value)) {
        s->odd_count++;
        return;
    }
    if (!(value >= s->min))
        s->min = value;
    if (!(value <= s->max))
        s->max = value;
    s->mean += value; /* sums, until all are in */
    s->rms += value * value;
}

int tt_ckpt_tensor_stats(const struct tt_ckpt_file *file,
                         const struct tt_manifest_tensor *tensor,
                         struct tt_ckpt_stats *stats, struct tt_error *err)
{
    struct tt_ckpt_operand o = {file, tensor};
    void *data = malloc(PIECE_ELEMS * WIDTH_MAX);
    int64_t count = data ? 0 : -1;
    double good;

    if (!data)
        return tt_fail(err, TT_ENOMEM, "%s: no memory", file->path);
    *stats = (struct tt_ckpt_stats){
        .elem_count = tensor->elem_count, .min = NAN, .max = NAN};
    for (int64_t at = 0; at < tensor->elem_count; at += count) {
        count = piece_read(o, at, data, err);
        if (count < 0)
            break;
        for (int64_t i = 0; i < count; i++)
            stats_add(stats, value_at(data, i, tensor->dtype));
    }
    free(data);
    good = (double)(stats->elem_count - stats->odd_count);
    stats->mean /= good;
    stats->rms = sqrt(stats->rms / good);
    return count < 0 ? -1 : 0;
}

/* --- two tensors ------------------------------------------------------ */

struct sums {
    double diff2, a2;
};

static void piece_diff(const char *a, const char *b, int64_t count,
                       enum tt_dtype dtype, struct tt_ckpt_diff *diff,
                       struct sums *sums)
{
    size_t width = tt_dtype_bytes(dtype);

    for (int64_t i = 0; i < count; i++) {
        double x = value_at(a, i, dtype);
        double gap = fabs(x - value_at(b, i, dtype));

        diff->differ_count +=
            memcmp(a + (size_t)i * width, b + (size_t)i * width, width) != 0;
        if (!isfinite(gap))
            continue;
        if (gap > diff->max_abs)
            diff->max_abs = gap;
        sums->diff2 += gap * gap;
        sums->a2 += x * x;
    }
}

int tt_ckpt_tensor_diff(struct tt_ckpt_operand a, struct tt_ckpt_operand b,
                        struct tt_ckpt_diff *diff, struct tt_error *err)
{
    char *data = malloc(2 * PIECE_ELEMS * WIDTH_MAX);
    char *other;
    struct sums sums = {0, 0};
    int64_t count = 0;

    if (!data)
        return tt_fail(err, TT_ENOMEM, "%s: no memory", a.file->path);
    other = data + PIECE_ELEMS * WIDTH_MAX;
    *diff = (struct tt_ckpt_diff){.elem_count = a.tensor->elem_count};
    for (int64_t at = 0; at < a.tensor->elem_count; at += count) {
        count = piece_read(a, at, data, err);
        if (count < 0 || piece_read(b, at, other, err) < 0) {
            count = -1;
            break;
        }
        piece_diff(data, other, count, a.tensor->dtype, diff, &sums);
    }
    free(data);
    diff->rel = sums.diff2 > 0 ? sqrt(sums.diff2 / sums.a2) : 0;
    return count < 0 ? -1 : 0;
}
