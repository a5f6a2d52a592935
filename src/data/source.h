/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h - rows of a store as kept, by pread, by HDF5 or made up.  Each
 * thread has a source of its own: it holds the open files, a few at a time. */
#ifndef TT_DATA_SOURCE_H
#define TT_DATA_SOURCE_H

#include <stdint.h>

#include "base/err.h"
#include "data/store.h"

struct tt_source;

/* 'store' must outlive the source. */
struct tt_source *tt_source_create(const struct tt_store *store,
                                   struct tt_error *err);
void tt_source_destroy(struct tt_source *source);

/* Rows first .. first+count-1 of column 'c' into 'out' (kept form).  A plain
 * store makes no HDF5 call. */
int tt_source_read(struct tt_source *source, int c, int64_t first,
                   int64_t count, void *out, struct tt_error *err);

/* Tell the kernel that these rows will be read soon. */
void tt_source_advise(struct tt_source *source, int c, int64_t first,
                      int64_t count);

#endif
