/* SPDX-License-Identifier: BSD-3-Clause */
/* update.c - update rules, as PyTorch defines them. */
#include <math.h>

#include "device/ref/ref_priv.h"

void tt_ref_sgd(TT_KERNEL_ARGS)
{
    float *w = ptr[0], *m = tt_ref_at(op, ptr, 2);
    const float *grad = ptr[1];
    double decay = op->f[0], momentum = op->f[1];

    (void)work;
    for (int64_t i = 0; i < op->dim[0]; i++) {
        double g = now->grad_scale * (double)grad[i] + decay * (double)w[i];

        if (m != NULL) {
            double v = now->update > 1 ? momentum * (double)m[i] + g : g;

            m[i] = (float)v;
            g = op->dim[1] ? g + momentum * v : v;
        }
        w[i] = (float)((double)w[i] - now->lr * g);
    }
}

void tt_ref_adam(TT_KERNEL_ARGS)
{
    float *w = ptr[0], *m = ptr[2], *v = ptr[3];
    const float *grad = ptr[1];
    double decay = op->f[0], beta1 = op->f[1], beta2 = op->f[2];
    double fix1 = 1 - pow(beta1, (double)now->update);
    double fix2 = 1 - pow(beta2, (double)now->update);
    bool decoupled = op->dim[1];

    (void)work;
    for (int64_t i = 0; i < op->dim[0]; i++) {
        double weight = (double)w[i];
        double g = now->grad_scale * (double)grad[i] +
                   (decoupled ? 0 : decay * weight);
        double a = beta1 * (double)m[i] + (1 - beta1) * g;
        double b = beta2 * (double)v[i] + (1 - beta2) * g * g;

        m[i] = (float)a;
        v[i] = (float)b;
        weight -= decoupled ? now->lr * decay * weight : 0;
        weight -= now->lr * (a / fix1) / (sqrt(b / fix2) + op->f[3]);
        w[i] = (float)weight;
    }
}
