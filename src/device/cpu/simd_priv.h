/* SPDX-License-Identifier: BSD-3-Clause */
/* simd_priv.h - vectors of the level being compiled, for the one kernel that
 * needs registers by hand (gemm_small.c).  GNU C vector types; gcc and clang
 * lower them on any processor. */
#ifndef TT_DEVICE_SIMD_PRIV_H
#define TT_DEVICE_SIMD_PRIV_H

#include <string.h>

#include "device/cpu/cpu_priv.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { TT_VL = 16, TT_MR = 8 };
#elif defined(__AVX2__)
enum { TT_VL = 8, TT_MR = 4 };
#else
enum { TT_VL = 4, TT_MR = 4 };
#endif

typedef float tt_vec __attribute__((vector_size(TT_VL * sizeof(float))));

TT_INLINE tt_vec tt_vec_load(const float *x)
{
    tt_vec v;

    memcpy(&v, x, sizeof(v));
    return v;
}

TT_INLINE void tt_vec_store(float *x, tt_vec v)
{
    memcpy(x, &v, sizeof(v));
}

TT_INLINE tt_vec tt_vec_all(float x)
{
    return x - (tt_vec){0};
}

/* The first 'count' elements only, the others 0; and the sum of all. */
#if defined(__AVX512F__)
TT_INLINE tt_vec tt_vec_load_part(const float *x, int count)
{
    return (tt_vec)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), x);
}

TT_INLINE void tt_vec_store_part(float *x, tt_vec v, int count)
{
    _mm512_mask_storeu_ps(x, (__mmask16)((1u << count) - 1), (__m512)v);
}

TT_INLINE float tt_vec_total(tt_vec v)
{
    return _mm512_reduce_add_ps((__m512)v);
}
#elif defined(__AVX2__)
TT_INLINE __m256i tt_vec_mask(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

TT_INLINE tt_vec tt_vec_load_part(const float *x, int count)
{
    return (tt_vec)_mm256_maskload_ps(x, tt_vec_mask(count));
}

TT_INLINE void tt_vec_store_part(float *x, tt_vec v, int count)
{
    _mm256_maskstore_ps(x, tt_vec_mask(count), (__m256)v);
}

TT_INLINE float tt_vec_total(tt_vec v)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128((__m256)v),
                             _mm256_extractf128_ps((__m256)v, 1));

    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
#else
TT_INLINE tt_vec tt_vec_load_part(const float *x, int count)
{
    tt_vec v = {0};

    for (int i = 0; i < count; i++)
        v[i] = x[i];
    return v;
}

TT_INLINE void tt_vec_store_part(float *x, tt_vec v, int count)
{
    for (int i = 0; i < count; i++)
        x[i] = v[i];
}

TT_INLINE float tt_vec_total(tt_vec v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}
#endif

#endif
