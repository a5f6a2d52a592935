/* SPDX-License-Identifier: BSD-3-Clause */
/* synthetic.c - samples out of thin air. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "data/keys.h"
#include "data/synthetic.h"

/* Streams of TT_RNG_SYNTH. */
enum { SITE_X, SITE_LABEL, SITE_CENTRE, SITE_NOISE, SITE_TOKEN };

static const char *const keys[] = {"samples", "features", "images", "classes",
                                   "task",    "tokens",   "vocab",  "seed",
                                   "targets", NULL};

static int parse_task(const struct tt_node *map, struct tt_synthetic *synth,
                      struct tt_error *err)
{
    static const char *const names[] = {"random", "blobs", "regress", NULL};
    const struct tt_node *node = tt_node_find(map, "task");

    if (!node)
        return 0;
    for (int i = 0; names[i]; i++)
        if (node->kind == TT_NODE_SCALAR && strcmp(node->text, names[i]) == 0) {
            synth->task = i;
            return 0;
        }
    return tt_node_fail(node, err, "task: one of random, blobs, regress");
}

static int parse_images(const struct tt_node *list, struct tt_synthetic *synth,
                        struct tt_error *err)
{
    int dims = list->kind == TT_NODE_LIST ? tt_node_count(list) : 0;

    if (dims < 1 || dims > TT_SYNTH_DIMS)
        return tt_node_fail(list, err,
                            "images: 1 to %d sizes of one sample, such as "
                            "[28, 28, 1]",
                            TT_SYNTH_DIMS);
    synth->x_dims = dims;
    synth->x_values = 1;
    for (int i = 0; i < dims; i++) {
        if (tt_key_i64_of(tt_node_at(list, i), "images", 1, 1 << 20,
                          &synth->x_dim[i], err) < 0)
            return -1;
        synth->x_values *= synth->x_dim[i];
    }
    return 0;
}

static int parse_shape(const struct tt_node *map, struct tt_synthetic *synth,
                       struct tt_error *err)
{
    const struct tt_node *images = tt_node_find(map, "images");

    if (images && tt_node_find(map, "features"))
        return tt_node_fail(images, err,
                            "'images' and 'features' both give the shape of "
                            "a sample: keep one");
    if (images)
        return parse_images(images, synth, err);
    if (tt_key_i64(map, "features", 1, INT32_MAX, &synth->x_values, err) < 0)
        return -1;
    synth->x_dims = 1;
    synth->x_dim[0] = synth->x_values;
    return 0;
}

static int parse_rows(const struct tt_node *map, struct tt_synthetic *synth,
                      struct tt_error *err)
{
    if (parse_task(map, synth, err) < 0 || parse_shape(map, synth, err) < 0 ||
        tt_key_i64(map, "samples", 1, INT64_C(1) << 40, &synth->rows, err) < 0)
        return -1;
    if (synth->task == TT_SYNTH_REGRESS) {
        synth->classes = 0;
        return tt_key_i64(map, "targets", 1, 1 << 20, &synth->targets, err);
    }
    return tt_key_i64(map, "classes", 2, 1 << 24, &synth->classes, err);
}

static int parse_tokens(const struct tt_node *map, struct tt_synthetic *synth,
                        struct tt_error *err)
{
    static const char *const odd[] = {"samples", "features", "images",
                                      "classes", "task",     "targets"};

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        if (tt_node_find(map, odd[i]))
            return tt_node_fail(tt_node_find(map, odd[i]), err,
                                "'%s' is for rows, but 'tokens' asks for a "
                                "stream: keep one",
                                odd[i]);
    synth->is_tokens = 1;
    synth->x_dims = 1;
    synth->x_dim[0] = synth->x_values = 1;
    synth->classes = 256;
    if (tt_key_i64(map, "tokens", 2, INT64_C(1) << 44, &synth->rows, err) < 0)
        return -1;
    return tt_key_i64(map, "vocab", 2, 1 << 24, &synth->classes, err);
}

int tt_synthetic_parse(const struct tt_node *map, struct tt_synthetic *synth,
                       struct tt_error *err)
{
    int64_t seed = 1;

    *synth = (struct tt_synthetic){
        .rows = 1000, .x_values = 10, .classes = 2, .targets = 1};
    if (tt_keys_known(map, keys, err) < 0 ||
        tt_key_i64(map, "seed", 0, INT64_MAX, &seed, err) < 0)
        return -1;
    synth->seed = (uint64_t)seed;
    if (tt_node_find(map, "tokens"))
        return parse_tokens(map, synth, err);
    return parse_rows(map, synth, err);
}

static uint32_t site(int stream)
{
    return tt_rng_site(TT_RNG_SYNTH, (uint32_t)stream);
}

/* Multiply-shift keeps the draw even to 2^-32 for any number of choices. */
static int32_t choose(uint32_t word, int64_t choices)
{
    return (int32_t)((uint64_t)word * (uint64_t)choices >> 32);
}

/* Centres lie about 12 standard deviations of the noise apart. */
static void add_centres(const struct tt_synthetic *synth, int64_t first,
                        int64_t count, float *x)
{
    int64_t values = synth->x_values;
    float std = (float)(12.0 / sqrt(2.0 * (double)values));

    for (int64_t i = 0; i < count; i++) {
        int32_t label;

        tt_synthetic_labels(synth, first + i, 1, &label);
        for (int64_t at = 0; at < values; at += 64) {
            float centre[64];
            int64_t some = values - at < 64 ? values - at : 64;

            tt_rng_fill_normal(synth->seed, site(SITE_CENTRE),
                               label * values + at, some, std, centre);
            for (int64_t k = 0; k < some; k++)
                x[i * values + at + k] += centre[k];
        }
    }
}

void tt_synthetic_x(const struct tt_synthetic *synth, int64_t first,
                    int64_t count, float *x)
{
    int64_t values = synth->x_values;

    tt_rng_fill_normal(synth->seed, site(SITE_X), first * values,
                       count * values, 1.0f, x);
    if (synth->task == TT_SYNTH_BLOBS)
        add_centres(synth, first, count, x);
}

void tt_synthetic_labels(const struct tt_synthetic *synth, int64_t first,
                         int64_t count, int32_t *label)
{
    for (int64_t i = 0; i < count; i++)
        label[i] = choose(tt_rng_word(synth->seed, site(SITE_LABEL), 0,
                                      (uint64_t)(first + i)),
                          synth->classes);
}

/* One target: weights of unit length times the features, plus noise. */
static float target_of(const struct tt_synthetic *synth, int64_t row,
                       int64_t target)
{
    int64_t values = synth->x_values;
    double sum = 0, norm = 0;
    float noise;

    for (int64_t at = 0; at < values; at += 64) {
        float x[64], w[64];
        int64_t some = values - at < 64 ? values - at : 64;

        tt_rng_fill_normal(synth->seed, site(SITE_X), row * values + at, some,
                           1.0f, x);
        tt_rng_fill_normal(synth->seed, site(SITE_CENTRE), target * values + at,
                           some, 1.0f, w);
        for (int64_t k = 0; k < some; k++) {
            sum += (double)x[k] * (double)w[k];
            norm += (double)w[k] * (double)w[k];
        }
    }
    tt_rng_fill_normal(synth->seed, site(SITE_NOISE),
                       row * synth->targets + target, 1, 0.1f, &noise);
    return (float)(sum / sqrt(norm) + (double)noise);
}

void tt_synthetic_targets(const struct tt_synthetic *synth, int64_t first,
                          int64_t count, float *y)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < synth->targets; k++)
            y[i * synth->targets + k] = target_of(synth, first + i, k);
}

void tt_synthetic_tokens(const struct tt_synthetic *synth, int64_t first,
                         int64_t count, int32_t *token)
{
    for (int64_t i = 0; i < count; i++)
        token[i] = choose(tt_rng_word(synth->seed, site(SITE_TOKEN), 0,
                                      (uint64_t)(first + i)),
                          synth->classes);
}
