/* SPDX-License-Identifier: BSD-3-Clause */
/* damage.c - a flipped bit or a lost tail is found, or does not matter; the
 * older checkpoint is taken. */
/* nranks: 2 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "lib/tap.h"
#include "state.h"

static int rank;
static const char *root;

/* One harm and how to undo it. */
struct harm {
    char path[TT_CKPT_PATH + 32];
    int64_t at, bytes; /* bytes: of the file */
    int bit;           /* to flip, or -1: cut the file at 'at' */
    char *tail;        /* what was cut off */
};

static struct harm harm_draw(uint32_t seed, const char *dir)
{
    struct harm h = {.bit = -1};
    uint32_t r[4], q[4];
    struct stat st;

    tt_rng_quad(seed, 1, 2, 3, r);
    tt_rng_quad(seed, 1, 2, 4, q);
    snprintf(h.path, sizeof(h.path), "%s/%s", dir,
             r[0] % 3 ? TT_CKPT_DATA : TT_CKPT_MANIFEST);
    stat(h.path, &st);
    h.bytes = st.st_size;
    h.at = (int64_t)((r[1] + ((uint64_t)r[2] << 32)) % (uint64_t)h.bytes);
    if (r[3] % 2) /* where HDF5 keeps its own */
        h.at %= 4096;
    if (q[0] % 4)
        h.bit = (int)(q[1] % 8);
    return h;
}

static void bit_flip(const struct harm *h)
{
    int fd = open(h->path, O_RDWR);
    unsigned char byte;

    if (pread(fd, &byte, 1, h->at) == 1) {
        byte ^= (unsigned char)(1 << h->bit);
        (void)!pwrite(fd, &byte, 1, h->at);
    }
    close(fd);
}

static void tail_cut(struct harm *h)
{
    size_t bytes = (size_t)(h->bytes - h->at);
    int fd = open(h->path, O_RDWR);

    h->tail = malloc(bytes);
    (void)!pread(fd, h->tail, bytes, h->at);
    (void)!ftruncate(fd, h->at);
    close(fd);
}

static void tail_restore(struct harm *h)
{
    int fd = open(h->path, O_RDWR);

    (void)!pwrite(fd, h->tail, (size_t)(h->bytes - h->at), h->at);
    close(fd);
    free(h->tail);
}

static void harm_do(struct harm *h)
{
    if (rank == 0 && h->bit >= 0)
        bit_flip(h);
    else if (rank == 0)
        tail_cut(h);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void harm_undo(struct harm *h)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && h->bit >= 0)
        bit_flip(h);
    else if (rank == 0)
        tail_restore(h);
}

/* Spaces of the manifest may change and mean the same; all else is found. */
static int try_one(const struct harm *h, const char *dir)
{
    struct tt_error err = {0};
    struct state s;
    json_t *scalars = NULL;
    int rc, good;

    state_init(&s, DEAL_EVEN, 20, MPI_COMM_WORLD);
    state_wipe(&s);
    rc = tt_ckpt_load_all(dir, &s.ckpt, &scalars, MPI_COMM_WORLD, &err);
    if (rc == 0)
        good = strstr(h->path, TT_CKPT_MANIFEST) &&
               state_odd_count(&s, 20) == 0 &&
               json_equal(scalars, s.ckpt.scalars);
    else
        good = strstr(err.text, "step-00000020") != NULL;
    if (!good)
        tap_note("%s: byte %lld bit %d: %d %s", h->path, (long long)h->at,
                 h->bit, rc, err.text);
    json_decref(scalars);
    state_clear(&s);
    return good;
}

static void test_harms(const char *dir)
{
    int tries = test_tries(40, 2000), good = 0;

    for (int i = 0; i < tries; i++) {
        struct harm h = harm_draw((uint32_t)i, dir);

        harm_do(&h);
        good += try_one(&h, dir);
        harm_undo(&h);
    }
    ok_all(good == tries, "%d of %d harms were found or harmless", good, tries);
}

static char warned[1024];
static int warnings;

static void warn(const char *text)
{
    warnings++;
    snprintf(warned, sizeof(warned), "%s", text);
}

static void newest_is(int64_t want, int want_warnings, const char *name)
{
    struct tt_error err = {0};
    int64_t step = -2;
    int rc;

    warnings = 0;
    rc = tt_ckpt_newest_all(root, warn, &step, MPI_COMM_WORLD, &err);
    ok_all(rc == 0 && step == want, "%s: newest is %lld %s", name,
           (long long)step, err.text);
    ok_all(warnings == (rank == 0 ? want_warnings : 0),
           "%s: %d warnings on rank 0: %s", name, want_warnings, warned);
}

static void test_newest(void)
{
    struct harm late = {.at = 9000000, .bit = 3}, early = {.at = 0, .bit = 0};

    snprintf(late.path, sizeof(late.path), "%s/step-00000020/" TT_CKPT_DATA,
             root);
    snprintf(early.path, sizeof(early.path),
             "%s/step-00000010/" TT_CKPT_MANIFEST, root);
    newest_is(20, 0, "both whole");
    harm_do(&late);
    newest_is(10, 1, "a flip in the newer");
    ok_all(rank != 0 || (strstr(warned, "counters, block 0") &&
                         strstr(warned, "step-00000020/data.h5")),
           "it names tensor, block and file");
    harm_do(&early);
    newest_is(-1, 2, "both damaged");
    harm_undo(&late);
    harm_undo(&early);
    newest_is(20, 0, "both mended");
    if (rank == 0)
        unlink(early.path), unlink(late.path);
    MPI_Barrier(MPI_COMM_WORLD);
    newest_is(-1, 2, "files are missing");
}

static void test_none(void)
{
    struct tt_error err = {0};
    int64_t step = 0;
    int rc = tt_ckpt_newest_all("/nonexistent/tutti", NULL, &step,
                                MPI_COMM_WORLD, &err);

    ok_all(rc == 0 && step == -1, "no directory, no checkpoint, no error");
}

int main(int argc, char **argv)
{
    struct tt_error err = {0};
    char dir[TT_CKPT_PATH];
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        tap_mute();
    root = test_dir_make();
    for (int64_t step = 10; step <= 20; step += 10) {
        struct state s;

        state_init(&s, DEAL_RANDOM, (uint64_t)step, MPI_COMM_WORLD);
        ok_all(tt_ckpt_save_all(root, step, &s.ckpt, MPI_COMM_WORLD, &err) == 0,
               "saved %s", err.text);
        state_clear(&s);
    }
    tt_ckpt_step_path(dir, root, 20, &err);
    test_harms(dir);
    test_newest();
    test_none();
    status = tap_done();
    test_dir_remove(root);
    MPI_Finalize();
    return status;
}
