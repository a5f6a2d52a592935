/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c - a save that fails on one rank fails on all, leaves nothing behind
 * and the older checkpoint whole. */
/* nranks: 1 3 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tap.h"
#include "state.h"

static int rank, size;
static const char *root;

static int in_halves; /* save by a thread */

static int save(const char *where, int64_t step, uint64_t seed,
                struct tt_error *err)
{
    struct tt_ckpt_save *half;
    struct state s;
    int rc;

    state_init(&s, DEAL_EVEN, seed, MPI_COMM_WORLD);
    if (in_halves) {
        half = tt_ckpt_begin_all(where, step, &s.ckpt, MPI_COMM_WORLD, err);
        rc = half ? tt_ckpt_end_all(half, err) : -1;
    } else {
        rc = tt_ckpt_save_all(where, step, &s.ckpt, MPI_COMM_WORLD, err);
    }
    state_clear(&s);
    return rc;
}

static int has_values(const char *where, int64_t step, uint64_t seed)
{
    struct tt_error err = {0};
    char path[TT_CKPT_PATH];
    struct state s;
    int good;

    tt_ckpt_step_path(path, where, step, &err);
    state_init(&s, DEAL_EVEN, seed, MPI_COMM_WORLD);
    state_wipe(&s);
    good = tt_ckpt_load_all(path, &s.ckpt, NULL, MPI_COMM_WORLD, &err) == 0 &&
           state_odd_count(&s, seed) == 0;
    state_clear(&s);
    return good;
}

/* Names in the folder, hidden ones too. */
static int entry_count(const char *where)
{
    DIR *dir = opendir(where);
    struct dirent *e;
    int count = 0;

    while (dir && (e = readdir(dir)))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return count;
}

static void limit_bytes(rlim_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* The rank may not write beyond some bytes: as a quota. */
static void test_one_rank(int who, rlim_t bytes)
{
    struct tt_error err = {0};
    char name[32] = "";
    int rc;

    if (rank == who)
        limit_bytes(bytes);
    rc = save(root, 2, 9, &err);
    if (rank == who)
        limit_bytes(RLIM_INFINITY);
    if (who > 0)
        snprintf(name, sizeof(name), "rank %d: ", who);
    ok_all(rc < 0 && strstr(err.text, name), "rank %d fails at %lld: %s", who,
           (long long)bytes, err.text);
    MPI_Barrier(MPI_COMM_WORLD);
    ok_all(entry_count(root) == 1, "nothing is left behind");
    ok_all(has_values(root, 1, 7), "the older one is whole");
}

static void test_no_place(void)
{
    struct tt_error err = {0};
    char where[TT_CKPT_PATH];

    snprintf(where, sizeof(where), "%s/step-00000001/manifest.json/x", root);
    ok_all(save(where, 2, 9, &err) < 0 && err.text[0], "no place: %s",
           err.text);
}

static void test_twice(void)
{
    struct tt_error err = {0};

    ok_all(save(root, 1, 8, &err) == 0, "the same step again %s", err.text);
    ok_all(has_values(root, 1, 8), "it has the new values");
    ok_all(entry_count(root) == 1, "the old ones are gone");
    save(root, 1, 7, &err);
}

/* Where names cannot be exchanged, a kill may come between two renames. */
static void test_recover(void)
{
    struct tt_error err = {0};
    char path[TT_CKPT_PATH], old[TT_CKPT_PATH + 64];
    int64_t step = -1;

    tt_ckpt_step_path(path, root, 1, &err);
    snprintf(old, sizeof(old), "%s/.step-00000001.old.-1.-1.1.0.elsewhere",
             root);
    if (rank == 0)
        rename(path, old);
    MPI_Barrier(MPI_COMM_WORLD);
    tt_ckpt_newest_all(root, NULL, &step, MPI_COMM_WORLD, &err);
    ok_all(step == 1 && has_values(root, 1, 7),
           "a step put aside for nothing is put back");
}

static void fill_up(const char *disk)
{
    static char zeros[4096];
    char path[TT_CKPT_PATH + 8];
    FILE *f;

    snprintf(path, sizeof(path), "%s/fill", disk);
    f = fopen(path, "w");
    while (f && fwrite(zeros, sizeof(zeros), 1, f) == 1 && fflush(f) == 0)
        ;
    if (f)
        fclose(f);
}

/* 24 MiB hold one checkpoint and not two. */
static void test_full_disk(void)
{
    struct tt_error err = {0};
    char disk[TT_CKPT_PATH];
    int mounted = 0, rc;

    snprintf(disk, sizeof(disk), "%s/disk", root);
    if (rank == 0) {
        mkdir(disk, 0777);
        mounted = mount("tmpfs", disk, "tmpfs", 0, "size=24m") == 0;
    }
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!mounted) {
        tap_ok(1, "full disk # SKIP may not mount a tmpfs");
        return;
    }
    ok_all(save(disk, 1, 7, &err) == 0, "full disk: the first fits %s",
           err.text);
    rc = save(disk, 2, 9, &err);
    ok_all(rc < 0 && strstr(err.text, "No space left"),
           "full disk: the second does not: %s", err.text);
    ok_all(entry_count(disk) == 1 && has_values(disk, 1, 7),
           "full disk: the first is whole, nothing else is there");
    if (rank == 0)
        fill_up(disk);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = save(disk, 3, 9, &err);
    ok_all(rc < 0 && strstr(err.text, "No space left"),
           "full disk: not a byte left: %s", err.text);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        umount(disk);
}

static void test_modes(void)
{
    struct tt_error err = {0};
    char path[TT_CKPT_PATH + 32];
    struct stat dir, data, manifest;
    mode_t old = umask(0027);

    save(root, 3, 7, &err);
    umask(old);
    snprintf(path, sizeof(path), "%s/step-00000003", root);
    stat(path, &dir);
    snprintf(path, sizeof(path), "%s/step-00000003/data.h5", root);
    stat(path, &data);
    snprintf(path, sizeof(path), "%s/step-00000003/manifest.json", root);
    stat(path, &manifest);
    ok_all((dir.st_mode & 0777) == 0750 && (data.st_mode & 0777) == 0640 &&
               (manifest.st_mode & 0777) == 0640,
           "modes follow the umask");
}

int main(int argc, char **argv)
{
    struct tt_error err = {0};
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0)
        tap_mute();
    signal(SIGXFSZ, SIG_IGN);
    root = test_dir_make();
    ok_all(save(root, 1, 7, &err) == 0, "saved %s", err.text);
    for (in_halves = 0; in_halves < 2; in_halves++) {
        test_one_rank(0, 100);
        if (size > 1)
            test_one_rank(size - 1, 1 << 20);
        test_no_place();
    }
    in_halves = 0;
    test_twice();
    test_recover();
    test_modes();
    test_full_disk();
    status = tap_done();
    test_dir_remove(root);
    MPI_Finalize();
    return status;
}
