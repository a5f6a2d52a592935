/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - a set of different texts. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "data/table.h"
#include "data/words.h"

/* The slot that holds 'text', or the empty one where it would go. */
static int64_t slot_of(const struct tt_words *w, const char *text)
{
    uint64_t at = tt_hash(text, strlen(text), 0);
    uint64_t mask = (uint64_t)w->slot_count - 1;

    for (at &= mask; w->slot[at]; at = (at + 1) & mask)
        if (strcmp(w->at[w->slot[at] - 1], text) == 0)
            break;
    return (int64_t)at;
}

int64_t tt_words_find(const struct tt_words *w, const char *text)
{
    return w->slot_count ? w->slot[slot_of(w, text)] - 1 : -1;
}

static int rehash(struct tt_words *w, int64_t slot_count)
{
    int64_t *slot = calloc((size_t)slot_count, sizeof(*slot));

    if (!slot)
        return -1;
    free(w->slot);
    w->slot = slot;
    w->slot_count = slot_count;
    for (int64_t i = 0; i < w->count; i++)
        w->slot[slot_of(w, w->at[i])] = i + 1;
    return 0;
}

/* Room for one more: slots stay at most half full. */
static int grow(struct tt_words *w)
{
    int64_t slots = w->slot_count ? 2 * w->slot_count : 16;
    char **at;

    if (2 * (w->count + 1) <= w->slot_count)
        return 0;
    at = realloc(w->at, (size_t)slots / 2 * sizeof(*at));
    if (!at)
        return -1;
    w->at = at;
    return rehash(w, slots);
}

int tt_words_add(struct tt_words *w, const char *text)
{
    char *own;

    if (tt_words_find(w, text) >= 0)
        return 0;
    if (w->over || w->count == w->limit) {
        w->over = true;
        return 0;
    }
    if (grow(w) < 0 || !(own = strdup(text)))
        return -1;
    w->at[w->count++] = own;
    w->slot[slot_of(w, text)] = w->count;
    return 0;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = 0, y = 0;

    tt_cell_is_number(*(char *const *)a, &x);
    tt_cell_is_number(*(char *const *)b, &y);
    return x < y ? -1 : x > y ? 1 : compare_texts(a, b);
}

int tt_words_sort(struct tt_words *w)
{
    bool numbers = true;
    double value;

    for (int64_t i = 0; i < w->count && numbers; i++)
        numbers = tt_cell_is_number(w->at[i], &value);
    if (w->count == 0)
        return 0;
    qsort(w->at, (size_t)w->count, sizeof(*w->at),
          numbers ? compare_numbers : compare_texts);
    return rehash(w, w->slot_count);
}

void tt_words_clear(struct tt_words *w)
{
    for (int64_t i = 0; i < w->count; i++)
        free(w->at[i]);
    free(w->at);
    free(w->slot);
    *w = (struct tt_words){0};
}
