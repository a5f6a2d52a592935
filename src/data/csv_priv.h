/* SPDX-License-Identifier: BSD-3-Clause */
/* csv_priv.h - what a table's columns are and become: from_csv.c reads the
 * cells, csv_columns.c decides. */
#ifndef TT_DATA_CSV_PRIV_H
#define TT_DATA_CSV_PRIV_H

#include "data/intake.h"
#include "data/table.h"
#include "data/words.h"

enum tt_csv_role { TT_CSV_FEATURE, TT_CSV_LABEL, TT_CSV_DROPPED };

struct tt_csv_column {
    char *name;
    int role; /* enum tt_csv_role */
    /* What scans have found. */
    int64_t number_count, other_count, missing_count;
    bool fractions; /* some number is not whole */
    char *other;    /* "file:line: text" of the first that is no number */
    struct tt_words words;
    /* What it becomes. */
    bool category; /* of a feature: one-hot; of the label: classes */
    int64_t first_value, value_count; /* in x */
};

struct tt_csv {
    struct tt_csv_column *column;
    int64_t column_count;
    int64_t label; /* its column, or -1 */
    struct tt_table_form form;
    bool header;           /* each file begins with the names of the columns */
    char **name;           /* of JSON: the columns' names, which are theirs, */
    bool *unwanted;        /* and which are dropped */
    bool label_by_number;  /* labels are numbers and their own class */
    struct tt_table table; /* the one that is being read */
    bool is_open;
    int64_t unknown_count; /* categories that --like does not know */
};

/* Take note of a cell. */
int tt_csv_note(struct tt_csv *csv, int64_t column, const char *text,
                const struct tt_table *table, struct tt_error *err);

/* Fail where a column's name cannot stand in an index. */
int tt_csv_check_name(const char *name, const struct tt_table *table,
                      struct tt_error *err);

/* found and learn of struct tt_intake_ops. */
json_t *tt_csv_found(struct tt_intake *intake);
int tt_csv_learn(struct tt_intake *intake, const json_t *all,
                 struct tt_error *err);

#endif
