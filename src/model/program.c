/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c - the lists of a model. */
#include <stdlib.h>

#include "model/layer.h"
#include "model/program.h"

static void emit_forward(const struct tt_emit *emit, struct tt_layer_bufs *bufs)
{
    int at = TT_BUF_X;

    for (int i = 0; i < emit->spec->layer_count; i++) {
        const struct tt_layer *layer = &emit->spec->layer[i];

        emit->prog->block = layer->block;
        bufs[i].in = at;
        layer->type->fwd(emit, layer, &bufs[i]);
        at = bufs[i].out;
    }
    emit->prog->ops_fwd = emit->prog->op_count;
}

static void emit_xent(const struct tt_emit *emit, struct tt_op *op)
{
    const struct tt_spec *spec = emit->spec;

    op->dim[0] = spec->tokens ? spec->out.rows : 1;
    op->dim[1] = spec->classes;
    op->dim[2] = spec->out.cols * (spec->tokens ? 1 : spec->out.rows);
    op->dim[3] = spec->ignore_index;
    op->f[0] = spec->label_smoothing;
    if (spec->class_weights)
        tt_op_ref(op, TT_BUF_CLASS_W, TT_REF_R);
}

/* The gradient takes the place of the logits. */
static void emit_loss(const struct tt_emit *emit, int logits)
{
    static const enum tt_op_kind kind[] = {
        [TT_LOSS_XENT] = TT_OP_XENT,
        [TT_LOSS_MSE] = TT_OP_MSE,
        [TT_LOSS_BCE] = TT_OP_BCE,
    };
    struct tt_op *op = tt_prog_op(emit->prog, kind[emit->spec->loss]);

    tt_op_ref(op, emit->train ? logits : -1, TT_REF_W);
    tt_op_ref(op, TT_BUF_TALLY, TT_REF_W);
    tt_op_ref(op, logits, TT_REF_R);
    tt_op_ref(op, TT_BUF_Y, TT_REF_R);
    if (emit->spec->loss == TT_LOSS_XENT)
        emit_xent(emit, op);
    else
        op->dim[0] = emit->spec->y_values;
}

/* The first layer with parameters: nobody needs gradients before it. */
static int first_trained(const struct tt_spec *spec)
{
    int i = 0;

    while (i < spec->layer_count && !spec->layer[i].type->params)
        i++;
    return i;
}

static void emit_backward(const struct tt_emit *emit,
                          const struct tt_layer_bufs *bufs)
{
    const struct tt_spec *spec = emit->spec;
    int stop = first_trained(spec);
    int dy = bufs[spec->layer_count - 1].out;

    for (int i = spec->layer_count - 1; i >= stop; i--) {
        const struct tt_layer *layer = &spec->layer[i];

        emit->prog->block = layer->block;
        dy = layer->type->bwd(emit, layer, &bufs[i], dy, i > stop);
    }
}

/* x and y have the sizes that the model reads. */
static void size_io(const struct tt_spec *spec, struct tt_prog *prog)
{
    struct tt_buf *x = &prog->buf[TT_BUF_X], *y = &prog->buf[TT_BUF_Y];

    x->dtype = spec->tokens ? TT_I32 : TT_F32;
    x->row_count = spec->x_values;
    y->dtype = spec->loss == TT_LOSS_XENT ? TT_I32 : TT_F32;
    y->row_count = spec->y_values;
    prog->buf[TT_BUF_TALLY].fixed_count = 4;
    prog->buf[TT_BUF_CLASS_W].fixed_count =
        spec->class_weights ? spec->classes : 0;
}

static int finish(struct tt_prog *prog, int64_t samples, struct tt_error *err)
{
    tt_prog_fuse(prog);
    tt_prog_arena(prog, samples);
    tt_prog_count(prog);
    if (!prog->failed)
        return 0;
    tt_prog_clear(prog);
    return tt_fail(err, TT_ENOMEM, "out of memory while planning the model");
}

static int build(struct tt_emit *emit, int64_t samples, struct tt_error *err)
{
    struct tt_layer_bufs *bufs =
        calloc((size_t)emit->spec->layer_count, sizeof(*bufs));

    if (!bufs)
        return tt_fail(err, TT_ENOMEM, "out of memory while planning");
    tt_prog_init(emit->prog);
    size_io(emit->spec, emit->prog);
    emit_forward(emit, bufs);
    emit_loss(emit, bufs[emit->spec->layer_count - 1].out);
    if (emit->train)
        emit_backward(emit, bufs);
    free(bufs);
    return finish(emit->prog, samples, err);
}

/* What a batch norm learns from is one value a channel. */
static int check_batchnorm(const struct tt_spec *spec, int64_t samples,
                           struct tt_error *err)
{
    for (int i = 0; i < spec->layer_count; i++) {
        const struct tt_layer *layer = &spec->layer[i];

        if (layer->type == &tt_layer_batchnorm && layer->in.rows * samples < 2)
            return tt_fail(err, TT_EINVAL,
                           "%s: a batch norm over one value is always 0: use a "
                           "train.micro-batch of 2 or more, or a layer norm",
                           layer->name);
    }
    return 0;
}

int tt_program_train(const struct tt_spec *spec, const struct tt_params *params,
                     int64_t samples, struct tt_prog *prog,
                     struct tt_error *err)
{
    struct tt_emit emit = {prog, spec, params, true};

    *prog = (struct tt_prog){0};
    if (check_batchnorm(spec, samples, err) < 0)
        return -1;
    return build(&emit, samples, err);
}

int tt_program_eval(const struct tt_spec *spec, const struct tt_params *params,
                    int64_t samples, struct tt_prog *prog, struct tt_error *err)
{
    struct tt_emit emit = {prog, spec, params, false};

    return build(&emit, samples, err);
}

int tt_program_lane_end(const struct tt_params *params, struct tt_prog *prog,
                        struct tt_error *err)
{
    tt_prog_init(prog);
    for (int i = 0; i < params->count; i++) {
        const struct tt_param *p = &params->at[i];
        int first, second;
        struct tt_op *op;

        if (p->kind != TT_PARAM_TIED)
            continue;
        first = tt_prog_view(prog, params->at[p->tied_to].name, TT_BUF_GRADS,
                             params->at[p->tied_to].offset, p->storage);
        second =
            tt_prog_view(prog, p->name, TT_BUF_GRADS, p->offset, p->storage);
        op = tt_prog_op(prog, TT_OP_SUM);
        tt_op_ref(op, first, TT_REF_ADD);
        tt_op_ref(op, second, TT_REF_R);
        op->dim[0] = p->storage;
    }
    return finish(prog, 1, err);
}

static void emit_update(struct tt_prog *prog, const struct tt_updater *updater,
                        struct tt_range run, bool decays)
{
    static const int root[] = {TT_BUF_WEIGHTS, TT_BUF_GRADS, TT_BUF_MOMENT0,
                               TT_BUF_MOMENT1};
    int view[4];
    struct tt_op *op;

    for (int i = 0; i < 2 + updater->moment_count; i++)
        view[i] = tt_prog_view(prog, prog->buf[root[i]].name, root[i],
                               run.first, run.count);
    op = tt_prog_op(prog, TT_OP_ZERO);
    updater->emit(updater->rule_conf, run.count, decays, op);
    op->ref_count = 0;
    for (int i = 0; i < 2 + updater->moment_count; i++)
        tt_op_ref(op, view[i], i == 1 ? TT_REF_R : TT_REF_W);
}

static void emit_running(struct tt_prog *prog, struct tt_range stats,
                         double momentum)
{
    int running =
        tt_prog_view(prog, "running", TT_BUF_WEIGHTS, stats.first, stats.count);
    int sums =
        tt_prog_view(prog, "stats", TT_BUF_GRADS, stats.first, stats.count);
    struct tt_op *op = tt_prog_op(prog, TT_OP_RUNNING);

    tt_op_ref(op, running, TT_REF_W);
    tt_op_ref(op, sums, TT_REF_R);
    op->dim[0] = stats.count;
    op->f[0] = momentum;
}

int tt_program_update(const struct tt_spec *spec,
                      const struct tt_params *params,
                      const struct tt_updater *updater, struct tt_prog *prog,
                      struct tt_error *err)
{
    tt_prog_init(prog);
    for (int b = 0; b < spec->block_count; b++) {
        struct tt_range run[2];
        bool decays[2];
        int count =
            tt_params_runs(params, b, updater->decay_all, run, decays, 2);

        prog->block = b;
        for (int i = 0; i < count; i++)
            emit_update(prog, updater, run[i], decays[i]);
    }
    prog->block = -1;
    if (params->stats.count > 0)
        emit_running(prog, params->stats, updater->momentum);
    return finish(prog, 1, err);
}
