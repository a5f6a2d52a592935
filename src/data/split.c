/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - which part a sample belongs to. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "data/split.h"
#include "layout/order.h"

static int parse_share(const char *text, double *share, struct tt_error *err)
{
    int rc = strchr(text, '%') ? tt_percent_parse(text, share, err)
                               : tt_f64_parse(text, share, err);

    if (rc < 0)
        return -1;
    if (!(*share > 0 && *share < 1))
        return tt_fail(err, TT_EINVAL, "a share lies between 0 and 1, not %s",
                       text);
    return 0;
}

/* One "name:share" of 'bytes' bytes. */
static int parse_part(const char *text, size_t bytes, struct tt_split *split,
                      struct tt_error *err)
{
    char part[64], *colon;
    size_t name_bytes;

    if (split->part_count == TT_SPLIT_PARTS)
        return tt_fail(err, TT_EINVAL, "more than %d parts", TT_SPLIT_PARTS);
    snprintf(part, sizeof(part), "%.*s", (int)bytes, text);
    colon = strchr(part, ':');
    if (!colon || colon == part || bytes >= sizeof(part))
        return tt_fail(err, TT_EINVAL,
                       "'%s' is not name:share, as in train:0.9,valid:0.1",
                       part);
    *colon = 0;
    name_bytes = strlen(part);
    if (name_bytes >= TT_SPLIT_NAME || strchr(part, '/') || part[0] == '.')
        return tt_fail(err, TT_EINVAL, "'%s' cannot be a folder's name", part);
    for (int i = 0; i < split->part_count; i++)
        if (strcmp(split->name[i], part) == 0)
            return tt_fail(err, TT_EINVAL, "two parts are called %s", part);
    memcpy(split->name[split->part_count], part, name_bytes + 1);
    return parse_share(colon + 1, &split->share[split->part_count++], err);
}

static int parse_list(const char *text, struct tt_split *split,
                      struct tt_error *err)
{
    double sum = 0;

    for (const char *p = text;; p++) {
        size_t bytes = strcspn(p, ",");

        if (parse_part(p, bytes, split, err) < 0)
            return -1;
        p += bytes;
        if (!*p)
            break;
    }
    for (int i = 0; i < split->part_count; i++)
        sum += split->share[i];
    if (fabs(sum - 1) > 1e-6)
        return tt_fail(err, TT_EINVAL, "the shares add up to %g, not to 1",
                       sum);
    return 0;
}

int tt_split_parse(const char *text, const char *valid, struct tt_split *split,
                   struct tt_error *err)
{
    *split = (struct tt_split){0};
    if (text && valid)
        return tt_fail(err, TT_EINVAL,
                       "--split and --valid say the same twice: give one");
    if (text)
        return parse_list(text, split, err) < 0 ? tt_fail_in(err, "--split")
                                                : 0;
    if (!valid) {
        split->part_count = 1;
        split->share[0] = 1;
        return 0;
    }
    split->part_count = 2;
    strcpy(split->name[0], "train");
    strcpy(split->name[1], "valid");
    if (parse_share(valid, &split->share[1], err) < 0)
        return tt_fail_in(err, "--valid");
    split->share[0] = 1 - split->share[1];
    return 0;
}

int tt_split_set(struct tt_split *split, int64_t sample_count,
                 int64_t piece_samples, struct tt_error *err)
{
    double sum = 0;

    split->sample_count = sample_count;
    split->piece_samples = piece_samples;
    split->piece_count = (sample_count + piece_samples - 1) / piece_samples;
    for (int i = 0; i < split->part_count; i++) {
        sum += split->share[i];
        split->edge[i + 1] = llround(sum * (double)split->piece_count);
        if (split->edge[i + 1] <= split->edge[i])
            return tt_fail(err, TT_EINVAL,
                           "%" PRId64 " samples are too few: part %s stays "
                           "empty",
                           sample_count, split->name[i]);
    }
    split->edge[split->part_count] = split->piece_count;
    return 0;
}

int tt_split_part(const struct tt_split *split, int64_t sample, int64_t *run)
{
    int64_t piece = sample / split->piece_samples, place = piece;
    int part = 0;

    *run = (piece + 1) * split->piece_samples - sample;
    if (split->part_count == 1 || *run > split->sample_count - sample)
        *run = split->sample_count - sample;
    if (split->part_count == 1)
        return 0;
    if (!split->by_end)
        place = tt_order_permute(split->seed, tt_rng_site(TT_RNG_SPLIT, 0),
                                 split->piece_count, piece);
    while (place >= split->edge[part + 1])
        part++;
    return part;
}

int tt_split_train(const struct tt_split *split)
{
    for (int i = 0; i < split->part_count; i++)
        if (strcmp(split->name[i], "train") == 0)
            return i;
    return 0;
}
