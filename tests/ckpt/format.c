/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - other programs read a checkpoint: h5dump finds every dataset, its
 * type, its shape and its bytes. */
/* nranks: 2 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/path.h"
#include "lib/tap.h"
#include "state.h"

static char data[TT_CKPT_PATH + 32], out[TT_CKPT_PATH + 32];

/* What a command prints, on the heap. */
static char *output_of(const char *fmt, const char *a, const char *b)
{
    char command[3 * TT_CKPT_PATH];
    size_t used = 0, room = 1 << 16;
    char *text = calloc(room, 1);
    FILE *pipe;

    snprintf(command, sizeof(command), fmt, a, b, out);
    pipe = popen(command, "r");
    while (pipe && used < room - 1) {
        size_t got = fread(text + used, 1, room - 1 - used, pipe);

        if (got == 0)
            break;
        used += got;
    }
    if (pipe)
        pclose(pipe);
    return text;
}

/* Native bytes of a dataset, by h5dump, are those of the state. */
static void test_bytes(const struct tt_ckpt_tensor *t)
{
    size_t want = (size_t)t->count * tt_dtype_bytes(t->dtype), have = 0;
    char *bytes;

    free(output_of("h5dump -d /%2$s -b NATIVE -o %3$s %1$s 2>&1", data,
                   t->name));
    bytes = tt_path_read(out, &have, NULL);
    tap_ok(bytes && have == want && memcmp(bytes, t->data, want) == 0,
           "h5dump reads %s: %zu bytes", t->name, have);
    free(bytes);
    unlink(out);
}

static void test_header(const char *name, const char *want)
{
    char *text = output_of("h5dump -H -p -d /%2$s %1$s 2>&1", data, name);

    tap_ok(strstr(text, want) != NULL, "%s: %s", name, want);
    if (!strstr(text, want))
        tap_note("%s", text);
    free(text);
}

static void test_all(const char *root)
{
    struct state s;

    state_init(&s, DEAL_WHOLE, 5, MPI_COMM_SELF);
    snprintf(data, sizeof(data), "%s/step-00000005/data.h5", root);
    snprintf(out, sizeof(out), "%s/out", root);
    for (int i = 0; i < STATE_TENSORS; i++)
        if (s.tensor[i].dtype != TT_BF16)
            test_bytes(&s.tensor[i]);
    test_header("weights/h.0.attn.weight", "H5T_IEEE_F32LE");
    test_header("weights/h.0.attn.weight", "( 1201, 1301 ) / ( 1201, 1301 )");
    test_header("weights/h.0.attn.weight", "CONTIGUOUS");
    test_header("adamw/m/h.0.attn.weight", "( 3, 5, 7 )");
    test_header("counters", "H5T_STD_I64LE");
    test_header("bytes", "H5T_STD_U8LE");
    test_header("checksums/blocks", "H5T_STD_U64LE");
    /* 2 + 1 + 1 + 1 + 3 + 1 blocks of 2^20 elements */
    test_header("checksums/blocks", "( 9 )");
    state_clear(&s);
}

int main(int argc, char **argv)
{
    struct tt_error err = {0};
    const char *root;
    struct state s;
    int rank, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        tap_mute();
    root = test_dir_make();
    state_init(&s, DEAL_RANDOM, 5, MPI_COMM_WORLD);
    ok_all(tt_ckpt_save_all(root, 5, &s.ckpt, MPI_COMM_WORLD, &err) == 0,
           "saved %s", err.text);
    state_clear(&s);
    if (rank == 0 && system("h5dump --version >/dev/null 2>&1") == 0)
        test_all(root);
    else
        tap_ok(1, "other programs # SKIP no h5dump here");
    status = tap_done();
    test_dir_remove(root);
    MPI_Finalize();
    return status;
}
