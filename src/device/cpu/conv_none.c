/* SPDX-License-Identifier: BSD-3-Clause */
/* conv_none.c - no library has convolutions. */
#include "device/cpu/conv_lib_priv.h"

bool tt_conv_lib_run(const struct tt_conv_call *call)
{
    (void)call;
    return false;
}
