/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h - a set of different texts, up to a limit. */
#ifndef TT_DATA_WORDS_H
#define TT_DATA_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct tt_words {
    int64_t limit;
    int64_t count; /* never more than the limit */
    bool over;     /* there were more */
    char **at;
    int64_t *slot; /* open addressing: index + 1 into 'at', 0 empty */
    int64_t slot_count;
};

/* -1 without memory; a text beyond the limit only sets 'over'. */
int tt_words_add(struct tt_words *words, const char *text);
/* Index of a text, -1 where it is not in. */
int64_t tt_words_find(const struct tt_words *words, const char *text);
/* In the order of numbers where all are numbers, else of bytes. */
int tt_words_sort(struct tt_words *words);
void tt_words_clear(struct tt_words *words);

#endif
