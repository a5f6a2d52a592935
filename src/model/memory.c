/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - bytes that a rank needs for its lists, by kind. */
#include "model/memory.h"

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t work_bytes(const struct tt_memory_conf *conf,
                          const struct tt_prog *prog)
{
    int64_t most = 0;

    for (int i = 0; i < prog->op_count; i++) {
        const struct tt_op *op = &prog->op[i];
        const struct tt_kernel *kernel = &conf->backend->kernel[op->kind];

        if (kernel->work_bytes)
            most = max64(most, (int64_t)kernel->work_bytes(op, conf->samples));
    }
    return most;
}

static int64_t io_bytes(const struct tt_prog *prog, int64_t samples)
{
    return tt_buf_bytes(&prog->buf[TT_BUF_X], samples) +
           tt_buf_bytes(&prog->buf[TT_BUF_Y], samples) +
           tt_buf_bytes(&prog->buf[TT_BUF_CLASS_W], samples);
}

struct tt_memory tt_memory_count(const struct tt_memory_conf *conf,
                                 const struct tt_params *params,
                                 const struct tt_prog *const *prog, int count)
{
    int64_t flat = params->stats.first + params->stats.count;
    int64_t acc = params->extras.first + params->extras.count;
    struct tt_memory bytes = {
        .weights = flat * 4,
        .accumulators = acc * 4 * conf->accumulators,
        .moments = params->weights.count * 4 * conf->moments,
    };

    for (int i = 0; i < count; i++) {
        bytes.activations = max64(bytes.activations, prog[i]->arena_bytes);
        bytes.workspace = max64(bytes.workspace, work_bytes(conf, prog[i]));
        bytes.io = max64(bytes.io, io_bytes(prog[i], conf->samples));
    }
    return bytes;
}

int64_t tt_memory_sum(const struct tt_memory *memory)
{
    return memory->weights + memory->accumulators + memory->moments +
           memory->activations + memory->workspace + memory->io +
           memory->snapshot;
}
