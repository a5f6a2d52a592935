/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - the order of samples is checked by counting, over all small sets
 * and over random larger ones. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "layout/order.h"

static uint64_t state = 2463534242;

static int64_t draw(int64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)below);
}

/* --- the bijection --------------------------------------------------- */

static int is_bijection(uint64_t seed, int64_t n)
{
    char *seen = calloc((size_t)n, 1);
    int good = 1;

    for (int64_t i = 0; i < n; i++) {
        int64_t x = tt_order_permute(seed, 3, n, i);

        good = good && x >= 0 && x < n && !seen[x];
        if (good)
            seen[x] = 1;
    }
    free(seen);
    return good;
}

static void test_bijection(void)
{
    int bad = 0;

    for (int64_t n = 1; n <= 300; n++)
        bad += !is_bijection((uint64_t)n, n);
    tap_ok(bad == 0, "a bijection for every n up to 300");
    tap_ok(is_bijection(7, 1000003), "a bijection for n = 1000003");
    bad = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t n = ((int64_t)1 << 52) + draw(1 << 30);
        int64_t x = tt_order_permute(1, 1, n, n - 1 - i);

        bad += x < 0 || x >= n;
    }
    tap_ok(bad == 0, "images stay below n = 2^52 and more");
}

/* Number of the permutation of n <= 5 things among n^n codes. */
static int code_of(uint64_t seed, int n)
{
    int code = 0;

    for (int i = 0; i < n; i++)
        code = code * n + (int)tt_order_permute(seed, 0, n, i);
    return code;
}

/* Pearson's statistic of all n! permutations over many keys, against its
 * mean + 6 standard deviations. */
static void test_uniform(int n, int permutations)
{
    static int seen[3125];
    double expect = 200, chi2 = 0, bound;
    int kinds = 0, rounds = (int)expect * permutations;

    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < rounds; i++)
        seen[code_of((uint64_t)i, n)]++;
    for (int i = 0; i < 3125; i++)
        if (seen[i] > 0) {
            kinds++;
            chi2 += (seen[i] - expect) * (seen[i] - expect) / expect;
        }
    bound = permutations + 6 * 1.4142135623730951 * permutations / 2 + 10;
    tap_ok(kinds == permutations && chi2 < bound,
           "n = %d: all %d permutations, chi square %.1f", n, permutations,
           chi2);
}

/* --- an epoch -------------------------------------------------------- */

static int64_t lane_total(const struct tt_order *o, int64_t epoch)
{
    int64_t sum = 0;

    for (int32_t lane = 0; lane < o->lanes; lane++)
        sum += tt_order_lane_samples(o, epoch, lane);
    return sum;
}

/* Every sample once in an epoch, lanes differing by at most one. */
static int covers(const struct tt_order *o, int64_t epoch)
{
    int64_t few = o->sample_count / o->lanes;
    char *seen = calloc((size_t)o->sample_count, 1);
    int good = lane_total(o, epoch) == o->sample_count;

    for (int32_t lane = 0; lane < o->lanes; lane++) {
        int64_t count = tt_order_lane_samples(o, epoch, lane);

        good = good && (count == few || count == few + 1);
        for (int64_t i = 0; i < count && good; i++) {
            int64_t s = tt_order_sample(o, epoch, lane, i);

            good = s >= 0 && s < o->sample_count && !seen[s];
            if (good)
                seen[s] = 1;
        }
    }
    free(seen);
    return good;
}

/* The runs of a window, laid end to end, hold its samples at their slots. */
static int window_holds(const struct tt_order *o, int64_t epoch, int32_t lane,
                        struct tt_order_window w)
{
    int max = (int)(o->window_blocks + 1), good = 1;
    struct tt_order_run *run = calloc((size_t)max, sizeof(*run));
    int64_t *place = malloc((size_t)w.count * sizeof(*place));
    int64_t *slot = malloc((size_t)w.count * sizeof(*slot));
    int runs = tt_order_window_runs(o, epoch, lane, w, run, max);
    int64_t filled = 0;

    good = runs <= max && w.count <= o->window_blocks * o->block_samples;
    for (int r = 0; r < runs && good; r++)
        for (int64_t i = 0; i < run[r].count && filled < w.count; i++)
            place[filled++] = run[r].first + i;
    good = good && filled == w.count;
    tt_order_slots(o, epoch, lane, w.first, w.count, slot);
    for (int64_t i = 0; i < w.count && good; i++)
        good = slot[i] >= 0 && slot[i] < w.count &&
               slot[i] == tt_order_slot(o, epoch, lane, w.first + i) &&
               place[slot[i]] == tt_order_sample(o, epoch, lane, w.first + i);
    free(run);
    free(place);
    free(slot);
    return good;
}

/* Windows tile each lane's sequence and hold what they should. */
static int windows_tile(const struct tt_order *o, int64_t epoch)
{
    for (int32_t lane = 0; lane < o->lanes; lane++) {
        int64_t count = tt_order_lane_samples(o, epoch, lane), at = 0;

        while (at < count) {
            struct tt_order_window w = tt_order_window_of(o, epoch, lane, at);
            struct tt_order_window last =
                tt_order_window_of(o, epoch, lane, w.first + w.count - 1);

            if (w.first != at || w.count < 1 || last.first != w.first ||
                last.count != w.count || !window_holds(o, epoch, lane, w))
                return 0;
            at += w.count;
        }
        if (at != count)
            return 0;
    }
    return 1;
}

/* Steps of an epoch walk through each lane's sequence without a gap. */
static int steps_walk(const struct tt_order *o)
{
    int64_t steps = tt_order_epoch_steps(o), epoch, index, seen = 0, valid = 0;
    int64_t want =
        o->last == TT_LAST_SHORT
            ? (o->sample_count + o->batch_samples - 1) / o->batch_samples
            : o->sample_count / o->batch_samples;

    if (steps != want)
        return 0;
    for (int32_t lane = 0; lane < o->lanes; lane++) {
        int64_t at = 0;

        for (int64_t s = 3 * steps; s < 4 * steps; s++) {
            int64_t count = tt_order_step(o, s, lane, &epoch, &index);

            if (epoch != 3 || (count > 0 && index != at))
                return 0;
            at += count;
        }
        seen += at;
    }
    for (int64_t s = 3 * steps; s < 4 * steps; s++)
        valid += tt_order_step_samples(o, s);
    want =
        o->last == TT_LAST_SHORT ? o->sample_count : steps * o->batch_samples;
    return seen == want && valid == want;
}

/* With carry, steps walk through the epochs' sequences end to end. */
static int carry_walks(const struct tt_order *o)
{
    int64_t epoch, index, quota = o->batch_samples / o->lanes;

    for (int32_t lane = 0; lane < o->lanes; lane++) {
        int64_t e = 0, at = 0;

        for (int64_t s = 0; s < 50; s++) {
            while (at >= tt_order_lane_samples(o, e, lane))
                at -= tt_order_lane_samples(o, e++, lane);
            if (tt_order_step(o, s, lane, &epoch, &index) != quota ||
                epoch != e || index != at)
                return 0;
            at += quota;
        }
    }
    return tt_order_epoch_steps(o) == 0 &&
           tt_order_step_samples(o, 7) == o->batch_samples;
}

/* Lanes stay within one sample of each other over epochs. */
static int carry_balances(const struct tt_order *o)
{
    int64_t had[64] = {0};

    for (int64_t epoch = 0; epoch < 20; epoch++) {
        int64_t low = INT64_MAX, high = 0;

        for (int32_t lane = 0; lane < o->lanes; lane++) {
            had[lane] += tt_order_lane_samples(o, epoch, lane);
            low = had[lane] < low ? had[lane] : low;
            high = had[lane] > high ? had[lane] : high;
        }
        if (high - low > 1)
            return 0;
    }
    return 1;
}

/* A batch of positions equals one by one, also over the end of an epoch. */
static int batches_agree(const struct tt_order *o)
{
    int64_t out[100], epoch = 2, at;
    int32_t lane = o->lanes - 1;

    at = tt_order_lane_samples(o, epoch, lane) / 2;
    tt_order_samples(o, epoch, lane, at, 100, out);
    for (int i = 0; i < 100; i++) {
        while (at >= tt_order_lane_samples(o, epoch, lane))
            at -= tt_order_lane_samples(o, epoch++, lane);
        if (out[i] != tt_order_sample(o, epoch, lane, at++))
            return 0;
    }
    return 1;
}

static int order_holds(struct tt_order *o)
{
    int good = covers(o, 0) && covers(o, 1) && covers(o, 5) &&
               windows_tile(o, 0) && windows_tile(o, 3) && batches_agree(o);

    o->last = TT_LAST_SHORT;
    good = good && steps_walk(o);
    o->last = TT_LAST_DROP;
    good = good && steps_walk(o);
    o->last = TT_LAST_CARRY;
    good = good && carry_walks(o) && carry_balances(o);
    if (!good)
        tap_note("n %lld lanes %d block %lld window %lld batch %lld",
                 (long long)o->sample_count, (int)o->lanes,
                 (long long)o->block_samples, (long long)o->window_blocks,
                 (long long)o->batch_samples);
    return good;
}

static void test_small_sets(bool shuffle)
{
    int bad = 0;

    for (int n = 1; n <= 24; n++)
        for (int lanes = 1; lanes <= 5; lanes++)
            for (int block = 1; block <= 6; block++)
                for (int window = 1; window <= 4; window++) {
                    struct tt_order o = {.seed = 11,
                                         .sample_count = n,
                                         .block_samples = block,
                                         .window_blocks = window,
                                         .lanes = lanes,
                                         .shuffle = shuffle};

                    o.batch_samples = lanes * (1 + n % 3);
                    bad += !order_holds(&o);
                }
    tap_ok(bad == 0, "every set of up to 24 samples, shuffle %d", shuffle);
}

static void test_random_sets(void)
{
    int bad = 0;

    for (int i = 0; i < 100; i++) {
        struct tt_order o = {.seed = (uint64_t)i,
                             .sample_count = 1 + draw(3000),
                             .block_samples = 1 + draw(50),
                             .window_blocks = 1 + draw(20),
                             .lanes = (int32_t)(1 + draw(64)),
                             .shuffle = draw(4) > 0};

        o.batch_samples = o.lanes * (1 + draw(20));
        bad += !order_holds(&o);
    }
    tap_ok(bad == 0, "100 random sets of up to 3000 samples");
}

/* --- what shuffling is for ------------------------------------------- */

static const struct tt_order plain = {.seed = 5,
                                      .sample_count = 1003,
                                      .block_samples = 10,
                                      .window_blocks = 4,
                                      .lanes = 4,
                                      .shuffle = true,
                                      .batch_samples = 100};

static void test_storage_order(void)
{
    struct tt_order o = plain;
    int sorted = 1;

    o.shuffle = false;
    o.lanes = 1;
    for (int64_t i = 0; i < o.sample_count; i++)
        sorted = sorted && tt_order_sample(&o, 2, 0, i) == i;
    tap_ok(sorted, "one lane unshuffled: storage order");
    o.lanes = 4;
    tap_ok(tt_order_sample(&o, 2, 3, 0) == 30 &&
               tt_order_sample(&o, 2, 3, 10) == 70,
           "lanes unshuffled: blocks are dealt round robin");
}

static void test_drop_is_fair(void)
{
    struct tt_order o = plain;
    int dropped[1003] = {0}, most = 0, always = 0, never = 0;
    int64_t quota = o.batch_samples / o.lanes;

    o.last = TT_LAST_DROP;
    o.batch_samples = 400; /* 203 of 1003 are left out */
    quota = 100;
    for (int64_t epoch = 0; epoch < 200; epoch++)
        for (int32_t lane = 0; lane < o.lanes; lane++)
            for (int64_t i = 2 * quota;
                 i < tt_order_lane_samples(&o, epoch, lane); i++)
                dropped[tt_order_sample(&o, epoch, lane, i)]++;
    for (int i = 0; i < 1003; i++) {
        most = dropped[i] > most ? dropped[i] : most;
        always += dropped[i] == 200;
        never += dropped[i] == 0;
    }
    tap_ok(always == 0 && never == 0 && most < 90,
           "drop leaves out others in each epoch (at most %d of 200)", most);
}

/* Where samples 0 and n-1 stand in the epoch is spread evenly. */
static void test_positions_spread(void)
{
    int where[2][10] = {{0}}, bad = 0;

    for (int64_t epoch = 0; epoch < 1000; epoch++)
        for (int32_t lane = 0; lane < plain.lanes; lane++) {
            int64_t out[260], n;

            n = tt_order_lane_samples(&plain, epoch, lane);
            tt_order_samples(&plain, epoch, lane, 0, n, out);
            for (int64_t i = 0; i < n; i++) {
                where[0][i * 10 / n] += out[i] == 0;
                where[1][i * 10 / n] += out[i] == plain.sample_count - 1;
            }
        }
    /* Expected 100, deviation 9.5; the last sample sits in the rest, which
     * takes its place by whole blocks, hence unevenly. */
    for (int i = 0; i < 10; i++)
        bad += where[0][i] < 50 || where[0][i] > 150 || where[1][i] < 40 ||
               where[1][i] > 190;
    tap_ok(bad == 0, "first and last sample turn up all over the epoch");
}

static void test_keys_differ(void)
{
    struct tt_order other = plain;
    int same_epoch = 0, same_seed = 0;

    other.seed = 6;
    for (int64_t i = 0; i < 250; i++) {
        int64_t s = tt_order_sample(&plain, 0, 0, i);

        same_epoch += s == tt_order_sample(&plain, 1, 0, i);
        same_seed += s == tt_order_sample(&other, 0, 0, i);
    }
    tap_ok(same_epoch < 20, "another epoch is another order");
    tap_ok(same_seed < 20, "another seed is another order");
}

static void test_advice(void)
{
    tap_ok(tt_order_block_samples(1000000, 4, 100, 65536) == 655,
           "blocks as large as a read");
    tap_ok(tt_order_block_samples(1000, 4, 100, 65536) == 7,
           "small sets keep 32 blocks a lane");
    tap_ok(tt_order_block_samples(3, 8, 1 << 20, 65536) == 1,
           "never less than a sample");
}

int main(void)
{
    test_bijection();
    test_uniform(2, 2);
    test_uniform(3, 6);
    test_uniform(4, 24);
    test_uniform(5, 120);
    test_small_sets(true);
    test_small_sets(false);
    test_random_sets();
    test_storage_order();
    test_drop_is_fair();
    test_positions_spread();
    test_keys_differ();
    test_advice();
    return tap_done();
}
