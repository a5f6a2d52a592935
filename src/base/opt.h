/* SPDX-License-Identifier: BSD-3-Clause */
/* opt.h - one table per section declares a knob once: name, type, unit,
 * default, range, help, resume rule and field.  The job file, the command
 * line, --help, --show-config and the record in a checkpoint all read it. */
#ifndef TT_BASE_OPT_H
#define TT_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/doc.h"
#include "base/err.h"
#include "base/units.h"

/* A number (I64, BYTES) whose value is 'auto' holds this until it is resolved,
 * an F64 NaN, an ENUM the text "auto". */
#define TT_AUTO INT64_MIN

enum tt_opt_type {
    TT_OPT_END,
    TT_OPT_I64,     /* int64_t */
    TT_OPT_F64,     /* double */
    TT_OPT_BOOL,    /* bool: yes no true false on off */
    TT_OPT_STR,     /* const char *, NULL where it is "" */
    TT_OPT_ENUM,    /* const char *, one of 'unit', "a|b|c" */
    TT_OPT_LENGTHS, /* struct tt_lengths; "never" is none */
    TT_OPT_BYTES,   /* int64_t */
    TT_OPT_I64S,    /* struct tt_i64_list; a number alone is a list of one */
    TT_OPT_F64S,    /* struct tt_f64_list; likewise */
    TT_OPT_NODE,    /* const struct tt_node *, NULL where absent */
};

/* May it change when a run resumes? */
enum tt_opt_resume { TT_RESUME_FREE, TT_RESUME_FORCE, TT_RESUME_NEVER };

/* A name with a dot belongs to a group, "early-stop.patience", and is written
 * nested: early-stop: {patience: 3}.  A group with a bool "early-stop.on" can
 * be written early-stop: yes; giving any other knob of it turns it on, unless
 * 'on' itself stands beside it. */
struct tt_opt {
    const char *name; /* "micro-batch" */
    enum tt_opt_type type;
    size_t offset;    /* of the field in the section's struct */
    const char *def;  /* as a user would write it; if "auto", users may too;
                       * NULL: none, the field begins as zeros or TT_AUTO */
    const char *unit; /* "samples", "bytes"; of an enum: its choices */
    double min, max;  /* inclusive, of numbers; both 0: no range */
    enum tt_opt_resume resume;
    const char *help;
};

struct tt_opt_section {
    const char *name; /* "train" */
    const struct tt_opt *table;
    size_t offset; /* of the section's struct in the whole */
    const char *help;
};

/* A key that users of other programs try, or something that is not done here,
 * and what to answer: {"learning-rate", "write optimizer.lr"}. */
struct tt_opt_other {
    const char *word;
    const char *answer;
};

/* Where a value came from; higher levels win. */
enum tt_opt_level {
    TT_FROM_DEFAULT,
    TT_FROM_INCLUDE,
    TT_FROM_FILE,
    TT_FROM_FLAG
};

struct tt_opt_origin {
    int32_t level;    /* enum tt_opt_level */
    int32_t line;     /* in 'file' */
    const char *file; /* or the flag */
    bool was_auto;    /* the value was found for an 'auto' */
};

/* A struct of sections that is being filled. */
struct tt_opt_set {
    const struct tt_opt_section *sections; /* the last has name NULL */
    const struct tt_opt_other *others;     /* the last has word NULL */
    void *base;                            /* the struct of sections */
    struct tt_opt_origin *origin; /* tt_opt_count() of them, in table order */
    struct tt_doc *doc;           /* owns every text, list and node */
};

/* One knob of a set.  Start from {0}. */
struct tt_opt_at {
    const struct tt_opt_section *section;
    const struct tt_opt *opt;
    void *field;
    struct tt_opt_origin *origin;
};

/* Knobs of all sections together. */
int tt_opt_count(const struct tt_opt_section *sections);

/* The next knob in table order; false after the last. */
bool tt_opt_next(const struct tt_opt_set *set, struct tt_opt_at *at);

/* The knob of that section and name; false where there is none. */
bool tt_opt_find(const struct tt_opt_set *set, const char *section,
                 const char *name, struct tt_opt_at *at);

/* Fill a set: first defaults, then a file (its include: first; "file:line: why"
 * on failure) or a text, then flags "--section.knob=value" or "--knob=value"
 * where only one section has that name.  A failure leaves a set that may only
 * be thrown away. */
int tt_opt_set_defaults(const struct tt_opt_set *set, struct tt_error *err);
int tt_opt_set_file(const struct tt_opt_set *set, const char *path,
                    struct tt_error *err);
int tt_opt_set_text(const struct tt_opt_set *set, const char *text,
                    const char *name, struct tt_error *err);
int tt_opt_set_flag(const struct tt_opt_set *set, const char *flag,
                    struct tt_error *err);

/* Read the value of one knob out of 'node' into 'field' by the knob's type and
 * range.  The message is bare: the caller says where. */
int tt_opt_parse(const struct tt_opt *opt, const struct tt_node *node,
                 void *field, struct tt_doc *doc, struct tt_error *err);

/* Put the default into 'field'. */
int tt_opt_default(const struct tt_opt *opt, void *field, struct tt_doc *doc,
                   struct tt_error *err);

/* Write a value as tt_opt_parse() reads it. */
void tt_opt_write(const struct tt_opt *opt, const void *field, FILE *out);

/* Write all knobs as YAML that tt_opt_set_file() reads back to the same values;
 * with_origin puts "# default", "# job.yaml:7", "# --lr" behind each. */
void tt_opt_write_all(const struct tt_opt_set *set, bool with_origin,
                      FILE *out);

/* The --help of all knobs. */
void tt_opt_help(const struct tt_opt_section *sections, FILE *out);

/* Fail with the place where the knob was given, "job.yaml:7: train.lanes: " or
 * just its name, in front. */
int tt_opt_fail(const struct tt_opt_at *at, struct tt_error *err,
                const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
