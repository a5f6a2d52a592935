/* SPDX-License-Identifier: BSD-3-Clause */
/* cases.c - small worlds for kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "cases.h"

/* Guard elements behind each array: nobody may write them. */
enum { GUARD = 64 };

static uint32_t word(struct tcase *c)
{
    return tt_rng_word(c->seed, 1, 0, c->drawn++);
}

int64_t case_draw(struct tcase *c, int64_t low, int64_t high)
{
    return low + word(c) % (high - low + 1);
}

float case_draw_normal(struct tcase *c)
{
    double u = (word(c) + 1.0) * 0x1p-32, v = word(c) * 0x1p-32;

    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

static size_t type_bytes(enum case_type type)
{
    static const size_t bytes[] = {4, 4, 8, sizeof(struct tt_exact)};

    return bytes[type];
}

static float draw_value(struct tcase *c, enum case_fill fill)
{
    float x = case_draw_normal(c);

    switch (fill) {
    case FILL_POSITIVE:
        return 0.5f + (float)fabs(fmod((double)x, 1));
    case FILL_NO_KINK:
        return x + (x < 0 ? -0.2f : 0.2f);
    case FILL_BIT:
        return x > 0;
    default:
        return x;
    }
}

static void fill_array(struct tcase *c, struct case_array *a,
                       enum case_fill fill, int64_t below)
{
    float *x = a->data;
    int32_t *token = a->data;

    if (fill == FILL_TOKEN)
        for (int64_t i = 0; i < a->count; i++)
            token[i] = (int32_t)case_draw(c, 0, below - 1);
    else if (fill != FILL_JUNK)
        for (int64_t i = 0; i < a->count; i++)
            x[i] = draw_value(c, fill);
}

/* An array that is not f32 or not a plain fill. */
struct special {
    enum case_type type;
    enum case_fill fill;
    int64_t below;
};

static struct case_array *add_special(struct tcase *c, const char *name,
                                      int64_t per_sample, int64_t fixed,
                                      struct special how)
{
    struct case_array *a = &c->array[c->array_count++];

    a->name = name;
    a->type = how.type;
    a->per_sample = per_sample;
    a->count = per_sample > 0 ? per_sample * c->samples : fixed;
    a->bytes = ((size_t)a->count + GUARD) * type_bytes(how.type);
    a->data = malloc(a->bytes);
    memset(a->data, how.type == CASE_EXACT ? 0 : 0xff, a->bytes);
    fill_array(c, a, how.fill, how.below);
    return a;
}

/* One f32 array made of samples, or of a fixed size. */
static void add_rows(struct tcase *c, const char *name, int64_t per_sample,
                     enum case_fill fill)
{
    add_special(c, name, per_sample, 0, (struct special){CASE_F32, fill, 0});
}

static void add_fixed(struct tcase *c, const char *name, int64_t count,
                      enum case_fill fill)
{
    add_special(c, name, 0, count, (struct special){CASE_F32, fill, 0});
}

struct case_array *case_find(struct tcase *c, const char *name)
{
    for (int i = 0; i < c->array_count; i++)
        if (strcmp(c->array[i].name, name) == 0)
            return &c->array[i];
    return NULL;
}

/* Kinds of which each ref is written: 'W' write, 'A' accumulate, 'D' write or
 * add, '.' read. */
static const char *ref_modes(int kind)
{
    static const char *const modes[TT_OP_KIND_COUNT] = {
        [TT_OP_DENSE] = "W...W",
        [TT_OP_DENSE_DX] = "D..",
        [TT_OP_DENSE_DW] = "A..A",
        [TT_OP_ACT] = "W.",
        [TT_OP_ACT_BWD] = "W..",
        [TT_OP_DROPOUT] = "W.",
        [TT_OP_ADD] = "W..",
        [TT_OP_LAYERNORM] = "WWW...",
        [TT_OP_LAYERNORM_BWD] = "DAA.....",
        [TT_OP_BATCHNORM] = "WWWAA...",
        [TT_OP_BATCHNORM_BWD] = "DAA.....",
        [TT_OP_BATCHNORM_EVAL] = "W.....",
        [TT_OP_EMBED] = "W...",
        [TT_OP_EMBED_BWD] = "AA..",
        [TT_OP_ATTENTION] = "WW.",
        [TT_OP_ATTENTION_BWD] = "W...",
        [TT_OP_XENT] = "WW...",
        [TT_OP_MSE] = "WW..",
        [TT_OP_BCE] = "WW..",
        [TT_OP_CONV] = "W...",
        [TT_OP_CONV_DX] = "D..",
        [TT_OP_CONV_DW] = "A..A",
        [TT_OP_MAXPOOL] = "WW.",
        [TT_OP_MAXPOOL_BWD] = "W..",
        [TT_OP_AVGPOOL] = "W.",
        [TT_OP_AVGPOOL_BWD] = "W.",
        [TT_OP_ZERO] = "W",
        [TT_OP_SUM] = "S.",
        [TT_OP_SUMSQ] = "S.",
        [TT_OP_RUNNING] = "W.",
        [TT_OP_SGD] = "W.W",
        [TT_OP_ADAM] = "W.WW",
    };

    return modes[kind];
}

/* Split 'names' at blanks and look each up; "-" is absent. */
static void resolve(struct tcase *c, struct case_call *call, const char *names)
{
    char text[80], *save = NULL;
    int i = 0;

    snprintf(text, sizeof(text), "%s", names);
    for (char *name = strtok_r(text, " ", &save); name != NULL;
         name = strtok_r(NULL, " ", &save), i++) {
        struct case_array *a = case_find(c, name);

        call->array[i] = a != NULL ? (int)(a - c->array) : -1;
    }
    call->op.ref_count = i;
}

static struct tt_op *add_call(struct tcase *c, enum tt_op_kind kind,
                              const char *names)
{
    struct case_call *call = &c->call[c->call_count++];
    const char *modes = ref_modes((int)kind);

    call->op.kind = (int32_t)kind;
    call->op.site = tt_rng_site(TT_RNG_DROPOUT, 3);
    resolve(c, call, names);
    for (int i = 0; i < call->op.ref_count; i++)
        call->op.ref[i] =
            (struct tt_ref){call->array[i], modes[i] == '.'   ? TT_REF_R
                                            : modes[i] == 'A' ? TT_REF_ACC
                                            : modes[i] == 'S' ? TT_REF_ADD
                                                              : TT_REF_W};
    return &call->op;
}

static void set_dims(struct tt_op *op, int count, const int64_t *dim)
{
    for (int i = 0; i < count; i++)
        op->dim[i] = dim[i];
}

void case_set_mode(struct tcase *c, enum tt_ref_mode mode)
{
    for (int i = 0; i < c->call_count; i++) {
        struct tt_op *op = &c->call[i].op;
        const char *modes = ref_modes(op->kind);

        for (int j = 0; j < op->ref_count; j++)
            if (modes[j] == 'A' || (modes[j] == 'D' && mode == TT_REF_ADD))
                op->ref[j].mode = (int32_t)mode;
    }
}

/* ---- the cases ---- */

static void dense_case(struct tcase *c, enum tt_act act, bool bias)
{
    int64_t rps = case_draw(c, 1, 5), N = case_draw(c, 1, 70),
            K = case_draw(c, 1, 70);
    const int64_t dim[] = {rps, N, K, act}, act_dim[] = {rps * N, act};

    add_rows(c, "x", rps * K, FILL_NORMAL);
    add_fixed(c, "w", N * K, FILL_NORMAL);
    if (bias)
        add_fixed(c, "b", N, FILL_NORMAL);
    add_rows(c, "y", rps * N, FILL_JUNK);
    add_rows(c, "z", rps * N, FILL_JUNK);
    add_rows(c, "dy", rps * N, FILL_NORMAL);
    add_rows(c, "dz", rps * N, FILL_JUNK);
    add_rows(c, "dx", rps * K, FILL_JUNK);
    add_fixed(c, "dw", N * K, FILL_JUNK);
    if (bias)
        add_fixed(c, "db", N, FILL_JUNK);
    set_dims(add_call(c, TT_OP_DENSE, bias ? "y x w b z" : "y x w - z"), 4,
             dim);
    set_dims(add_call(c, TT_OP_ACT_BWD, "dz dy z"), 2, act_dim);
    set_dims(add_call(c, TT_OP_DENSE_DX, "dx dz w"), 3, dim);
    set_dims(add_call(c, TT_OP_DENSE_DW, bias ? "dw dz x db" : "dw dz x"), 3,
             dim);
    c->wrt = bias ? "x w b" : "x w";
    c->longest = N + K + rps * c->samples;
    snprintf(c->name, sizeof(c->name), "dense %s%s %dx%dx%d", tt_act_name(act),
             bias ? " bias" : "", (int)rps, (int)N, (int)K);
}

static void case_dense_none(struct tcase *c)
{
    dense_case(c, TT_ACT_NONE, true);
}

static void case_dense_bare(struct tcase *c)
{
    dense_case(c, TT_ACT_NONE, false);
}

static void case_dense_gelu(struct tcase *c)
{
    dense_case(c, TT_ACT_GELU, true);
}

static void case_dense_tanh(struct tcase *c)
{
    dense_case(c, TT_ACT_TANH, false);
}

static void act_case(struct tcase *c, enum tt_act act)
{
    int64_t count = case_draw(c, 1, 200);
    const int64_t dim[] = {count, act};

    add_rows(c, "x", count, FILL_NO_KINK);
    add_rows(c, "y", count, FILL_JUNK);
    add_rows(c, "dy", count, FILL_NORMAL);
    add_rows(c, "dx", count, FILL_JUNK);
    set_dims(add_call(c, TT_OP_ACT, "y x"), 2, dim);
    set_dims(add_call(c, TT_OP_ACT_BWD, "dx dy x"), 2, dim);
    c->wrt = "x";
    snprintf(c->name, sizeof(c->name), "act %s %d", tt_act_name(act),
             (int)count);
}

static void case_relu(struct tcase *c)
{
    act_case(c, TT_ACT_RELU);
}

static void case_gelu(struct tcase *c)
{
    act_case(c, TT_ACT_GELU);
}

static void case_gelu_erf(struct tcase *c)
{
    act_case(c, TT_ACT_GELU_ERF);
}

static void case_tanh(struct tcase *c)
{
    act_case(c, TT_ACT_TANH);
}

static void case_sigmoid(struct tcase *c)
{
    act_case(c, TT_ACT_SIGMOID);
}

static void case_dropout(struct tcase *c)
{
    int64_t count = case_draw(c, 1, c->samples > 6 ? 200 : 4000);

    add_rows(c, "x", count, FILL_NORMAL);
    add_rows(c, "y", count, FILL_JUNK);
    add_rows(c, "dy", count, FILL_NORMAL);
    add_rows(c, "dx", count, FILL_JUNK);
    add_call(c, TT_OP_DROPOUT, "y x");
    add_call(c, TT_OP_DROPOUT, "dx dy");
    for (int i = 0; i < 2; i++) {
        c->call[i].op.dim[0] = count;
        c->call[i].op.f[0] = 0.3;
    }
    c->wrt = "x";
    snprintf(c->name, sizeof(c->name), "dropout %d", (int)count);
}

static void case_add(struct tcase *c)
{
    int64_t count = case_draw(c, 1, 200);

    add_rows(c, "a", count, FILL_NORMAL);
    add_rows(c, "b", count, FILL_NORMAL);
    add_rows(c, "y", count, FILL_JUNK);
    add_call(c, TT_OP_ADD, "y a b")->dim[0] = count;
    c->wrt = "";
    snprintf(c->name, sizeof(c->name), "add %d", (int)count);
}

/* What both norms have. */
static void norm_arrays(struct tcase *c, int64_t rps, int64_t C)
{
    add_rows(c, "x", rps * C, FILL_NORMAL);
    add_fixed(c, "g", C, FILL_NORMAL);
    add_fixed(c, "b", C, FILL_NORMAL);
    add_rows(c, "y", rps * C, FILL_JUNK);
    add_rows(c, "dy", rps * C, FILL_NORMAL);
    add_rows(c, "dx", rps * C, FILL_JUNK);
    add_fixed(c, "dg", C, FILL_JUNK);
    add_fixed(c, "db", C, FILL_JUNK);
    c->wrt = "x g b";
}

static void case_layernorm(struct tcase *c)
{
    int64_t rps = case_draw(c, 1, 6), C = case_draw(c, 4, 150);
    const int64_t dim[] = {rps, C};

    norm_arrays(c, rps, C);
    add_rows(c, "mean", rps, FILL_JUNK);
    add_rows(c, "rstd", rps, FILL_JUNK);
    set_dims(add_call(c, TT_OP_LAYERNORM, "y mean rstd x g b"), 2, dim);
    c->call[0].op.f[0] = 1e-5;
    set_dims(add_call(c, TT_OP_LAYERNORM_BWD, "dx dg db dy x mean rstd g"), 2,
             dim);
    c->longest = C + rps * c->samples;
    snprintf(c->name, sizeof(c->name), "layernorm %dx%d", (int)rps, (int)C);
}

static void case_batchnorm(struct tcase *c)
{
    int64_t rps = case_draw(c, 4, 12), C = case_draw(c, 1, 40);
    const int64_t dim[] = {rps, C};

    norm_arrays(c, rps, C);
    add_fixed(c, "mean", C, FILL_JUNK);
    add_fixed(c, "rstd", C, FILL_JUNK);
    add_fixed(c, "smean", C, FILL_JUNK);
    add_fixed(c, "svar", C, FILL_JUNK);
    set_dims(add_call(c, TT_OP_BATCHNORM, "y mean rstd smean svar x g b"), 2,
             dim);
    c->call[0].op.f[0] = 1e-5;
    set_dims(add_call(c, TT_OP_BATCHNORM_BWD, "dx dg db dy x mean rstd g"), 2,
             dim);
    c->longest = rps * c->samples;
    snprintf(c->name, sizeof(c->name), "batchnorm %dx%d", (int)rps, (int)C);
}

static void case_batchnorm_eval(struct tcase *c)
{
    int64_t rps = case_draw(c, 1, 9), C = case_draw(c, 1, 40);
    const int64_t dim[] = {rps, C};

    add_rows(c, "x", rps * C, FILL_NORMAL);
    add_fixed(c, "mean", C, FILL_NORMAL);
    add_fixed(c, "var", C, FILL_POSITIVE);
    add_fixed(c, "g", C, FILL_NORMAL);
    add_fixed(c, "b", C, FILL_NORMAL);
    add_rows(c, "y", rps * C, FILL_JUNK);
    set_dims(add_call(c, TT_OP_BATCHNORM_EVAL, "y x mean var g b"), 2, dim);
    c->call[0].op.f[0] = 1e-5;
    c->wrt = "";
    snprintf(c->name, sizeof(c->name), "batchnorm-eval %dx%d", (int)rps,
             (int)C);
}

static void embed_case(struct tcase *c, bool position)
{
    int64_t T = case_draw(c, 1, 9), C = case_draw(c, 1, 50),
            V = case_draw(c, 2, 12);
    const int64_t dim[] = {T, C, V};

    add_special(c, "token", T, 0, (struct special){CASE_I32, FILL_TOKEN, V});
    add_fixed(c, "wte", V * C, FILL_NORMAL);
    add_rows(c, "y", T * C, FILL_JUNK);
    add_rows(c, "dy", T * C, FILL_NORMAL);
    add_fixed(c, "dwte", V * C, FILL_JUNK);
    if (position) {
        add_fixed(c, "wpe", T * C, FILL_NORMAL);
        add_fixed(c, "dwpe", T * C, FILL_JUNK);
    }
    set_dims(
        add_call(c, TT_OP_EMBED, position ? "y token wte wpe" : "y token wte"),
        3, dim);
    set_dims(add_call(c, TT_OP_EMBED_BWD, "dwte dwpe dy token"), 3, dim);
    c->wrt = position ? "wte wpe" : "wte";
    c->longest = T * c->samples;
    snprintf(c->name, sizeof(c->name), "embed %dx%d of %d", (int)T, (int)C,
             (int)V);
}

static void case_embed(struct tcase *c)
{
    embed_case(c, true);
}

static void case_embed_token(struct tcase *c)
{
    embed_case(c, false);
}

static void attention_case(struct tcase *c, int64_t T, bool causal, double drop)
{
    int64_t H = case_draw(c, 1, 3), D = case_draw(c, 1, 20);
    const int64_t dim[] = {T, H, D, causal};

    add_rows(c, "qkv", T * 3 * H * D, FILL_NORMAL);
    add_rows(c, "y", T * H * D, FILL_JUNK);
    add_rows(c, "p", H * T * T, FILL_JUNK);
    add_rows(c, "dy", T * H * D, FILL_NORMAL);
    add_rows(c, "dqkv", T * 3 * H * D, FILL_JUNK);
    set_dims(add_call(c, TT_OP_ATTENTION, "y p qkv"), 4, dim);
    set_dims(add_call(c, TT_OP_ATTENTION_BWD, "dqkv dy qkv p"), 4, dim);
    c->call[0].op.f[0] = c->call[1].op.f[0] = drop;
    c->wrt = "qkv";
    c->longest = T + D;
    snprintf(c->name, sizeof(c->name), "attention%s drop %g T %d H %d D %d",
             causal ? " causal" : "", drop, (int)T, (int)H, (int)D);
}

static void case_attention(struct tcase *c)
{
    attention_case(c, case_draw(c, 1, 70), false, 0);
}

static void case_attention_causal(struct tcase *c)
{
    attention_case(c, case_draw(c, 1, 70), true, 0);
}

static void case_attention_drop(struct tcase *c)
{
    attention_case(c, case_draw(c, 1, 70), true, 0.2);
}

/* Several blocks of queries. */
static void case_attention_long(struct tcase *c)
{
    c->samples = 2;
    attention_case(c, case_draw(c, 129, 160), true, 0.1);
}

static void xent_case(struct tcase *c, int64_t V, double smooth, bool weights)
{
    int64_t rps = case_draw(c, 1, 5);
    int64_t Vp = V + case_draw(c, 0, 9), ignored = case_draw(c, 0, V - 1);
    const int64_t dim[] = {rps, V, Vp, ignored};

    add_rows(c, "logits", rps * Vp, FILL_NORMAL);
    add_special(c, "target", rps, 0, (struct special){CASE_I32, FILL_TOKEN, V});
    add_special(c, "tally", 0, 4, (struct special){CASE_F64, FILL_JUNK, 0});
    add_rows(c, "dlogits", rps * Vp, FILL_JUNK);
    if (weights)
        add_fixed(c, "cw", V, FILL_POSITIVE);
    set_dims(add_call(c, TT_OP_XENT,
                      weights ? "dlogits tally logits target cw"
                              : "dlogits tally logits target"),
             4, dim);
    c->call[0].op.f[0] = smooth;
    c->wrt = "logits";
    c->longest = V;
    snprintf(c->name, sizeof(c->name), "xent%s smooth %g %dx%d of %d",
             weights ? " weighted" : "", smooth, (int)rps, (int)V, (int)Vp);
}

static void case_xent(struct tcase *c)
{
    xent_case(c, case_draw(c, 2, 60), 0, false);
}

static void case_xent_vocabulary(struct tcase *c)
{
    xent_case(c, case_draw(c, 1000, 3000), 0, false);
}

static void case_xent_smooth(struct tcase *c)
{
    xent_case(c, case_draw(c, 2, 60), 0.1, false);
}

static void case_xent_weighted(struct tcase *c)
{
    xent_case(c, case_draw(c, 2, 60), 0.1, true);
}

static void pointwise_loss(struct tcase *c, enum tt_op_kind kind,
                           enum case_fill fill)
{
    int64_t count = case_draw(c, 1, 200);

    add_rows(c, "x", count, FILL_NORMAL);
    add_rows(c, "target", count, fill);
    add_special(c, "tally", 0, 4, (struct special){CASE_F64, FILL_JUNK, 0});
    add_rows(c, "dx", count, FILL_JUNK);
    add_call(c, kind, "dx tally x target")->dim[0] = count;
    c->wrt = "x";
    c->longest = count * c->samples;
    snprintf(c->name, sizeof(c->name), "%s %d", tt_op_name(kind), (int)count);
}

static void case_mse(struct tcase *c)
{
    pointwise_loss(c, TT_OP_MSE, FILL_NORMAL);
}

static void case_bce(struct tcase *c)
{
    pointwise_loss(c, TT_OP_BCE, FILL_BIT);
}

static void conv_case(struct tcase *c, int64_t stride, bool bias)
{
    int64_t H = case_draw(c, 5, 11), W = case_draw(c, 5, 11),
            I = case_draw(c, 1, 5), O = case_draw(c, 1, 20),
            KH = case_draw(c, 1, 4), KW = case_draw(c, 1, 4),
            pad = case_draw(c, 0, 2);
    int64_t OH = (H + 2 * pad - KH) / stride + 1,
            OW = (W + 2 * pad - KW) / stride + 1;
    const int64_t dim[] = {H, W, I, O, KH, KW, stride, pad, OH, OW};

    add_rows(c, "x", H * W * I, FILL_NORMAL);
    add_fixed(c, "w", O * KH * KW * I, FILL_NORMAL);
    if (bias)
        add_fixed(c, "b", O, FILL_NORMAL);
    add_rows(c, "y", OH * OW * O, FILL_JUNK);
    add_rows(c, "dy", OH * OW * O, FILL_NORMAL);
    add_rows(c, "dx", H * W * I, FILL_JUNK);
    add_fixed(c, "dw", O * KH * KW * I, FILL_JUNK);
    if (bias)
        add_fixed(c, "db", O, FILL_JUNK);
    set_dims(add_call(c, TT_OP_CONV, bias ? "y x w b" : "y x w"), 10, dim);
    set_dims(add_call(c, TT_OP_CONV_DX, "dx dy w"), 10, dim);
    set_dims(add_call(c, TT_OP_CONV_DW, bias ? "dw dy x db" : "dw dy x"), 10,
             dim);
    c->wrt = bias ? "x w b" : "x w";
    c->longest = KH * KW * (I + O) + c->samples * OH * OW;
    snprintf(c->name, sizeof(c->name), "conv %dx%dx%d by %dx%dx%d /%d +%d",
             (int)H, (int)W, (int)I, (int)KH, (int)KW, (int)O, (int)stride,
             (int)pad);
}

static void case_conv(struct tcase *c)
{
    conv_case(c, 1, true);
}

static void case_conv_bare(struct tcase *c)
{
    conv_case(c, 1, false);
}

static void case_conv_strided(struct tcase *c)
{
    conv_case(c, 2, true);
}

/* Values of which no two in a window of up to 3 x 3 are nearer than 0.25. */
static void fill_spaced(struct tcase *c, float *x, int64_t W, int64_t C)
{
    int64_t rank[9] = {0};

    for (int i = 0; i < 9; i++) {
        int64_t j = case_draw(c, 0, i);

        rank[i] = rank[j];
        rank[j] = i;
    }
    for (int64_t i = 0; i < case_find(c, "x")->count; i++) {
        int64_t h = i / C / W % 3, w = i / C % W % 3;

        x[i] = 0.25f * (float)((rank[h * 3 + w] + i % C) % 9 - 4);
    }
}

static void pool_arrays(struct tcase *c, bool max, const int64_t *dim)
{
    int64_t C = dim[2], in = dim[0] * dim[1] * C, out = dim[6] * dim[7] * C;

    add_rows(c, "x", in, FILL_NORMAL);
    if (max)
        fill_spaced(c, case_find(c, "x")->data, dim[1], C);
    add_rows(c, "y", out, FILL_JUNK);
    add_rows(c, "dy", out, FILL_NORMAL);
    add_rows(c, "dx", in, FILL_JUNK);
    add_special(c, "idx", out, 0, (struct special){CASE_I32, FILL_JUNK, 0});
    set_dims(add_call(c, max ? TT_OP_MAXPOOL : TT_OP_AVGPOOL,
                      max ? "y idx x" : "y x"),
             8, dim);
    set_dims(add_call(c, max ? TT_OP_MAXPOOL_BWD : TT_OP_AVGPOOL_BWD,
                      max ? "dx dy idx" : "dx dy"),
             8, dim);
    c->wrt = "x";
    c->longest = dim[3] * dim[3];
    snprintf(c->name, sizeof(c->name), "%spool %dx%dx%d by %d /%d +%d",
             max ? "max" : "avg", (int)dim[0], (int)dim[1], (int)C, (int)dim[3],
             (int)dim[4], (int)dim[5]);
}

static void pool_case(struct tcase *c, bool max, int64_t K, int64_t stride)
{
    int64_t H = case_draw(c, 5, 11), W = case_draw(c, 5, 11),
            C = case_draw(c, 1, 40), pad = case_draw(c, 0, K / 2);
    const int64_t dim[] = {H,
                           W,
                           C,
                           K,
                           stride,
                           pad,
                           (H + 2 * pad - K) / stride + 1,
                           (W + 2 * pad - K) / stride + 1};

    pool_arrays(c, max, dim);
}

static void case_maxpool(struct tcase *c)
{
    pool_case(c, true, 2, 2);
}

static void case_maxpool_overlap(struct tcase *c)
{
    pool_case(c, true, 3, 2);
}

/* Windows that tile the image. */
static void case_maxpool_tiles(struct tcase *c)
{
    int64_t OH = case_draw(c, 1, 5), OW = case_draw(c, 1, 5),
            C = case_draw(c, 1, 40);
    const int64_t dim[] = {2 * OH, 2 * OW, C, 2, 2, 0, OH, OW};

    pool_arrays(c, true, dim);
}

static void case_avgpool(struct tcase *c)
{
    pool_case(c, false, 2, 2);
}

static void case_avgpool_overlap(struct tcase *c)
{
    pool_case(c, false, 3, 1);
}

static void case_ranges(struct tcase *c)
{
    int64_t count = case_draw(c, 1, 3000) * (c->samples > 6 ? 50 : 1);

    add_fixed(c, "x", count, FILL_NORMAL);
    add_fixed(c, "y", count, FILL_NORMAL);
    add_fixed(c, "zero", count, FILL_JUNK);
    add_special(c, "total", 0, 1, (struct special){CASE_EXACT, FILL_JUNK, 0});
    add_call(c, TT_OP_ZERO, "zero");
    add_call(c, TT_OP_SUM, "y x");
    add_call(c, TT_OP_SUMSQ, "total x");
    add_call(c, TT_OP_RUNNING, "y x")->f[0] = 0.1;
    for (int i = 0; i < c->call_count; i++)
        c->call[i].op.dim[0] = count;
    c->wrt = "";
    c->longest = 512;
    snprintf(c->name, sizeof(c->name), "ranges %d", (int)count);
}

static void case_sgd(struct tcase *c)
{
    int64_t count = case_draw(c, 1, 3000) * (c->samples > 6 ? 50 : 1);

    add_fixed(c, "w", count, FILL_NORMAL);
    add_fixed(c, "grad", count, FILL_NORMAL);
    add_fixed(c, "m", count, FILL_NORMAL);
    add_call(c, TT_OP_SGD, "w grad");
    add_call(c, TT_OP_SGD, "w grad m")->dim[1] = 0;
    add_call(c, TT_OP_SGD, "w grad m")->dim[1] = 1;
    for (int i = 0; i < c->call_count; i++) {
        c->call[i].op.dim[0] = count;
        c->call[i].op.f[0] = 0.01;
        c->call[i].op.f[1] = 0.9;
    }
    c->wrt = "";
    snprintf(c->name, sizeof(c->name), "sgd %d", (int)count);
}

static void case_adam(struct tcase *c)
{
    int64_t count = case_draw(c, 1, 3000) * (c->samples > 6 ? 50 : 1);

    add_fixed(c, "w", count, FILL_NORMAL);
    add_fixed(c, "grad", count, FILL_NORMAL);
    add_fixed(c, "m", count, FILL_NORMAL);
    add_fixed(c, "v", count, FILL_POSITIVE);
    for (int i = 0; i < 2; i++) {
        struct tt_op *op = add_call(c, TT_OP_ADAM, "w grad m v");
        const double f[] = {0.1, 0.9, 0.999, 1e-8};

        op->dim[0] = count;
        op->dim[1] = i;
        memcpy(op->f, f, sizeof(f));
    }
    c->wrt = "";
    snprintf(c->name, sizeof(c->name), "adam %d", (int)count);
}

const case_fn case_table[] = {
    case_dense_none,
    case_dense_bare,
    case_dense_gelu,
    case_dense_tanh,
    case_relu,
    case_gelu,
    case_gelu_erf,
    case_tanh,
    case_sigmoid,
    case_dropout,
    case_add,
    case_layernorm,
    case_batchnorm,
    case_batchnorm_eval,
    case_embed,
    case_embed_token,
    case_attention,
    case_attention_causal,
    case_attention_drop,
    case_attention_long,
    case_xent,
    case_xent_vocabulary,
    case_xent_smooth,
    case_xent_weighted,
    case_mse,
    case_bce,
    case_conv,
    case_conv_bare,
    case_conv_strided,
    case_maxpool,
    case_maxpool_overlap,
    case_maxpool_tiles,
    case_avgpool,
    case_avgpool_overlap,
    case_ranges,
    case_sgd,
    case_adam,
};
const int case_table_count = sizeof(case_table) / sizeof(case_table[0]);

void case_init(struct tcase *c, int idx, uint64_t seed, bool many)
{
    memset(c, 0, sizeof(*c));
    c->seed = seed * 1000 + (uint64_t)idx;
    c->samples = case_draw(c, 2, 6) * (many ? 24 : 1);
    c->longest = 1;
    c->now = (struct tt_now){
        .seed = seed,
        .update = 3,
        .position = 1000 + case_draw(c, 0, 99999),
        .valid_rows = c->samples,
        .micro_count = 3,
        .first_in_lane = true,
        .lr = 0.01,
        .grad_scale = 0.25,
    };
    case_table[idx](c);
}

void case_clear(struct tcase *c)
{
    for (int i = 0; i < c->array_count; i++)
        free(c->array[i].data);
    c->array_count = 0;
}

void case_copy(struct tcase *to, const struct tcase *from)
{
    *to = *from;
    for (int i = 0; i < from->array_count; i++) {
        to->array[i].data = malloc(from->array[i].bytes);
        memcpy(to->array[i].data, from->array[i].data, from->array[i].bytes);
    }
}

void case_restore(struct tcase *to, const struct tcase *from)
{
    for (int i = 0; i < from->array_count; i++)
        memcpy(to->array[i].data, from->array[i].data, from->array[i].bytes);
}

void case_run(struct tcase *c, int idx, const struct tt_backend *backend)
{
    const struct case_call *call = &c->call[idx];
    const struct tt_kernel *kernel = &backend->kernel[call->op.kind];
    void *ptr[TT_OP_REFS] = {NULL}, *work;
    size_t bytes = 64;

    for (int i = 0; i < call->op.ref_count; i++)
        if (call->array[i] >= 0)
            ptr[i] = c->array[call->array[i]].data;
    if (kernel->work_bytes != NULL)
        bytes += kernel->work_bytes(&call->op, c->samples);
    work = aligned_alloc(64, (bytes + 63) / 64 * 64);
    kernel->run(&call->op, ptr, &c->now, work);
    free(work);
}
