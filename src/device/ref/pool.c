/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c - maximum and average over windows of NHWC images. */
#include <string.h>

#include "device/ref/ref_priv.h"

/* Index within a sample's x of tap 'tap' of output 'out' of a sample's y, or
 * -1 in the padding. */
static int64_t in_x(const struct tt_pool_dims *p, int64_t out, int64_t tap)
{
    int64_t oh = out / p->C / p->OW, ow = out / p->C % p->OW;
    int64_t ih = oh * p->stride - p->pad + tap / p->K;
    int64_t iw = ow * p->stride - p->pad + tap % p->K;

    if (ih < 0 || ih >= p->H || iw < 0 || iw >= p->W)
        return -1;
    return (ih * p->W + iw) * p->C + out % p->C;
}

static int64_t out_count(const struct tt_pool_dims *p)
{
    return p->OH * p->OW * p->C;
}

static int64_t in_count(const struct tt_pool_dims *p)
{
    return p->H * p->W * p->C;
}

void tt_ref_maxpool(TT_KERNEL_ARGS)
{
    struct tt_pool_dims p = tt_pool_dims_of(op);
    float *y = ptr[0];
    int32_t *idx = ptr[1];
    int64_t outs = out_count(&p);

    (void)work;
    for (int64_t j = 0; j < now->valid_rows * outs; j++) {
        const float *x = (const float *)ptr[2] + j / outs * in_count(&p);
        int64_t best = -1;

        for (int64_t tap = 0; tap < p.K * p.K; tap++) {
            int64_t at = in_x(&p, j % outs, tap);

            if (at >= 0 && (best < 0 || x[at] > x[best]))
                best = at;
        }
        y[j] = best >= 0 ? x[best] : 0;
        idx[j] = (int32_t)best;
    }
}

void tt_ref_maxpool_bwd(TT_KERNEL_ARGS)
{
    struct tt_pool_dims p = tt_pool_dims_of(op);
    float *dx = ptr[0];
    const float *dy = ptr[1];
    const int32_t *idx = ptr[2];
    int64_t ins = in_count(&p), outs = out_count(&p);

    (void)work;
    memset(dx, 0, (size_t)(now->valid_rows * ins) * sizeof(*dx));
    for (int64_t j = 0; j < now->valid_rows * outs; j++)
        if (idx[j] >= 0)
            dx[j / outs * ins + idx[j]] += dy[j];
}

void tt_ref_avgpool(TT_KERNEL_ARGS)
{
    struct tt_pool_dims p = tt_pool_dims_of(op);
    float *y = ptr[0];
    int64_t outs = out_count(&p);

    (void)work;
    for (int64_t j = 0; j < now->valid_rows * outs; j++) {
        const float *x = (const float *)ptr[1] + j / outs * in_count(&p);
        double sum = 0;

        for (int64_t tap = 0; tap < p.K * p.K; tap++) {
            int64_t at = in_x(&p, j % outs, tap);

            sum += at >= 0 ? (double)x[at] : 0;
        }
        y[j] = (float)(sum / (double)(p.K * p.K));
    }
}

void tt_ref_avgpool_bwd(TT_KERNEL_ARGS)
{
    struct tt_pool_dims p = tt_pool_dims_of(op);
    const float *dy = ptr[1];
    int64_t outs = out_count(&p), ins = in_count(&p);

    (void)work;
    memset(ptr[0], 0, (size_t)(now->valid_rows * ins) * sizeof(float));
    for (int64_t j = 0; j < now->valid_rows * outs; j++) {
        float *dx = (float *)ptr[0] + j / outs * ins;

        for (int64_t tap = 0; tap < p.K * p.K; tap++) {
            int64_t at = in_x(&p, j % outs, tap);

            if (at >= 0)
                dx[at] += dy[j] / (float)(p.K * p.K);
        }
    }
}
