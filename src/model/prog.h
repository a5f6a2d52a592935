/* SPDX-License-Identifier: BSD-3-Clause */
/* prog.h - a planned list: ops on virtual buffers.  Built once, before the
 * first step, by pure code; counted by plan/, walked by exec/. */
#ifndef TT_MODEL_PROG_H
#define TT_MODEL_PROG_H

#include <stdint.h>
#include <stdio.h>

#include "base/dtype.h"
#include "device/op.h"

enum tt_scope {
    TT_SCOPE_RUN,  /* lives as long as the run: weights, moments */
    TT_SCOPE_STEP, /* a step: gradient accumulators */
    TT_SCOPE_SLOT, /* a micro-batch in flight */
    TT_SCOPE_LIST, /* within one pass over the list: activations */
    TT_SCOPE_WIRE, /* on its way between ranks */
    TT_SCOPE_HOST  /* filled by the host: samples, labels, tallies */
};

/* The first buffers of every program, so that lists share them. */
enum tt_std_buf {
    TT_BUF_WEIGHTS, /* flat */
    TT_BUF_GRADS,   /* the current lane's accumulator, flat */
    TT_BUF_MOMENT0,
    TT_BUF_MOMENT1,
    TT_BUF_X,       /* (B, x_values) f32 or i32 tokens */
    TT_BUF_Y,       /* (B, y_values) i32 or f32 */
    TT_BUF_CLASS_W, /* (V) class weights */
    TT_BUF_TALLY,   /* f64[4] of the loss ops */
    TT_BUF_NORM,    /* struct tt_exact */
    TT_BUF_STD_COUNT
};

struct tt_buf {
    char name[32];
    int32_t scope; /* enum tt_scope */
    int32_t dtype; /* enum tt_dtype */
    int32_t root;  /* buffer that this one is a view of, or -1 */
    int32_t block;
    int64_t root_offset; /* elements, of a view */
    int64_t row_count;   /* elements per sample */
    int64_t fixed_count; /* elements besides */
    int64_t offset;      /* bytes in the arena, set by tt_prog_arena() */
};

struct tt_prog {
    struct tt_buf *buf;
    struct tt_op *op;
    int32_t buf_count, op_count, buf_room, op_room;
    int32_t block;   /* what emitted ops and buffers are marked with */
    int32_t ops_fwd; /* ops before the loss, for the summary */
    int failed; /* out of memory while building: checked once, at the end */
    int64_t arena_bytes;
};

/* An empty program with the standard buffers. */
void tt_prog_init(struct tt_prog *prog);
void tt_prog_clear(struct tt_prog *prog);

/* Add a buffer of row_count elements per sample + fixed_count.  Returns its
 * index. */
int tt_prog_buf(struct tt_prog *prog, const char *name, enum tt_scope scope,
                enum tt_dtype dtype, int64_t row_count, int64_t fixed_count);

/* Add a view of 'root' from element 'offset'. */
int tt_prog_view(struct tt_prog *prog, const char *name, int root,
                 int64_t offset, int64_t fixed_count);

/* Add an op; refs are appended with tt_op_ref() in the kind's order.  The
 * pointer is good until the next op is added. */
struct tt_op *tt_prog_op(struct tt_prog *prog, enum tt_op_kind kind);
void tt_op_ref(struct tt_op *op, int buf, enum tt_ref_mode mode);

/* The buffer a view ends in. */
int tt_prog_root(const struct tt_prog *prog, int buf);

/* Bytes of a buffer for 'samples' samples. */
int64_t tt_buf_bytes(const struct tt_buf *buf, int64_t samples);

/* Pass: one DENSE and the ACT behind it become one op.  Never over a block. */
void tt_prog_fuse(struct tt_prog *prog);

/* Pass: lifetimes of list buffers -> offsets in one arena, for micro-batches
 * of up to 'samples'.  First fit, largest first. */
void tt_prog_arena(struct tt_prog *prog, int64_t samples);

/* Pass: fill row_flops and row_bytes of every op. */
void tt_prog_count(struct tt_prog *prog);

/* FLOPs of the list for 'samples' samples; gemm_only: of matrix products and
 * convolutions alone. */
int64_t tt_prog_flops(const struct tt_prog *prog, int64_t samples,
                      int gemm_only);

/* One line per op: kind, buffers, dims, FLOPs. */
void tt_prog_print(const struct tt_prog *prog, FILE *out);

#endif
