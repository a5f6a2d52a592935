/* SPDX-License-Identifier: BSD-3-Clause */
/* pass_arena.c - lifetimes of list buffers -> fixed offsets in one arena.
 * First fit, largest buffer first: the greedy "by size" of Pisarchyk and Lee,
 * "Efficient memory management for deep neural net inference"
 * (arXiv:2001.03288). */
#include <stdlib.h>

#include "model/prog.h"

enum { ALIGN = 256 };

struct life {
    int buf;
    int first, last; /* ops */
    int64_t bytes;
};

static int by_size(const void *a, const void *b)
{
    const struct life *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->buf - y->buf;
}

static int by_offset(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void find_lives(const struct tt_prog *prog, struct life *life)
{
    for (int i = 0; i < prog->buf_count; i++)
        life[i] = (struct life){.buf = i, .first = -1};
    for (int o = 0; o < prog->op_count; o++)
        for (int r = 0; r < prog->op[o].ref_count; r++) {
            struct life *l;

            if (prog->op[o].ref[r].buf < 0)
                continue;
            l = &life[tt_prog_root(prog, prog->op[o].ref[r].buf)];
            if (l->first < 0)
                l->first = o;
            l->last = o;
        }
}

/* The lowest offset at which 'life' fits beside the ones already placed. */
static int64_t lowest_fit(const struct tt_prog *prog, const struct life *life,
                          int placed, int64_t (*busy)[2])
{
    const struct life *mine = &life[placed];
    int64_t at = 0;
    int count = 0;

    for (int i = 0; i < placed; i++)
        if (life[i].first <= mine->last && mine->first <= life[i].last) {
            busy[count][0] = prog->buf[life[i].buf].offset;
            busy[count++][1] = prog->buf[life[i].buf].offset + life[i].bytes;
        }
    qsort(busy, (size_t)count, sizeof(*busy), by_offset);
    for (int i = 0; i < count && busy[i][0] < at + mine->bytes; i++)
        if (busy[i][1] > at)
            at = busy[i][1];
    return at;
}

void tt_prog_arena(struct tt_prog *prog, int64_t samples)
{
    size_t room = (size_t)prog->buf_count;
    struct life *life = calloc(room, sizeof(*life));
    int64_t(*busy)[2] = calloc(room, sizeof(*busy));
    int count = 0;

    if (!life || !busy) {
        prog->failed = 1;
        goto out;
    }
    find_lives(prog, life);
    for (int i = 0; i < prog->buf_count; i++) {
        const struct tt_buf *buf = &prog->buf[i];

        if (buf->scope != TT_SCOPE_LIST || buf->root >= 0 || life[i].first < 0)
            continue;
        life[count] = life[i];
        life[count++].bytes =
            (tt_buf_bytes(buf, samples) + ALIGN - 1) / ALIGN * ALIGN;
    }
    qsort(life, (size_t)count, sizeof(*life), by_size);
    prog->arena_bytes = 0;
    for (int i = 0; i < count; i++) {
        int64_t at = lowest_fit(prog, life, i, busy);

        prog->buf[life[i].buf].offset = at;
        if (at + life[i].bytes > prog->arena_bytes)
            prog->arena_bytes = at + life[i].bytes;
    }
out:
    free(life);
    free(busy);
}
