/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - a file read from front to back, unpacked on the way where it is
 * gzip or Zstandard (known by its first bytes, not by its name). */
#ifndef TT_DATA_STREAM_H
#define TT_DATA_STREAM_H

#include <stdint.h>

#include "base/err.h"

struct tt_stream;

/* Other packers (xz, bzip2, zip) are refused by name. */
struct tt_stream *tt_stream_open(const char *path, struct tt_error *err);
void tt_stream_close(struct tt_stream *stream);

/* Up to 'bytes' unpacked bytes, fewer only at the end, 0 behind it.  -1 on
 * failure; a packed file that ends early is one. */
int64_t tt_stream_read(struct tt_stream *stream, void *to, int64_t bytes,
                       struct tt_error *err);

/* Exactly 'bytes'; the file ending before is a failure. */
int tt_stream_take(struct tt_stream *stream, void *to, int64_t bytes,
                   struct tt_error *err);

/* Go to unpacked byte 'offset'; backwards starts again from the front. */
int tt_stream_seek(struct tt_stream *stream, int64_t offset,
                   struct tt_error *err);

/* The next unpacked byte to be read. */
int64_t tt_stream_offset(const struct tt_stream *stream);

/* Bytes of a plain file, -1 of a packed one. */
int64_t tt_stream_plain_bytes(const struct tt_stream *stream);

/* Unpacked bytes in all: at once for a plain file, by reading a packed one;
 * the position is 0 afterwards. */
int tt_stream_measure(struct tt_stream *stream, int64_t *bytes,
                      struct tt_error *err);

#endif
