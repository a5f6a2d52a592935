/* SPDX-License-Identifier: BSD-3-Clause */
/* open_synthetic.c - a store without files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "data/open.h"

static uint64_t hash_of(const struct tt_synthetic *s)
{
    char text[256];
    int used = snprintf(text, sizeof(text),
                        "synthetic %d %d %" PRId64 " %" PRId64 " %" PRId64
                        " %" PRId64 " %" PRIu64,
                        s->task, s->is_tokens, s->rows, s->x_values, s->classes,
                        s->targets, s->seed);

    return tt_hash(text, (size_t)used, 0);
}

static void describe_rows(struct tt_store *store, const struct tt_synthetic *s)
{
    struct tt_set_info *info = &store->head.info;
    bool is_class = s->task != TT_SYNTH_REGRESS;

    info->kind = TT_SET_ROWS;
    info->x_dims = s->x_dims;
    memcpy(info->x_dim, s->x_dim, sizeof(info->x_dim));
    info->y_is_class = is_class;
    info->y_values = is_class ? 1 : s->targets;
    store->head.col[TT_COL_X].stored = store->head.col[TT_COL_X].out = TT_F32;
    store->head.col[TT_COL_Y].values = info->y_values;
    store->head.col[TT_COL_Y].stored = store->head.col[TT_COL_Y].out =
        is_class ? TT_I32 : TT_F32;
}

int tt_open_synthetic(struct tt_store *store, const struct tt_node *map,
                      struct tt_error *err)
{
    struct tt_store_head *head = &store->head;
    struct tt_synthetic *s = &head->synth;

    if (tt_synthetic_parse(map, s, err) < 0)
        return -1;
    head->row_count = s->rows;
    head->info.classes = s->classes;
    head->info.hash = hash_of(s);
    head->col[TT_COL_X].values = s->x_values;
    if (!s->is_tokens) {
        describe_rows(store, s);
        return 0;
    }
    head->info.kind = TT_SET_TOKENS;
    head->col[TT_COL_X].stored = head->col[TT_COL_X].out = TT_I32;
    return 0;
}
