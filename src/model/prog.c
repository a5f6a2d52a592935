/* SPDX-License-Identifier: BSD-3-Clause */
/* prog.c - a planned list: ops on virtual buffers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "model/prog.h"

static const struct {
    const char *name;
    enum tt_scope scope;
    enum tt_dtype dtype;
} standard[TT_BUF_STD_COUNT] = {
    [TT_BUF_WEIGHTS] = {"weights", TT_SCOPE_RUN, TT_F32},
    [TT_BUF_GRADS] = {"grads", TT_SCOPE_STEP, TT_F32},
    [TT_BUF_MOMENT0] = {"moment0", TT_SCOPE_RUN, TT_F32},
    [TT_BUF_MOMENT1] = {"moment1", TT_SCOPE_RUN, TT_F32},
    [TT_BUF_X] = {"x", TT_SCOPE_HOST, TT_F32},
    [TT_BUF_Y] = {"y", TT_SCOPE_HOST, TT_I32},
    [TT_BUF_CLASS_W] = {"class-weights", TT_SCOPE_RUN, TT_F32},
    [TT_BUF_TALLY] = {"tally", TT_SCOPE_HOST, TT_F64},
    [TT_BUF_NORM] = {"norm", TT_SCOPE_STEP, TT_U64},
};

void tt_prog_init(struct tt_prog *prog)
{
    *prog = (struct tt_prog){.block = -1};
    for (int i = 0; i < TT_BUF_STD_COUNT; i++)
        tt_prog_buf(prog, standard[i].name, standard[i].scope,
                    standard[i].dtype, 0, 0);
}

void tt_prog_clear(struct tt_prog *prog)
{
    free(prog->buf);
    free(prog->op);
    *prog = (struct tt_prog){0};
}

/* Make room for one more of 'elem_bytes'.  Where memory is out, building goes
 * on in slot 0 and the failure is found once, at the end. */
static void *grown(void *array, int32_t count, int32_t *room, size_t elem_bytes)
{
    void *bigger;

    if (count < *room)
        return array;
    bigger = realloc(array, (size_t)(*room * 2 + 64) * elem_bytes);
    if (bigger)
        *room = *room * 2 + 64;
    return bigger;
}

int tt_prog_buf(struct tt_prog *prog, const char *name, enum tt_scope scope,
                enum tt_dtype dtype, int64_t row_count, int64_t fixed_count)
{
    struct tt_buf *bufs =
        grown(prog->buf, prog->buf_count, &prog->buf_room, sizeof(*bufs));
    struct tt_buf *buf;

    if (!bufs) {
        prog->failed = 1;
        return 0;
    }
    prog->buf = bufs;
    buf = &bufs[prog->buf_count];
    *buf = (struct tt_buf){
        .scope = (int32_t)scope,
        .dtype = (int32_t)dtype,
        .root = -1,
        .block = prog->block,
        .row_count = row_count,
        .fixed_count = fixed_count,
    };
    snprintf(buf->name, sizeof(buf->name), "%s", name);
    return prog->buf_count++;
}

int tt_prog_view(struct tt_prog *prog, const char *name, int root,
                 int64_t offset, int64_t fixed_count)
{
    int view = tt_prog_buf(prog, name, prog->buf[root].scope,
                           prog->buf[root].dtype, 0, fixed_count);

    prog->buf[view].root = root;
    prog->buf[view].root_offset = offset;
    return view;
}

struct tt_op *tt_prog_op(struct tt_prog *prog, enum tt_op_kind kind)
{
    struct tt_op *ops =
        grown(prog->op, prog->op_count, &prog->op_room, sizeof(*ops));

    if (!ops) {
        prog->failed = 1;
        return &prog->op[0];
    }
    prog->op = ops;
    ops[prog->op_count] = (struct tt_op){
        .kind = (int32_t)kind,
        .queue = TT_QUEUE_COMPUTE,
        .block = prog->block,
    };
    return &ops[prog->op_count++];
}

void tt_op_ref(struct tt_op *op, int buf, enum tt_ref_mode mode)
{
    op->ref[op->ref_count++] =
        (struct tt_ref){.buf = buf, .mode = (int32_t)mode};
}

int tt_prog_root(const struct tt_prog *prog, int buf)
{
    while (prog->buf[buf].root >= 0)
        buf = prog->buf[buf].root;
    return buf;
}

int64_t tt_buf_bytes(const struct tt_buf *buf, int64_t samples)
{
    return (buf->row_count * samples + buf->fixed_count) *
           (int64_t)tt_dtype_bytes((enum tt_dtype)buf->dtype);
}

static void print_op(const struct tt_prog *prog, const struct tt_op *op,
                     FILE *out)
{
    static const char *const mode[] = {"", ">", "+>", "*>"};

    fprintf(out, "%3d %-18s", op->block, tt_op_name((enum tt_op_kind)op->kind));
    for (int i = 0; i < op->ref_count; i++)
        if (op->ref[i].buf >= 0)
            fprintf(out, " %s%s", mode[op->ref[i].mode],
                    prog->buf[op->ref[i].buf].name);
    fprintf(out, "  [");
    for (int i = 0; i < TT_OP_DIMS && op->dim[i]; i++)
        fprintf(out, "%s%" PRId64, i ? " " : "", op->dim[i]);
    fprintf(out, "]  %" PRId64 " FLOPs, %" PRId64 " bytes a sample\n",
            op->row_flops, op->row_bytes);
}

void tt_prog_print(const struct tt_prog *prog, FILE *out)
{
    for (int i = 0; i < prog->op_count; i++)
        print_op(prog, &prog->op[i], out);
}
