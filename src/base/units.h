/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h - numbers with units, as users write them: 64MiB, 30 min, 10 %. */
#ifndef TT_BASE_UNITS_H
#define TT_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A length of training.  Bare numbers are steps. */
enum tt_length_unit {
    TT_STEPS,
    TT_EPOCHS,
    TT_SAMPLES,
    TT_TOKENS,
    TT_SECONDS /* s, min, h are brought to seconds */
};

struct tt_length {
    double value;
    int32_t unit; /* enum tt_length_unit */
};

enum { TT_LENGTHS_MAX = 4 };

/* Several lengths: whichever comes first.  count 0: never. */
struct tt_lengths {
    int32_t count;
    struct tt_length at[TT_LENGTHS_MAX];
};

struct tt_i64_list {
    int32_t count;
    int64_t *at;
};

struct tt_f64_list {
    int32_t count;
    double *at;
};

/* "20000 steps", "3 epochs", "30 min", "700" -> length.  Not negative; steps,
 * samples and tokens are whole. */
int tt_length_parse(const char *text, struct tt_length *length,
                    struct tt_error *err);

/* "64MiB", "1.5 GB", "4096" -> bytes, a fraction rounded up.  "64M" is refused:
 * it means one thing to Slurm and another to disk makers. */
int tt_bytes_parse(const char *text, int64_t *bytes, struct tt_error *err);

/* "10 %" or "10%" -> 0.1; a text without % fails. */
int tt_percent_parse(const char *text, double *share, struct tt_error *err);

/* The whole text as a number; 1e3, 5e-4, 1_000 are fine, "12abc" is not; an
 * integer knob refuses 0.5 but takes 1e6. */
int tt_i64_parse(const char *text, int64_t *value, struct tt_error *err);
int tt_f64_parse(const char *text, double *value, struct tt_error *err);

/* Exact: what the parsers above read back to the same value.  'text' of 64
 * bytes always suffices, and is returned. */
char *tt_f64_format(double value, char *text, size_t text_bytes);
char *tt_length_format(struct tt_length length, char *text, size_t text_bytes);

/* For people, not exact: "1.2 GiB", "3.4 M", "2 min 3 s". */
char *tt_bytes_format(int64_t bytes, char *text, size_t text_bytes);
char *tt_count_format(double count, char *text, size_t text_bytes);
char *tt_time_format(double seconds, char *text, size_t text_bytes);

#endif
