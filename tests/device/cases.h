/* SPDX-License-Identifier: BSD-3-Clause */
/* cases.h - small worlds for kernels: named arrays and the calls that work on
 * them, one case per kind of layer, of any shape. */
#ifndef TESTS_DEVICE_CASES_H
#define TESTS_DEVICE_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "device/kernels.h"

enum { CASE_ARRAYS = 16, CASE_CALLS = 4 };
enum case_type { CASE_F32, CASE_I32, CASE_F64, CASE_EXACT };

/* How an array starts. */
enum case_fill {
    FILL_JUNK,     /* an output: NaN, or a pattern */
    FILL_NORMAL,   /* normal, deviation 1 */
    FILL_POSITIVE, /* uniform in [0.5, 1.5) */
    FILL_NO_KINK,  /* as normal, but at least 0.2 from 0 */
    FILL_BIT,      /* 0 or 1 */
    FILL_TOKEN,    /* i32 below a limit */
};

struct case_array {
    const char *name;
    enum case_type type;
    int64_t count;      /* elements for all the case's samples */
    int64_t per_sample; /* 0: not made of samples */
    void *data;
    size_t bytes;
};

struct case_call {
    struct tt_op op;
    int array[TT_OP_REFS]; /* index of each ref's array, -1: absent */
};

struct tcase {
    char name[80];
    int64_t samples; /* capacity */
    int array_count, call_count;
    struct case_array array[CASE_ARRAYS];
    struct case_call call[CASE_CALLS];
    const char *wrt; /* arrays that have a gradient, "x w b" */
    int64_t longest; /* sum: for tolerances */
    struct tt_now now;
    uint64_t seed, drawn; /* of the case's own random numbers */
};

/* The cases, by index; each draws its shape from 'seed'. */
typedef void (*case_fn)(struct tcase *c);
extern const case_fn case_table[];
extern const int case_table_count;

/* Make case 'idx' with fresh shapes and numbers; 'many' samples are enough for
 * several threads. */
void case_init(struct tcase *c, int idx, uint64_t seed, bool many);
void case_clear(struct tcase *c);

/* An independent copy of the arrays, and putting them back. */
void case_copy(struct tcase *to, const struct tcase *from);
void case_restore(struct tcase *to, const struct tcase *from);

/* The array called 'name' or NULL. */
struct case_array *case_find(struct tcase *c, const char *name);

/* Set the mode of every ref to an array whose name starts with 'd' and whose
 * op allows it. */
void case_set_mode(struct tcase *c, enum tt_ref_mode mode);

/* Run call 'idx' with memory for its work. */
void case_run(struct tcase *c, int idx, const struct tt_backend *backend);

/* An integer in [low, high], a normal number. */
int64_t case_draw(struct tcase *c, int64_t low, int64_t high);
float case_draw_normal(struct tcase *c);

#endif
