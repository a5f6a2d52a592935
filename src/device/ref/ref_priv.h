/* SPDX-License-Identifier: BSD-3-Clause */
/* ref_priv.h - the kernels of ref/: plain loops over f32 arrays, every sum in
 * f64 and rounded once.  They are written to be read against the definition,
 * not to be fast.  Each is a tt_kernel_fn; refs and dims are in device/op.h. */
#ifndef TT_DEVICE_REF_PRIV_H
#define TT_DEVICE_REF_PRIV_H

#include "device/device_priv.h"

void tt_ref_dense(TT_KERNEL_ARGS);
void tt_ref_dense_dx(TT_KERNEL_ARGS);
void tt_ref_dense_dw(TT_KERNEL_ARGS);
void tt_ref_act(TT_KERNEL_ARGS);
void tt_ref_act_bwd(TT_KERNEL_ARGS);
void tt_ref_dropout(TT_KERNEL_ARGS);
void tt_ref_add(TT_KERNEL_ARGS);
void tt_ref_layernorm(TT_KERNEL_ARGS);
void tt_ref_layernorm_bwd(TT_KERNEL_ARGS);
void tt_ref_batchnorm(TT_KERNEL_ARGS);
void tt_ref_batchnorm_bwd(TT_KERNEL_ARGS);
void tt_ref_batchnorm_eval(TT_KERNEL_ARGS);
void tt_ref_embed(TT_KERNEL_ARGS);
void tt_ref_embed_bwd(TT_KERNEL_ARGS);
void tt_ref_attention(TT_KERNEL_ARGS);
void tt_ref_attention_bwd(TT_KERNEL_ARGS);
void tt_ref_xent(TT_KERNEL_ARGS);
void tt_ref_mse(TT_KERNEL_ARGS);
void tt_ref_bce(TT_KERNEL_ARGS);
void tt_ref_conv(TT_KERNEL_ARGS);
void tt_ref_conv_dx(TT_KERNEL_ARGS);
void tt_ref_conv_dw(TT_KERNEL_ARGS);
void tt_ref_maxpool(TT_KERNEL_ARGS);
void tt_ref_maxpool_bwd(TT_KERNEL_ARGS);
void tt_ref_avgpool(TT_KERNEL_ARGS);
void tt_ref_avgpool_bwd(TT_KERNEL_ARGS);
void tt_ref_zero(TT_KERNEL_ARGS);
void tt_ref_sum(TT_KERNEL_ARGS);
void tt_ref_sumsq(TT_KERNEL_ARGS);
void tt_ref_running(TT_KERNEL_ARGS);
void tt_ref_sgd(TT_KERNEL_ARGS);
void tt_ref_adam(TT_KERNEL_ARGS);

size_t tt_ref_attention_bwd_work(const struct tt_op *op, int64_t samples);

/* act(x), and its derivative at x (0 at a kink). */
double tt_ref_act_value(enum tt_act act, double x);
double tt_ref_act_slope(enum tt_act act, double x);

/* What element 'i' of sample 'sample' of the micro-batch is multiplied by:
 * 0 with probability p, else 1 / (1 - p). */
double tt_ref_keep(const struct tt_op *op, const struct tt_now *now,
                   int64_t sample, int64_t i, double p);

/* Write or add 'value', rounding once. */
static inline void tt_ref_put(float *to, bool add, double value)
{
    *to = (float)(add ? (double)*to + value : value);
}

#endif
