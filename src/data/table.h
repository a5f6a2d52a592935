/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h - records of text fields out of a CSV file (RFC 4180: quotes, doubled
 * quotes, line breaks in quotes, CRLF) or of JSON objects, one a line; one
 * after the other. */
#ifndef TT_DATA_TABLE_H
#define TT_DATA_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/stream.h"

/* How a file is read. */
struct tt_table_form {
    bool json; /* one object a line; the rest does not matter then */
    char separator;
    bool quotes;        /* are special */
    int64_t skip_lines; /* at the head */
};

struct tt_table {
    /* The record that was read last. */
    int64_t field_count;
    char **field; /* blanks around unquoted text are cut off */
    int64_t line; /* where it begins, from 1 */
    struct tt_table_form form;
    const char *path;
    struct tt_stream *stream;
    /* Of JSON: the keys in the order of the fields, set by the caller once they
     * are known; without them a record holds the keys of its object.  Those
     * marked in 'unwanted' (or NULL) are not looked at. */
    char *const *name;
    int64_t name_count;
    const bool *unwanted;
    int64_t next_line;
    /* Text of the record, and where in it the fields begin. */
    char *text;
    int64_t text_bytes, text_room;
    int64_t *start;
    int64_t field_room;
    /* What was read of the stream. */
    char *buffer;
    int64_t at, filled;
};

/* Open 'path' (which must stay); a byte order mark is skipped.  Clear with
 * _close, also on failure. */
int tt_table_open(struct tt_table *table, const char *path,
                  const struct tt_table_form *form, struct tt_error *err);
void tt_table_close(struct tt_table *table);

/* The next record that is not an empty line: 1; 0 at the end; -1 on failure,
 * "file:line: why". */
int tt_table_next(struct tt_table *table, struct tt_error *err);

/* Which of , ; tab | the first line of a file is separated by. */
int tt_table_guess(const char *path, int64_t skip_lines, char *separator,
                   struct tt_error *err);

/* Is the text one that stands for a missing value: empty, NA, nan, null ...? */
bool tt_cell_is_missing(const char *text);

/* Is the whole text a number?  Then *value is it. */
bool tt_cell_is_number(const char *text, double *value);

#endif
