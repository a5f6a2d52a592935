/* SPDX-License-Identifier: BSD-3-Clause */
/* device_priv.h - what the kernels of every backend share. */
#ifndef TT_DEVICE_PRIV_H
#define TT_DEVICE_PRIV_H

#include <stddef.h>

#include "device/kernels.h"

/* The parameters of a tt_kernel_fn. */
#define TT_KERNEL_ARGS                                                         \
    const struct tt_op *op, void *const *ptr, const struct tt_now *now,        \
        void *work

/* Ref 'i', NULL where the op has none. */
static inline void *tt_ref_at(const struct tt_op *op, void *const *ptr, int i)
{
    return i < op->ref_count ? ptr[i] : NULL;
}

/* The dims of a convolution and of a pool, in order. */
struct tt_conv_dims {
    int64_t H, W, I, O, KH, KW, stride, pad, OH, OW;
};
struct tt_pool_dims {
    int64_t H, W, C, K, stride, pad, OH, OW;
};

static inline struct tt_conv_dims tt_conv_dims_of(const struct tt_op *op)
{
    const int64_t *d = op->dim;

    return (struct tt_conv_dims){d[0], d[1], d[2], d[3], d[4],
                                 d[5], d[6], d[7], d[8], d[9]};
}

static inline struct tt_pool_dims tt_pool_dims_of(const struct tt_op *op)
{
    const int64_t *d = op->dim;

    return (struct tt_pool_dims){d[0], d[1], d[2], d[3],
                                 d[4], d[5], d[6], d[7]};
}

#endif
