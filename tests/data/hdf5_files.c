/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 */
/* hdf5_files.c - files by others: what h5py reads is read alike, what holds no
 * numbers and what is broken is refused with a reason. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "../lib/tap.h"
#include "data/loader.h"
#include "data/set.h"
#include "make.h"

static char data[512];

static struct tt_set *open_one(const char *file, const char *dataset,
                               struct tt_error *err)
{
    struct tt_job_data conf = {.cache_bytes = 1 << 30};
    char text[1400];

    snprintf(text, sizeof(text),
             "{files: '%s/%s', x: '%s', y: '%s', target: value}", data, file,
             dataset, dataset);
    return tt_set_open_all(make_node(text), 0, &conf, MPI_COMM_WORLD, err);
}

static uint64_t hash_of(const float *value, int64_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (int64_t i = 0; i < count; i++) {
        float v = isnan(value[i]) ? 0 : value[i];
        uint32_t word;

        memcpy(&word, &v, sizeof(word));
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* 0, or -1 where the set is refused or its rows cannot be read. */
static int read_hash(const char *file, const char *dataset, int64_t rows,
                     int64_t values, uint64_t *hash, struct tt_error *err)
{
    struct tt_order order = {.sample_count = rows,
                             .block_samples = 1,
                             .window_blocks = 1,
                             .lanes = 1,
                             .batch_samples = 1};
    struct tt_set *set = open_one(file, dataset, err);
    struct tt_loader *loader = NULL;
    float *x = malloc((size_t)(rows * values) * 4 + 4);
    float *y = malloc((size_t)(rows * values) * 4 + 4);
    int rc = -1;

    if (!set)
        goto out;
    if (tt_set_info(set)->sample_count != rows ||
        tt_set_info(set)->x_values != values) {
        tt_fail(err, TT_EFORMAT, "%lld rows of %lld",
                (long long)tt_set_info(set)->sample_count,
                (long long)tt_set_info(set)->x_values);
        goto out;
    }
    loader = tt_loader_create(set, &order, 0, 1, 0, 0, err);
    if (loader)
        rc = tt_loader_fetch_plain(loader, 0, rows, x, y, err);
    if (rc == 0)
        *hash = hash_of(x, rows * values);
out:
    tt_loader_destroy(loader);
    tt_set_close(set);
    free(x);
    free(y);
    return rc;
}

static void try_line(char *line)
{
    char *file = strtok(line, "\t"), *dataset = strtok(NULL, "\t");
    int64_t rows = strtoll(strtok(NULL, "\t"), NULL, 10);
    int64_t values = strtoll(strtok(NULL, "\t"), NULL, 10);
    const char *want = strtok(NULL, "\t\n");
    struct tt_error err = {0};
    uint64_t hash = 0;
    char got[32];
    int rc = read_hash(file, dataset, rows, values, &hash, &err);

    if (strcmp(want, "refused") == 0) {
        tap_ok(rc < 0 && err.text[0], "%s: %s: refused: %s", file, dataset,
               err.text);
        return;
    }
    snprintf(got, sizeof(got), "%016" PRIx64, hash);
    tap_ok(rc == 0 && strcmp(got, want) == 0, "%s: %s as h5py reads it: %s",
           file, dataset, err.text);
}

static void test_table(void)
{
    char path[512], line[1024];
    FILE *table;

    snprintf(path, sizeof(path), "%s/tests/data/hdf5.tsv",
             getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    table = fopen(path, "r");
    tap_ok(table != NULL, "%s opens", path);
    while (table && fgets(line, sizeof(line), table))
        try_line(line);
    if (table)
        fclose(table);
}

/* Each with a word of its reason. */
static void test_broken(void)
{
    static const char *const files[][2] = {
        {"h5src_bad_offset.h5", "image"},
        {"h5src_h5clear_fsm_persist_greater.h5", "a"},
        {"h5src_h5clear_fsm_persist_noclose.h5", "a"},
        {"h5src_h5clear_status_noclose.h5", "a"},
        {"h5src_tfamily00000.h5", "a"},
        {"jhdf_not_closed.hdf5", "a"},
    };
    char path[128];

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct tt_error err = {0};
        struct tt_set *set;

        snprintf(path, sizeof(path), "hdf5_broken/%s", files[i][0]);
        set = open_one(path, files[i][1], &err);
        tap_ok(!set && strstr(err.text, files[i][0]) && strchr(err.text, ':'),
               "refused: %s", strstr(err.text, "hdf5_broken"));
        tt_set_close(set);
    }
}

static int find_data(void)
{
    const char *given = getenv("TUTTI_TEST_DATA");
    const char *top = getenv("top_srcdir");
    char path[600];

    if (given)
        snprintf(data, sizeof(data), "%s", given);
    else
        snprintf(data, sizeof(data), "%s/../shared/data", top ? top : ".");
    snprintf(path, sizeof(path), "%s/hdf5", data);
    return access(path, R_OK) == 0;
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    if (find_data()) {
        test_table();
        test_broken();
    } else {
        tap_ok(1, "# SKIP no files by others: set TUTTI_TEST_DATA");
    }
    status = tap_done();
    MPI_Finalize();
    return status;
}
