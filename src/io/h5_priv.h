/* SPDX-License-Identifier: BSD-3-Clause */
/* h5_priv.h - what the files of this room share about HDF5. */
#ifndef TT_IO_H5_PRIV_H
#define TT_IO_H5_PRIV_H

/* Why the last HDF5 call failed, in the library's words. */
struct tt_h5_reason {
    char text[160];
};
struct tt_h5_reason tt_h5_reason(void);

#endif
