/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c - the proof that all ranks' collectives and messages fit together.
 *
 * Collectives of one communicator, and messages of one pair of ranks in one
 * direction, meet at a place.  The k-th operation of each member at a place
 * meets in slot k of it.  All ranks are played forward until they end or are
 * stuck. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/match.h"

struct place {
    int32_t axis;
    int32_t a, b; /* group and -1; or sender and receiver */
    int32_t members;
    int64_t first_slot, slot_count;
    int32_t last_rank; /* while counting: whose operations these are */
    int64_t ordinal;
};

struct slot {
    int32_t place;
    int32_t posted; /* members that are here */
    int32_t rank;   /* the first of them, and its operation */
    int64_t op;
    int32_t waiter; /* chain of ranks that wait here, -1 ends it */
};

struct player {
    int64_t at;       /* operation number */
    bool posted;      /* it is in its slot already */
    int64_t first_op; /* of all ranks' operations on end */
    int32_t next;     /* in a chain of waiters */
};

struct match {
    const struct tt_match_rank *rank;
    int32_t rank_count, axis_count;
    struct place *place;
    int64_t place_count;
    struct slot *slot;
    int64_t slot_count;
    int64_t *op_slot; /* of all ranks' operations on end; -1: TT_MATCH_END */
    struct player *player;
    int32_t *ready; /* stack of ranks that may go on */
    int32_t ready_count;
};

/* "rank 1 op 7 (sum of gradients, 4096 bytes)". */
struct label {
    char text[112];
};

static struct label label_of(const struct match *m, int32_t rank, int64_t at)
{
    struct label label;
    const struct tt_match_op *op = &m->rank[rank].op[at];
    int used =
        snprintf(label.text, sizeof(label.text),
                 "rank %" PRId32 " op %" PRId64 " (%.40s", rank, at, op->name);
    size_t left = sizeof(label.text) - (size_t)used;

    if (op->kind != TT_MATCH_END && op->bytes >= 0)
        used +=
            snprintf(label.text + used, left, ", %" PRId64 " bytes", op->bytes);
    left = sizeof(label.text) - (size_t)used;
    snprintf(label.text + used, left, ")");
    return label;
}

/* --- places and slots -------------------------------------------------- */

static bool is_message(const struct tt_match_op *op)
{
    return op->kind == TT_MATCH_SEND || op->kind == TT_MATCH_RECV;
}

static int check_op(const struct match *m, int32_t rank, int64_t at,
                    struct tt_error *err)
{
    const struct tt_match_op *op = &m->rank[rank].op[at];
    const char *why = NULL;

    if (op->kind == TT_MATCH_END) {
        if (op->begun < 0 || op->begun >= at ||
            !m->rank[rank].op[op->begun].begins)
            why = "ends what has not begun";
    } else if (op->kind < TT_MATCH_END) {
        why = "is of no known kind";
    } else if (op->axis < 0 || op->axis >= m->axis_count) {
        why = "is on no axis";
    } else if (op->peer >= m->rank_count ||
               (is_message(op) && (op->peer < 0 || op->peer == rank))) {
        why = "has no partner";
    } else if (op->peer >= 0 && m->rank[op->peer].group[op->axis] !=
                                    m->rank[rank].group[op->axis]) {
        why = "has a partner outside its communicator";
    }
    if (!why)
        return 0;
    return tt_fail(err, TT_EINVAL, "%s %s", label_of(m, rank, at).text, why);
}

static struct place place_of(const struct match *m, int32_t rank,
                             const struct tt_match_op *op)
{
    struct place p = {.axis = op->axis, .last_rank = -1};

    p.a = op->kind == TT_MATCH_SEND   ? rank
          : op->kind == TT_MATCH_RECV ? op->peer
                                      : m->rank[rank].group[op->axis];
    p.b = op->kind == TT_MATCH_SEND   ? op->peer
          : op->kind == TT_MATCH_RECV ? rank
                                      : -1;
    return p;
}

static int order_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->axis != b->axis)
        return a->axis < b->axis ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->a > b->a) - (a->a < b->a);
}

static int32_t count_members(const struct match *m, const struct place *p)
{
    int32_t members = 0;

    if (p->b >= 0)
        return 2;
    for (int32_t r = 0; r < m->rank_count; r++)
        members += m->rank[r].group[p->axis] == p->a;
    return members;
}

static int64_t op_total(const struct match *m)
{
    int64_t total = 0;

    for (int32_t r = 0; r < m->rank_count; r++)
        total += m->rank[r].op_count;
    return total;
}

/* Make the sorted list of places.  Neighbours in a rank's list are often the
 * same, so these are left out before sorting. */
static void find_places(struct match *m)
{
    int64_t found = 0, kept = 0;

    for (int32_t r = 0; r < m->rank_count; r++)
        for (int64_t i = 0; i < m->rank[r].op_count; i++) {
            const struct tt_match_op *op = &m->rank[r].op[i];

            if (op->kind == TT_MATCH_END)
                continue;
            m->place[found] = place_of(m, r, op);
            if (found == 0 ||
                order_places(&m->place[found - 1], &m->place[found]) != 0)
                found++;
        }
    qsort(m->place, (size_t)found, sizeof(*m->place), order_places);
    for (int64_t i = 0; i < found; i++)
        if (kept == 0 || order_places(&m->place[kept - 1], &m->place[i]) != 0)
            m->place[kept++] = m->place[i];
    m->place_count = kept;
    for (int64_t i = 0; i < kept; i++)
        m->place[i].members = count_members(m, &m->place[i]);
}

/* Give each operation the number of its place, and count the slots there. */
static void number_ops(struct match *m)
{
    int64_t all = 0;

    for (int32_t r = 0; r < m->rank_count; r++)
        for (int64_t i = 0; i < m->rank[r].op_count; i++, all++) {
            const struct tt_match_op *op = &m->rank[r].op[i];
            struct place key, *p;

            m->op_slot[all] = -1;
            if (op->kind == TT_MATCH_END)
                continue;
            key = place_of(m, r, op);
            p = bsearch(&key, m->place, (size_t)m->place_count, sizeof(key),
                        order_places);
            p->ordinal = p->last_rank == r ? p->ordinal + 1 : 0;
            p->last_rank = r;
            if (p->slot_count <= p->ordinal)
                p->slot_count = p->ordinal + 1;
            m->op_slot[all] = p - m->place;
        }
}

/* Turn place numbers into slot numbers. */
static void number_slots(struct match *m)
{
    int64_t all = 0;

    for (int64_t i = 0; i < m->place_count; i++) {
        struct place *p = &m->place[i];

        p->first_slot = m->slot_count;
        p->last_rank = -1;
        for (int64_t k = 0; k < p->slot_count; k++)
            m->slot[m->slot_count++] =
                (struct slot){.place = (int32_t)i, .waiter = -1};
    }
    for (int32_t r = 0; r < m->rank_count; r++) {
        m->player[r].first_op = all;
        for (int64_t i = 0; i < m->rank[r].op_count; i++, all++) {
            struct place *p;

            if (m->op_slot[all] < 0)
                continue;
            p = &m->place[m->op_slot[all]];
            p->ordinal = p->last_rank == r ? p->ordinal + 1 : 0;
            p->last_rank = r;
            m->op_slot[all] = p->first_slot + p->ordinal;
        }
    }
}

/* --- playing ----------------------------------------------------------- */

static bool is_full(const struct match *m, const struct slot *s)
{
    return s->posted == m->place[s->place].members;
}

/* The slot that rank r's current operation waits for. */
static struct slot *slot_of(const struct match *m, int32_t r)
{
    const struct player *p = &m->player[r];
    const struct tt_match_op *op = &m->rank[r].op[p->at];
    int64_t at = op->kind == TT_MATCH_END ? op->begun : p->at;

    return &m->slot[m->op_slot[p->first_op + at]];
}

static bool fits(const struct tt_match_op *a, const struct tt_match_op *b)
{
    if (is_message(a)) /* a place has one sender and one receiver */
        return a->bytes == b->bytes;
    return a->kind == b->kind && a->bytes == b->bytes && a->peer == b->peer;
}

/* Put rank r's current operation into its slot. */
static int post(struct match *m, int32_t r, struct tt_error *err)
{
    struct player *p = &m->player[r];
    struct slot *s = &m->slot[m->op_slot[p->first_op + p->at]];

    p->posted = true;
    if (s->posted++ == 0) {
        s->rank = r;
        s->op = p->at;
    } else if (!fits(&m->rank[r].op[p->at], &m->rank[s->rank].op[s->op])) {
        return tt_fail(err, TT_EINVAL, "%s meets %s",
                       label_of(m, r, p->at).text,
                       label_of(m, s->rank, s->op).text);
    }
    while (is_full(m, s) && s->waiter >= 0) {
        m->ready[m->ready_count++] = s->waiter;
        s->waiter = m->player[s->waiter].next;
    }
    return 0;
}

/* Let rank r go on until it waits or ends. */
static int advance(struct match *m, int32_t r, struct tt_error *err)
{
    struct player *p = &m->player[r];

    while (p->at < m->rank[r].op_count) {
        const struct tt_match_op *op = &m->rank[r].op[p->at];
        struct slot *s = slot_of(m, r);

        if (op->kind != TT_MATCH_END && !p->posted && post(m, r, err) < 0)
            return -1;
        if (!is_full(m, s) && !(op->kind != TT_MATCH_END && op->begins)) {
            p->next = s->waiter;
            s->waiter = r;
            return 0;
        }
        p->posted = false;
        p->at++;
    }
    return 0;
}

/* --- misfits ----------------------------------------------------------- */

static bool is_member(const struct match *m, const struct place *p, int32_t r)
{
    if (p->b >= 0)
        return r == p->a || r == p->b;
    return m->rank[r].group[p->axis] == p->a;
}

/* Whether rank r has put an operation into slot s. */
static bool has_posted(const struct match *m, int32_t r, const struct slot *s)
{
    const struct player *p = &m->player[r];
    int64_t end = p->at + p->posted;

    for (int64_t i = 0; i < end; i++)
        if (m->op_slot[p->first_op + i] == s - m->slot)
            return true;
    return false;
}

/* A member that has not come to slot s. */
static int32_t absent_of(const struct match *m, const struct slot *s)
{
    int32_t r = 0;

    while (r < m->rank_count &&
           (!is_member(m, &m->place[s->place], r) || has_posted(m, r, s)))
        r++;
    return r;
}

/* Rank r does at 'at' what waits in slot s for a rank that does not come. */
static int fail_waiting(const struct match *m, int32_t r, int64_t at,
                        const struct slot *s, struct tt_error *err)
{
    int32_t absent = absent_of(m, s);
    int64_t there = m->player[absent].at;

    if (there >= m->rank[absent].op_count)
        return tt_fail(err, TT_EINVAL,
                       "%s waits for rank %" PRId32 ", which has ended",
                       label_of(m, r, at).text, absent);
    return tt_fail(
        err, TT_EINVAL,
        "%s waits for rank %" PRId32 ", which waits in op %" PRId64 " (%.40s)",
        label_of(m, r, at).text, absent, there, m->rank[absent].op[there].name);
}

/* All are at their ends, and nothing begun is left open. */
static int check_end(const struct match *m, struct tt_error *err)
{
    for (int32_t r = 0; r < m->rank_count; r++)
        if (m->player[r].at < m->rank[r].op_count)
            return fail_waiting(m, r, m->player[r].at, slot_of(m, r), err);
    for (int64_t i = 0; i < m->slot_count; i++)
        if (!is_full(m, &m->slot[i]))
            return fail_waiting(m, m->slot[i].rank, m->slot[i].op, &m->slot[i],
                                err);
    return 0;
}

static int play(struct match *m, struct tt_error *err)
{
    for (int32_t r = m->rank_count - 1; r >= 0; r--)
        m->ready[m->ready_count++] = r;
    while (m->ready_count > 0)
        if (advance(m, m->ready[--m->ready_count], err) < 0)
            return -1;
    return check_end(m, err);
}

static int allocate(struct match *m, struct tt_error *err)
{
    size_t total = (size_t)op_total(m) + 1, ranks = (size_t)m->rank_count + 1;

    m->place = calloc(total, sizeof(*m->place));
    m->slot = calloc(total, sizeof(*m->slot));
    m->op_slot = calloc(total, sizeof(*m->op_slot));
    m->player = calloc(ranks, sizeof(*m->player));
    m->ready = calloc(ranks, sizeof(*m->ready));
    if (m->place && m->slot && m->op_slot && m->player && m->ready)
        return 0;
    return tt_fail(err, TT_ENOMEM, "no memory to match %zu operations", total);
}

static int match_all(struct match *m, struct tt_error *err)
{
    for (int32_t r = 0; r < m->rank_count; r++)
        for (int64_t i = 0; i < m->rank[r].op_count; i++)
            if (check_op(m, r, i, err) < 0)
                return -1;
    find_places(m);
    number_ops(m);
    number_slots(m);
    return play(m, err);
}

int tt_match(const struct tt_match_rank *rank, int32_t rank_count,
             int32_t axis_count, struct tt_error *err)
{
    struct match m = {
        .rank = rank, .rank_count = rank_count, .axis_count = axis_count};
    int rc = allocate(&m, err);

    if (rc == 0)
        rc = match_all(&m, err);
    free(m.place);
    free(m.slot);
    free(m.op_slot);
    free(m.player);
    free(m.ready);
    return rc;
}
