/* SPDX-License-Identifier: BSD-3-Clause */
/* math_priv.h - exp, log, tanh, erfc in f32 without branches, so that loops
 * over them become vectors.  Polynomials are minimax fits in relative error
 * (made by a weighted least-squares iteration in 40 digits); each function is
 * within about 2 units in the last place.  NaN stays NaN. */
#ifndef TT_DEVICE_MATH_PRIV_H
#define TT_DEVICE_MATH_PRIV_H

#include <stdint.h>
#include <string.h>

#include "device/cpu/cpu_priv.h"

TT_INLINE float tt_bits_float(int32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

TT_INLINE int32_t tt_float_bits(float x)
{
    int32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* exp(x) = 2^n exp(r), n = round(x / ln 2): adding 1.5 x 2^23 rounds to an
 * integer and leaves it in the low bits.  Below -87.3 the result is 0, above
 * 88.3 it stays at 2^127. */
TT_INLINE float tt_expf(float x)
{
    const float magic = 12582912.0f;
    float y = x > 88.3f ? 88.3f : x < -87.3f ? -87.3f : x;
    float shifted = y * 1.44269504f + magic;
    float n = shifted - magic;
    float r = (y - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.3950600e-3f;
    uint32_t scale; /* n, or anything where x is NaN */

    p = p * r + 8.3689541e-3f;
    p = p * r + 4.1666206e-2f;
    p = p * r + 0.16666518f;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    scale = (uint32_t)tt_float_bits(shifted) - (uint32_t)tt_float_bits(magic);
    p *= tt_bits_float((int32_t)((scale + 127) << 23));
    return x < -87.3f ? 0.0f : p;
}

/* log(x) of a positive, normal x: x = 2^e (1 + f), sqrt(1/2) <= 1 + f. */
TT_INLINE float tt_logf(float x)
{
    int32_t shifted = tt_float_bits(x) - 0x3f3504f3;
    int32_t e = shifted >> 23;
    float f = tt_bits_float((shifted & 0x7fffff) + 0x3f3504f3) - 1.0f;
    float p = -0.0785953626f, scale = (float)e;

    p = p * f + 0.128816187f;
    p = p * f - 0.131287694f;
    p = p * f + 0.141811967f;
    p = p * f - 0.166245535f;
    p = p * f + 0.200022861f;
    p = p * f - 0.250008106f;
    p = p * f + 0.333333164f;
    p = p * f * f * f - 0.5f * f * f + scale * -2.12194440e-4f;
    return p + f + scale * 0.693359375f;
}

TT_INLINE float tt_absf(float x)
{
    return tt_bits_float(tt_float_bits(x) & 0x7fffffff);
}

TT_INLINE float tt_tanhf(float x)
{
    float a = tt_absf(x), u = x * x;
    float p = -5.7146768e-3f;
    float far = 1.0f - 2.0f / (tt_expf(2.0f * a) + 1.0f);

    p = p * u + 2.0648563e-2f;
    p = p * u - 5.3742912e-2f;
    p = p * u + 0.13331485f;
    p = p * u - 0.33333284f;
    return a < 0.625f ? x + x * u * p : x < 0 ? -far : far;
}

TT_INLINE float tt_sigmoidf(float x)
{
    return 1.0f / (1.0f + tt_expf(-x));
}

/* exp(z^2) erfc(z) for z >= 0: t P(t) with t = 1 / (1 + 0.4 z). */
TT_INLINE float tt_erfcxf(float z)
{
    float t = 1.0f / (1.0f + 0.4f * z);
    float p = -3.0595612e-2f;

    p = p * t + 0.20347664f;
    p = p * t - 0.51172638f;
    p = p * t + 0.56476057f;
    p = p * t - 0.29887229f;
    p = p * t + 0.27991095f;
    p = p * t + 0.12694468f;
    p = p * t + 0.21551077f;
    p = p * t + 0.22488005f;
    p = p * t + 0.22571066f;
    return p * t;
}

/* The normal distribution, and its density 'phi' times sqrt(2 pi). */
TT_INLINE float tt_normalf(float x, float *bell)
{
    float z = tt_absf(x) * 0.70710678f;
    float tail;

    *bell = tt_expf(-0.5f * x * x);
    tail = 0.5f * tt_erfcxf(z < 12.0f ? z : 12.0f) * *bell;
    return x < 0 ? tail : 1.0f - tail;
}

/* gelu in its tanh form is x sigmoid(2 u(x)). */
TT_INLINE float tt_gelu_2u(float x)
{
    return x * (1.59576912f + 0.07135481f * x * x);
}

/* act is a constant where these are inlined. */
TT_INLINE float tt_act_value(int act, float x)
{
    float bell;

    switch (act) {
    case TT_ACT_RELU:
        return x < 0 ? 0.0f : x;
    case TT_ACT_GELU:
        return x * tt_sigmoidf(tt_gelu_2u(x));
    case TT_ACT_GELU_ERF:
        return x * tt_normalf(x, &bell);
    case TT_ACT_TANH:
        return tt_tanhf(x);
    case TT_ACT_SIGMOID:
        return tt_sigmoidf(x);
    default:
        return x;
    }
}

/* 1 - s = e s, without cancellation. */
TT_INLINE float tt_gelu_slope(float x)
{
    float e = tt_expf(-tt_gelu_2u(x));
    float s = 1.0f / (1.0f + e);

    return s + x * (s * s * e) * (1.59576912f + 0.21406443f * x * x);
}

TT_INLINE float tt_sigmoid_slope(float x)
{
    float e = tt_expf(-x), s = 1.0f / (1.0f + e);

    return s * s * e;
}

TT_INLINE float tt_act_slope(int act, float x)
{
    float bell, cdf;

    switch (act) {
    case TT_ACT_RELU:
        return x > 0 ? 1.0f : 0.0f;
    case TT_ACT_GELU:
        return tt_gelu_slope(x);
    case TT_ACT_GELU_ERF:
        cdf = tt_normalf(x, &bell);
        return cdf + x * 0.39894228f * bell;
    case TT_ACT_TANH:
        return 1.0f - tt_tanhf(x) * tt_tanhf(x);
    case TT_ACT_SIGMOID:
        return tt_sigmoid_slope(x);
    default:
        return 1.0f;
    }
}

#endif
