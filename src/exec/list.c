/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - a program bound to kernels and addresses, and the walk over it. */
#include <stdlib.h>

#include "exec/exec.h"

struct bound_op {
    tt_kernel_fn run;
    const struct tt_op *op;
    void *ptr[TT_OP_REFS];
};

struct tt_list {
    void *work;
    int64_t op_count;
    struct bound_op op[];
};

static void *root_address(const struct tt_exec *exec,
                          const struct tt_prog *prog, int root, int acc)
{
    switch (root) {
    case TT_BUF_WEIGHTS:
        return exec->weights;
    case TT_BUF_GRADS:
        return exec->accumulator[acc];
    case TT_BUF_MOMENT0:
    case TT_BUF_MOMENT1:
        return exec->moment[root - TT_BUF_MOMENT0];
    case TT_BUF_X:
        return exec->x;
    case TT_BUF_Y:
        return exec->y;
    case TT_BUF_CLASS_W:
        return exec->class_weights;
    case TT_BUF_TALLY:
        return exec->tally;
    case TT_BUF_NORM:
        return exec->norm;
    default:
        return (char *)exec->arena + prog->buf[root].offset;
    }
}

static void *address(const struct tt_exec *exec, const struct tt_prog *prog,
                     int buf, int acc)
{
    int64_t elements = 0;
    char *base;

    if (buf < 0)
        return NULL;
    for (; prog->buf[buf].root >= 0; buf = prog->buf[buf].root)
        elements += prog->buf[buf].root_offset;
    base = root_address(exec, prog, buf, acc);
    return base + elements * (int64_t)tt_dtype_bytes(
                                 (enum tt_dtype)prog->buf[buf].dtype);
}

struct tt_list *tt_list_create(const struct tt_exec *exec,
                               const struct tt_prog *prog, int acc,
                               struct tt_error *err)
{
    size_t ops = (size_t)prog->op_count;
    struct tt_list *list = calloc(1, sizeof(*list) + ops * sizeof(list->op[0]));

    if (!list) {
        tt_fail(err, TT_ENOMEM, "out of memory for a list of %zu ops", ops);
        return NULL;
    }
    list->work = exec->work;
    list->op_count = prog->op_count;
    for (int i = 0; i < prog->op_count; i++) {
        const struct tt_op *op = &prog->op[i];

        list->op[i].op = op;
        list->op[i].run = exec->conf.memory.backend->kernel[op->kind].run;
        for (int r = 0; r < op->ref_count; r++)
            list->op[i].ptr[r] = address(exec, prog, op->ref[r].buf, acc);
    }
    return list;
}

void tt_list_destroy(struct tt_list *list)
{
    free(list);
}

void tt_list_run(const struct tt_list *list, const struct tt_now *now)
{
    for (int64_t i = 0; i < list->op_count; i++)
        list->op[i].run(list->op[i].op, list->op[i].ptr, now, list->work);
}
