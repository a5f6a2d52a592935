/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - the unit of work: one line of a planned list, and what a kernel is
 * given.  A list is made by model/ and optim/, counted by plan/ and walked by
 * exec/; a backend supplies one kernel per kind (device/kernels.h).
 *
 * Rows.  Activations are (rows, C) with rows = valid samples x rows per
 * sample; images are NHWC, so (B, H, W, C) is (B H W, C).  dim[0] of a
 * per-sample op is its rows (or elements) per sample; the number of samples
 * is now->valid_rows, never the capacity, so a short batch is just fewer rows.
 */
#ifndef TT_DEVICE_OP_H
#define TT_DEVICE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum { TT_OP_REFS = 9, TT_OP_DIMS = 12, TT_OP_FLOATS = 6 };

/* References and dims of each kind, in order.  [x] may be absent (NULL).
 * W written, R read, A accumulated: written by the first micro-batch of a lane
 * (now->first_in_lane), added to by later ones; a ref may also be A in mode
 * TT_REF_ADD, then it always adds.  All arrays are f32 unless said. */
enum tt_op_kind {
    /* y (rows, N) = act(x (rows, K) . w (N, K)^T + b (N)).  z: before act.
     * refs: y W, x R, w R, [b R], [z W]   dim: rps, N, K, act */
    TT_OP_DENSE,
    /* dx (rows, K) = dy (rows, N) . w.  refs: dx W|ADD, dy R, w R
     * dim: rps, N, K */
    TT_OP_DENSE_DX,
    /* dw (N, K) = dy^T . x, db = column sums of dy.
     * refs: dw A, dy R, x R, [db A]       dim: rps, N, K */
    TT_OP_DENSE_DW,
    /* y = act(x).  refs: y W, x R         dim: elements per sample, act */
    TT_OP_ACT,
    /* dx = dy act'(x); dx may be dy.  refs: dx W, dy R, x R (before act)
     * dim: elements per sample, act */
    TT_OP_ACT_BWD,
    /* y = x kept with probability 1-p and divided by it, by Philox with
     * (now->seed, site, position of the sample, element in the sample);
     * y may be x.  Its own backward.  refs: y W, x R
     * dim: elements per sample            f: p */
    TT_OP_DROPOUT,
    /* y = a + b; y may be a.  refs: y W, a R, b R   dim: elements per sample */
    TT_OP_ADD,
    /* refs: y W, mean W (rows), rstd W (rows), x R, gamma R, beta R
     * dim: rps, C                         f: eps */
    TT_OP_LAYERNORM,
    /* refs: dx W|ADD, dgamma A, dbeta A, dy R, x R, mean R, rstd R, gamma R
     * dim: rps, C */
    TT_OP_LAYERNORM_BWD,
    /* Statistics over the rows of this micro-batch.  stat_*: sums over
     * micro-batches of the mean and of the unbiased variance.
     * refs: y W, mean W (C), rstd W (C), stat_mean A (C), stat_var A (C), x R,
     *       gamma R, beta R               dim: rps, C   f: eps */
    TT_OP_BATCHNORM,
    /* refs: as TT_OP_LAYERNORM_BWD, mean and rstd (C)   dim: rps, C */
    TT_OP_BATCHNORM_BWD,
    /* refs: y W, x R, running_mean R, running_var R, gamma R, beta R
     * dim: rps, C                         f: eps */
    TT_OP_BATCHNORM_EVAL,
    /* y (rows, C) = wte[token] + wpe[row mod T]; NaN where a token is not below
     * V.
     * refs: y W, token R i32, wte R (V, C), [wpe R (T, C)]   dim: T, C, V */
    TT_OP_EMBED,
    /* dwte is zeroed whole by the first micro-batch of a lane.
     * refs: dwte A, [dwpe A], dy R, token R i32   dim: T, C, V */
    TT_OP_EMBED_BWD,
    /* Multi-head attention, scale 1/sqrt(D).  qkv (B, T, 3, H, D); p keeps the
     * probabilities (B, H, T, T) before dropout; dropout element index in the
     * sample is (h T + t) T + s.
     * refs: y W (B, T, H, D), p W, qkv R  dim: T, H, D, causal   f: dropout p
     */
    TT_OP_ATTENTION,
    /* refs: dqkv W, dy R, qkv R, p R      dim: T, H, D, causal   f: p */
    TT_OP_ATTENTION_BWD,
    /* Loss and gradient of its sum (not mean).  logits (rows, Vp), the first V
     * columns real, the gradient of the others 0.  dlogits may be logits.
     * tally (f64[4], overwritten): sum of weighted losses, sum of weights
     * (1 without class weights; smoothing as PyTorch), correct (argmax, lowest
     * index on ties), valid targets.  A target equal to ignore is masked, any
     * other outside the classes makes the first sum NaN.
     * refs: [dlogits W], tally W f64, logits R, target R i32, [weight R (V)]
     * dim: rps, V, Vp, ignore             f: label smoothing */
    TT_OP_XENT,
    /* tally: sum of (x - t)^2, elements, 0, elements.
     * refs: [dx W], tally W f64, x R, target R    dim: elements per sample */
    TT_OP_MSE,
    /* x are logits; tally: sum of losses, elements, correct (x > 0), elements.
     * refs: [dx W], tally W f64, x R, target R    dim: elements per sample */
    TT_OP_BCE,
    /* x (B, H, W, I), w (O, KH, KW, I), y (B, OH, OW, O).
     * refs: y W, x R, w R, [b R]
     * dim: H, W, I, O, KH, KW, stride, pad, OH, OW */
    TT_OP_CONV,
    /* refs: dx W|ADD, dy R, w R           dim: as TT_OP_CONV */
    TT_OP_CONV_DX,
    /* refs: dw A, dy R, x R, [db A]       dim: as TT_OP_CONV */
    TT_OP_CONV_DW,
    /* idx: flat index of the maximum within its sample's x (first on ties).
     * refs: y W, idx W i32, x R   dim: H, W, C, K, stride, pad, OH, OW */
    TT_OP_MAXPOOL,
    /* refs: dx W, dy R, idx R i32         dim: as TT_OP_MAXPOOL */
    TT_OP_MAXPOOL_BWD,
    /* Padding counts as zeros.  refs: y W, x R   dim: as TT_OP_MAXPOOL */
    TT_OP_AVGPOOL,
    /* refs: dx W, dy R                    dim: as TT_OP_MAXPOOL */
    TT_OP_AVGPOOL_BWD,

    /* Ops on fixed ranges of 'count' elements, not per sample. */
    /* refs: y W                           dim: count */
    TT_OP_ZERO,
    /* y += x.  refs: y ADD, x R           dim: count */
    TT_OP_SUM,
    /* Sum of squares, f64 within 512 elements, blocks added exactly.
     * refs: sum ADD (struct tt_exact), x R   dim: count */
    TT_OP_SUMSQ,
    /* running += momentum (stat / now->micro_count - running).
     * refs: running W, stat R             dim: count   f: momentum */
    TT_OP_RUNNING,
    /* Updates.  Gradient g is grad_scale x the accumulated sum; lr is now->lr.
     * g += decay w; m = momentum m + g (m = g at update 1, as PyTorch);
     * w -= lr (nesterov ? g + momentum m : m).
     * refs: w W, grad R, [m W]            dim: count, nesterov
     * f: weight decay, momentum */
    TT_OP_SGD,
    /* Adam (decoupled 0: g += decay w) and AdamW (1: w -= lr decay w), as
     * PyTorch, bias corrections from now->update (1 at the first).
     * refs: w W, grad R, m W, v W         dim: count, decoupled
     * f: weight decay, beta1, beta2, eps */
    TT_OP_ADAM,

    TT_OP_KIND_COUNT, /* kinds that a backend has kernels for */

    /* Collectives over the data-parallel axis, carried out by exec/. */
    TT_OP_REDUCE_TREE = 100, /* refs: node ADD ...  dim: count, node count */
    TT_OP_REDUCE_EXACT,      /* the step's scalars and verdict */
};

enum tt_act {
    TT_ACT_NONE,
    TT_ACT_RELU,
    TT_ACT_GELU,     /* tanh form, as GPT-2 */
    TT_ACT_GELU_ERF, /* exact form, PyTorch's default */
    TT_ACT_TANH,
    TT_ACT_SIGMOID,
    TT_ACT_COUNT
};

enum tt_queue { TT_QUEUE_COMPUTE, TT_QUEUE_DP, TT_QUEUE_COPY, TT_QUEUE_HOST };

enum tt_ref_mode { TT_REF_R, TT_REF_W, TT_REF_ADD, TT_REF_ACC };

struct tt_ref {
    int32_t buf; /* index of a buffer of the list's program; -1: absent */
    int32_t mode;
};

struct tt_op {
    int32_t kind;  /* enum tt_op_kind */
    int32_t queue; /* enum tt_queue */
    int32_t block; /* of the model, -1: none */
    int32_t ref_count;
    struct tt_ref ref[TT_OP_REFS];
    int64_t dim[TT_OP_DIMS];
    double f[TT_OP_FLOATS];
    uint32_t site;     /* of the random draws, see base/rng.h */
    int64_t row_flops; /* per sample; per call for fixed ranges */
    int64_t row_bytes; /* likewise, read and written */
    int64_t sent_bytes;
};

/* What changes from beat to beat while the list stays the same. */
struct tt_now {
    uint64_t seed;
    int64_t step;        /* of the run, from 0 */
    int64_t update;      /* updates made, this one included: from 1 */
    int64_t position;    /* global index of the micro-batch's first sample:
                          * step x global batch + index in the batch */
    int64_t valid_rows;  /* samples of this micro-batch that are real */
    int64_t micro_count; /* micro-batches of the step that had samples */
    bool first_in_lane;  /* accumulators are written, not added to */
    int32_t lane;
    double lr;
    double grad_scale; /* what an accumulated gradient sum is multiplied by */
};

/* Rows of a per-sample op. */
static inline int64_t tt_op_rows(const struct tt_op *op,
                                 const struct tt_now *now)
{
    return op->dim[0] * now->valid_rows;
}

/* Whether ref 'i' is added to (else overwritten). */
static inline bool tt_op_adds(const struct tt_op *op, int i,
                              const struct tt_now *now)
{
    return op->ref[i].mode == TT_REF_ADD ||
           (op->ref[i].mode == TT_REF_ACC && !now->first_in_lane);
}

/* "dense", "attention-bwd" ... */
const char *tt_op_name(enum tt_op_kind kind);

/* "relu", "gelu", "gelu-erf" ...; find returns -1 where there is none. */
const char *tt_act_name(enum tt_act act);
int tt_act_find(const char *name);

#endif
