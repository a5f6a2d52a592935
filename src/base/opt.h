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

enum tt_opt_type {
    TT_OPT_END,
    TT_OPT_I64,     /* int64_t */
    TT_OPT_F64,     /* double */
    TT_OPT_BOOL,    /* bool: yes no true false on off */
    TT_OPT_STR,     /* const char *, NULL where the default is "" */
    TT_OPT_ENUM,    /* const char *, one of 'unit', "a|b|c" */
    TT_OPT_LENGTHS, /* struct tt_lengths; "never" is none */
    TT_OPT_BYTES,   /* int64_t */
    TT_OPT_I64S,    /* struct tt_i64_list */
    TT_OPT_F64S,    /* struct tt_f64_list */
    TT_OPT_NODE,    /* const struct tt_node *, NULL where absent */
};

/* May it change when a run resumes? */
enum tt_opt_resume { TT_RESUME_FREE, TT_RESUME_FORCE, TT_RESUME_NEVER };

struct tt_opt {
    const char *name; /* "micro-batch"; "early-stop.patience" is nested */
    enum tt_opt_type type;
    size_t offset;    /* of the field in the section's struct */
    const char *def;  /* as a user would write it; "auto": TT_AUTO allowed */
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

#endif
