/* SPDX-License-Identifier: BSD-3-Clause */
/* pass_count.c - FLOPs and bytes of every op, from its dims alone.  A multiply
 * and an add are two FLOPs; causal attention is not halved; transcendentals
 * count as one. */
#include "model/prog.h"

struct cost {
    int64_t flops, bytes;
};

static struct cost of_gemm(int64_t rows, int64_t n, int64_t k)
{
    return (struct cost){2 * rows * n * k, 4 * rows * (n + k)};
}

static struct cost of_values(int64_t values, int64_t flops, int64_t arrays)
{
    return (struct cost){values * flops, values * arrays * 4};
}

static struct cost of_conv(const int64_t *d)
{
    int64_t y = d[8] * d[9] * d[2 + 1];

    return (struct cost){2 * y * d[4] * d[5] * d[2],
                         4 * (y + d[0] * d[1] * d[2])};
}

static struct cost of_pool(const int64_t *d)
{
    int64_t y = d[6] * d[7] * d[2];

    return (struct cost){y * d[3] * d[3], 4 * (y + d[0] * d[1] * d[2])};
}

/* Two products of (T, D) by (T, D) a head forward, four backward. */
static struct cost of_attention(const int64_t *d, int64_t products)
{
    int64_t square = d[1] * d[0] * d[0];

    return (struct cost){
        products * 2 * square * d[2] + 5 * square,
        4 * (d[0] * d[1] * d[2] * 2 * products + square),
    };
}

static struct cost cost_of(const struct tt_op *op)
{
    const int64_t *d = op->dim;

    switch (op->kind) {
    case TT_OP_DENSE:
    case TT_OP_DENSE_DX:
    case TT_OP_DENSE_DW:
        return of_gemm(d[0], d[1], d[2]);
    case TT_OP_CONV:
    case TT_OP_CONV_DX:
    case TT_OP_CONV_DW:
        return of_conv(d);
    case TT_OP_ATTENTION:
        return of_attention(d, 2);
    case TT_OP_ATTENTION_BWD:
        return of_attention(d, 4);
    case TT_OP_MAXPOOL:
    case TT_OP_MAXPOOL_BWD:
    case TT_OP_AVGPOOL:
    case TT_OP_AVGPOOL_BWD:
        return of_pool(d);
    case TT_OP_LAYERNORM:
    case TT_OP_BATCHNORM:
    case TT_OP_BATCHNORM_EVAL:
        return of_values(d[0] * d[1], 7, 2);
    case TT_OP_LAYERNORM_BWD:
    case TT_OP_BATCHNORM_BWD:
        return of_values(d[0] * d[1], 12, 3);
    case TT_OP_XENT:
        return of_values(d[0] * d[2], 5, 2);
    case TT_OP_EMBED:
    case TT_OP_EMBED_BWD:
        return of_values(d[0] * d[1], 1, 3);
    case TT_OP_SGD:
        return of_values(d[0], 5, 5);
    case TT_OP_ADAM:
        return of_values(d[0], 14, 7);
    default:
        return of_values(d[0], 2, 3);
    }
}

static int is_gemm(int kind)
{
    return kind == TT_OP_DENSE || kind == TT_OP_DENSE_DX ||
           kind == TT_OP_DENSE_DW || kind == TT_OP_CONV ||
           kind == TT_OP_CONV_DX || kind == TT_OP_CONV_DW;
}

void tt_prog_count(struct tt_prog *prog)
{
    for (int i = 0; i < prog->op_count; i++) {
        struct cost cost = cost_of(&prog->op[i]);

        prog->op[i].row_flops = cost.flops;
        prog->op[i].row_bytes = cost.bytes;
    }
}

/* Of attention only the products count as GEMM. */
static int64_t gemm_flops(const struct tt_op *op)
{
    int64_t product = 2 * op->dim[1] * op->dim[0] * op->dim[0] * op->dim[2];

    if (op->kind == TT_OP_ATTENTION)
        return 2 * product;
    if (op->kind == TT_OP_ATTENTION_BWD)
        return 4 * product;
    return is_gemm(op->kind) ? op->row_flops : 0;
}

int64_t tt_prog_flops(const struct tt_prog *prog, int64_t samples,
                      int gemm_only)
{
    int64_t flops = 0;

    for (int i = 0; i < prog->op_count; i++)
        flops += gemm_only ? gemm_flops(&prog->op[i]) : prog->op[i].row_flops;
    return flops * samples;
}
