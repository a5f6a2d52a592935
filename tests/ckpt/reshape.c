/* SPDX-License-Identifier: BSD-3-Clause */
/* reshape.c - what any number of ranks saved, any number of ranks loads. */
/* nranks: 4 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tap.h"
#include "state.h"

enum { RANKS = 4 };

static int rank;
static const char *root;
static MPI_Comm group[RANKS + 1]; /* of n ranks; null on the others */

static const char *const deal_name[] = {"even", "random", "last", "whole"};

/* Ranks below 'n' save as step 'n'. */
static void test_save(int n, enum deal deal)
{
    struct tt_error err = {0};
    struct state s;
    int rc = 0;

    if (rank < n) {
        state_init(&s, deal, 7, group[n]);
        rc = tt_ckpt_save_all(root, n, &s.ckpt, group[n], &err);
        state_clear(&s);
    }
    ok_all(rc == 0, "%d ranks save, %s: %s", n, deal_name[deal], err.text);
}

static void test_load(int from, int n, enum deal deal)
{
    struct tt_error err = {0};
    char path[TT_CKPT_PATH];
    struct state s;
    json_t *scalars = NULL;
    int rc = 0, same = 1, good = 1;

    tt_ckpt_step_path(path, root, from, &err);
    if (rank < n) {
        state_init(&s, deal, 7, group[n]);
        state_wipe(&s);
        rc = tt_ckpt_load_all(path, &s.ckpt, &scalars, group[n], &err);
        same = state_odd_count(&s, 7) == 0;
        good = rc < 0 || json_equal(scalars, s.ckpt.scalars);
        json_decref(scalars);
        state_clear(&s);
    }
    ok_all(rc == 0, "%d ranks load what %d saved, %s: %s", n, from,
           deal_name[deal], err.text);
    ok_all(same, "%d ranks from %d, %s: the same bits", n, from,
           deal_name[deal]);
    ok_all(good, "%d ranks from %d: the same scalars", n, from);
}

/* Hashes say nothing of who wrote. */
static void test_hashes(void)
{
    struct tt_manifest one, two;
    struct tt_error err = {0};
    char path[TT_CKPT_PATH];
    int same = 1;

    tt_ckpt_step_path(path, root, 1, &err);
    if (!ok_all(tt_manifest_read(&one, path, NULL, &err) == 0, "manifest: %s",
                err.text))
        return;
    for (int n = 2; n <= RANKS; n++) {
        tt_ckpt_step_path(path, root, n, &err);
        if (tt_manifest_read(&two, path, NULL, &err) < 0)
            continue;
        same = same && one.root == two.root && one.meta_hash == two.meta_hash;
        tt_manifest_clear(&two);
    }
    tt_manifest_clear(&one);
    ok_all(same, "the same hashes whatever ranks wrote");
}

/* A load may ask for some tensors only, and is told what does not fit. */
static void test_parts(void)
{
    struct tt_error err = {0};
    char path[TT_CKPT_PATH];
    struct state s;

    tt_ckpt_step_path(path, root, 3, &err);
    state_init(&s, DEAL_RANDOM, 7, MPI_COMM_WORLD);
    state_wipe(&s);
    s.ckpt.tensor_count = 1;
    ok_all(tt_ckpt_load_all(path, &s.ckpt, NULL, MPI_COMM_WORLD, &err) == 0,
           "load one tensor of many");
    s.tensor[0].name = "weights/nobody";
    ok_all(tt_ckpt_load_all(path, &s.ckpt, NULL, MPI_COMM_WORLD, &err) < 0 &&
               strstr(err.text, "weights/nobody is not in it"),
           "absent tensor: %s", err.text);
    s.tensor[0].name = "weights/h.0.attn.weight";
    s.tensor[0].dim[0]--;
    ok_all(tt_ckpt_load_all(path, &s.ckpt, NULL, MPI_COMM_WORLD, &err) < 0 &&
               strstr(err.text, "is 1201 x 1301, not 1200 x 1301"),
           "another shape: %s", err.text);
    s.tensor[0].dim[0]++;
    s.tensor[0].dtype = TT_I32;
    ok_all(tt_ckpt_load_all(path, &s.ckpt, NULL, MPI_COMM_WORLD, &err) < 0 &&
               strstr(err.text, "is f32, not i32"),
           "another type: %s", err.text);
    state_clear(&s);
}

/* The state may change and go while a thread writes it. */
static void test_begin(void)
{
    struct tt_error err = {0};
    struct tt_ckpt_save *save;
    struct state s;
    int rc = -1;

    state_init(&s, DEAL_RANDOM, 7, MPI_COMM_WORLD);
    save = tt_ckpt_begin_all(root, 5, &s.ckpt, MPI_COMM_WORLD, &err);
    state_wipe(&s);
    json_object_clear(s.ckpt.scalars);
    state_clear(&s);
    ok_all(save != NULL, "a save in two halves begins: %s", err.text);
    if (!save)
        return;
    while (!tt_ckpt_is_written(save))
        usleep(1000);
    rc = tt_ckpt_end_all(save, &err);
    ok_all(rc == 0, "and ends: %s", err.text);
    test_load(5, 2, DEAL_EVEN);
}

/* Runs that do not tile are a bug of the caller which must not be saved. */
static void test_gap(int delta)
{
    struct tt_error err = {0};
    struct state s;
    char path[TT_CKPT_PATH];

    state_init(&s, DEAL_EVEN, 7, MPI_COMM_WORLD);
    if (rank == 2)
        s.tensor[4].first += delta;
    ok_all(tt_ckpt_save_all(root, 90, &s.ckpt, MPI_COMM_WORLD, &err) < 0 &&
               strstr(err.text, "bytes: the ranks' parts overlap"),
           "gap and overlap: %s", err.text);
    tt_ckpt_step_path(path, root, 90, &err);
    ok_all(access(path, F_OK) < 0, "gap and overlap: nothing saved");
    state_clear(&s);
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        tap_mute();
    for (int n = 1; n <= RANKS; n++)
        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank,
                       &group[n]);
    root = test_dir_make();
    for (int n = 1; n <= RANKS; n++) {
        test_save(n, (enum deal)(n % 3));
        usleep(n == 1 ? 1100000 : 0); /* files must not depend on the time */
    }
    for (int from = 1; from <= RANKS; from++)
        for (int n = 1; n <= RANKS; n++)
            test_load(from, n, (enum deal)((from + n) % 4));
    test_hashes();
    test_parts();
    test_begin();
    test_gap(1);
    test_gap(-1);
    status = tap_done();
    test_dir_remove(root);
    MPI_Finalize();
    return status;
}
