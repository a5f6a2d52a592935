/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 3 4 */
/* verdict.c - losses are dealt to ranks in several ways; the numbers lie on a
 * grid, so that long double sums are exact and say what must come out. */
#include <string.h>

#include "comm/verdict.h"
#include "lib/tap.h"

static int rank, size;

static void ok_all(int pass, const char *name)
{
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    tap_ok(pass, "%s", name);
}

/* On a grid of 2^-40, below 2^10: sums of a thousand fit 64 bits. */
static double loss_of(int i)
{
    uint64_t x = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15;

    return (double)(int64_t)(x >> 11 & 0x3ffffffffffff) * 0x1p-40;
}

static void test_sums(void)
{
    struct tt_verdict v = {0};
    long double loss = 0, sumsq = 0;

    for (int i = 0; i < 1000; i++) {
        loss += loss_of(i);
        sumsq += i * 0.25L;
        if (i % 7 % size != rank)
            continue;
        tt_exact_add(&v.loss, loss_of(i));
        tt_exact_add(&v.weight, 1);
        tt_exact_add(&v.sumsq, i * 0.25);
        v.targets++;
        v.correct += i % 2;
    }
    tt_verdict_all(&v, size, MPI_COMM_WORLD);
    ok_all(tt_exact_value(&v.loss) == (double)loss, "losses add up exactly");
    ok_all(tt_exact_value(&v.weight) == 1000, "weights");
    ok_all(tt_exact_value(&v.sumsq) == (double)sumsq, "squares");
    ok_all(v.targets == 1000 && v.correct == 500, "counts");
}

static void test_asks(void)
{
    struct tt_verdict v = {0};
    int others = 0;

    v.asks[TT_ASK_STOP] = rank == size - 1;
    v.asks[TT_ASK_EVAL] = 1;
    tt_verdict_all(&v, size, MPI_COMM_WORLD);
    ok_all(v.asks[TT_ASK_STOP] == 1, "one rank's wish is everybody's");
    ok_all(v.asks[TT_ASK_EVAL] == size, "what all ask for is counted");
    for (int i = 0; i < TT_ASK_COUNT; i++)
        others += i != TT_ASK_STOP && i != TT_ASK_EVAL && v.asks[i] != 0;
    ok_all(others == 0, "nobody asks for anything else");
}

static void test_not_finite(void)
{
    struct tt_verdict v = {0};
    double value;

    tt_exact_add(&v.loss, rank == 0 ? 1e308 * 10 : 1);
    tt_verdict_all(&v, size, MPI_COMM_WORLD);
    value = tt_exact_value(&v.loss);
    ok_all(value != value, "one rank's infinity is everybody's NaN");
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0)
        tap_mute();
    test_sums();
    test_asks();
    test_not_finite();
    status = tap_done();
    MPI_Finalize();
    return status;
}
