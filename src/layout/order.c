/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - which sample comes when. */
#include <math.h>
#include <stddef.h>

#include "layout/block.h"
#include "layout/order.h"

/* A bijection on [0, n), n <= rows x cols.  A number is a pair (row, col); the
 * rounds shift one coordinate by a keyed function of the other, and images
 * beyond n are mapped again until they fall inside, which is rare since
 * rows x cols exceeds n by less than a row. */
struct perm {
    uint64_t key, n, rows, cols;
    int rounds;
};

/* Few numbers need more rounds until all permutations are equally likely.
 * Images are computed GANG at a time: one alone is a long chain of multiplies.
 */
enum { ROUNDS = 6, ROUNDS_FEW = 12, FEW = 256, GANG = 16 };

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static struct perm perm_of(uint64_t seed, uint64_t stream, int64_t n)
{
    struct perm p = {.key = mix(mix(seed) ^ stream), .n = (uint64_t)n};

    p.rows = (uint64_t)sqrt((double)n);
    while (p.rows * p.rows < p.n)
        p.rows++;
    p.cols = (p.n + p.rows - 1) / p.rows;
    p.rounds = n < FEW ? ROUNDS_FEW : ROUNDS;
    return p;
}

/* A keyed number below 'range' (< 2^32) from 'x'. */
static uint64_t round_shift(uint64_t key, uint64_t x, uint64_t range)
{
    x = (x + key) * 0x9fb21c651e98df25;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    return (x >> 32) * range >> 32;
}

static uint64_t shifted(uint64_t x, uint64_t by, uint64_t range)
{
    x += by;
    return x >= range ? x - range : x;
}

/* One pass over x[0 .. count-1], count <= GANG; images may lie beyond n. */
static void perm_pass(const struct perm *p, int64_t *x, int count)
{
    uint64_t row[GANG], col[GANG], key = p->key;

    for (int i = 0; i < count; i++) {
        row[i] = (uint64_t)x[i] / p->cols;
        col[i] = (uint64_t)x[i] - row[i] * p->cols;
    }
    for (int round = 0; round < p->rounds; round += 2) {
        for (int i = 0; i < count; i++)
            row[i] =
                shifted(row[i], round_shift(key, col[i], p->rows), p->rows);
        key += 0xd1342543de82ef95;
        for (int i = 0; i < count; i++)
            col[i] =
                shifted(col[i], round_shift(key, row[i], p->cols), p->cols);
        key += 0xd1342543de82ef95;
    }
    for (int i = 0; i < count; i++)
        x[i] = (int64_t)(row[i] * p->cols + col[i]);
}

/* Replace each x by its image. */
static void perm_many(const struct perm *p, int64_t *x, int count)
{
    perm_pass(p, x, count);
    for (int i = 0; i < count; i++)
        while ((uint64_t)x[i] >= p->n)
            perm_pass(p, x + i, 1);
}

static int64_t perm_at(const struct perm *p, int64_t i)
{
    perm_many(p, &i, 1);
    return i;
}

int64_t tt_order_permute(uint64_t seed, uint64_t stream, int64_t n, int64_t i)
{
    struct perm p = perm_of(seed, stream, n);

    return perm_at(&p, i);
}

/* How one epoch is dealt to one lane.  The lane's sequence consists of units:
 * 'rounds' blocks and, as unit number 'rest_unit', a run of what is left over,
 * maybe empty. */
struct deal {
    const struct tt_order *order;
    int64_t epoch, lane;
    int64_t blocks; /* full ones of the set */
    int64_t rounds; /* blocks of this lane */
    int64_t rest_unit;
    struct tt_block rest; /* samples of what is left over in this unit */
    struct perm perm;     /* of the full blocks */
};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Streams of one epoch: blocks, then places of the rests, then windows. */
static uint64_t epoch_seed(const struct tt_order *order, int64_t epoch)
{
    return mix(order->seed) + (uint64_t)epoch;
}

static int64_t random_unit(const struct deal *d)
{
    uint64_t key =
        mix(mix(epoch_seed(d->order, d->epoch)) ^ (1 + (uint64_t)d->lane));

    return (int64_t)(key % (uint64_t)(d->rounds + 1));
}

static struct deal deal_of(const struct tt_order *order, int64_t epoch,
                           int32_t lane)
{
    struct deal d = {.order = order, .epoch = epoch, .lane = lane};
    int64_t lanes = order->lanes, rest, part;

    d.blocks = order->sample_count / order->block_samples;
    d.rounds = d.blocks / lanes;
    rest = order->sample_count - d.rounds * lanes * order->block_samples;
    /* The longer parts come first and go to other lanes in every epoch, so
     * that lanes stay balanced over epochs too. */
    part = (lane - epoch % lanes * (rest % lanes)) % lanes;
    d.rest = tt_block_of(rest, lanes, part < 0 ? part + lanes : part);
    d.rest_unit = order->shuffle ? random_unit(&d) : d.rounds;
    d.perm = perm_of(epoch_seed(order, epoch), 0, d.blocks > 0 ? d.blocks : 1);
    return d;
}

/* Samples of the epoch that the lane has, and where unit 'unit' begins. */
static int64_t lane_samples(const struct deal *d)
{
    return d->rounds * d->order->block_samples + d->rest.count;
}

static int64_t unit_first(const struct deal *d, int64_t unit)
{
    int64_t block = d->order->block_samples;

    return unit * block - (unit > d->rest_unit ? block - d->rest.count : 0);
}

/* The unit that holds place 'at' of the sequence before shuffling. */
static int64_t unit_of(const struct deal *d, int64_t at)
{
    int64_t block = d->order->block_samples;

    if (at < d->rest_unit * block)
        return at / block;
    at -= d->rest_unit * block;
    if (at < d->rest.count)
        return d->rest_unit;
    return d->rest_unit + 1 + (at - d->rest.count) / block;
}

/* A place in the sequence: the block as it was dealt, the sample within it,
 * and how many samples from there on are neighbours in set and sequence. */
struct place {
    int64_t block, within, left;
};

static struct place place_of(const struct deal *d, int64_t at)
{
    int64_t block = d->order->block_samples, unit = unit_of(d, at);
    int64_t within = at - unit_first(d, unit);

    if (unit == d->rest_unit) {
        int64_t rest_at = d->rest.first + within;

        return (struct place){
            d->rounds * d->order->lanes + rest_at / block, rest_at % block,
            min64(d->rest.count - within, block - rest_at % block)};
    }
    unit -= unit > d->rest_unit;
    return (struct place){unit * d->order->lanes + d->lane, within,
                          block - within};
}

static struct tt_order_run run_at(const struct deal *d, int64_t at)
{
    struct place p = place_of(d, at);

    if (d->order->shuffle && p.block < d->blocks) /* a short one stays last */
        p.block = perm_at(&d->perm, p.block);
    return (struct tt_order_run){p.block * d->order->block_samples + p.within,
                                 p.left};
}

/* Turn places at[0 .. count-1], count <= GANG, into samples. */
static void samples_at(const struct deal *d, int64_t *at, int count)
{
    int64_t block[GANG], within[GANG];
    int shuffled = 0, which[GANG];

    for (int i = 0; i < count; i++) {
        struct place p = place_of(d, at[i]);

        within[i] = p.within;
        at[i] = p.block;
        if (d->order->shuffle && p.block < d->blocks) {
            which[shuffled] = i;
            block[shuffled++] = p.block;
        }
    }
    perm_many(&d->perm, block, shuffled);
    for (int i = 0; i < shuffled; i++)
        at[which[i]] = block[i];
    for (int i = 0; i < count; i++)
        at[i] = at[i] * d->order->block_samples + within[i];
}

static struct tt_order_window window_at(const struct deal *d, int64_t at)
{
    int64_t wide = min64(d->order->window_blocks, d->rounds + 1);
    int64_t unit = unit_of(d, at) / wide * wide;
    int64_t first = unit_first(d, unit);
    int64_t end = unit_first(d, min64(unit + wide, d->rounds + 1));

    return (struct tt_order_window){first, end - first};
}

static struct perm window_perm(const struct deal *d,
                               struct tt_order_window window)
{
    uint64_t stream =
        (uint64_t)window.first * (uint64_t)d->order->lanes + (uint64_t)d->lane;

    return perm_of(epoch_seed(d->order, d->epoch),
                   1 + (uint64_t)d->order->lanes + stream, window.count);
}

int64_t tt_order_block_samples(int64_t sample_count, int32_t lanes,
                               int64_t sample_bytes, int64_t run_bytes)
{
    int64_t most = sample_count / (32 * (int64_t)lanes);
    int64_t fit = run_bytes / (sample_bytes > 0 ? sample_bytes : 1);
    int64_t block = min64(most, fit);

    return block > 1 ? block : 1;
}

int64_t tt_order_epoch_steps(const struct tt_order *order)
{
    int64_t whole = order->sample_count / order->batch_samples;

    if (order->last == TT_LAST_CARRY)
        return 0;
    return whole + (order->last == TT_LAST_SHORT &&
                    order->sample_count % order->batch_samples != 0);
}

/* Epochs on end are one stream dealt round robin: after E of them lane l has
 * had floor((E n + lanes - 1 - l) / lanes) samples. */
static int64_t carry_step(const struct tt_order *order, int64_t step,
                          int32_t lane, int64_t *epoch, int64_t *index)
{
    int64_t n = order->sample_count, lanes = order->lanes;
    int64_t count = order->batch_samples / lanes, at = step * count;

    *epoch = (at * lanes + lane) / n;
    *index = at - (*epoch * n + lanes - 1 - lane) / lanes;
    return count;
}

int64_t tt_order_step(const struct tt_order *order, int64_t step, int32_t lane,
                      int64_t *epoch, int64_t *index)
{
    int64_t steps = tt_order_epoch_steps(order), left;
    int64_t count = order->batch_samples / order->lanes;

    if (order->last == TT_LAST_CARRY)
        return carry_step(order, step, lane, epoch, index);
    *epoch = *index = 0;
    if (steps == 0)
        return 0;
    *epoch = step / steps;
    *index = step % steps * count;
    left = tt_order_lane_samples(order, *epoch, lane) - *index;
    return left < 0 ? 0 : min64(count, left);
}

int64_t tt_order_step_samples(const struct tt_order *order, int64_t step)
{
    int64_t steps = tt_order_epoch_steps(order);

    if (order->last == TT_LAST_CARRY)
        return order->batch_samples;
    if (steps == 0)
        return 0;
    return min64(order->batch_samples,
                 order->sample_count - step % steps * order->batch_samples);
}

int64_t tt_order_lane_samples(const struct tt_order *order, int64_t epoch,
                              int32_t lane)
{
    int64_t lanes = order->lanes, few = order->sample_count / lanes;
    int64_t more = order->sample_count % lanes;
    int64_t part = (lane - epoch % lanes * more) % lanes;

    return few + ((part < 0 ? part + lanes : part) < more);
}

int64_t tt_order_sample(const struct tt_order *order, int64_t epoch,
                        int32_t lane, int64_t index)
{
    int64_t sample;

    tt_order_samples(order, epoch, lane, index, 1, &sample);
    return sample;
}

/* A gang of positions of one window as places relative to its first. */
static void gang_slots(const struct perm *perm, int64_t first, int count,
                       int64_t *out)
{
    for (int i = 0; i < count; i++)
        out[i] = first + i;
    if (perm)
        perm_many(perm, out, count);
}

/* The same for any number; places become samples where 'samples' is set. */
static void fill(const struct deal *d, struct tt_order_window window,
                 struct tt_block want, bool samples, int64_t *out)
{
    struct perm perm = window_perm(d, window);

    for (int64_t i = 0; i < want.count; i += GANG) {
        int count = (int)min64(GANG, want.count - i);

        gang_slots(d->order->shuffle ? &perm : NULL,
                   want.first - window.first + i, count, out + i);
        for (int j = 0; samples && j < count; j++)
            out[i + j] += window.first;
        if (samples)
            samples_at(d, out + i, count);
    }
}

/* As many of 'count' samples as the window of 'index' holds; returns how many
 * these are. */
static int64_t fill_samples(const struct deal *d, int64_t index, int64_t count,
                            int64_t *out)
{
    struct tt_order_window window = window_at(d, index);

    count = min64(count, window.first + window.count - index);
    fill(d, window, (struct tt_block){index, count}, true, out);
    return count;
}

void tt_order_samples(const struct tt_order *order, int64_t epoch, int32_t lane,
                      int64_t index, int64_t count, int64_t *out)
{
    while (count > 0) {
        struct deal d = deal_of(order, epoch, lane);

        while (count > 0 && index < lane_samples(&d)) {
            int64_t filled = fill_samples(&d, index, count, out);

            index += filled;
            count -= filled;
            out += filled;
        }
        index -= lane_samples(&d);
        epoch++;
    }
}

struct tt_order_window tt_order_window_of(const struct tt_order *order,
                                          int64_t epoch, int32_t lane,
                                          int64_t index)
{
    struct deal d = deal_of(order, epoch, lane);

    return window_at(&d, index);
}

int tt_order_window_runs(const struct tt_order *order, int64_t epoch,
                         int32_t lane, struct tt_order_window window,
                         struct tt_order_run *out, int max)
{
    struct deal d = deal_of(order, epoch, lane);
    int64_t at = window.first, end = window.first + window.count;
    int64_t next = -1; /* sample behind the last run */
    int runs = 0;

    while (at < end) {
        struct tt_order_run run = run_at(&d, at);

        run.count = min64(run.count, end - at);
        if (run.first != next)
            runs++;
        if (runs <= max && run.first != next)
            out[runs - 1] = run;
        else if (runs <= max)
            out[runs - 1].count += run.count;
        next = run.first + run.count;
        at += run.count;
    }
    return runs;
}

int64_t tt_order_slot(const struct tt_order *order, int64_t epoch, int32_t lane,
                      int64_t index)
{
    int64_t slot;

    tt_order_slots(order, epoch, lane, index, 1, &slot);
    return slot;
}

void tt_order_slots(const struct tt_order *order, int64_t epoch, int32_t lane,
                    int64_t index, int64_t count, int64_t *out)
{
    struct deal d = deal_of(order, epoch, lane);

    fill(&d, window_at(&d, index), (struct tt_block){index, count}, false, out);
}
