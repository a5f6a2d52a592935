/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.c - every tuned kernel against ref/ on random shapes, short batches
 * and more than one thread.
 *
 * Both get the same bits.  What ref/ wrote must be there up to rounding: a sum
 * of n products in f32 is off by about 2^-24 sqrt(n) of its terms, so an
 * element may differ by 2^-24 (16 + 4 sqrt(n)) of its array's largest.  What
 * ref/ left alone must have the same bits: absent samples, inputs, and what
 * lies behind an array. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/exact.h"
#include "cases.h"
#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

enum { ROUNDS = 3 };

/* The level under test, as a backend. */
static struct tt_backend tested;

static double largest(const float *x, int64_t count)
{
    double max = 0;

    for (int64_t i = 0; i < count; i++)
        if (isfinite(x[i]))
            max = fmax(max, fabs((double)x[i]));
    return max;
}

/* Worst difference over the tolerance. */
static double compare_f32(const float *ref, const float *got, int64_t count,
                          double tolerance)
{
    double worst = 0, limit = tolerance * largest(ref, count) + 1e-30;

    for (int64_t i = 0; i < count; i++) {
        bool same = memcmp(&ref[i], &got[i], sizeof(float)) == 0;
        double d = fabs((double)ref[i] - (double)got[i]);

        if (!same)
            worst = fmax(worst, isnan(d) ? 1e9 : d / limit);
    }
    return worst;
}

static double compare_f64(const double *ref, const double *got, int64_t count,
                          double tolerance)
{
    double worst = 0;

    for (int64_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(ref[i] - got[i]) /
                                (tolerance * fmax(fabs(ref[i]), 1)));
    return worst;
}

static double compare_array(const struct case_array *ref,
                            const struct case_array *got, double tolerance)
{
    double value[2];

    switch (ref->type) {
    case CASE_F32:
        return compare_f32(ref->data, got->data, (int64_t)(ref->bytes / 4),
                           tolerance);
    case CASE_F64:
        return compare_f64(ref->data, got->data, ref->count, tolerance);
    case CASE_EXACT:
        value[0] = tt_exact_value(ref->data);
        value[1] = tt_exact_value(got->data);
        return compare_f64(&value[0], &value[1], 1, 1e-12);
    default:
        return memcmp(ref->data, got->data, ref->bytes) == 0 ? 0 : 1e9;
    }
}

/* Written arrays within the tolerance, others bit for bit. */
static bool is_written(const struct case_call *call, int idx)
{
    for (int i = 0; i < call->op.ref_count; i++)
        if (call->array[i] == idx && call->op.ref[i].mode != TT_REF_R)
            return true;
    return false;
}

static void check_call(struct tcase *ref, struct tcase *cpu, int idx)
{
    const struct case_call *call = &ref->call[idx];
    double tolerance = 0x1p-24 * (16 + 4 * sqrt((double)ref->longest));
    double worst = 0;
    const char *where = "";

    case_restore(cpu, ref);
    case_run(ref, idx, &tt_backend_ref);
    case_run(cpu, idx, &tested);
    for (int i = 0; i < ref->array_count; i++) {
        const struct case_array *a = &ref->array[i], *b = &cpu->array[i];
        double error = is_written(call, i) ? compare_array(a, b, tolerance)
                       : memcmp(a->data, b->data, a->bytes) == 0 ? 0
                                                                 : 1e9;

        if (error > worst) {
            worst = error;
            where = a->name;
        }
    }
    if (!tap_ok(worst <= 1, "%s: %s, %d of %d samples, %s%s", tested.name,
                ref->name, (int)ref->now.valid_rows, (int)ref->samples,
                tt_op_name((enum tt_op_kind)call->op.kind),
                ref->now.first_in_lane ? "" : ", adding"))
        tap_note("%s is off by %g times the tolerance", where, worst);
}

/* Whole numbers, so that windows have several largest values. */
static void make_ties(struct case_array *x)
{
    float *value = x->data;

    for (int64_t i = 0; i < x->count; i++)
        value[i] = floorf(value[i]);
}

static void check_case(int idx, uint64_t seed, bool many)
{
    struct tcase ref, cpu;

    case_init(&ref, idx, seed, many);
    if (ref.call[0].op.kind == TT_OP_MAXPOOL && seed % 2 == 0)
        make_ties(case_find(&ref, "x"));
    ref.now.valid_rows = ref.samples - (int64_t)(seed % 3);
    ref.now.update = (int64_t)seed;
    case_copy(&cpu, &ref);
    for (int i = 0; i < ref.call_count; i++)
        check_call(&ref, &cpu, i);
    ref.now.first_in_lane = cpu.now.first_in_lane = false;
    case_set_mode(&ref, TT_REF_ADD);
    case_set_mode(&cpu, TT_REF_ADD);
    for (int i = 0; i < ref.call_count; i++)
        check_call(&ref, &cpu, i);
    case_clear(&ref);
    case_clear(&cpu);
}

/* Which ref of a kind its first ref may share memory with, 0: none. */
static int shared_ref(int kind)
{
    return kind == TT_OP_ADD || kind == TT_OP_ACT_BWD || kind == TT_OP_DROPOUT
               ? 1
           : kind == TT_OP_XENT ? 2
                                : 0;
}

/* The same bits come out where output and input are one array. */
static void check_in_place(struct tcase *c, int idx,
                           const struct tt_backend *backend)
{
    struct case_call *call = &c->call[idx];
    int from = call->array[shared_ref(call->op.kind)], to = call->array[0];
    struct tcase once;

    case_copy(&once, c);
    case_run(&once, idx, backend);
    call->array[0] = from;
    case_run(c, idx, backend);
    call->array[0] = to;
    tap_ok(memcmp(c->array[from].data, once.array[to].data,
                  (size_t)c->array[from].count * sizeof(float)) == 0,
           "%s: %s, %s in place", backend->name, c->name,
           tt_op_name((enum tt_op_kind)call->op.kind));
    case_clear(&once);
}

static void check_sharing(const struct tt_backend *backend)
{
    for (int idx = 0; idx < case_table_count; idx++) {
        struct tcase c;

        case_init(&c, idx, 77, false);
        for (int i = 0; i < c.call_count; i++)
            if (shared_ref(c.call[i].op.kind) > 0)
                check_in_place(&c, i, backend);
        case_clear(&c);
    }
}

/* Rounds first .. ROUNDS; the last one has many samples. */
static void check_level(const struct tt_cpu_level *level, int threads,
                        uint64_t first)
{
    tt_backend_cpu.start(threads);
    tested.name = level->name;
    memcpy(tested.kernel, level->kernel, sizeof(tested.kernel));
    for (int idx = 0; idx < case_table_count; idx++)
        for (uint64_t seed = first; seed <= ROUNDS; seed++)
            check_case(idx, seed + 100 * (uint64_t)threads, seed == ROUNDS);
}

int main(void)
{
    for (int i = 0; tt_cpu_level_at(i) != NULL; i++)
        check_level(tt_cpu_level_at(i), i == 0 ? 2 : 1, i == 0 ? 1 : 2);
    check_level(tt_cpu_level_at(0), 1, ROUNDS);
    check_level(tt_cpu_level_at(0), 3, ROUNDS);
    check_sharing(&tt_backend_ref);
    check_sharing(&tt_backend_cpu);
    return tap_done();
}
