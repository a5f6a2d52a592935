/* SPDX-License-Identifier: BSD-3-Clause */
/* odd.c - samples that hold numbers which are not finite. */
#include <math.h>

#include "data/store.h"

static bool is_odd(const float *at, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(at[i]))
            return true;
    return false;
}

static bool has_odd_y(const struct tt_set_info *info, int64_t i, const void *y)
{
    return !info->y_is_class &&
           is_odd((const float *)y + i * info->y_values, info->y_values);
}

int64_t tt_set_find_odd(const struct tt_set *set, int64_t count, const void *x,
                        const void *y, bool *in_y)
{
    const struct tt_set_info *info = &set->info;

    if (info->kind == TT_SET_TOKENS)
        return -1;
    for (int64_t i = 0; i < count; i++)
        if ((*in_y = has_odd_y(info, i, y)) ||
            is_odd((const float *)x + i * info->x_values, info->x_values))
            return i;
    return -1;
}

int tt_set_fail_odd(const struct tt_set *set, int64_t idx, bool in_y,
                    struct tt_error *err)
{
    char where[200];

    tt_store_describe_row(set->store, tt_set_sample(set, idx),
                          in_y ? TT_COL_Y : TT_COL_X, where, sizeof(where));
    return tt_fail(err, TT_EFORMAT,
                   "%s: the sample holds a number that is not finite (nan or "
                   "inf): correct the file or leave the row out; tutti-shard "
                   "--verify tells whether a packed file was damaged",
                   where);
}
