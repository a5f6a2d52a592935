/* SPDX-License-Identifier: BSD-3-Clause */
/* open.h - how each kind of set is described as a store; serial, on rank 0. */
#ifndef TT_DATA_OPEN_H
#define TT_DATA_OPEN_H

#include <stdint.h>

#include "base/doc.h"
#include "base/err.h"
#include "data/store.h"

/* {synthetic: {...}}: nothing but numbers. */
int tt_open_synthetic(struct tt_store *store, const struct tt_node *map,
                      struct tt_error *err);

/* A folder packed by tutti-shard. */
int tt_open_packed(struct tt_store *store, const char *dir,
                   struct tt_error *err);

/* {files: "a/b.h5", x: /images, y: /labels, ...}: HDF5 by others. */
int tt_open_foreign(struct tt_store *store, const struct tt_node *map,
                    struct tt_error *err);

#endif
