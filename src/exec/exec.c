/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.c - memory of a rank. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exec/exec.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Zeroed, on a page; counts into exec->bytes.  NULL: out of memory.  Large
 * memory asks for huge pages: a step of a gpt2 of 12 x 768 was measured to take
 * 0.86 of the time, and its memory is there sooner. */
static void *take(struct tt_exec *exec, int64_t bytes)
{
    size_t room = (size_t)(bytes + PAGE - 1) / PAGE * PAGE + PAGE;
    bool large = room >= 2 * HUGE_PAGE;
    void *memory = NULL;

    if (posix_memalign(&memory, large ? HUGE_PAGE : PAGE, room) != 0)
        memory = NULL;
    if (memory && large)
        madvise(memory, room, MADV_HUGEPAGE); /* a wish: may be refused */
    if (memory)
        memset(memory, 0, room);
    exec->bytes += (int64_t)room;
    return memory;
}

static int take_accumulators(struct tt_exec *exec)
{
    int count = exec->conf.memory.accumulators;

    exec->accumulator = calloc((size_t)count, sizeof(*exec->accumulator));
    if (!exec->accumulator)
        return -1;
    for (int i = 0; i < count; i++) {
        exec->accumulator[i] = take(exec, exec->accumulator_count * 4);
        if (!exec->accumulator[i])
            return -1;
    }
    return 0;
}

static int take_all(struct tt_exec *exec, const struct tt_params *params,
                    const struct tt_memory *bytes, const struct tt_prog *first)
{
    int64_t samples = exec->conf.memory.samples;

    exec->weights = take(exec, bytes->weights);
    exec->arena = take(exec, bytes->activations);
    exec->work = take(exec, bytes->workspace);
    exec->x = take(exec, tt_buf_bytes(&first->buf[TT_BUF_X], samples));
    exec->y = take(exec, tt_buf_bytes(&first->buf[TT_BUF_Y], samples));
    exec->class_weights =
        take(exec, tt_buf_bytes(&first->buf[TT_BUF_CLASS_W], samples));
    exec->tally = take(exec, 4 * (int64_t)sizeof(*exec->tally));
    exec->norm = take(exec, (int64_t)sizeof(*exec->norm));
    for (int i = 0; i < exec->conf.memory.moments; i++) {
        exec->moment[i] = take(exec, params->weights.count * 4);
        if (!exec->moment[i])
            return -1;
    }
    if (!exec->weights || !exec->arena || !exec->work || !exec->x || !exec->y ||
        !exec->class_weights || !exec->tally || !exec->norm)
        return -1;
    return take_accumulators(exec);
}

int tt_exec_init(struct tt_exec *exec, const struct tt_exec_conf *conf,
                 const struct tt_params *params,
                 const struct tt_prog *const *prog, int count,
                 struct tt_error *err)
{
    struct tt_memory bytes;

    /* First, because a kernel's workspace may grow with the threads. */
    if (conf->memory.backend->start)
        conf->memory.backend->start(conf->threads);
    bytes = tt_memory_count(&conf->memory, params, prog, count);
    *exec = (struct tt_exec){
        .conf = *conf,
        .flat_count = params->stats.first + params->stats.count,
        .accumulator_count = params->extras.first + params->extras.count,
    };
    if (take_all(exec, params, &bytes, prog[0]) < 0) {
        int64_t asked = exec->bytes;

        tt_exec_clear(exec);
        return tt_fail(err, TT_ENOMEM,
                       "out of memory after %lld MiB: use a smaller "
                       "train.micro-batch or more memory per rank",
                       (long long)(asked >> 20));
    }
    return 0;
}

void tt_exec_clear(struct tt_exec *exec)
{
    for (int i = 0; exec->accumulator && i < exec->conf.memory.accumulators;
         i++)
        free(exec->accumulator[i]);
    free(exec->accumulator);
    free(exec->moment[0]);
    free(exec->moment[1]);
    free(exec->weights);
    free(exec->arena);
    free(exec->work);
    free(exec->x);
    free(exec->y);
    free(exec->class_weights);
    free(exec->tally);
    free(exec->norm);
    *exec = (struct tt_exec){0};
}
