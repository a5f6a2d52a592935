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
typedef int32_t tt_ivec __attribute__((vector_size(TT_VL * sizeof(float))));

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

/* part: the first 'count' elements only, the others 0.  total and top: the sum
 * of all elements, the largest.  turn: four columns of TT_VL rows become four
 * rows. */
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

TT_INLINE int32_t tt_ivec_top(tt_ivec v)
{
    return _mm512_reduce_max_epi32((__m512i)v);
}

/* Four numbers each of rows i, i+4, i+8 and i+12. */
TT_INLINE __m512 tt_quads(const float *x, int64_t step)
{
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(x));

    v = _mm512_insertf32x4(v, _mm_loadu_ps(x + 4 * step), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(x + 8 * step), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(x + 12 * step), 3);
}

TT_INLINE void tt_vec_turn(const float *x, int64_t step, float *to,
                           int64_t width)
{
    __m512 a = tt_quads(x, step), b = tt_quads(x + step, step);
    __m512 c = tt_quads(x + 2 * step, step), d = tt_quads(x + 3 * step, step);
    __m512d ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    __m512d cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    __m512d AB = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    __m512d CD = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));

    tt_vec_store(to, (tt_vec)_mm512_unpacklo_pd(ab, cd));
    tt_vec_store(to + width, (tt_vec)_mm512_unpackhi_pd(ab, cd));
    tt_vec_store(to + 2 * width, (tt_vec)_mm512_unpacklo_pd(AB, CD));
    tt_vec_store(to + 3 * width, (tt_vec)_mm512_unpackhi_pd(AB, CD));
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

TT_INLINE int32_t tt_ivec_top(tt_ivec v)
{
    __m128i half = _mm_max_epi32(_mm256_castsi256_si128((__m256i)v),
                                 _mm256_extracti128_si256((__m256i)v, 1));

    half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    return _mm_cvtsi128_si32(
        _mm_max_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}

/* Four numbers each of rows i and i+4. */
TT_INLINE __m256 tt_quads(const float *x, int64_t step)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x)),
                                _mm_loadu_ps(x + 4 * step), 1);
}

TT_INLINE void tt_vec_turn(const float *x, int64_t step, float *to,
                           int64_t width)
{
    __m256 a = tt_quads(x, step), b = tt_quads(x + step, step);
    __m256 c = tt_quads(x + 2 * step, step), d = tt_quads(x + 3 * step, step);
    __m256d ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    __m256d cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    __m256d AB = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    __m256d CD = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));

    tt_vec_store(to, (tt_vec)_mm256_unpacklo_pd(ab, cd));
    tt_vec_store(to + width, (tt_vec)_mm256_unpackhi_pd(ab, cd));
    tt_vec_store(to + 2 * width, (tt_vec)_mm256_unpacklo_pd(AB, CD));
    tt_vec_store(to + 3 * width, (tt_vec)_mm256_unpackhi_pd(AB, CD));
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

TT_INLINE int32_t tt_ivec_top(tt_ivec v)
{
    int32_t a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];

    return a > b ? a : b;
}

TT_INLINE void tt_vec_turn(const float *x, int64_t step, float *to,
                           int64_t width)
{
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < TT_VL; j++)
            to[i * width + j] = x[j * step + i];
}
#endif

#endif
