/* SPDX-License-Identifier: BSD-3-Clause */
/* attention.c - multi-head attention, a head of a sample at a time, in blocks
 * of ROWS queries: where causal, a block multiplies only with the keys that
 * its last query may see. */
#include <math.h>

#include "device/cpu/math_priv.h"
#include "device/cpu/philox_priv.h"
#include "device/cpu/reduce_priv.h"

enum { ROWS = 64 };

struct attention {
    const struct tt_op *op;
    const struct tt_now *now;
    float *y, *p, *dqkv;
    const float *qkv, *dy;
    float *work;
    int64_t T, H, D, work_floats; /* of one part */
    bool causal;
    double drop;
};

/* Rows t .. t+rows-1 of one head, and the keys 0 .. cols-1 they look at. */
struct block {
    int64_t sample, head, t, rows, cols;
};

static struct attention attention_of(const struct tt_op *op,
                                     const struct tt_now *now, void *work)
{
    int64_t buffers = op->f[0] > 0 ? 2 : 1;

    return (struct attention){
        .op = op,
        .now = now,
        .work = work,
        .T = op->dim[0],
        .H = op->dim[1],
        .D = op->dim[2],
        .work_floats = (buffers * ROWS + op->dim[2]) * op->dim[0],
        .causal = op->dim[3] != 0,
        .drop = op->f[0],
    };
}

/* For each part: k or v turned over (D, T), the gradient of scores (ROWS, T),
 * and p after dropout (ROWS, T). */
size_t TT_CPU(attention_work)(const struct tt_op *op, int64_t samples)
{
    (void)samples;
    return (size_t)tt_cpu_threads() * (size_t)(2 * ROWS + op->dim[2]) *
           (size_t)op->dim[0] * sizeof(float);
}

static struct block block_at(const struct attention *a, int64_t unit, int64_t t)
{
    int64_t rows = a->T - t < ROWS ? a->T - t : ROWS;

    return (struct block){unit / a->H, unit % a->H, t, rows,
                          a->causal ? t + rows : a->T};
}

static int64_t in_qkv(const struct attention *a, const struct block *b,
                      int which, int64_t t)
{
    return (((b->sample * a->T + t) * 3 + which) * a->H + b->head) * a->D;
}

static int64_t in_y(const struct attention *a, const struct block *b)
{
    return ((b->sample * a->T + b->t) * a->H + b->head) * a->D;
}

static int64_t in_p(const struct attention *a, const struct block *b)
{
    return ((b->sample * a->H + b->head) * a->T + b->t) * a->T;
}

/* p[0 .. seen-1] = softmax(scale x), 0 from there to 'count', which is in whole
 * vectors where the block has as many columns: what a row may not see is finite
 * there, and is masked. */
static void softmax(float *p, int seen, int count, float scale)
{
    float max, sum;

#pragma omp simd
    for (int s = seen; s < count; s++)
        p[s] = p[0];
    max = tt_row_max(p, count);
#pragma omp simd
    for (int s = 0; s < count; s++) {
        float e = tt_expf((p[s] - max) * scale);

        p[s] = s < seen ? e : 0.0f;
    }
    sum = 1.0f / tt_row_sum(p, count);
#pragma omp simd
    for (int s = 0; s < count; s++)
        p[s] *= sum;
}

/* Softmax of the block's rows. */
static void softmax_block(const struct attention *a, const struct block *b,
                          float *p)
{
    float scale = 1.0f / sqrtf((float)a->D);

    for (int64_t i = 0; i < b->rows; i++, p += a->T) {
        int64_t seen = a->causal ? b->t + i + 1 : a->T;
        int64_t whole = (seen + 15) / 16 * 16;
        int64_t count = whole < b->cols ? whole : b->cols;

        softmax(p, (int)seen, (int)count, scale);
        memset(p + count, 0, (size_t)(a->T - count) * sizeof(*p));
    }
}

/* to[s] = from[s] x what dropout multiplies p[t][s] with. */
static void drop_row(const struct attention *a, const struct block *b,
                     int64_t t, const float *from, float *to)
{
    uint32_t room[TT_RUN_ROOM], below = tt_drop_below(a->drop);
    float scale = (float)(1 / (1 - a->drop));
    struct tt_stream stream = tt_stream_of(a->op, a->now, b->sample);
    int64_t start = (b->head * a->T + t) * a->T;

    for (int64_t s = 0; s < b->cols; s += TT_RUN_WORDS) {
        int64_t left = b->cols - s;
        int64_t count = left < TT_RUN_WORDS ? left : TT_RUN_WORDS;
        const uint32_t *word = tt_stream_run(stream, start + s, count, room);

#pragma omp simd
        for (int64_t i = 0; i < count; i++)
            to[s + i] = word[i] >> 8 >= below ? from[s + i] * scale : 0.0f;
    }
}

/* The block's probabilities after dropout: in 'room', or p itself. */
static const float *dropped(const struct attention *a, const struct block *b,
                            float *room)
{
    const float *p = a->p + in_p(a, b);

    if (a->drop <= 0)
        return p;
    for (int64_t i = 0; i < b->rows; i++)
        drop_row(a, b, b->t + i, p + i * a->T, room + i * a->T);
    return room;
}

/* Keys (which 1) or values (2) of a head as (D, T): read in place by the
 * products of all its blocks. */
static void turn_head(const struct attention *a, const struct block *b,
                      int which, float *turned)
{
    TT_CPU(turn)
    (&(struct tt_turn){a->qkv + in_qkv(a, b, which, 0), a->T, a->D,
                       3 * a->H * a->D, turned, a->T});
}

static void forward_block(const struct attention *a, const struct block *b,
                          const float *keys, float *room)
{
    float *p = a->p + in_p(a, b);
    int64_t ld = 3 * a->H * a->D;
    struct tt_gemm scores = {.m = b->rows,
                             .n = b->cols,
                             .k = a->D,
                             .a = a->qkv + in_qkv(a, b, 0, b->t),
                             .b = keys,
                             .lda = ld,
                             .ldb = a->T,
                             .c = p,
                             .ldc = a->T};
    struct tt_gemm y = {.m = b->rows,
                        .n = a->D,
                        .k = b->cols,
                        .b = a->qkv + in_qkv(a, b, 2, 0),
                        .lda = a->T,
                        .ldb = ld,
                        .c = a->y + in_y(a, b),
                        .ldc = a->H * a->D};

    TT_CPU(gemm)(&scores);
    softmax_block(a, b, p);
    y.a = dropped(a, b, room);
    TT_CPU(gemm)(&y);
}

static void forward_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct attention *a = ctx;
    float *keys = a->work + part * a->work_floats;

    for (int64_t unit = begin; unit < end; unit++)
        for (int64_t t = 0; t < a->T; t += ROWS) {
            struct block b = block_at(a, unit, t);

            if (t == 0)
                turn_head(a, &b, 1, keys);
            forward_block(a, &b, keys, keys + a->D * a->T);
        }
}

/* Heads that are worth a thread. */
static int64_t head_grain(const struct attention *a)
{
    return 1 + 100000 / (a->T * a->T * (a->D + 8));
}

void TT_CPU(attention)(TT_KERNEL_ARGS)
{
    struct attention a = attention_of(op, now, work);

    a.y = ptr[0];
    a.p = ptr[1];
    a.qkv = ptr[2];
    tt_cpu_split(now->valid_rows * a.H, head_grain(&a), forward_part, &a);
}

/* ds = p (dp - sum p dp) scale, in place of dp. */
static void softmax_bwd(const float *p, float *dp, int64_t cols, float scale)
{
    float mean = tt_row_dot(p, dp, cols);

#pragma omp simd
    for (int64_t s = 0; s < cols; s++)
        dp[s] = p[s] * (dp[s] - mean) * scale;
}

/* The block's ds (rows, cols) in 'ds', leading dimension T. */
static void scores_bwd(const struct attention *a, const struct block *b,
                       const float *values, float *ds)
{
    const float *p = a->p + in_p(a, b);
    struct tt_gemm g = {.m = b->rows,
                        .n = b->cols,
                        .k = a->D,
                        .a = a->dy + in_y(a, b),
                        .b = values,
                        .lda = a->H * a->D,
                        .ldb = a->T,
                        .c = ds,
                        .ldc = a->T};

    TT_CPU(gemm)(&g);
    for (int64_t i = 0; i < b->rows; i++) {
        float *row = ds + i * a->T;

        if (a->drop > 0)
            drop_row(a, b, b->t + i, row, row);
        softmax_bwd(p + i * a->T, row, b->cols, 1.0f / sqrtf((float)a->D));
    }
}

/* Rows 0 .. cols-1 of dk or dv [+]= s (rows, cols)^T . x (rows, D). */
static void keys_bwd(const struct attention *a, const struct block *b,
                     const float *s, struct tt_gemm *g)
{
    g->ta = true;
    g->m = b->cols;
    g->n = a->D;
    g->k = b->rows;
    g->a = s;
    g->lda = a->T;
    g->ldc = 3 * a->H * a->D;
    g->adds = b->t + b->rows < a->T;
    TT_CPU(gemm)(g);
}

/* Blocks come last first: the last one sees every key, so it writes dk and dv,
 * the others add. */
static void backward_block(const struct attention *a, const struct block *b,
                           const float *values, float *ds)
{
    float *room = ds + ROWS * a->T;
    int64_t ld = 3 * a->H * a->D;
    struct tt_gemm dv = {.b = a->dy + in_y(a, b),
                         .ldb = a->H * a->D,
                         .c = a->dqkv + in_qkv(a, b, 2, 0)};
    struct tt_gemm dk = {.b = a->qkv + in_qkv(a, b, 0, b->t),
                         .ldb = ld,
                         .c = a->dqkv + in_qkv(a, b, 1, 0)};
    struct tt_gemm dq = {.m = b->rows,
                         .n = a->D,
                         .k = b->cols,
                         .a = ds,
                         .b = a->qkv + in_qkv(a, b, 1, 0),
                         .lda = a->T,
                         .ldb = ld,
                         .c = a->dqkv + in_qkv(a, b, 0, b->t),
                         .ldc = ld};

    keys_bwd(a, b, dropped(a, b, room), &dv);
    scores_bwd(a, b, values, ds);
    TT_CPU(gemm)(&dq);
    keys_bwd(a, b, ds, &dk);
}

static void backward_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct attention *a = ctx;
    float *values = a->work + part * a->work_floats;
    int64_t last = (a->T - 1) / ROWS * ROWS;

    for (int64_t unit = begin; unit < end; unit++)
        for (int64_t t = last; t >= 0; t -= ROWS) {
            struct block b = block_at(a, unit, t);

            if (t == last)
                turn_head(a, &b, 2, values);
            backward_block(a, &b, values, values + a->D * a->T);
        }
}

void TT_CPU(attention_bwd)(TT_KERNEL_ARGS)
{
    struct attention a = attention_of(op, now, work);

    a.dqkv = ptr[0];
    a.dy = ptr[1];
    a.qkv = ptr[2];
    a.p = ptr[3];
    tt_cpu_split(now->valid_rows * a.H, head_grain(&a), backward_part, &a);
}
