/* SPDX-License-Identifier: BSD-3-Clause */
/* layers_text.c - token embedding, transformer block, language-model head.
 * Shapes: tokens (B, T), activations (B, T, C). */
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "model/layer.h"

static void set_matrix(struct tt_param *p, int64_t rows, int64_t cols,
                       double std)
{
    p->dims = 2;
    p->dim[0] = rows;
    p->dim[1] = cols;
    p->decays = true;
    p->init = TT_INIT_NORMAL;
    p->init_scale = std;
}

/* --- embed: width C, vocab V --- */

static int embed_shape(struct tt_layer *layer, struct tt_error *err)
{
    (void)err;
    layer->out =
        (struct tt_shape){.rows = layer->in.rows, .cols = layer->width};
    return 0;
}

static void embed_params(struct tt_params *params, struct tt_layer *layer)
{
    struct tt_param *wte = tt_params_add(params, layer, 0, "wte.weight");
    struct tt_param *wpe = tt_params_add(params, layer, 1, "wpe.weight");

    set_matrix(wte, layer->vocab, layer->width, layer->init_std);
    wte->storage = tt_pad_vocab(layer->vocab) * layer->width;
    set_matrix(wpe, layer->in.rows, layer->width, layer->init_std);
}

static void embed_dims(struct tt_op *op, const struct tt_layer *layer)
{
    op->dim[0] = layer->in.rows;
    op->dim[1] = layer->width;
    op->dim[2] = tt_pad_vocab(layer->vocab);
}

static void embed_fwd(const struct tt_emit *emit, const struct tt_layer *layer,
                      struct tt_layer_bufs *bufs)
{
    int wte = tt_emit_weight(emit, layer->param[0]);
    int wpe = tt_emit_weight(emit, layer->param[1]);
    struct tt_op *op;

    bufs->out = tt_emit_act(emit, "embed", &layer->out);
    op = tt_prog_op(emit->prog, TT_OP_EMBED);
    tt_op_ref(op, bufs->out, TT_REF_W);
    tt_op_ref(op, bufs->in, TT_REF_R);
    tt_op_ref(op, wte, TT_REF_R);
    tt_op_ref(op, wpe, TT_REF_R);
    embed_dims(op, layer);
}

static int embed_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                     const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    int dwte = tt_emit_grad(emit, layer->param[0]);
    int dwpe = tt_emit_grad(emit, layer->param[1]);
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_EMBED_BWD);

    (void)need_dx;
    tt_op_ref(op, dwte, TT_REF_ACC);
    tt_op_ref(op, dwpe, TT_REF_ACC);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, bufs->in, TT_REF_R);
    embed_dims(op, layer);
    return -1;
}

const struct tt_layer_type tt_layer_embed = {
    "embed", embed_shape, embed_params, embed_fwd, embed_bwd,
};

/* --- transformer: heads H, p, act; width holds the number of blocks --- */

/* Parameter slots: weight, the bias follows. */
enum { LN_1 = 0, C_ATTN = 2, C_PROJ = 4, LN_2 = 6, C_FC = 8, M_PROJ = 10 };

/* Buffers that the backward pass needs. */
enum {
    K_STAT1 = 0, /* and 1 */
    K_LN1 = 2,
    K_QKV,
    K_PROBS,
    K_ATT,
    K_MID,       /* the residual stream between the halves */
    K_STAT2 = 7, /* and 8 */
    K_LN2 = 9,
    K_FC,
    K_ACT
};

static int transformer_shape(struct tt_layer *layer, struct tt_error *err)
{
    if (layer->in.cols % layer->heads != 0)
        return tt_fail(err, TT_EINVAL,
                       "%lld channels do not divide by %lld "
                       "heads",
                       (long long)layer->in.cols, (long long)layer->heads);
    layer->out = layer->in;
    return 0;
}

static void add_linear(struct tt_params *params, struct tt_layer *layer,
                       int slot, const char *name, const int64_t dim[2],
                       double std)
{
    char suffix[TT_NAME];
    struct tt_param *p;

    snprintf(suffix, sizeof(suffix), "%s.weight", name);
    set_matrix(tt_params_add(params, layer, slot, suffix), dim[0], dim[1], std);
    snprintf(suffix, sizeof(suffix), "%s.bias", name);
    p = tt_params_add(params, layer, slot + 1, suffix);
    p->dims = 1;
    p->dim[0] = dim[0];
}

static void add_norm(struct tt_params *params, struct tt_layer *layer, int slot,
                     const char *name)
{
    char suffix[TT_NAME];

    for (int i = 0; i < 2; i++) {
        struct tt_param *p;

        snprintf(suffix, sizeof(suffix), "%s.%s", name, i ? "bias" : "weight");
        p = tt_params_add(params, layer, slot + i, suffix);
        p->dims = 1;
        p->dim[0] = layer->in.cols;
        p->init = i ? TT_INIT_ZERO : TT_INIT_ONE;
    }
}

/* Residual projections start smaller by sqrt(2 x blocks), as GPT-2. */
static void transformer_params(struct tt_params *params, struct tt_layer *layer)
{
    int64_t c = layer->in.cols;
    double std = layer->init_std;
    double proj = std / sqrt(2.0 * (double)layer->width);

    add_norm(params, layer, LN_1, "ln_1");
    add_linear(params, layer, C_ATTN, "attn.c_attn", (int64_t[]){3 * c, c},
               std);
    add_linear(params, layer, C_PROJ, "attn.c_proj", (int64_t[]){c, c}, proj);
    add_norm(params, layer, LN_2, "ln_2");
    add_linear(params, layer, C_FC, "mlp.c_fc", (int64_t[]){4 * c, c}, std);
    add_linear(params, layer, M_PROJ, "mlp.c_proj", (int64_t[]){c, 4 * c},
               proj);
}

static uint32_t site_of(const struct tt_emit *emit,
                        const struct tt_layer *layer, int which)
{
    return tt_rng_site(TT_RNG_DROPOUT,
                       (uint32_t)(layer - emit->spec->layer) * 4 +
                           (uint32_t)which);
}

static void attention_dims(const struct tt_emit *emit,
                           const struct tt_layer *layer, struct tt_op *op)
{
    op->dim[0] = layer->in.rows;
    op->dim[1] = layer->heads;
    op->dim[2] = layer->in.cols / layer->heads;
    op->dim[3] = 1;
    op->f[0] = emit->train ? layer->p : 0.0;
    op->site = site_of(emit, layer, 0);
}

static void attention_fwd(const struct tt_emit *emit,
                          const struct tt_layer *layer, int *keep)
{
    int64_t t = layer->in.rows;
    struct tt_op *op;

    keep[K_PROBS] = tt_prog_buf(emit->prog, "probs", TT_SCOPE_LIST, TT_F32,
                                layer->heads * t * t, 0);
    keep[K_ATT] = tt_emit_act(emit, "att", &layer->in);
    op = tt_prog_op(emit->prog, TT_OP_ATTENTION);
    tt_op_ref(op, keep[K_ATT], TT_REF_W);
    tt_op_ref(op, keep[K_PROBS], TT_REF_W);
    tt_op_ref(op, keep[K_QKV], TT_REF_R);
    attention_dims(emit, layer, op);
}

static int attention_bwd(const struct tt_emit *emit,
                         const struct tt_layer *layer, const int *keep, int dy)
{
    struct tt_shape qkv = {.rows = layer->in.rows, .cols = 3 * layer->in.cols};
    int dqkv = tt_emit_act(emit, "d-qkv", &qkv);
    struct tt_op *op = tt_prog_op(emit->prog, TT_OP_ATTENTION_BWD);

    tt_op_ref(op, dqkv, TT_REF_W);
    tt_op_ref(op, dy, TT_REF_R);
    tt_op_ref(op, keep[K_QKV], TT_REF_R);
    tt_op_ref(op, keep[K_PROBS], TT_REF_R);
    attention_dims(emit, layer, op);
    return dqkv;
}

/* The end of a half: y = x + dropout(y), in place. */
static void residual(const struct tt_emit *emit, const struct tt_layer *layer,
                     int y, int x, int site)
{
    int64_t values = layer->in.rows * layer->in.cols;

    if (emit->train && layer->p > 0)
        tt_emit_dropout(emit, y, values, layer->p, site_of(emit, layer, site));
    tt_emit_add(emit, y, y, x, values);
}

static void transformer_fwd(const struct tt_emit *emit,
                            const struct tt_layer *layer,
                            struct tt_layer_bufs *bufs)
{
    const struct tt_shape *in = &layer->in;
    struct tt_shape wide = {.rows = in->rows, .cols = 4 * in->cols};
    const int *param = layer->param;
    int *keep = bufs->keep;

    keep[K_LN1] = tt_emit_norm(emit, bufs->in, &param[LN_1], in, layer->eps,
                               &keep[K_STAT1]);
    keep[K_QKV] =
        tt_emit_dense(emit, keep[K_LN1], &param[C_ATTN], in, 3 * in->cols);
    attention_fwd(emit, layer, keep);
    keep[K_MID] =
        tt_emit_dense(emit, keep[K_ATT], &param[C_PROJ], in, in->cols);
    residual(emit, layer, keep[K_MID], bufs->in, 1);
    keep[K_LN2] = tt_emit_norm(emit, keep[K_MID], &param[LN_2], in, layer->eps,
                               &keep[K_STAT2]);
    keep[K_FC] = tt_emit_dense(emit, keep[K_LN2], &param[C_FC], in, wide.cols);
    keep[K_ACT] = tt_emit_act(emit, "act", &wide);
    tt_emit_act_op(emit, keep[K_ACT], keep[K_FC], wide.rows * wide.cols,
                   layer->act);
    bufs->out =
        tt_emit_dense(emit, keep[K_ACT], &param[M_PROJ], &wide, in->cols);
    residual(emit, layer, bufs->out, keep[K_MID], 2);
}

/* The gradient that enters a half's last projection: dy, or its own copy with
 * dropout applied. */
static int undrop(const struct tt_emit *emit, const struct tt_layer *layer,
                  int dy, int site)
{
    int copy;
    struct tt_op *op;

    if (layer->p <= 0)
        return dy;
    copy = tt_emit_act(emit, "d-drop", &layer->in);
    op = tt_prog_op(emit->prog, TT_OP_DROPOUT);
    tt_op_ref(op, copy, TT_REF_W);
    tt_op_ref(op, dy, TT_REF_R);
    op->dim[0] = layer->in.rows * layer->in.cols;
    op->f[0] = layer->p;
    op->site = site_of(emit, layer, site);
    return copy;
}

/* Backward of a norm at the head of a half: adds to the residual's gradient. */
static void half_norm_bwd(const struct tt_emit *emit,
                          const struct tt_layer *layer, int slot, int d_norm,
                          struct tt_norm_bwd n)
{
    n.dy = d_norm;
    n.wb = &layer->param[slot];
    n.shape = &layer->in;
    n.adds = true;
    tt_emit_norm_bwd(emit, TT_OP_LAYERNORM_BWD, &n);
}

static int transformer_bwd(const struct tt_emit *emit,
                           const struct tt_layer *layer,
                           const struct tt_layer_bufs *bufs, int dy,
                           bool need_dx)
{
    const struct tt_shape *in = &layer->in;
    struct tt_shape wide = {.rows = in->rows, .cols = 4 * in->cols};
    const int *param = layer->param, *keep = bufs->keep;
    int d = undrop(emit, layer, dy, 2);

    (void)need_dx;
    d = tt_emit_dense_bwd(emit, d, keep[K_ACT], &param[M_PROJ], &wide, in->cols,
                          true);
    tt_emit_act_bwd(emit, d, keep[K_FC], wide.rows * wide.cols, layer->act);
    d = tt_emit_dense_bwd(emit, d, keep[K_LN2], &param[C_FC], in, wide.cols,
                          true);
    half_norm_bwd(emit, layer, LN_2, d,
                  (struct tt_norm_bwd){
                      .dx = dy, .x = keep[K_MID], .stat = &keep[K_STAT2]});
    d = undrop(emit, layer, dy, 1);
    d = tt_emit_dense_bwd(emit, d, keep[K_ATT], &param[C_PROJ], in, in->cols,
                          true);
    d = attention_bwd(emit, layer, keep, d);
    d = tt_emit_dense_bwd(emit, d, keep[K_LN1], &param[C_ATTN], in,
                          3 * in->cols, true);
    half_norm_bwd(
        emit, layer, LN_1, d,
        (struct tt_norm_bwd){.dx = dy, .x = bufs->in, .stat = &keep[K_STAT1]});
    return dy;
}

const struct tt_layer_type tt_layer_transformer = {
    "transformer",   transformer_shape, transformer_params,
    transformer_fwd, transformer_bwd,
};

/* --- lmhead: logits (B, T, Vp), weight shared with the embedding or own --- */

static int lmhead_shape(struct tt_layer *layer, struct tt_error *err)
{
    (void)err;
    layer->width = tt_pad_vocab(layer->vocab);
    layer->out =
        (struct tt_shape){.rows = layer->in.rows, .cols = layer->width};
    return 0;
}

static void lmhead_params(struct tt_params *params, struct tt_layer *layer)
{
    struct tt_param *w = tt_params_add(params, layer, 0, "weight");

    set_matrix(w, layer->vocab, layer->in.cols, layer->init_std);
    w->storage = layer->width * layer->in.cols;
    if (layer->tied >= 0)
        w->kind = TT_PARAM_TIED;
}

static void lmhead_fwd(const struct tt_emit *emit, const struct tt_layer *layer,
                       struct tt_layer_bufs *bufs)
{
    const int wb[2] = {layer->param[0], -1};

    bufs->out = tt_emit_dense(emit, bufs->in, wb, &layer->in, layer->width);
}

static int lmhead_bwd(const struct tt_emit *emit, const struct tt_layer *layer,
                      const struct tt_layer_bufs *bufs, int dy, bool need_dx)
{
    const int wb[2] = {layer->param[0], -1};

    return tt_emit_dense_bwd(emit, dy, bufs->in, wb, &layer->in, layer->width,
                             need_dx);
}

const struct tt_layer_type tt_layer_lmhead = {
    "lmhead", lmhead_shape, lmhead_params, lmhead_fwd, lmhead_bwd,
};
