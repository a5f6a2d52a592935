/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.h - sums of doubles that do not depend on the order of the addends.
 * A value is cut into 32-bit digits of fixed weight which are added into
 * 64-bit integers: integer addition is associative, so any partition over
 * ranks gives the same bits, and MPI_SUM on MPI_INT64_T adds two of them.
 * After R. M. Neal, "Fast exact summation using small and large
 * superaccumulators" (arXiv:1505.05571), with a fixed window of digits. */
#ifndef TT_BASE_EXACT_H
#define TT_BASE_EXACT_H

#include <stdint.h>

enum { TT_EXACT_DIGITS = 21, TT_EXACT_WORDS = TT_EXACT_DIGITS + 1 };

/* digit[i] weighs 2^(32 i - 352); bits below 2^-352 are cut off, value by
 * value.  'odd' counts addends that were not finite or 2^308 and above.  All
 * zeros is an empty sum.  Plain int64 words, for MPI and for files. */
struct tt_exact {
    int64_t digit[TT_EXACT_DIGITS];
    int64_t odd;
};

/* Add one value.  At most 2^30 values may be added before a tt_exact_carry();
 * sums over ranks count as the ranks' addends together, a carried sum counts
 * as one. */
void tt_exact_add(struct tt_exact *sum, double value);

/* Add another sum into this one. */
void tt_exact_merge(struct tt_exact *sum, const struct tt_exact *other);

/* Bring digits back into 32 bits; the value stays the same, and sums of the
 * same value then have the same digits. */
void tt_exact_carry(struct tt_exact *sum);

/* The sum, rounded once to nearest; NaN if any addend was odd. */
double tt_exact_value(const struct tt_exact *sum);

#endif
