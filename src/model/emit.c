/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.c - ops that several layers have in common. */
#include "model/layer.h"

int tt_emit_weight(const struct tt_emit *emit, int param)
{
    const struct tt_param *p = &emit->params->at[param];

    if (p->kind == TT_PARAM_TIED)
        p = &emit->params->at[p->tied_to];
    return tt_prog_view(emit->prog, p->name, TT_BUF_WEIGHTS, p->offset,
                        p->storage);
}

int tt_emit_grad(const struct tt_emit *emit, int param)
{
    const struct tt_param *p = &emit->params->at[param];

    return tt_prog_view(emit->prog, p->name, TT_BUF_GRADS, p->offset,
                        p->storage);
}

int tt_emit_act(const struct tt_emit *emit, const char *name,
                const struct tt_shape *shape)
{
    return tt_prog_buf(emit->prog, name, TT_SCOPE_LIST, TT_F32,
                       shape->rows * shape->cols, 0);
}

int tt_emit_dense(const struct tt_emit *emit, int x, const int wb[2],
                  const struct tt_shape *in, int64_t width)
{
    int y = tt_prog_buf(emit->prog, "dense", TT_SCOPE_LIST, TT_F32,
                        in->rows * width, 0);
    int w = tt_emit_weight(emit, wb[0]);
    int b = wb[1] >= 0 ? tt_emit_weight(emit, wb[1]) : -1;
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_DENSE);

    tt_op_ref(op, y, TT_REF_W);
    tt_op_ref(op, x, TT_REF_R);
    tt_op_ref(op, w, TT_REF_R);
    tt_op_ref(op, b, TT_REF_R);
    op->dim[0] = in->rows;
    op->dim[1] = width;
    op->dim[2] = in->cols;
    op->dim[3] = TT_ACT_NONE;
    return y;
}

static int emit_dense_dx(const struct tt_emit *emit, int dy, int weight,
                         const struct tt_shape *in, int64_t width)
{
    int dx = tt_emit_act(emit, "d-dense", in);
    int w = tt_emit_weight(emit, weight);
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_DENSE_DX);

    tt_op_ref(op, dx, TT_REF_W);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, w, TT_REF_R);
    op->dim[0] = in->rows;
    op->dim[1] = width;
    op->dim[2] = in->cols;
    return dx;
}

int tt_emit_dense_bwd(const struct tt_emit *emit, int dy, int x,
                      const int wb[2], const struct tt_shape *in, int64_t width,
                      bool need_dx)
{
    int dw = tt_emit_grad(emit, wb[0]);
    int db = wb[1] >= 0 ? tt_emit_grad(emit, wb[1]) : -1;
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_DENSE_DW);

    tt_op_ref(op, dw, TT_REF_ACC);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, x, TT_REF_R);
    tt_op_ref(op, db, TT_REF_ACC);
    op->dim[0] = in->rows;
    op->dim[1] = width;
    op->dim[2] = in->cols;
    return need_dx ? emit_dense_dx(emit, dy, wb[0], in, width) : -1;
}

int tt_emit_norm(const struct tt_emit *emit, int x, const int wb[2],
                 const struct tt_shape *shape, double eps, int stat[2])
{
    int y = tt_emit_act(emit, "norm", shape);
    int w = tt_emit_weight(emit, wb[0]);
    int b = tt_emit_weight(emit, wb[1]);
    struct tt_op *op;

    stat[0] =
        tt_prog_buf(emit->prog, "mean", TT_SCOPE_LIST, TT_F32, shape->rows, 0);
    stat[1] =
        tt_prog_buf(emit->prog, "rstd", TT_SCOPE_LIST, TT_F32, shape->rows, 0);
    op = tt_prog_op(emit->prog, TT_OP_LAYERNORM);
    tt_op_ref(op, y, TT_REF_W);
    tt_op_ref(op, stat[0], TT_REF_W);
    tt_op_ref(op, stat[1], TT_REF_W);
    tt_op_ref(op, x, TT_REF_R);
    tt_op_ref(op, w, TT_REF_R);
    tt_op_ref(op, b, TT_REF_R);
    op->dim[0] = shape->rows;
    op->dim[1] = shape->cols;
    op->f[0] = eps;
    return y;
}

void tt_emit_norm_bwd(const struct tt_emit *emit, enum tt_op_kind kind,
                      const struct tt_norm_bwd *n)
{
    int dw = tt_emit_grad(emit, n->wb[0]);
    int db = tt_emit_grad(emit, n->wb[1]);
    int w = tt_emit_weight(emit, n->wb[0]);
    struct tt_op *op = tt_prog_op(emit->prog, kind);

    tt_op_ref(op, n->dx, n->adds ? TT_REF_ADD : TT_REF_W);
    tt_op_ref(op, dw, TT_REF_ACC);
    tt_op_ref(op, db, TT_REF_ACC);
    tt_op_ref(op, n->dy, TT_REF_R);
    tt_op_ref(op, n->x, TT_REF_R);
    tt_op_ref(op, n->stat[0], TT_REF_R);
    tt_op_ref(op, n->stat[1], TT_REF_R);
    tt_op_ref(op, w, TT_REF_R);
    op->dim[0] = n->shape->rows;
    op->dim[1] = n->shape->cols;
}

int tt_emit_dropout(const struct tt_emit *emit, int x, int64_t values, double p,
                    uint32_t site)
{
    /* a sample that came from the loader is not written over */
    bool fresh = x == TT_BUF_X;
    int y = fresh ? tt_prog_buf(emit->prog, "dropout", TT_SCOPE_LIST, TT_F32,
                                values, 0)
                  : x;
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_DROPOUT);

    tt_op_ref(op, y, TT_REF_W);
    tt_op_ref(op, x, TT_REF_R);
    op->dim[0] = values;
    op->f[0] = p;
    op->site = site;
    return y;
}

void tt_emit_add(const struct tt_emit *emit, int y, int a, int b,
                 int64_t values)
{
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_ADD);

    tt_op_ref(op, y, TT_REF_W);
    tt_op_ref(op, a, TT_REF_R);
    tt_op_ref(op, b, TT_REF_R);
    op->dim[0] = values;
}

void tt_emit_act_op(const struct tt_emit *emit, int y, int x, int64_t values,
                    int act)
{
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_ACT);

    tt_op_ref(op, y, TT_REF_W);
    tt_op_ref(op, x, TT_REF_R);
    op->dim[0] = values;
    op->dim[1] = act;
}

void tt_emit_act_bwd(const struct tt_emit *emit, int dy, int x, int64_t values,
                     int act)
{
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_ACT_BWD);

    tt_op_ref(op, dy, TT_REF_W); /* in place */
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, x, TT_REF_R);
    op->dim[0] = values;
    op->dim[1] = act;
}
