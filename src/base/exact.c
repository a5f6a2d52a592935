/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.c - sums of doubles that do not depend on the order of the addends. */
#include <math.h>
#include <string.h>

#include "base/exact.h"

enum {
    DIGIT_BITS = 32,
    LOW_EXPONENT = -352, /* of the lowest bit of digit 0 */
    /* A normal double with exponent field e is m 2^(e - 1075), m < 2^53. */
    FIELD_TO_BIT = -1075 - LOW_EXPONENT,
    ROOM_ABOVE = 2 /* digits that a value may run up from its first one */
};

static const uint64_t digit_mask = 0xffffffff;

void tt_exact_add(struct tt_exact *sum, double value)
{
    uint64_t bits, mantissa;
    int64_t sign;
    int bit, shift;
    int64_t *digit;

    memcpy(&bits, &value, sizeof(bits));
    sign = -(int64_t)(bits >> 63); /* 0 or -1: x ^ sign - sign is +-x */
    mantissa = (bits & 0xfffffffffffff) | 1ULL << 52;
    bit = (int)(bits >> 52 & 0x7ff) + FIELD_TO_BIT;
    if (bit < 0) { /* zeros and subnormals come here too */
        mantissa = bit > -53 ? mantissa >> -bit : 0;
        bit = 0;
    }
    if (bit / DIGIT_BITS + ROOM_ABOVE >= TT_EXACT_DIGITS) {
        sum->odd++;
        return;
    }
    digit = sum->digit + bit / DIGIT_BITS;
    shift = bit % DIGIT_BITS;
    digit[0] += ((int64_t)(mantissa << shift & digit_mask) ^ sign) - sign;
    mantissa >>= DIGIT_BITS - shift; /* 1 .. 32 places */
    digit[1] += ((int64_t)(mantissa & digit_mask) ^ sign) - sign;
    digit[2] += ((int64_t)(mantissa >> DIGIT_BITS) ^ sign) - sign;
}

void tt_exact_merge(struct tt_exact *sum, const struct tt_exact *other)
{
    for (int i = 0; i < TT_EXACT_DIGITS; i++)
        sum->digit[i] += other->digit[i];
    sum->odd += other->odd;
}

void tt_exact_carry(struct tt_exact *sum)
{
    int64_t carry = 0;

    for (int i = 0; i < TT_EXACT_DIGITS - 1; i++) {
        int64_t digit = sum->digit[i] + carry;

        carry = digit >> DIGIT_BITS; /* gcc and clang floor it */
        sum->digit[i] = (int64_t)((uint64_t)digit & digit_mask);
    }
    sum->digit[TT_EXACT_DIGITS - 1] += carry; /* keeps the sign */
}

/* The digits of |sum|, each below 2^32, the top one in two parts; returns
 * whether the sum is negative. */
static int magnitude(const struct tt_exact *sum, uint32_t *digit)
{
    int64_t carry = 0;
    uint64_t add = 1;

    for (int i = 0; i < TT_EXACT_DIGITS; i++) {
        carry += sum->digit[i];
        digit[i] = (uint32_t)carry;
        carry >>= DIGIT_BITS;
    }
    digit[TT_EXACT_DIGITS] = (uint32_t)carry;
    if (carry >= 0)
        return 0;
    for (int i = 0; i <= TT_EXACT_DIGITS; i++) { /* two's complement */
        add += ~digit[i];
        digit[i] = (uint32_t)add;
        add >>= DIGIT_BITS;
    }
    return 1;
}

double tt_exact_value(const struct tt_exact *sum)
{
    uint32_t padded[TT_EXACT_DIGITS + 3] = {0}; /* two zeros below digit 0 */
    uint32_t *digit = padded + 2;
    int negative = magnitude(sum, digit), top = TT_EXACT_DIGITS, up = 0;
    uint64_t word, rest = 0;
    double value;

    if (sum->odd != 0)
        return NAN;
    while (top > 0 && digit[top] == 0)
        top--;
    if (digit[top] == 0)
        return 0.0;
    /* The 64 leading bits; whatever lies below sets the last one, so that the
     * conversion to 53 bits rounds right. */
    word = (uint64_t)digit[top] << 32 | digit[top - 1];
    while (!(word << up >> 63))
        up++;
    word = word << up | (uint64_t)digit[top - 2] << up >> 32;
    rest = (uint32_t)(digit[top - 2] << up);
    for (int i = top - 3; i >= 0; i--)
        rest |= digit[i];
    value = ldexp((double)(word | (rest != 0)),
                  DIGIT_BITS * (top - 1) - up + LOW_EXPONENT);
    return negative ? -value : value;
}
