/* SPDX-License-Identifier: BSD-3-Clause */
/* update.c - update rules, as PyTorch defines them. */
#include <math.h>

#include "device/cpu/cpu_priv.h"

enum { GRAIN = 8192 };

struct sgd {
    float *w, *m;
    const float *grad;
    float scale, decay, momentum, lr;
};

static void plain_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct sgd *s = ctx;
    float *w = s->w, scale = s->scale, decay = s->decay, lr = s->lr;
    const float *grad = s->grad;

    (void)part;
#pragma omp simd
    for (int64_t i = begin; i < end; i++)
        w[i] -= lr * (scale * grad[i] + decay * w[i]);
}

/* At the first update the old momentum may be anything. */
TT_INLINE void momentum_loop(const struct sgd *s, int64_t begin, int64_t end,
                             bool first, bool nesterov)
{
    float *w = s->w, *m = s->m;
    const float *grad = s->grad;
    float scale = s->scale, decay = s->decay, old = s->momentum, lr = s->lr;

#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        float g = scale * grad[i] + decay * w[i];
        float v = first ? g : old * m[i] + g;

        m[i] = v;
        w[i] -= lr * (nesterov ? g + old * v : v);
    }
}

static void first_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    (void)part;
    momentum_loop(ctx, begin, end, true, false);
}

static void first_nesterov_part(const void *ctx, int64_t begin, int64_t end,
                                int part)
{
    (void)part;
    momentum_loop(ctx, begin, end, true, true);
}

static void later_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    (void)part;
    momentum_loop(ctx, begin, end, false, false);
}

static void later_nesterov_part(const void *ctx, int64_t begin, int64_t end,
                                int part)
{
    (void)part;
    momentum_loop(ctx, begin, end, false, true);
}

void TT_CPU(sgd)(TT_KERNEL_ARGS)
{
    static const tt_part_fn with_momentum[2][2] = {
        {first_part, first_nesterov_part},
        {later_part, later_nesterov_part},
    };
    struct sgd s = {
        .w = ptr[0],
        .m = tt_ref_at(op, ptr, 2),
        .grad = ptr[1],
        .scale = (float)now->grad_scale,
        .decay = (float)op->f[0],
        .momentum = (float)op->f[1],
        .lr = (float)now->lr,
    };

    (void)work;
    tt_cpu_split(op->dim[0], GRAIN,
                 s.m == NULL ? plain_part
                             : with_momentum[now->update > 1][op->dim[1] != 0],
                 &s);
}

struct adam {
    float *w, *m, *v;
    const float *grad;
    float scale, couple;              /* decay that is added to the gradient */
    float shrink;                     /* 1 - lr x decay of the decoupled kind */
    float beta1, rest1, beta2, rest2; /* rest: 1 - beta, rounded once */
    float step, root, eps;
};

static void adam_part(const void *ctx, int64_t begin, int64_t end, int part)
{
    const struct adam a = *(const struct adam *)ctx;
    float *w = a.w, *m = a.m, *v = a.v;
    const float *grad = a.grad;

    (void)part;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        float g = a.scale * grad[i] + a.couple * w[i];
        float mean = a.beta1 * m[i] + a.rest1 * g;
        float square = a.beta2 * v[i] + a.rest2 * (g * g);

        m[i] = mean;
        v[i] = square;
        w[i] =
            a.shrink * w[i] - a.step * mean / (sqrtf(square) * a.root + a.eps);
    }
}

void TT_CPU(adam)(TT_KERNEL_ARGS)
{
    double decay = op->f[0], beta1 = op->f[1], beta2 = op->f[2];
    double update = (double)now->update;
    bool decoupled = op->dim[1] != 0;
    struct adam a = {
        .w = ptr[0],
        .m = ptr[2],
        .v = ptr[3],
        .grad = ptr[1],
        .scale = (float)now->grad_scale,
        .couple = (float)(decoupled ? 0 : decay),
        .shrink = (float)(decoupled ? 1 - now->lr * decay : 1),
        .beta1 = (float)beta1,
        .rest1 = (float)(1 - beta1),
        .beta2 = (float)beta2,
        .rest2 = (float)(1 - beta2),
        .step = (float)(now->lr / (1 - pow(beta1, update))),
        .root = (float)(1 / sqrt(1 - pow(beta2, update))),
        .eps = (float)op->f[3],
    };

    (void)work;
    tt_cpu_split(op->dim[0], GRAIN, adam_part, &a);
}
