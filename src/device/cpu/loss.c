/* SPDX-License-Identifier: BSD-3-Clause */
/* loss.c - losses, each with the gradient of its sum and a tally.
 *
 * Rows are tallied in a fixed number of blocks, added in order.  Many classes:
 * a row at a time.  Few: LANES rows at a time, so that vectors run over rows.
 */
#include <math.h>

#include "device/cpu/math_priv.h"
#include "device/cpu/reduce_priv.h"

enum { BLOCKS = 16, LANES = 64, FEW = 32, CHUNK = 1024 };

struct tally {
    double at[4];
};

struct xent {
    float *grad; /* or NULL; may be logits */
    const float *logits, *weight;
    const int32_t *target;
    int64_t rows, V, Vp, ignore, block_rows;
    float smooth;
    float spread;      /* smoothing's share of each class, without weights */
    double spread_sum; /* of all classes, with weights */
    struct tally *tally;
};

TT_INLINE float weight_of(const struct xent *x, int64_t c)
{
    return x->weight != NULL ? x->weight[c] : 1.0f;
}

static double spread_sum(const struct xent *x)
{
    double sum = 0;

    if (x->smooth <= 0)
        return 0;
    if (x->weight == NULL)
        return (double)x->smooth;
    for (int64_t c = 0; c < x->V; c++)
        sum += (double)x->weight[c];
    return sum * (double)x->spread;
}

/* ---- many classes ---- */

/* to = exp(from - max); their sum.  'to' is NULL where nobody wants them. */
static double exp_row(float *to, const float *from, float max, int64_t count)
{
    double total = 0;

    for (int64_t first = 0; first < count; first += CHUNK) {
        int64_t left = count - first, n = left < CHUNK ? left : CHUNK;
        const float *x = from + first;
        float *y = to + first, sum = 0;

        if (to != NULL) {
#pragma omp simd reduction(+ : sum)
            for (int64_t i = 0; i < n; i++) {
                y[i] = tt_expf(x[i] - max);
                sum += y[i];
            }
        } else {
#pragma omp simd reduction(+ : sum)
            for (int64_t i = 0; i < n; i++)
                sum += tt_expf(x[i] - max);
        }
        total += (double)sum;
    }
    return total;
}

/* sum of spread_c (x_c - max): what smoothing takes off the loss. */
static double spread_dot(const struct xent *x, const float *row, float max)
{
    double sum = 0;

    if (x->smooth <= 0)
        return 0;
    for (int64_t c = 0; c < x->V; c++)
        sum += (double)(weight_of(x, c) * (row[c] - max));
    return sum * (double)x->spread;
}

/* grad = share p - spread - onehot, from the exps in it. */
static void xent_grad(const struct xent *x, float *grad, float scale,
                      int64_t target)
{
    float spread = x->spread;
    const float *weight = x->weight;

    if (x->smooth <= 0) {
#pragma omp simd
        for (int64_t c = 0; c < x->V; c++)
            grad[c] *= scale;
    } else if (weight == NULL) {
#pragma omp simd
        for (int64_t c = 0; c < x->V; c++)
            grad[c] = grad[c] * scale - spread;
    } else {
#pragma omp simd
        for (int64_t c = 0; c < x->V; c++)
            grad[c] = grad[c] * scale - spread * weight[c];
    }
    grad[target] -= (1 - x->smooth) * weight_of(x, target);
    for (int64_t c = x->V; c < x->Vp; c++)
        grad[c] = 0;
}

/* Whether 'target' is the lowest index of the largest logit. */
static bool is_best(const float *row, float max, int64_t target)
{
    if (row[target] != max)
        return false;
    for (int64_t c = 0; c < target; c++)
        if (row[c] == max)
            return false;
    return true;
}

static void xent_row(const struct xent *x, int64_t r, struct tally *t)
{
    const float *row = x->logits + r * x->Vp;
    float *grad = x->grad != NULL ? x->grad + r * x->Vp : NULL;
    int64_t target = x->target[r];
    float max = tt_row_max(row, x->V), weight = weight_of(x, target);
    float own = row[target] - max;
    bool best = is_best(row, max, target);
    double direct = (double)((1 - x->smooth) * weight);
    double share = direct + x->spread_sum;
    double taken = direct * (double)own + spread_dot(x, row, max);
    double sum = exp_row(grad, row, max, x->V);

    t->at[0] += share * log(sum) - taken;
    t->at[1] += (double)weight;
    t->at[2] += best;
    t->at[3] += 1;
    if (grad != NULL)
        xent_grad(x, grad, (float)(share / sum), target);
}

/* A masked row has no gradient; a target outside the classes spoils the sum
 * rather than memory. */
static bool is_valid(const struct xent *x, int64_t r, struct tally *t)
{
    int64_t target = x->target[r];

    if (target != x->ignore && target >= 0 && target < x->V)
        return true;
    if (target != x->ignore)
        t->at[0] = NAN;
    return false;
}

static void xent_many(const struct xent *x, int64_t begin, int64_t end,
                      struct tally *t)
{
    for (int64_t r = begin; r < end; r++)
        if (is_valid(x, r, t))
            xent_row(x, r, t);
        else if (x->grad != NULL)
            memset(x->grad + r * x->Vp, 0, (size_t)x->Vp * sizeof(float));
}

/* ---- few classes ---- */

/* LANES rows side by side. */
struct lanes {
    float logit[FEW][LANES];
    float max[LANES], sum[LANES], taken[LANES], own[LANES];
    float weight[LANES]; /* of the target; 0: the row is masked */
    int32_t target[LANES], best[LANES];
};

static void lanes_load(const struct xent *x, int64_t first, int64_t count,
                       struct lanes *l, struct tally *t)
{
    for (int64_t i = 0; i < count; i++) {
        bool valid = is_valid(x, first + i, t);

        l->target[i] = valid ? x->target[first + i] : -1;
        l->weight[i] = valid ? weight_of(x, x->target[first + i]) : 0;
        l->max[i] = x->logits[(first + i) * x->Vp];
        l->sum[i] = l->taken[i] = l->own[i] = 0;
        l->best[i] = 0;
    }
    for (int64_t c = 0; c < x->V; c++) {
        const float *from = x->logits + first * x->Vp + c;
        int64_t Vp = x->Vp;

#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            float v = from[i * Vp];
            bool more = v > l->max[i];

            l->logit[c][i] = v;
            l->best[i] = more ? (int32_t)c : l->best[i];
            l->max[i] = more ? v : l->max[i];
        }
    }
}

static void lanes_sum(const struct xent *x, int64_t count, struct lanes *l)
{
    for (int64_t c = 0; c < x->V; c++) {
        float spread = x->spread * weight_of(x, c);

#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            float v = l->logit[c][i] - l->max[i];
            float e = tt_expf(v);

            l->own[i] = l->target[i] == (int32_t)c ? v : l->own[i];
            l->taken[i] += spread * v;
            l->logit[c][i] = e;
            l->sum[i] += e;
        }
    }
}

/* From exps to gradients, in l->logit; the losses in l->taken. */
static void lanes_grad(const struct xent *x, int64_t count, struct lanes *l)
{
    float all = (float)x->spread_sum, direct = 1 - x->smooth;

#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        float on = l->target[i] >= 0 ? 1.0f : 0.0f;
        float mine = direct * l->weight[i], share = mine + on * all;

        l->taken[i] =
            share * tt_logf(l->sum[i]) - mine * l->own[i] - on * l->taken[i];
        l->sum[i] = share / l->sum[i];
        l->max[i] = on;
        l->own[i] = mine;
    }
    for (int64_t c = 0; c < x->V; c++) {
        float spread = x->spread * weight_of(x, c);

#pragma omp simd
        for (int64_t i = 0; i < count; i++)
            l->logit[c][i] = l->logit[c][i] * l->sum[i] - spread * l->max[i] -
                             (l->target[i] == (int32_t)c ? l->own[i] : 0.0f);
    }
}

static void lanes_store(const struct xent *x, int64_t first, int64_t count,
                        const struct lanes *l)
{
    float *to = x->grad + first * x->Vp;
    int64_t Vp = x->Vp;

    for (int64_t c = 0; c < Vp; c++) {
        const float *from = l->logit[c < x->V ? c : 0];

        for (int64_t i = 0; i < count; i++)
            to[i * Vp + c] = c < x->V && l->target[i] >= 0 ? from[i] : 0;
    }
}

static void lanes_tally(int64_t count, const struct lanes *l, struct tally *t)
{
    for (int64_t i = 0; i < count; i++) {
        bool valid = l->target[i] >= 0;

        t->at[0] += valid ? (double)l->taken[i] : 0;
        t->at[1] += (double)l->weight[i];
        t->at[2] += l->target[i] == l->best[i];
        t->at[3] += valid;
    }
}

static void xent_few(const struct xent *x, int64_t begin, int64_t end,
                     struct tally *t)
{
    struct lanes l;

    for (int64_t first = begin; first < end; first += LANES) {
        int64_t left = end - first, count = left < LANES ? left : LANES;

        lanes_load(x, first, count, &l, t);
        lanes_sum(x, count, &l);
        lanes_grad(x, count, &l);
        lanes_tally(count, &l, t);
        if (x->grad != NULL)
            lanes_store(x, first, count, &l);
    }
}

/* ---- both ---- */

static void xent_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct xent *x = ctx;

    (void)part;
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block * x->block_rows, last = first + x->block_rows;

        (x->V <= FEW ? xent_few : xent_many)(
            x, first, last < x->rows ? last : x->rows, &x->tally[block]);
    }
}

static void sum_tallies(const struct tally *part, int64_t count, double *tally)
{
    tally[0] = tally[1] = tally[2] = tally[3] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int j = 0; j < 4; j++)
            tally[j] += part[i].at[j];
}

void TT_CPU(xent)(TT_KERNEL_ARGS)
{
    struct tally part[BLOCKS] = {{{0}}};
    struct xent x = {
        .grad = ptr[0],
        .logits = ptr[2],
        .weight = tt_ref_at(op, ptr, 4),
        .target = ptr[3],
        .rows = tt_op_rows(op, now),
        .V = op->dim[1],
        .Vp = op->dim[2],
        .ignore = op->dim[3],
        .smooth = (float)op->f[0],
        .spread = (float)(op->f[0] / (double)op->dim[1]),
        .tally = part,
    };
    int64_t blocks;

    (void)work;
    x.spread_sum = spread_sum(&x);
    x.block_rows = (x.rows + BLOCKS - 1) / BLOCKS;
    if (x.V <= FEW || x.block_rows == 0)
        x.block_rows = (x.block_rows + LANES) / LANES * LANES;
    blocks = (x.rows + x.block_rows - 1) / x.block_rows;
    tt_cpu_split(blocks, 1 + 8192 / (x.block_rows * x.V), xent_part, &x);
    sum_tallies(part, blocks, ptr[1]);
}

/* ---- element by element ---- */

struct pointwise {
    float *dx; /* or NULL */
    const float *x, *target;
    int64_t count, block;
    struct tally *tally;
};

/* Loss of one element and its gradient. */
TT_INLINE float mse_at(float x, float target, float *dx)
{
    *dx = 2.0f * (x - target);
    return (x - target) * (x - target);
}

TT_INLINE float bce_at(float x, float target, float *dx)
{
    float e = tt_expf(-tt_absf(x)), u = 1.0f + e;
    float tail = u == 1.0f ? e : tt_logf(u) * e / (u - 1.0f);

    *dx = (x < 0 ? e : 1.0f) / u - target;
    return (x > 0 ? x : 0.0f) - x * target + tail;
}

/* Sum over count elements; dx gets the gradients, here or in scratch. */
TT_INLINE double pointwise_run(bool bce, const float *x, const float *target,
                               float *dx, int64_t count)
{
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; i++) {
        float d, loss = bce ? bce_at(x[i], target[i], &d)
                            : mse_at(x[i], target[i], &d);

        dx[i] = d;
        sum += (double)loss;
    }
    return sum;
}

TT_INLINE void pointwise_block(bool bce, const struct pointwise *p,
                               int64_t begin, int64_t end, struct tally *t)
{
    float scratch[CHUNK] = {0};

    for (int64_t i = begin; i < end; i += CHUNK) {
        int64_t count = end - i < CHUNK ? end - i : CHUNK;

        t->at[0] += pointwise_run(bce, p->x + i, p->target + i,
                                  p->dx != NULL ? p->dx + i : scratch, count);
    }
    for (int64_t i = begin; bce && i < end; i++)
        t->at[2] += (p->x[i] > 0) == (p->target[i] > 0.5f);
}

static int64_t block_last(const struct pointwise *p, int64_t block)
{
    int64_t last = (block + 1) * p->block;

    return last < p->count ? last : p->count;
}

static void mse_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct pointwise *p = ctx;

    (void)part;
    for (int64_t i = begin; i < end; i++)
        pointwise_block(false, p, i * p->block, block_last(p, i), &p->tally[i]);
}

static void bce_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct pointwise *p = ctx;

    (void)part;
    for (int64_t i = begin; i < end; i++)
        pointwise_block(true, p, i * p->block, block_last(p, i), &p->tally[i]);
}

static void pointwise(struct pointwise *p, tt_part_fn fn, double *tally)
{
    struct tally part[BLOCKS] = {{{0}}};
    int64_t blocks;

    p->block = (p->count / BLOCKS + CHUNK) / CHUNK * CHUNK;
    p->tally = part;
    blocks = (p->count + p->block - 1) / p->block;
    tt_cpu_split(blocks, 1 + 16384 / p->block, fn, p);
    sum_tallies(part, blocks, tally);
    tally[1] = tally[3] = (double)p->count;
}

void TT_CPU(mse)(TT_KERNEL_ARGS)
{
    struct pointwise p = {.dx = ptr[0],
                          .x = ptr[2],
                          .target = ptr[3],
                          .count = tt_op_rows(op, now)};

    (void)work;
    pointwise(&p, mse_part, ptr[1]);
}

void TT_CPU(bce)(TT_KERNEL_ARGS)
{
    struct pointwise p = {.dx = ptr[0],
                          .x = ptr[2],
                          .target = ptr[3],
                          .count = tt_op_rows(op, now)};

    (void)work;
    pointwise(&p, bce_part, ptr[1]);
}
