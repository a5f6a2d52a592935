/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c - a state to save. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "layout/block.h"
#include "lib/tap.h"
#include "state.h"

/* Below, at and above a block of 2^20 elements, and odd shapes. */
static const struct tt_ckpt_tensor table[STATE_TENSORS] = {
    {.name = "weights/h.0.attn.weight",
     .dtype = TT_F32,
     .dims = 2,
     .dim = {1201, 1301}},
    {.name = "weights/one", .dtype = TT_F32, .dims = 1, .dim = {1}},
    {.name = "adamw/m/h.0.attn.weight",
     .dtype = TT_BF16,
     .dims = 3,
     .dim = {3, 5, 7}},
    {.name = "counters", .dtype = TT_I64, .dims = 1, .dim = {1 << 20}},
    {.name = "bytes", .dtype = TT_U8, .dims = 4, .dim = {2, 3, 5, 70001}},
    {.name = "weights/f64", .dtype = TT_F64, .dims = 2, .dim = {17, 1}},
};

static uint64_t value_at(uint64_t seed, int tensor, int64_t i)
{
    uint64_t x =
        (uint64_t)i * 0x9e3779b97f4a7c15u + seed * 1000003u + (uint64_t)tensor;

    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 29);
}

static int64_t count_of(const struct tt_ckpt_tensor *t)
{
    int64_t n = 1;

    for (int d = 0; d < t->dims; d++)
        n *= t->dim[d];
    return n;
}

static int edge_order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Random edges, the same on all ranks. */
static struct tt_block random_part(int64_t n, int parts, int idx, uint64_t salt)
{
    int64_t edge[64] = {0};

    for (int i = 1; i < parts; i++)
        edge[i] = (int64_t)(value_at(salt, 99, i) % (uint64_t)(n + 1));
    qsort(edge, (size_t)parts, sizeof(edge[0]), edge_order);
    edge[parts] = n;
    return (struct tt_block){edge[idx], edge[idx + 1] - edge[idx]};
}

static struct tt_block part_of(enum deal deal, int64_t n, int parts, int idx,
                               uint64_t salt)
{
    switch (deal) {
    case DEAL_EVEN:
        return tt_block_of(n, parts, idx);
    case DEAL_RANDOM:
        return random_part(n, parts, idx, salt);
    case DEAL_LAST:
        return (struct tt_block){0, idx == parts - 1 ? n : 0};
    default:
        return (struct tt_block){0, n};
    }
}

void state_init(struct state *s, enum deal deal, uint64_t seed, MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    memcpy(s->tensor, table, sizeof(table));
    for (int i = 0; i < STATE_TENSORS; i++) {
        struct tt_ckpt_tensor *t = &s->tensor[i];
        size_t width = tt_dtype_bytes(t->dtype);
        struct tt_block b =
            part_of(deal, count_of(t), size, rank, seed + (uint64_t)i);

        t->first = b.first;
        t->count = b.count;
        t->whole = deal == DEAL_WHOLE;
        t->data = malloc((size_t)b.count * width + 1);
        for (int64_t e = 0; e < b.count; e++) {
            uint64_t v = value_at(seed, i, b.first + e);

            memcpy((char *)t->data + (size_t)e * width, &v, width);
        }
    }
    s->ckpt.tensor = s->tensor;
    s->ckpt.tensor_count = STATE_TENSORS;
    s->ckpt.scalars = json_pack("{s:I, s:f, s:s}", "seed", (json_int_t)seed,
                                "loss", 1.0 / 3, "job", "a: 1\nb: 2\n");
}

void state_clear(struct state *s)
{
    for (int i = 0; i < STATE_TENSORS; i++)
        free(s->tensor[i].data);
    json_decref(s->ckpt.scalars);
}

void state_wipe(struct state *s)
{
    for (int i = 0; i < STATE_TENSORS; i++)
        memset(s->tensor[i].data, 0xa5,
               (size_t)s->tensor[i].count * tt_dtype_bytes(s->tensor[i].dtype));
}

int64_t state_odd_count(const struct state *s, uint64_t seed)
{
    int64_t odd = 0;

    for (int i = 0; i < STATE_TENSORS; i++) {
        const struct tt_ckpt_tensor *t = &s->tensor[i];
        size_t width = tt_dtype_bytes(t->dtype);

        for (int64_t e = 0; e < t->count; e++) {
            uint64_t v = value_at(seed, i, t->first + e);

            odd += memcmp((char *)t->data + (size_t)e * width, &v, width) != 0;
        }
    }
    return odd;
}

int test_tries(int few, int full)
{
    const char *share = getenv("TUTTI_TEST_TRIES");
    int tries = share ? (int)(atof(share) * full) : few;

    return tries < 1 ? 1 : tries;
}

const char *test_dir_make(void)
{
    static char dir[256];
    const char *top = getenv("TMPDIR");
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(dir, sizeof(dir), "%s/tutti-ckpt-XXXXXX", top ? top : "/tmp");
    if (rank == 0 && !mkdtemp(dir))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(dir, sizeof(dir), MPI_CHAR, 0, MPI_COMM_WORLD);
    return dir;
}

void test_dir_remove(const char *dir)
{
    int rank;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        tt_path_remove(dir, NULL);
}

int ok_all(int pass, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return tap_ok(pass, "%s", text);
}
