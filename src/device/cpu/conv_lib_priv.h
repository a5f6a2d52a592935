/* SPDX-License-Identifier: BSD-3-Clause */
/* conv_lib_priv.h - convolutions by a library, where there is one. */
#ifndef TT_DEVICE_CONV_LIB_PRIV_H
#define TT_DEVICE_CONV_LIB_PRIV_H

#include "device/device_priv.h"

enum tt_conv_pass { TT_CONV_FORWARD, TT_CONV_DX, TT_CONV_DW };

/* One pass over 'samples' samples.  x, w, y (or their gradients), NHWC and
 * (O, KH, KW, I); b is the bias or its gradient or NULL.  What the pass makes
 * is overwritten. */
struct tt_conv_call {
    int pass; /* enum tt_conv_pass */
    int64_t samples;
    struct tt_conv_dims d;
    float *x, *w, *y, *b;
};

/* Do it, or return false: no library, a shape that it does not take or too
 * small to be worth it.  What is needed for a shape is made when the shape is
 * first seen and kept.  For the compute thread only. */
bool tt_conv_lib_run(const struct tt_conv_call *call);

#endif
