/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.c - what the tuned kernels need for one step of known models, beside
 * what the same matrix products need alone: a row a kernel, then the ratio.
 *
 *     bench/kernels [threads]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/rng.h"
#define TT_CPU_LEVEL base
#include "device/cpu/cpu_priv.h"

/* Elements of each ref: digits are dims, s the samples, t three, q four f64s;
 * a ref is the product of its letters. */
static const char *const shapes[TT_OP_KIND_COUNT] = {
    [TT_OP_DENSE] = "s01 s02 12 1 s01",
    [TT_OP_DENSE_DX] = "s02 s01 12",
    [TT_OP_DENSE_DW] = "12 s01 s02 1",
    [TT_OP_ACT_BWD] = "s0 s0 s0",
    [TT_OP_DROPOUT] = "s0 s0",
    [TT_OP_ADD] = "s0 s0 s0",
    [TT_OP_LAYERNORM] = "s01 s0 s0 s01 1 1",
    [TT_OP_LAYERNORM_BWD] = "s01 1 1 s01 s01 s0 s0 1",
    [TT_OP_BATCHNORM] = "s01 1 1 1 1 s01 1 1",
    [TT_OP_BATCHNORM_BWD] = "s01 1 1 s01 s01 1 1 1",
    [TT_OP_EMBED] = "s01 s0 21 01",
    [TT_OP_EMBED_BWD] = "21 01 s01 s0",
    [TT_OP_ATTENTION] = "s012 s100 ts012",
    [TT_OP_ATTENTION_BWD] = "ts012 s012 ts012 s100",
    [TT_OP_XENT] = "s02 q s02 s0",
    [TT_OP_CONV] = "s893 s012 3452 3",
    [TT_OP_CONV_DX] = "s012 s893 3452",
    [TT_OP_CONV_DW] = "3452 s893 s012 3",
    [TT_OP_MAXPOOL] = "s672 s672 s012",
    [TT_OP_MAXPOOL_BWD] = "s012 s672 s672",
    [TT_OP_SUMSQ] = "q 0",
    [TT_OP_ADAM] = "0 0 0 0",
};

/* As exec/ takes memory. */
enum { HUGE_PAGE = 2 << 20 };

struct line {
    int kind;
    int times; /* a step */
    int64_t dim[TT_OP_DIMS];
    double f[TT_OP_FLOATS];
};

struct model {
    const char *name;
    int64_t samples;
    const struct line *line;
    int lines;
};

#define CNN1 28, 28, 1, 32, 3, 3, 1, 1, 28, 28
#define CNN2 14, 14, 32, 64, 3, 3, 1, 1, 14, 14
#define ADAM_F                                                                 \
    {                                                                          \
        0.1, 0.9, 0.95, 1e-8                                                   \
    }

static const struct line mlp[] = {
    {TT_OP_DENSE, 1, {1, 50, 10, TT_ACT_RELU}, {0}},
    {TT_OP_DENSE, 1, {1, 2, 50, TT_ACT_NONE}, {0}},
    {TT_OP_XENT, 1, {1, 2, 2, -100}, {0}},
    {TT_OP_DENSE_DX, 1, {1, 2, 50}, {0}},
    {TT_OP_DENSE_DW, 1, {1, 2, 50}, {0}},
    {TT_OP_ACT_BWD, 1, {50, TT_ACT_RELU}, {0}},
    {TT_OP_DENSE_DW, 1, {1, 50, 10}, {0}},
    {TT_OP_ADAM, 1, {652, 0}, ADAM_F},
};

static const struct line cnn[] = {
    {TT_OP_CONV, 1, {CNN1}, {0}},
    {TT_OP_BATCHNORM, 1, {784, 32}, {1e-5}},
    {TT_OP_MAXPOOL, 1, {28, 28, 32, 2, 2, 0, 14, 14}, {0}},
    {TT_OP_CONV, 1, {CNN2}, {0}},
    {TT_OP_MAXPOOL, 1, {14, 14, 64, 2, 2, 0, 7, 7}, {0}},
    {TT_OP_DENSE, 1, {1, 128, 3136, TT_ACT_RELU}, {0}},
    {TT_OP_XENT, 1, {1, 10, 10, -100}, {0}},
    {TT_OP_DENSE_DX, 1, {1, 128, 3136}, {0}},
    {TT_OP_DENSE_DW, 1, {1, 128, 3136}, {0}},
    {TT_OP_MAXPOOL_BWD, 1, {14, 14, 64, 2, 2, 0, 7, 7}, {0}},
    {TT_OP_ACT_BWD, 1, {12544, TT_ACT_RELU}, {0}},
    {TT_OP_CONV_DX, 1, {CNN2}, {0}},
    {TT_OP_CONV_DW, 1, {CNN2}, {0}},
    {TT_OP_MAXPOOL_BWD, 1, {28, 28, 32, 2, 2, 0, 14, 14}, {0}},
    {TT_OP_BATCHNORM_BWD, 1, {784, 32}, {0}},
    {TT_OP_CONV_DW, 1, {CNN1}, {0}},
    {TT_OP_ADAM, 1, {420000, 1}, ADAM_F},
};

static const struct line gpt2[] = {
    {TT_OP_EMBED, 1, {256, 768, 8192}, {0}},
    {TT_OP_LAYERNORM, 25, {256, 768}, {1e-5}},
    {TT_OP_DENSE, 12, {256, 2304, 768, TT_ACT_NONE}, {0}},
    {TT_OP_ATTENTION, 12, {256, 12, 64, 1}, {0}},
    {TT_OP_DENSE, 12, {256, 768, 768, TT_ACT_NONE}, {0}},
    {TT_OP_ADD, 24, {196608}, {0}},
    {TT_OP_DENSE, 12, {256, 3072, 768, TT_ACT_GELU}, {0}},
    {TT_OP_DENSE, 12, {256, 768, 3072, TT_ACT_NONE}, {0}},
    {TT_OP_DENSE, 1, {256, 8192, 768, TT_ACT_NONE}, {0}},
    {TT_OP_XENT, 1, {256, 8192, 8192, -100}, {0}},
    {TT_OP_DENSE_DX, 1, {256, 8192, 768}, {0}},
    {TT_OP_DENSE_DW, 1, {256, 8192, 768}, {0}},
    {TT_OP_LAYERNORM_BWD, 25, {256, 768}, {0}},
    {TT_OP_DENSE_DX, 12, {256, 768, 3072}, {0}},
    {TT_OP_DENSE_DW, 12, {256, 768, 3072}, {0}},
    {TT_OP_ACT_BWD, 12, {786432, TT_ACT_GELU}, {0}},
    {TT_OP_DENSE_DX, 12, {256, 3072, 768}, {0}},
    {TT_OP_DENSE_DW, 12, {256, 3072, 768}, {0}},
    {TT_OP_DENSE_DX, 12, {256, 768, 768}, {0}},
    {TT_OP_DENSE_DW, 12, {256, 768, 768}, {0}},
    {TT_OP_ATTENTION_BWD, 12, {256, 12, 64, 1}, {0}},
    {TT_OP_DENSE_DX, 12, {256, 2304, 768}, {0}},
    {TT_OP_DENSE_DW, 12, {256, 2304, 768}, {0}},
    {TT_OP_EMBED_BWD, 1, {256, 768, 8192}, {0}},
    {TT_OP_SUMSQ, 13, {7087872}, {0}},
    {TT_OP_ADAM, 13, {7087872, 1}, ADAM_F},
};

#define LINES(table) table, sizeof(table) / sizeof(table[0])
static const struct model models[] = {
    {"mlp 10-50-2 x 32", 32, LINES(mlp)},
    {"cnn 28x28 x 64", 64, LINES(cnn)},
    {"gpt2 12x768 x 4x256", 4, LINES(gpt2)},
};

static int64_t elements(const struct line *line, int64_t samples,
                        const char *shape, int shape_length)
{
    int64_t count = 1;

    for (int i = 0; i < shape_length; i++)
        count *= shape[i] == 's'   ? samples
                 : shape[i] == 't' ? 3
                 : shape[i] == 'q' ? 64
                                   : line->dim[shape[i] - '0'];
    return count;
}

/* Small positive numbers; as integers, valid tokens. */
static void *array(int64_t count, bool whole, int64_t below)
{
    size_t bytes = ((size_t)count * 4 + 127) / 64 * 64;
    bool large = bytes >= 2 * HUGE_PAGE;
    void *memory = NULL;

    if (posix_memalign(&memory, large ? HUGE_PAGE : 64, bytes) != 0)
        exit(1);
    if (large)
        madvise(memory, bytes, MADV_HUGEPAGE);
    for (int64_t i = 0; i < count; i++)
        if (whole)
            ((int32_t *)memory)[i] = (int32_t)(i * 7919 % below);
        else
            ((float *)memory)[i] = (float)(i * 7919 % 1000) * 1e-3f;
    return memory;
}

static bool is_token(int kind, int ref)
{
    return (kind == TT_OP_EMBED && ref == 1) ||
           (kind == TT_OP_EMBED_BWD && ref == 3) ||
           (kind == TT_OP_XENT && ref == 3) ||
           (kind == TT_OP_MAXPOOL_BWD && ref == 2);
}

struct job {
    struct tt_op op;
    struct tt_now now;
    void *ptr[TT_OP_REFS];
    void *work;
};

static void job_init(struct job *job, const struct line *line, int64_t samples)
{
    const char *shape = shapes[line->kind];
    const struct tt_kernel *kernel = &tt_backend_cpu.kernel[line->kind];

    memset(job, 0, sizeof(*job));
    job->now = (struct tt_now){.update = 5,
                               .valid_rows = samples,
                               .first_in_lane = true,
                               .lr = 1e-3,
                               .grad_scale = 1e-3};
    job->op.kind = line->kind;
    memcpy(job->op.dim, line->dim, sizeof(line->dim));
    memcpy(job->op.f, line->f, sizeof(line->f));
    for (int i = 0; *shape != '\0'; i++) {
        int length = (int)strcspn(shape, " ");

        job->ptr[i] = array(elements(line, samples, shape, length),
                            is_token(line->kind, i),
                            line->kind == TT_OP_XENT ? line->dim[1] : 7);
        job->op.ref[i].mode = TT_REF_ACC;
        job->op.ref_count = i + 1;
        shape += length + (shape[length] == ' ');
    }
    if (line->kind == TT_OP_DENSE && line->dim[3] == TT_ACT_NONE)
        job->ptr[4] = NULL;
    job->work = aligned_alloc(
        64, (kernel->work_bytes(&job->op, samples) + 127) / 64 * 64);
}

static void job_clear(struct job *job)
{
    for (int i = 0; i < job->op.ref_count; i++)
        free(job->ptr[i]);
    free(job->work);
}

/* Best of several runs; short ones are run in bunches. */
static double best_s(void (*fn)(const void *ctx), const void *ctx)
{
    double best = 1e9, spent = 0;
    int64_t bunch = 1;

    for (int i = 0; (i < 5 || spent < 0.05) && spent < 2; i++) {
        double start = tt_clock_s(), took;

        for (int64_t j = 0; j < bunch; j++)
            fn(ctx);
        took = tt_clock_s() - start;
        spent += took;
        best = took / (double)bunch < best ? took / (double)bunch : best;
        if (took < 1e-3)
            bunch *= 4;
    }
    return best;
}

static void run_op(const void *ctx)
{
    const struct job *job = ctx;

    tt_backend_cpu.kernel[job->op.kind].run(&job->op, job->ptr, &job->now,
                                            job->work);
}

static void run_gemm(const void *ctx)
{
    tt_gemm_lib(ctx);
}

/* The product inside a dense op, as the library alone would do it. */
static bool gemm_of(const struct job *job, struct tt_gemm *g)
{
    int64_t rows = job->op.dim[0] * job->now.valid_rows;
    int64_t N = job->op.dim[1], K = job->op.dim[2];

    *g = (struct tt_gemm){.a = job->ptr[1], .b = job->ptr[2]};
    g->c = job->ptr[0];
    g->tb = job->op.kind == TT_OP_DENSE;
    g->ta = job->op.kind == TT_OP_DENSE_DW;
    g->m = g->ta ? N : rows;
    g->n = job->op.kind == TT_OP_DENSE ? N : K;
    g->k = g->ta ? rows : job->op.kind == TT_OP_DENSE ? K : N;
    g->lda = g->ta ? g->m : g->k;
    g->ldb = g->tb ? g->k : g->n;
    g->ldc = g->n;
    return job->op.kind <= TT_OP_DENSE_DW;
}

/* Attention counts whole, not halved by causality. */
static double attention_flops(const struct line *line, int64_t samples)
{
    double one = 2.0 * (double)(samples * line->dim[0] * line->dim[0] *
                                line->dim[1] * line->dim[2]);

    return line->kind == TT_OP_ATTENTION       ? 2 * one
           : line->kind == TT_OP_ATTENTION_BWD ? 4 * one
                                               : 0;
}

struct total {
    double s, gemm_s, gemm_flops, flops;
};

static void bench_line(const struct line *line, int64_t samples,
                       struct total *total)
{
    struct job job;
    struct tt_gemm g;
    double s, gemm_s = 0, flops = 0;

    job_init(&job, line, samples);
    s = best_s(run_op, &job);
    if (gemm_of(&job, &g)) {
        gemm_s = best_s(run_gemm, &g);
        flops = 2.0 * (double)g.m * (double)g.n * (double)g.k;
    }
    printf("  %-14s %3d x %10.2f us", tt_op_name((enum tt_op_kind)line->kind),
           line->times, s * 1e6);
    if (flops > 0)
        printf("   product alone %10.2f us, %6.1f GFLOP/s", gemm_s * 1e6,
               flops / gemm_s * 1e-9);
    printf("\n");
    total->s += s * line->times;
    total->gemm_s += gemm_s * line->times;
    total->gemm_flops += flops * line->times;
    total->flops += (flops + attention_flops(line, samples)) * line->times;
    job_clear(&job);
}

static void bench_model(const struct model *model)
{
    struct total total = {0};
    double rate;

    printf("%s\n", model->name);
    for (int i = 0; i < model->lines; i++)
        bench_line(&model->line[i], model->samples, &total);
    rate = total.gemm_flops / total.gemm_s;
    printf("%s: all kernels\t%.3f\tus\n", model->name, total.s * 1e6);
    printf("%s: products of dense layers alone\t%.1f\tGFLOP/s\n", model->name,
           rate * 1e-9);
    printf("%s: products over time of all kernels, of that rate\t%.3f\n",
           model->name, total.flops / total.s / rate);
}

int main(int argc, char **argv)
{
    char text[160];

    tt_backend_cpu.start(argc > 1 ? atoi(argv[1]) : 1);
    tt_backend_fingerprint(&tt_backend_cpu, text, sizeof(text));
    printf("%s\n", text);
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (argc < 3 || strstr(models[i].name, argv[2]) != NULL)
            bench_model(&models[i]);
    return 0;
}
