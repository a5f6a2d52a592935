/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 */
/* set.c - opening sets: what they are, and what is wrong with them, told once
 * and alike on all ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>
#include <mpi.h>

#include "../lib/tap.h"
#include "make.h"
#include "play.h"

enum { TOKENS = 100 };

static struct tt_set *open_text(const char *text, int64_t context,
                                int64_t cache_bytes, struct tt_error *err)
{
    struct tt_job_data conf = {.cache_bytes = cache_bytes, .read = "auto"};
    char full[400], *dir;

    /* DIR stands for the directory of this run. */
    snprintf(full, sizeof(full), "%s", text);
    dir = strstr(full, "DIR");
    if (dir) {
        char rest[300];

        snprintf(rest, sizeof(rest), "%s", dir + 3);
        snprintf(dir, sizeof(full) - (size_t)(dir - full), "%s%s", play_dir,
                 rest);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return tt_set_open_all(make_node(full), context, &conf, MPI_COMM_WORLD,
                           err);
}

static void refused(const char *what, const char *text, int64_t context,
                    const char *why)
{
    struct tt_error err = {0}, first;
    struct tt_set *set = open_text(text, context, 0, &err);

    first = err;
    MPI_Bcast(&first, (int)sizeof(first), MPI_BYTE, 0, MPI_COMM_WORLD);
    play_ok_all(!set && strstr(err.text, why) &&
                    memcmp(&first, &err, sizeof(err)) == 0,
                what, err.text);
    tap_note("%s", err.text);
    tt_set_close(set);
    MPI_Barrier(MPI_COMM_WORLD);
}

static struct tt_loader *load(struct tt_set *set, struct tt_error *err)
{
    struct tt_order order = {.sample_count = tt_set_info(set)->sample_count,
                             .block_samples = 5,
                             .window_blocks = 2,
                             .lanes = 1,
                             .batch_samples = 5};

    return tt_loader_create(set, &order, 0, 1, 0, 0, err);
}

/* --- what sets are --------------------------------------------------- */

static void test_info(void)
{
    struct tt_error err = {0};
    struct tt_set *set = open_text("'DIR/rows'", 0, 0, &err);
    const struct tt_set_info *info = set ? tt_set_info(set) : NULL;

    play_ok_all(info && info->kind == TT_SET_ROWS && info->sample_count == 50 &&
                    info->x_dims == 1 && info->x_dim[0] == 3 &&
                    info->x_values == 3 && info->y_is_class &&
                    info->y_values == 1 && info->classes == MAKE_CLASSES &&
                    info->sample_bytes == 3 * 4 + 4 && info->hash != 0 &&
                    info->chunk_samples == 1,
                "shards of rows", err.text);
    tt_set_close(set);
    set = open_text("'DIR/tokens'", 6, 0, &err);
    info = set ? tt_set_info(set) : NULL;
    play_ok_all(info && info->kind == TT_SET_TOKENS &&
                    info->token_count == TOKENS && info->sample_count == 16 &&
                    info->x_values == 6 && info->y_values == 6 &&
                    info->classes == 200 && info->sample_bytes == 12,
                "shards of tokens: 16 samples of 6 + 1 in 100", err.text);
    tt_set_close(set);
    set = open_text("{synthetic: {samples: 20, images: [4, 4, 2], classes: 3}}",
                    0, 0, &err);
    info = set ? tt_set_info(set) : NULL;
    play_ok_all(info && info->sample_count == 20 && info->x_dims == 3 &&
                    info->x_dim[2] == 2 && info->x_values == 32 &&
                    info->classes == 3,
                "synthetic images", err.text);
    tt_set_close(set);
}

/* Synthetic rows are the same in memory and made again and again. */
static void test_synthetic(void)
{
    static const char *const texts[] = {
        "{synthetic: {samples: 60, features: 3, task: regress}}",
        "{synthetic: {samples: 60, features: 3, classes: 4}}",
        "{synthetic: {tokens: 361, vocab: 9}}"};

    for (int i = 0; i < 3; i++) {
        struct tt_error err = {0};
        uint32_t x[2][60 * 6], y[2][60 * 6];
        int good = 1;

        for (int cached = 0; cached < 2; cached++) {
            struct tt_set *set = open_text(texts[i], 6, cached << 20, &err);
            struct tt_loader *loader = set ? load(set, &err) : NULL;

            for (int step = 0; step < 12 && good; step++)
                good =
                    loader && tt_loader_fetch(loader, step, 0, 0, 5,
                                              x[cached] + step * 30,
                                              y[cached] + step * 30, &err) == 0;
            tt_loader_destroy(loader);
            tt_set_close(set);
        }
        for (int k = 0; k < 12 && good; k++)
            good =
                memcmp(x[0] + k * 30, x[1] + k * 30, i == 2 ? 120 : 60) == 0 &&
                memcmp(y[0] + k * 30, y[1] + k * 30, i == 2 ? 120 : 20) == 0;
        play_ok_all(good, texts[i], err.text);
    }
}

/* --- what is wrong --------------------------------------------------- */

static void change(const char *name, int64_t bytes)
{
    char path[160];

    snprintf(path, sizeof(path), "%s/%s", play_dir, name);
    if (play_rank == 0 && (bytes < 0 ? unlink(path) : truncate(path, bytes)))
        perror(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test_refused(void)
{
    refused("no such folder", "'DIR/nowhere'", 0, "nowhere");
    refused("a folder without an index", "'DIR'", 0, "index.json");
    refused("a file instead of a folder", "'DIR/rows/shard-00000.h5'", 0,
            "files:");
    refused("an unknown kind of set", "{folder: a}", 0, "synthetic");
    refused("a list", "[a, b]", 0, "synthetic");
    refused("tokens without a context", "'DIR/tokens'", 0, "model.context");
    refused("too few tokens", "'DIR/tokens'", 100, "no sample");
    refused("a wrong key of a synthetic set", "{synthetic: {sample: 3}}", 0,
            "did you mean 'samples'");
    change("cut/shard-00001.h5", 2000);
    refused("a truncated shard", "'DIR/cut'", 0, "cut/shard-00001.h5: 2000");
    change("cut/shard-00001.h5", -1);
    refused("a missing shard", "'DIR/cut'", 0,
            "cut/shard-00001.h5: No such file");
}

/* A shard that shrinks or goes away under a running job. */
static void test_run_time(void)
{
    struct tt_error err = {0};
    struct tt_set *set = open_text("'DIR/shrink'", 0, 0, &err);
    struct tt_loader *loader;
    float x[15];
    int32_t y[5];
    int rc = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    change("shrink/shard-00001.h5", 2100);
    loader = load(set, &err);
    for (int step = 0; step < 10 && rc == 0; step++)
        rc = tt_loader_fetch(loader, step, 0, 0, 5, x, y, &err);
    play_ok_all(rc < 0 && strstr(err.text, "shard-00001.h5") &&
                    strstr(err.text, "/x") && strstr(err.text, "rows"),
                "a shard that shrinks", err.text);
    tap_note("%s", err.text);
    tt_loader_destroy(loader);
    MPI_Barrier(MPI_COMM_WORLD);
    change("shrink/shard-00001.h5", -1);
    loader = load(set, &err);
    rc = tt_loader_fetch_plain(loader, 45, 5, x, y, &err);
    play_ok_all(rc < 0 && strstr(err.text, "shard-00001.h5: No such file"),
                "a shard that goes away", err.text);
    tap_note("%s", err.text);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

/* --- tokens by others ------------------------------------------------ */

static void write_ids(const char *name, hid_t type, int chunk, int first,
                      int count)
{
    hsize_t dim[1] = {(hsize_t)count}, some[1] = {(hsize_t)chunk};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, dim, NULL), file, set;
    char path[160];
    int id[TOKENS];

    for (int i = 0; i < count; i++)
        id[i] = make_token(first + i);
    if (chunk > 0)
        H5Pset_chunk(dcpl, 1, some);
    snprintf(path, sizeof(path), "%s/%s", play_dir, name);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    set = H5Dcreate2(file, "ids", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, id);
    H5Dclose(set);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static int are_ids(struct tt_set *set, struct tt_error *err)
{
    struct tt_loader *loader = set ? load(set, err) : NULL;
    int32_t x[CONTEXT], y[CONTEXT];
    int good = loader != NULL;

    for (int64_t s = 0; good && s < (TOKENS - 1) / CONTEXT; s++) {
        good = tt_loader_fetch_plain(loader, s, 1, x, y, err) == 0;
        for (int64_t i = 0; i < CONTEXT && good; i++)
            good = x[i] == make_token(s * CONTEXT + i) &&
                   y[i] == make_token(s * CONTEXT + i + 1);
    }
    tt_loader_destroy(loader);
    return good;
}

/* A stream over three files, read by pread and by HDF5, kept or not. */
static void test_ids(const char *what, hid_t type, int chunk, int64_t vocab)
{
    struct tt_error err = {0};
    int good = 1;

    if (play_rank == 0) {
        write_ids("ids-0.h5", type, chunk, 0, 41);
        write_ids("ids-1.h5", type, chunk, 41, 2);
        write_ids("ids-2.h5", type, chunk, 43, TOKENS - 43);
    }
    for (int cached = 0; cached < 2; cached++) {
        struct tt_set *set = open_text("{files: 'DIR/ids-*.h5', tokens: ids}",
                                       CONTEXT, cached << 20, &err);

        good = good && are_ids(set, &err) && tt_set_info(set)->classes == vocab;
        tt_set_close(set);
    }
    play_ok_all(good, what, err.text);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test_vocabulary(void)
{
    struct tt_error err = {0};
    struct tt_set *set = open_text(
        "{files: 'DIR/ids-*.h5', tokens: ids, vocab: 50}", CONTEXT, 0, &err);
    struct tt_loader *loader = set ? load(set, &err) : NULL;
    int32_t x[20 * CONTEXT], y[20 * CONTEXT];
    int64_t at = 0;
    char want[64];

    while (make_token(at) < 50)
        at++;
    play_ok_all(loader && tt_loader_fetch_plain(loader, 0, 14, x, y, &err) < 0,
                "a token beyond the vocabulary", "");
    snprintf(want, sizeof(want), "ids: row %d: token %d", (int)at,
             make_token(at));
    play_ok_all(strstr(err.text, want) && strstr(err.text, "vocab"),
                "and where it lies", err.text);
    tap_note("%s", err.text);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

static int64_t largest_token(void)
{
    int64_t most = 0;

    for (int64_t i = 0; i < TOKENS; i++)
        most = make_token(i) > most ? make_token(i) : most;
    return most;
}

static void make_sets(void)
{
    static const int64_t rows[] = {20, 30}, tokens[] = {33, TOKENS - 33};
    struct tt_error err = {0};
    char path[160];
    static const char *const names[] = {"rows", "cut", "shrink"};
    int rc = 0;

    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%s", play_dir, names[i]);
        rc |= make_rows(path, TT_F32, 3, rows, 2, &err);
    }
    snprintf(path, sizeof(path), "%s/tokens", play_dir);
    rc |= make_tokens(path, TT_U16, tokens, 2, &err);
    tap_ok(rc == 0, "sets are made: %s", err.text);
}

int main(int argc, char **argv)
{
    play_begin(&argc, &argv, "set-test");
    if (play_rank == 0)
        make_sets();
    else
        tap_ok(1, "sets are made");
    MPI_Barrier(MPI_COMM_WORLD);
    test_info();
    test_synthetic();
    test_refused();
    test_run_time();
    test_ids("ids of u8", H5T_STD_U8LE, 0, 256);
    test_ids("ids of u16 be", H5T_STD_U16BE, 0, 1 + largest_token());
    test_ids("ids of i64 in chunks", H5T_STD_I64LE, 2, 1 + largest_token());
    test_ids("ids of u16", H5T_STD_U16LE, 0, 1 + largest_token());
    test_vocabulary();
    return play_end();
}
