/* SPDX-License-Identifier: BSD-3-Clause */
/* pass_fuse.c - DENSE and the ACT behind it become one op, so that the
 * activation is applied while the product is still in cache.  The value before
 * the activation is kept only if the backward pass needs it: for ReLU the value
 * behind it does as well (both are positive together). */
#include <string.h>

#include "model/prog.h"

enum { DENSE_Y = 0, DENSE_BIAS = 3, DENSE_Z = 4, DENSE_ACT = 3 };

/* The backward op of the activation that reads 'before', or NULL. */
static struct tt_op *find_act_bwd(struct tt_prog *prog, int before)
{
    for (int i = 0; i < prog->op_count; i++)
        if (prog->op[i].kind == TT_OP_ACT_BWD &&
            prog->op[i].ref[2].buf == before)
            return &prog->op[i];
    return NULL;
}

static void fuse(struct tt_prog *prog, struct tt_op *dense,
                 const struct tt_op *act)
{
    int before = act->ref[1].buf;
    int after = act->ref[0].buf;
    struct tt_op *bwd = find_act_bwd(prog, before);

    dense->dim[DENSE_ACT] = act->dim[1];
    dense->ref[DENSE_Y].buf = after;
    if (bwd && act->dim[1] == TT_ACT_RELU) {
        bwd->ref[2].buf = after;
    } else if (bwd) {
        while (dense->ref_count <= DENSE_Z)
            tt_op_ref(dense, -1, TT_REF_R);
        dense->ref[DENSE_Z] = (struct tt_ref){before, TT_REF_W};
    }
}

void tt_prog_fuse(struct tt_prog *prog)
{
    int kept = 0;

    for (int i = 0; i < prog->op_count; i++) {
        struct tt_op *op = &prog->op[i];
        struct tt_op *prev = kept ? &prog->op[kept - 1] : NULL;

        if (op->kind == TT_OP_ACT && prev && prev->kind == TT_OP_DENSE &&
            prev->block == op->block && prev->dim[DENSE_ACT] == TT_ACT_NONE &&
            prev->ref[DENSE_Y].buf == op->ref[1].buf) {
            struct tt_op act = *op;

            /* the hole must not be found by the search for the backward */
            op->kind = TT_OP_KIND_COUNT;
            fuse(prog, prev, &act);
            continue;
        }
        if (kept != i)
            prog->op[kept] = *op;
        kept++;
    }
    prog->op_count = kept;
}
