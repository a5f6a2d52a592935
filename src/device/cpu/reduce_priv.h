/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_priv.h - sums and maxima of one row, in four vectors at a time: a
 * chain of additions would wait for each one. */
#ifndef TT_DEVICE_REDUCE_PRIV_H
#define TT_DEVICE_REDUCE_PRIV_H

#include "device/cpu/math_priv.h"
#include "device/cpu/simd_priv.h"

TT_INLINE float tt_row_sum(const float *x, int64_t count)
{
    tt_vec a = {0}, b = {0}, c = {0}, d = {0};
    float sum = 0;
    int64_t i = 0;

    for (; i + 4 * TT_VL <= count; i += 4 * TT_VL) {
        a += tt_vec_load(x + i);
        b += tt_vec_load(x + i + TT_VL);
        c += tt_vec_load(x + i + 2 * TT_VL);
        d += tt_vec_load(x + i + 3 * TT_VL);
    }
    for (; i + TT_VL <= count; i += TT_VL)
        a += tt_vec_load(x + i);
    for (; i < count; i++)
        sum += x[i];
    return sum + tt_vec_total((a + b) + (c + d));
}

TT_INLINE tt_vec tt_vec_spread(const float *x, tt_vec mean)
{
    tt_vec d = tt_vec_load(x) - mean;

    return d * d;
}

/* Sum of (x - mean)^2. */
TT_INLINE float tt_row_spread(const float *x, float mean, int64_t count)
{
    tt_vec a = {0}, b = {0}, c = {0}, d = {0}, m = tt_vec_all(mean);
    float sum = 0;
    int64_t i = 0;

    for (; i + 4 * TT_VL <= count; i += 4 * TT_VL) {
        a += tt_vec_spread(x + i, m);
        b += tt_vec_spread(x + i + TT_VL, m);
        c += tt_vec_spread(x + i + 2 * TT_VL, m);
        d += tt_vec_spread(x + i + 3 * TT_VL, m);
    }
    for (; i + TT_VL <= count; i += TT_VL)
        a += tt_vec_spread(x + i, m);
    for (; i < count; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum + tt_vec_total((a + b) + (c + d));
}

TT_INLINE float tt_row_dot(const float *x, const float *y, int64_t count)
{
    tt_vec a = {0}, b = {0}, c = {0}, d = {0};
    float sum = 0;
    int64_t i = 0;

    for (; i + 4 * TT_VL <= count; i += 4 * TT_VL) {
        a += tt_vec_load(x + i) * tt_vec_load(y + i);
        b += tt_vec_load(x + i + TT_VL) * tt_vec_load(y + i + TT_VL);
        c += tt_vec_load(x + i + 2 * TT_VL) * tt_vec_load(y + i + 2 * TT_VL);
        d += tt_vec_load(x + i + 3 * TT_VL) * tt_vec_load(y + i + 3 * TT_VL);
    }
    for (; i + TT_VL <= count; i += TT_VL)
        a += tt_vec_load(x + i) * tt_vec_load(y + i);
    for (; i < count; i++)
        sum += x[i] * y[i];
    return sum + tt_vec_total((a + b) + (c + d));
}

/* Floats in the order of integers and back; a NaN is beyond the largest (or
 * the smallest), and compilers know how to take the maximum of integers. */
TT_INLINE int32_t tt_float_order(float x)
{
    int32_t bits = tt_float_bits(x);

    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

TT_INLINE float tt_order_float(int32_t order)
{
    return tt_bits_float(order < 0 ? order ^ 0x7fffffff : order);
}

TT_INLINE tt_ivec tt_vec_order(tt_vec x)
{
    tt_ivec bits = (tt_ivec)x;

    return bits ^ ((bits < 0) & 0x7fffffff);
}

TT_INLINE tt_ivec tt_ivec_max(tt_ivec a, tt_ivec b)
{
    tt_ivec more = a > b;

    return (a & more) | (b & ~more);
}

TT_INLINE float tt_row_max(const float *x, int64_t count)
{
    tt_ivec a = (tt_ivec){0} + INT32_MIN, b = a;
    int64_t i = 0;
    int32_t max;

    for (; i + 2 * TT_VL <= count; i += 2 * TT_VL) {
        a = tt_ivec_max(a, tt_vec_order(tt_vec_load(x + i)));
        b = tt_ivec_max(b, tt_vec_order(tt_vec_load(x + i + TT_VL)));
    }
    for (; i + TT_VL <= count; i += TT_VL)
        a = tt_ivec_max(a, tt_vec_order(tt_vec_load(x + i)));
    max = tt_ivec_top(tt_ivec_max(a, b));
    for (; i < count; i++)
        max = tt_float_order(x[i]) > max ? tt_float_order(x[i]) : max;
    return tt_order_float(max);
}

#endif
