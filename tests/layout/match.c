/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c - schedules that fit, schedules broken on purpose, and random ones
 * judged by a naive player of blocking collectives. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "layout/match.h"

enum { RANKS = 64, OPS = 4000 };
enum { SUM, GATHER, BCAST };

static struct tt_match_op op[RANKS][OPS];
static int32_t group[RANKS][2];
static struct tt_match_rank rank[RANKS];

static uint64_t state = 362436069;

static int draw(int below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)below);
}

/* A mesh of rows x cols: axis 0 joins a row, axis 1 a column. */
static int make_mesh(int rows, int cols)
{
    for (int r = 0; r < rows * cols; r++) {
        group[r][0] = r / cols;
        group[r][1] = r % cols;
        rank[r] = (struct tt_match_rank){op[r], 0, group[r]};
    }
    return rows * cols;
}

static void add(int r, struct tt_match_op what)
{
    op[r][rank[r].op_count++] = what;
}

static struct tt_match_op collective(int kind, int axis, int64_t bytes)
{
    static const char *const names[] = {"sum", "gather", "broadcast"};

    return (struct tt_match_op){.name = names[kind],
                                .kind = kind,
                                .axis = axis,
                                .peer = -1,
                                .bytes = bytes};
}

static struct tt_match_op message(const char *name, int kind, int peer,
                                  bool begins)
{
    return (struct tt_match_op){.name = name,
                                .kind = kind,
                                .axis = 0,
                                .peer = peer,
                                .begins = begins,
                                .bytes = 64};
}

static struct tt_match_op end_of(int64_t begun)
{
    return (struct tt_match_op){
        .name = "end", .kind = TT_MATCH_END, .begun = begun, .bytes = -1};
}

/* Whether it fails with a text that holds 'part'. */
static int fails(int ranks, const char *part)
{
    struct tt_error err = {0};
    int rc = tt_match(rank, ranks, 2, &err);

    if (rc == 0 || !strstr(err.text, part))
        tap_note("%s", err.text);
    return rc == -1 && strstr(err.text, part) != NULL;
}

static int passes(int ranks)
{
    struct tt_error err = {0};

    if (tt_match(rank, ranks, 2, &err) == 0)
        return 1;
    tap_note("%s", err.text);
    return 0;
}

/* --- collectives ------------------------------------------------------- */

/* A step as data parallel training makes it. */
static int make_step(int ranks)
{
    make_mesh(1, ranks);
    for (int r = 0; r < ranks; r++) {
        add(r, collective(SUM, 0, 4096));
        add(r, collective(SUM, 0, 1024));
        add(r, collective(GATHER, 0, 592));
    }
    return ranks;
}

static void test_step(void)
{
    int ranks = make_step(4);

    tap_ok(passes(ranks), "a data parallel step fits");
    op[2][1].bytes = 1000;
    tap_ok(fails(ranks, "rank 2 op 1 (sum, 1000 bytes) meets rank"),
           "other sizes are named");
    make_step(4);
    op[3][2].kind = BCAST;
    op[3][2].name = "broadcast";
    tap_ok(fails(ranks, "rank 3 op 2 (broadcast, 592 bytes) meets rank"),
           "another collective is named");
    make_step(4);
    op[1][0].peer = 0;
    tap_ok(fails(ranks, "rank 1 op 0"), "another root is named");
    make_step(4);
    rank[1].op_count--;
    tap_ok(fails(ranks,
                 "rank 0 op 2 (gather, 592 bytes) waits for rank 1, which "
                 "has ended"),
           "a missing collective is named");
    make_step(1);
    tap_ok(passes(1), "one rank alone fits");
    tap_ok(passes(0), "no ranks fit");
}

/* Each communicator sees the same sequence, yet nobody can go on. */
static void test_circle(void)
{
    int ranks = make_mesh(2, 2);
    static const int first[] = {0, 1, 1, 0};

    for (int r = 0; r < ranks; r++) {
        add(r, collective(SUM, first[r], 8));
        add(r, collective(SUM, 1 - first[r], 8));
    }
    tap_ok(fails(ranks, "rank 0 op 0 (sum, 8 bytes) waits for rank 1, which "
                        "waits in op 0 (sum)"),
           "a circle over two communicators is found");
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < 2; i++)
            op[r][i].begins = true;
    for (int r = 0; r < ranks; r++) {
        add(r, end_of(0));
        add(r, end_of(1));
    }
    tap_ok(passes(ranks), "which is none if both only begin");
}

/* --- random schedules --------------------------------------------------- */

/* A row or column at random does a collective, all its ranks append it. */
static void make_random(int rows, int cols, int count)
{
    make_mesh(rows, cols);
    for (int i = 0; i < count; i++) {
        int axis = draw(2), which = draw(axis == 0 ? rows : cols);
        struct tt_match_op what = collective(draw(3), axis, 1 + draw(3));

        for (int r = 0; r < rows * cols; r++)
            if (group[r][axis] == which)
                add(r, what);
    }
}

/* Whether some rank's operation can complete now; then all members go on. */
static int naive_turn(int ranks, int64_t *at)
{
    for (int r = 0; r < ranks; r++) {
        const struct tt_match_op *mine = &op[r][at[r]];
        int all = at[r] < rank[r].op_count;

        for (int q = 0; q < ranks && all; q++) {
            const struct tt_match_op *other = &op[q][at[q]];

            if (group[q][mine->axis] == group[r][mine->axis])
                all = at[q] < rank[q].op_count && other->axis == mine->axis &&
                      other->kind == mine->kind && other->bytes == mine->bytes;
        }
        if (!all)
            continue;
        for (int q = ranks - 1, axis = mine->axis, g = group[r][axis]; q >= 0;
             q--)
            at[q] += group[q][axis] == g;
        return 1;
    }
    return 0;
}

static int naive_passes(int ranks)
{
    int64_t at[RANKS] = {0};

    while (naive_turn(ranks, at))
        ;
    for (int r = 0; r < ranks; r++)
        if (at[r] < rank[r].op_count)
            return 0;
    return 1;
}

static void test_random(void)
{
    struct tt_error err;
    int bad = 0, wrong = 0, broken = 0;

    for (int i = 0; i < 300; i++) {
        int rows = 1 + draw(3), cols = 1 + draw(3), ranks = rows * cols;
        int r = draw(ranks), a, b;

        make_random(rows, cols, 12);
        bad += tt_match(rank, ranks, 2, &err) != 0;
        if (rank[r].op_count < 2)
            continue;
        a = draw((int)rank[r].op_count);
        b = draw((int)rank[r].op_count);
        op[r][a] = op[r][b]; /* now and then without harm */
        broken += !naive_passes(ranks);
        wrong += (tt_match(rank, ranks, 2, &err) == 0) != naive_passes(ranks);
    }
    tap_ok(bad == 0, "300 random schedules fit");
    tap_ok(wrong == 0 && broken > 100,
           "changed in one place, %d break, as a naive player says", broken);
}

static void test_large(void)
{
    make_random(8, 8, 20000);
    tap_ok(passes(64), "64 ranks, 160000 operations fit");
}

/* --- messages ----------------------------------------------------------- */

/* One forward, one backward: stage s of a pipeline, its sends blocking or not.
 */
static void make_stage(int s, int stages, int micros, bool begins)
{
    int warm = stages - 1 - s < micros ? stages - 1 - s : micros;

    for (int i = 0; i < micros + warm; i++) {
        if (i < micros && s > 0)
            add(s, message("activations", TT_MATCH_RECV, s - 1, false));
        if (i < micros && s < stages - 1)
            add(s, message("activations", TT_MATCH_SEND, s + 1, begins));
        if (i >= warm && s < stages - 1)
            add(s, message("gradients", TT_MATCH_RECV, s + 1, false));
        if (i >= warm && s > 0)
            add(s, message("gradients", TT_MATCH_SEND, s - 1, begins));
    }
}

static int make_pipeline(int stages, int micros, bool begins)
{
    make_mesh(1, stages);
    for (int s = 0; s < stages; s++) {
        int64_t count;

        make_stage(s, stages, micros, begins);
        count = rank[s].op_count;
        for (int64_t i = 0; i < count && begins; i++)
            if (op[s][i].kind == TT_MATCH_SEND)
                add(s, end_of(i));
    }
    return stages;
}

static void test_pipeline(void)
{
    int bad = 0;

    for (int stages = 1; stages <= 8; stages++)
        for (int micros = 1; micros <= 12; micros++)
            bad += !passes(make_pipeline(stages, micros, true));
    tap_ok(bad == 0, "pipelines of up to 8 stages fit");
    tap_ok(fails(make_pipeline(2, 4, false), "waits for rank"),
           "blocking sends in both directions are a deadlock");
    make_pipeline(3, 4, true);
    op[1][0].bytes = 65;
    tap_ok(fails(3, "(activations, 65 bytes)"), "a message too long is named");
}

static void test_messages(void)
{
    make_mesh(1, 2);
    add(0, message("hello", TT_MATCH_SEND, 1, true));
    tap_ok(fails(2, "rank 0 op 0 (hello, 64 bytes) waits for rank 1, which "
                    "has ended"),
           "a send that nobody receives is named");
    make_mesh(1, 2);
    add(0, message("hello", TT_MATCH_SEND, 1, false));
    add(1, message("hello", TT_MATCH_SEND, 0, false));
    tap_ok(fails(2, "waits for rank 1, which waits in op 0 (hello)"),
           "two sends do not meet");
    make_mesh(2, 1);
    add(0, message("hello", TT_MATCH_SEND, 1, false));
    add(1, message("hello", TT_MATCH_RECV, 0, false));
    tap_ok(fails(2, "outside its communicator"), "no message to strangers");
    make_mesh(1, 1);
    add(0, message("hello", TT_MATCH_SEND, 0, true));
    tap_ok(fails(1, "has no partner"), "nor to oneself");
    make_mesh(1, 1);
    add(0, end_of(0));
    tap_ok(fails(1, "ends what has not begun"), "an end needs a beginning");
}

int main(void)
{
    test_step();
    test_circle();
    test_random();
    test_large();
    test_pipeline();
    test_messages();
    return tap_done();
}
