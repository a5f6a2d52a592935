/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 3 4 */
/* collective.c - windows read by all ranks together are the samples of the
 * order, through each of Open MPI's I/O components. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>
#include <mpi.h>

#include "../lib/tap.h"
#include "make.h"
#include "play.h"

#ifndef IO_COMPONENT
#define IO_COMPONENT "ompio"
#endif

enum { ROWS = 300, VALUES = 5 };

static void make_sets(void)
{
    static const int64_t rows[] = {ROWS, 3}, tokens[] = {2004};
    struct tt_error err = {0};
    char path[128];
    int rc = 0;

    snprintf(path, sizeof(path), "%s/f32", play_dir);
    rc |= make_rows(path, TT_F32, VALUES, rows, 1, &err);
    snprintf(path, sizeof(path), "%s/u8", play_dir);
    rc |= make_rows(path, TT_U8, VALUES, rows, 1, &err);
    snprintf(path, sizeof(path), "%s/f64", play_dir);
    rc |= make_rows(path, TT_F64, VALUES, rows, 1, &err);
    snprintf(path, sizeof(path), "%s/tokens", play_dir);
    rc |= make_tokens(path, TT_U16, tokens, 1, &err);
    snprintf(path, sizeof(path), "%s/two", play_dir);
    rc |= make_rows(path, TT_F32, VALUES, rows, 2, &err);
    snprintf(path, sizeof(path), "%s/chunks.h5", play_dir);
    make_chunked(path, ROWS, VALUES);
    tap_ok(rc == 0, "sets are made: %s", err.text);
}

static void test_two(void)
{
    struct play t = {.name = "two", .scale = 1, .read = "collective"};
    struct tt_error err = {0};
    struct tt_set *set = play_open(&t, &err);
    int64_t count = tt_set_info(set)->sample_count;
    struct tt_order order = {.sample_count = count,
                             .block_samples = 1,
                             .window_blocks = 1,
                             .lanes = 1,
                             .batch_samples = 1};
    struct tt_loader *loader = tt_loader_create(set, &order, 0, 1, 0, 0, &err);

    play_ok_all(!loader && strstr(err.text, "independent"),
                "several files are refused with the cure", err.text);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"f32", "u8", "f64", "tokens",
                                        "chunks.h5"};
    char what[64];

    setenv("OMPI_MCA_io", IO_COMPONENT, 1);
    setenv("H5_COLL_API_SANITY_CHECK", "1", 1);
    play_begin(&argc, &argv, "collective-" IO_COMPONENT);
    if (play_rank == 0)
        make_sets();
    else
        tap_ok(1, "sets are made");
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct play t = {.name = names[i],
                         .scale = i == 1 ? 1.0 / 255 : 1,
                         .read = "collective"};

        snprintf(what, sizeof(what), "%s, read together", names[i]);
        play_try(what, t, 2);
    }
    play_try("with hints",
             (struct play){.name = "f32",
                           .scale = 1,
                           .read = "collective",
                           .hints = "{romio_cb_read: enable, "
                                    "cb_buffer_size: 65536}"},
             1);
    test_two();
    return play_end();
}
