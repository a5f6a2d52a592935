/* SPDX-License-Identifier: BSD-3-Clause */
/* conv_dnnl.c - convolutions by oneDNN 2.x: images stay NHWC, weights are
 * brought into the order that the chosen kernel likes, which costs next to
 * nothing. */
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

#define TT_CPU_LEVEL base
#include "device/cpu/conv_lib_priv.h"
#include "device/cpu/cpu_priv.h"

/* Shapes kept; multiplications below which our own loops start sooner. */
enum { ENTRIES = 256, WORTH = 1 << 20 };

struct entry {
    int pass, threads; /* kernels are made for a number of threads */
    int64_t samples;
    struct tt_conv_dims d;
    bool has_bias, usable;
    dnnl_primitive_t conv, reorder;
    dnnl_memory_t x, y, b;
    dnnl_memory_t w, user_w; /* in the kernel's order, in ours */
};

static struct entry *entries[ENTRIES];
static int entry_count;
static dnnl_engine_t engine;
static dnnl_stream_t stream;

/* The descriptions of a shape. */
struct desc {
    dnnl_memory_desc_t x, y, b, w, user_w;
    dnnl_dims_t stride, pad_begin, pad_end;
};

static void desc_init(struct desc *s, const struct tt_conv_call *c)
{
    const struct tt_conv_dims *d = &c->d;
    const dnnl_dims_t x = {c->samples, d->I, d->H, d->W};
    const dnnl_dims_t y = {c->samples, d->O, d->OH, d->OW};
    const dnnl_dims_t w = {d->O, d->I, d->KH, d->KW}, b = {d->O};

    memset(s, 0, sizeof(*s));
    dnnl_memory_desc_init_by_tag(&s->x, 4, x, dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_init_by_tag(&s->y, 4, y, dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_init_by_tag(&s->w, 4, w, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&s->user_w, 4, w, dnnl_f32, dnnl_ohwi);
    dnnl_memory_desc_init_by_tag(&s->b, 1, b, dnnl_f32, dnnl_a);
    s->stride[0] = s->stride[1] = d->stride;
    s->pad_begin[0] = s->pad_begin[1] = d->pad;
    s->pad_end[0] = (d->OH - 1) * d->stride + d->KH - d->H - d->pad;
    s->pad_end[1] = (d->OW - 1) * d->stride + d->KW - d->W - d->pad;
}

static bool make_forward(const struct desc *s, bool bias,
                         dnnl_primitive_desc_t *pd)
{
    dnnl_convolution_desc_t conv;

    return dnnl_convolution_forward_desc_init(
               &conv, dnnl_forward_training, dnnl_convolution_direct, &s->x,
               &s->w, bias ? &s->b : NULL, &s->y, s->stride, s->pad_begin,
               s->pad_end) == dnnl_success &&
           dnnl_primitive_desc_create(pd, &conv, NULL, engine, NULL) ==
               dnnl_success;
}

/* A backward pass wants to know what the forward pass was like. */
static bool make_backward(const struct desc *s, const struct entry *e,
                          const_dnnl_primitive_desc_t hint,
                          dnnl_primitive_desc_t *pd)
{
    dnnl_convolution_desc_t conv;
    dnnl_status_t status =
        e->pass == TT_CONV_DX
            ? dnnl_convolution_backward_data_desc_init(
                  &conv, dnnl_convolution_direct, &s->x, &s->w, &s->y,
                  s->stride, s->pad_begin, s->pad_end)
            : dnnl_convolution_backward_weights_desc_init(
                  &conv, dnnl_convolution_direct, &s->x, &s->w,
                  e->has_bias ? &s->b : NULL, &s->y, s->stride, s->pad_begin,
                  s->pad_end);

    return status == dnnl_success &&
           dnnl_primitive_desc_create(pd, &conv, NULL, engine, hint) ==
               dnnl_success;
}

static bool make_pass(const struct desc *s, const struct entry *e,
                      dnnl_primitive_desc_t *pd)
{
    dnnl_primitive_desc_t forward = NULL;
    bool made;

    if (e->pass == TT_CONV_FORWARD)
        return make_forward(s, e->has_bias, pd);
    made = make_forward(s, false, &forward) && make_backward(s, e, forward, pd);
    dnnl_primitive_desc_destroy(forward);
    return made;
}

static bool make_memory(dnnl_memory_t *memory, const dnnl_memory_desc_t *desc,
                        void *handle)
{
    return dnnl_memory_create(memory, desc, engine, handle) == dnnl_success;
}

/* w -> kernel's order, or the kernel's dw -> ours. */
static bool make_reorder(struct entry *e, const dnnl_memory_desc_t *w,
                         const dnnl_memory_desc_t *user_w)
{
    bool back = e->pass == TT_CONV_DW;
    dnnl_primitive_desc_t pd = NULL;
    bool made = dnnl_reorder_primitive_desc_create(
                    &pd, back ? w : user_w, engine, back ? user_w : w, engine,
                    NULL) == dnnl_success &&
                dnnl_primitive_create(&e->reorder, pd) == dnnl_success;

    dnnl_primitive_desc_destroy(pd);
    return made;
}

static bool entry_make(struct entry *e, const struct tt_conv_call *c)
{
    struct desc s;
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_memory_desc_t *w;
    bool made;

    desc_init(&s, c);
    if (!make_pass(&s, e, &pd))
        return false;
    w = dnnl_primitive_desc_query_md(pd,
                                     e->pass == TT_CONV_DW
                                         ? dnnl_query_diff_weights_md
                                         : dnnl_query_weights_md,
                                     0);
    made = dnnl_primitive_create(&e->conv, pd) == dnnl_success &&
           make_reorder(e, w, &s.user_w) &&
           make_memory(&e->x, &s.x, DNNL_MEMORY_NONE) &&
           make_memory(&e->y, &s.y, DNNL_MEMORY_NONE) &&
           make_memory(&e->b, &s.b, DNNL_MEMORY_NONE) &&
           make_memory(&e->user_w, &s.user_w, DNNL_MEMORY_NONE) &&
           make_memory(&e->w, w, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_desc_destroy(pd);
    return made;
}

static bool engine_make(void)
{
    return engine != NULL ||
           (dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
            dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) ==
                dnnl_success);
}

static bool is_same(const struct entry *e, const struct tt_conv_call *c)
{
    return e->pass == c->pass && e->threads == tt_cpu_threads() &&
           e->samples == c->samples && e->has_bias == (c->b != NULL) &&
           memcmp(&e->d, &c->d, sizeof(e->d)) == 0;
}

static struct entry *entry_find(const struct tt_conv_call *c)
{
    struct entry *e;

    for (int i = 0; i < entry_count; i++)
        if (is_same(entries[i], c))
            return entries[i];
    if (entry_count == ENTRIES || !engine_make())
        return NULL;
    e = calloc(1, sizeof(*e));
    if (e == NULL)
        return NULL;
    e->pass = c->pass;
    e->threads = tt_cpu_threads();
    e->samples = c->samples;
    e->d = c->d;
    e->has_bias = c->b != NULL;
    e->usable = entry_make(e, c);
    entries[entry_count++] = e;
    return e;
}

static void reorder(struct entry *e, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_exec_arg_t arg[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};

    dnnl_primitive_execute(e->reorder, stream, 2, arg);
}

static void execute(struct entry *e)
{
    static const int names[][4] = {
        [TT_CONV_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS,
                             DNNL_ARG_BIAS},
        [TT_CONV_DX] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS,
                        0},
        [TT_CONV_DW] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
                        DNNL_ARG_DIFF_BIAS},
    };
    const int *name = names[e->pass];
    const dnnl_exec_arg_t arg[] = {
        {name[0], e->x}, {name[1], e->y}, {name[2], e->w}, {name[3], e->b}};

    dnnl_primitive_execute(e->conv, stream, e->has_bias ? 4 : 3, arg);
}

bool tt_conv_lib_run(const struct tt_conv_call *c)
{
    const struct tt_conv_dims *d = &c->d;
    struct entry *e;

    if (c->samples * d->OH * d->OW * d->O * d->KH * d->KW * d->I < WORTH)
        return false;
    e = entry_find(c);
    if (e == NULL || !e->usable)
        return false;
    dnnl_memory_set_data_handle(e->x, c->x);
    dnnl_memory_set_data_handle(e->y, c->y);
    dnnl_memory_set_data_handle(e->user_w, c->w);
    if (c->b != NULL)
        dnnl_memory_set_data_handle(e->b, c->b);
    if (c->pass != TT_CONV_DW)
        reorder(e, e->user_w, e->w);
    execute(e);
    if (c->pass == TT_CONV_DW)
        reorder(e, e->w, e->user_w);
    dnnl_stream_wait(stream);
    return true;
}
