/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h - what the mains of the MPI programs have in common: flags, job
 * file, start and end. */
#ifndef TT_CMD_COMMON_H
#define TT_CMD_COMMON_H

#include <stdbool.h>

#include "train/run.h"

/* A flag of a program besides the knobs of the job file. */
struct tt_flag {
    const char *name;  /* "resume" */
    const char *value; /* how its value is called in --help; NULL: none */
    const char *def;   /* default text, or NULL */
    const char *help;
};

/* Parsed command line.  argv keeps what is left for the knobs. */
struct tt_args {
    const char *program, *summary; /* set by main, for --help */
    const struct tt_flag *flags;   /* the last has name NULL */
    const char *job_path;
    const char *value[8]; /* of flags, in their order: NULL not given, "" */
    int knob_count;
    char **knob;
};

/* Exit status of a program that ended early: -1 where it goes on. */
enum { TT_GO_ON = -1 };

/* --help and --version print and return 0; a bad command line prints and
 * returns 2. */
int tt_args_parse(struct tt_args *args, int argc, char **argv);

/* Collective.  Read the job file on every rank; 2 with one message where it is
 * wrong. */
int tt_job_start(struct tt_job *job, const struct tt_args *args,
                 struct tt_world *world);

/* Print an error once and return 'status'. */
int tt_say_error(const struct tt_world *world, const struct tt_error *err,
                 int status);

#endif
