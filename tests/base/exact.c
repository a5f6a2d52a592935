/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.c - the reference is a long sum in single bits, added and rounded by
 * hand, and plain integer arithmetic where it fits 128 bits. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/exact.h"

/* A sum with one counter per bit; bit[i] weighs 2^(i - LOW). */
enum { LOW = 1100, BITS = 2300 };

static uint64_t state = 88172645463325252ULL;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static void bits_add(int64_t *bit, double value)
{
    int exponent;
    double part = frexp(fabs(value), &exponent);

    for (int i = exponent - 1; part != 0; i--) {
        part *= 2;
        if (part >= 1) {
            bit[i + LOW] += value < 0 ? -1 : 1;
            part -= 1;
        }
    }
}

/* Carry into 0 or 1 everywhere; returns the sign. */
static int bits_carry(int64_t *bit)
{
    int64_t carry = 0;

    for (int i = 0; i < BITS; i++) {
        int64_t all = bit[i] + carry;

        bit[i] = all & 1;
        carry = (all - bit[i]) / 2;
    }
    return carry < 0;
}

/* Round to nearest, ties to even, bit by bit. */
static double bits_value(int64_t *bit)
{
    int negative = bits_carry(bit), top = BITS - 1, above, below = 0;
    double value = 0;

    if (negative) {
        for (int i = 0; i < BITS; i++)
            bit[i] = -bit[i];
        bits_carry(bit);
    }
    while (top >= 0 && !bit[top])
        top--;
    if (top < 0)
        return 0;
    for (int i = top; i > top - 53 && i >= 0; i--)
        value += ldexp((double)bit[i], i - LOW);
    above = top - 53;
    for (int i = 0; i < above; i++)
        below |= bit[i] != 0;
    if (above >= 0 && bit[above] && (below || bit[above + 1]))
        value += ldexp(1, above + 1 - LOW);
    return negative ? -value : value;
}

static double sum_of(const double *x, int n)
{
    struct tt_exact sum = {0};

    for (int i = 0; i < n; i++)
        tt_exact_add(&sum, x[i]);
    return tt_exact_value(&sum);
}

static double reference(const double *x, int n)
{
    static int64_t bit[BITS];

    memset(bit, 0, sizeof(bit));
    for (int i = 0; i < n; i++)
        bits_add(bit, x[i]);
    return bits_value(bit);
}

/* A value of 53 random bits within 2^+-range. */
static double draw_value(int range)
{
    double value = ldexp((double)(draw() >> 11 | 1), -53);

    if (draw() & 1)
        value = -value;
    return ldexp(value, (int)(draw() % (2 * (unsigned)range + 1)) - range);
}

static void test_reference(void)
{
    static const int ranges[] = {0, 3, 40, 120, 290};
    double x[200];

    for (int r = 0; r < 5; r++) {
        int wrong = 0;

        for (int round = 0; round < 200; round++) {
            int n = 1 + (int)(draw() % 200);

            for (int i = 0; i < n; i++)
                x[i] = draw_value(ranges[r]);
            wrong += !same_bits(sum_of(x, n), reference(x, n));
        }
        tap_ok(wrong == 0, "200 random sums within 2^+-%d are rounded right",
               ranges[r]);
    }
}

static void test_integers(void)
{
    int wrong = 0;

    for (int round = 0; round < 500; round++) {
        struct tt_exact sum = {0};
        __extension__ __int128 whole = 0;

        for (int i = 0; i < 100; i++) {
            int64_t value = (int64_t)draw() >> (11 + draw() % 50);

            whole += value;
            tt_exact_add(&sum, (double)value);
        }
        wrong += !same_bits(tt_exact_value(&sum), (double)whole);
    }
    tap_ok(wrong == 0, "500 sums of integers agree with 128-bit integers");
}

static void test_known(void)
{
    double cancel[] = {1e90, 1, -1e90};
    double tie[] = {1, 0x1p-53};
    double above[] = {1, 0x1p-53, 0x1p-300};
    double odd_tie[] = {1 + 0x1p-52, 0x1p-53};
    double nothing[] = {0.1, -0.1};
    double carry[] = {0x1p300, -0x1p-340};
    double tenth[10];

    for (int i = 0; i < 10; i++)
        tenth[i] = 0.1;
    tap_ok(sum_of(cancel, 3) == 1, "1e90 + 1 - 1e90 is 1");
    tap_ok(sum_of(tie, 2) == 1, "a tie goes to even, down");
    tap_ok(sum_of(above, 3) == 1 + 0x1p-52, "a far bit breaks the tie");
    tap_ok(sum_of(odd_tie, 2) == 1 + 0x1p-51, "a tie goes to even, up");
    tap_ok(same_bits(sum_of(nothing, 2), 0.0), "0.1 - 0.1 is +0");
    tap_ok(sum_of(carry, 2) == 0x1p300, "a borrow through all digits");
    tap_ok(sum_of(tenth, 10) == 1.0, "ten tenths are one");
    tap_ok(same_bits(sum_of(NULL, 0), 0.0), "an empty sum is +0");
}

static void test_edges(void)
{
    static const double small[] = {0x1p-352,  0x1.8p-352,  0x1p-353, 0x1p-1022,
                                   0x1p-1074, -0x1.8p-352, 0.0,      -0.0};
    static const double want[] = {0x1p-352, 0x1p-352, 0, 0, 0, -0x1p-352, 0, 0};
    static const double odd[] = {NAN, INFINITY, -INFINITY, DBL_MAX, 0x1p308};
    double big[2] = {0x1.fffffffffffffp307, 0x1.fffffffffffffp307};

    for (int i = 0; i < 8; i++)
        tap_ok(sum_of(small + i, 1) == want[i],
               "%a below the window is cut to %a", small[i], want[i]);
    for (int i = 0; i < 5; i++) {
        double x[3] = {1, odd[i], 2};

        tap_ok(isnan(sum_of(x, 3)), "%g makes the sum NaN", odd[i]);
    }
    tap_ok(sum_of(big, 2) == 0x1.fffffffffffffp308, "two of the largest");
    tap_ok(sum_of((double[]){FLT_MAX}, 1) == FLT_MAX, "FLT_MAX is exact");
    tap_ok(sum_of((double[]){0x1p-298}, 1) == 0x1p-298,
           "the square of the smallest float is exact");
}

/* Deal the addends to parts at random, add parts in random order. */
static int partition_differs(const double *x, int n, const struct tt_exact *all)
{
    struct tt_exact part[7], sum = {0};
    int first = (int)(draw() % 7);

    memset(part, 0, sizeof(part));
    for (int i = 0; i < n; i++) {
        struct tt_exact *p = &part[draw() % 7];

        tt_exact_add(p, x[(i * 7919 + 13) % n]);
        if (draw() % 10 == 0)
            tt_exact_carry(p);
    }
    for (int i = 0; i < 7; i++)
        tt_exact_merge(&sum, &part[(first + i) % 7]);
    tt_exact_carry(&sum);
    return memcmp(&sum, all, sizeof(sum)) != 0 ||
           !same_bits(tt_exact_value(&sum), tt_exact_value(all));
}

static void test_partitions(void)
{
    enum { N = 1000 };
    double x[N];
    struct tt_exact all = {0};
    int differs = 0;

    for (int i = 0; i < N; i++) {
        x[i] = draw_value(100);
        tt_exact_add(&all, x[i]);
    }
    tt_exact_carry(&all);
    for (int round = 0; round < 100; round++)
        differs += partition_differs(x, N, &all);
    tap_ok(differs == 0, "100 random partitions: same digits, same bits");
}

/* As many addends as are allowed, made by doubling sums. */
static void test_many(void)
{
    struct tt_exact sum = {0}, copy;

    tt_exact_add(&sum, -0x1.fffffffffffffp10);
    for (int i = 0; i < 30; i++) {
        copy = sum;
        tt_exact_merge(&sum, &copy);
    }
    tap_ok(tt_exact_value(&sum) == -0x1.fffffffffffffp40, "2^30 addends");
    tt_exact_carry(&sum);
    for (int i = 0; i < 30; i++) {
        copy = sum;
        tt_exact_merge(&sum, &copy);
    }
    tap_ok(tt_exact_value(&sum) == -0x1.fffffffffffffp70,
           "carried, 2^30 times that");
}

int main(void)
{
    test_reference();
    test_integers();
    test_known();
    test_edges();
    test_partitions();
    test_many();
    return tap_done();
}
