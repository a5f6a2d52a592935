/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - rows in parts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/column.h"
#include "data/store.h"

struct tt_store *tt_store_create(struct tt_error *err)
{
    struct tt_store *store = calloc(1, sizeof(*store));

    if (!store) {
        tt_fail(err, TT_ENOMEM, "no memory to open a data set");
        return NULL;
    }
    for (int c = 0; c < TT_COLS; c++)
        store->head.col[c] = (struct tt_column){.chunk_rows = 1};
    store->users = 1;
    return store;
}

void tt_store_release(struct tt_store *store)
{
    if (!store || --store->users > 0)
        return;
    for (int c = 0; c < TT_COLS; c++)
        free(store->rows[c]);
    free(store->part);
    free(store->names);
    free(store->numbers);
    free(store);
}

/* A buffer of 'old' bytes grows by doubling: room for 'more' behind them. */
static void *grown(void *at, int64_t old, int64_t more)
{
    int64_t room = 256;

    while (room < old)
        room *= 2;
    if (at && old + more <= room)
        return at;
    while (room < old + more)
        room *= 2;
    return realloc(at, (size_t)room);
}

int64_t tt_store_name(struct tt_store *store, const char *text,
                      struct tt_error *err)
{
    int64_t at = store->head.name_bytes;
    int64_t bytes = (int64_t)strlen(text) + 1;
    char *names = grown(store->names, at, bytes);

    if (!names)
        return tt_fail(err, TT_ENOMEM, "no memory for the names of files");
    store->names = names;
    memcpy(names + at, text, (size_t)bytes);
    store->head.name_bytes = at + bytes;
    return at;
}

int tt_store_add(struct tt_store *store, const char *path,
                 const struct tt_part *part, struct tt_error *err)
{
    int64_t count = store->head.part_count;
    int64_t bytes = (int64_t)sizeof(*part);
    int64_t name = tt_store_name(store, path, err);
    struct tt_part *grow;

    if (name < 0)
        return -1;
    grow = grown(store->part, count * bytes, bytes);
    if (!grow)
        return tt_fail(err, TT_ENOMEM, "no memory for the list of files");
    store->part = grow;
    grow[count] = *part;
    grow[count].path = name;
    grow[count].first = store->head.row_count;
    store->head.row_count += part->count;
    store->head.part_count++;
    return 0;
}

int tt_store_scale(struct tt_store *store, int c, int64_t count,
                   const double *scale, const double *shift,
                   struct tt_error *err)
{
    int64_t at = store->head.number_count;
    double *grow =
        realloc(store->numbers, (size_t)(at + 2 * count) * sizeof(*grow) + 1);

    if (!grow)
        return tt_fail(err, TT_ENOMEM, "no memory for the scales of a set");
    store->numbers = grow;
    store->head.number_count += 2 * count;
    store->head.col[c].scale_at = at;
    store->head.col[c].scale_count = count;
    for (int64_t i = 0; i < count; i++) {
        grow[at + i] = scale[i];
        grow[at + count + i] = shift ? shift[i] : 0;
    }
    return 0;
}

static int kept_of(const struct tt_column *col, bool is_x)
{
    if (col->out == TT_F32)
        return is_x && col->stored == TT_U8 && col->scale_count <= TT_TABLES
                   ? TT_U8
                   : TT_F32;
    if (is_x && (col->stored == TT_U8 || col->stored == TT_U16))
        return col->stored;
    return TT_I32;
}

static void make_tables(struct tt_store *store)
{
    const struct tt_column *col = &store->head.col[TT_COL_X];
    struct tt_column one = *col;
    struct tt_cast cast = {&one, store->numbers, TT_U8, 0};
    uint8_t v[TT_TABLES];

    if (col->kept != TT_U8 || col->out != TT_F32)
        return;
    one.kept = TT_F32;
    for (int value = 0; value < 256; value++) {
        float out[TT_TABLES];

        memset(v, value, sizeof(v));
        tt_cast_run(&cast, TT_TABLES, v, out);
        for (int t = 0; t < TT_TABLES; t++)
            store->decode[t][value] = out[t];
    }
    store->divide = roundf(1 / store->decode[0][1]);
    for (int value = 0; value < 256; value++)
        if (store->decode[0][value] != (float)value / store->divide)
            store->divide = 0;
}

void tt_store_finish(struct tt_store *store)
{
    struct tt_store_head *head = &store->head;

    for (int c = 0; c < TT_COLS; c++)
        head->col[c].kept = kept_of(&head->col[c], c == TT_COL_X);
    make_tables(store);
    head->is_plain = 1;
    for (int64_t i = 0; i < head->part_count; i++)
        for (int c = 0; c < TT_COLS; c++)
            if (head->col[c].values > 0 && store->part[i].offset[c] < 0)
                head->is_plain = 0;
}

int64_t tt_store_part(const struct tt_store *store, int64_t row)
{
    int64_t low = 0, high = store->head.part_count;

    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;

        if (store->part[mid].first <= row)
            low = mid;
        else
            high = mid;
    }
    return low;
}

int64_t tt_store_stride(const struct tt_store *store)
{
    const struct tt_set_info *info = &store->head.info;

    return info->kind == TT_SET_TOKENS ? info->x_values : 1;
}

int64_t tt_store_extra(const struct tt_store *store)
{
    return store->head.info.kind == TT_SET_TOKENS ? 1 : 0;
}

int64_t tt_set_sample(const struct tt_set *set, int64_t idx)
{
    if (!set->unit_at)
        return idx;
    return set->unit_at[idx / set->unit] * set->unit + idx % set->unit;
}

void tt_store_describe_row(const struct tt_store *store, int64_t row, int c,
                           char *text, size_t bytes)
{
    const struct tt_part *part = &store->part[tt_store_part(store, row)];

    if (store->head.part_count == 0)
        snprintf(text, bytes, "synthetic row %" PRId64, row);
    else
        snprintf(text, bytes, "%.120s: %.40s: row %" PRId64,
                 tt_store_text(store, part->path),
                 tt_store_text(store, store->head.col[c].dataset),
                 row - part->first);
}

static int fail_token(const struct tt_store *store, int64_t sample,
                      const int32_t *x, const int32_t *y, struct tt_error *err)
{
    int64_t context = store->head.info.x_values;
    int64_t vocab = store->head.info.classes;
    int64_t at = 0;
    int32_t id;
    char where[200];

    while (at < context && x[at] >= 0 && x[at] < vocab)
        at++;
    id = at < context ? x[at] : y[context - 1];
    tt_store_describe_row(store, sample * context + at, TT_COL_X, where,
                          sizeof(where));
    return tt_fail(err, TT_EFORMAT,
                   "%s: token %" PRId32 " is outside the vocabulary of %" PRId64
                   ": pack the text with the same tokenizer, or raise vocab",
                   where, id, vocab);
}

int tt_store_fail_label(const struct tt_store *store, int64_t sample,
                        const void *x, const void *y, struct tt_error *err)
{
    char where[200];
    int32_t label = *(const int32_t *)y;

    if (store->head.info.kind == TT_SET_TOKENS)
        return fail_token(store, sample, x, y, err);
    tt_store_describe_row(store, sample, TT_COL_Y, where, sizeof(where));
    if (label == TT_LABEL_BAD)
        return tt_fail(err, TT_EFORMAT,
                       "%s: the label is no whole number of 32 bits: correct "
                       "the file, or ask for 'target: value'",
                       where);
    return tt_fail(err, TT_EFORMAT,
                   "%s: label %" PRId32 " is outside 0 .. %" PRId64
                   ": correct the file, or give 'classes'",
                   where, label, store->head.info.classes - 1);
}
