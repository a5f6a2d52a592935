/* SPDX-License-Identifier: BSD-3-Clause */
/* stream_nozst.c - where the zstd library was not found. */
#include "data/stream_priv.h"

static void *refuse(int fd, struct tt_error *err)
{
    (void)fd;
    tt_fail(err, TT_EFORMAT,
            "is packed with zstd, but tutti was built without it: install "
            "libzstd-dev and configure again, or unpack the file");
    return NULL;
}

const struct tt_codec tt_codec_zst = {"zstd", "\x28\xb5\x2f\xfd", 4, refuse, 0,
                                      0};
