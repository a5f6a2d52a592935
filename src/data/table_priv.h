/* SPDX-License-Identifier: BSD-3-Clause */
/* table_priv.h - what the kinds of tables share. */
#ifndef TT_DATA_TABLE_PRIV_H
#define TT_DATA_TABLE_PRIV_H

#include "data/table.h"

/* The next line into t->text, without its end: 1; 0 at the end; -1. */
int tt_table_read_line(struct tt_table *t, struct tt_error *err);

/* Build a record: empty, add fields, finish. */
void tt_table_begin_record(struct tt_table *t);
int tt_table_add_field(struct tt_table *t, const char *text,
                       struct tt_error *err);
void tt_table_end_record(struct tt_table *t);

/* The next record of a file of JSON objects, one a line. */
int tt_table_next_json(struct tt_table *t, struct tt_error *err);

#endif
