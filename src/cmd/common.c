/* SPDX-License-Identifier: BSD-3-Clause */
/* common.c - what the mains of the MPI programs have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "cmd/common.h"
#include "comm/agree.h"
#include "config.h"

static void print_help(const struct tt_args *args)
{
    printf("usage: %s JOB.yaml [--flag[=value]] [--section.knob=value ...]\n"
           "%s\n\nFlags:\n",
           args->program, args->summary);
    for (const struct tt_flag *flag = args->flags; flag->name; flag++)
        printf("  --%s%s%s\n        %s%s%s%s\n", flag->name,
               flag->value ? "=" : "", flag->value ? flag->value : "",
               flag->help, flag->def ? " (default " : "",
               flag->def ? flag->def : "", flag->def ? ")" : "");
    printf("  --help\n        this text\n"
           "  --version\n        version and what is compiled in\n"
           "\nKnobs, in JOB.yaml or as --section.knob=value:\n");
    tt_job_help(stdout);
    printf(
        "\nExit status: 0 done; 1 failed; 2 wrong command line or job file;"
        "\n75 stopped with a checkpoint, start again to go on; 76 a hang was "
        "stopped.\n");
}

static int complain(const struct tt_args *args, const char *why,
                    const char *word)
{
    fprintf(stderr, "%s: %s%s (see %s --help)\n", args->program, why, word,
            args->program);
    return 2;
}

/* The index of the flag that 'arg' is, or -1: then it is a knob. */
static int find_flag(const struct tt_args *args, const char *arg)
{
    size_t length = strcspn(arg + 2, "=");

    for (int i = 0; args->flags[i].name; i++)
        if (strlen(args->flags[i].name) == length &&
            strncmp(args->flags[i].name, arg + 2, length) == 0)
            return i;
    return -1;
}

static int take_flag(struct tt_args *args, int flag, const char *arg)
{
    const char *eq = strchr(arg, '=');

    if (args->flags[flag].value && (!eq || !eq[1]))
        return complain(args, "needs =value: ", arg);
    if (!args->flags[flag].value && eq)
        return complain(args, "takes no value: ", arg);
    args->value[flag] = eq ? eq + 1 : "";
    return TT_GO_ON;
}

static int take(struct tt_args *args, char *arg)
{
    int flag;

    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
        print_help(args);
        return 0;
    }
    if (strcmp(arg, "--version") == 0) {
        printf("%s %s\n%s\n", args->program, PACKAGE_VERSION, TT_FEATURES);
        return 0;
    }
    if (arg[0] == '-' && arg[1] != '-')
        return complain(args, "there is no flag ", arg);
    if (strncmp(arg, "--", 2) != 0) {
        if (args->job_path)
            return complain(args, "one job file, not two: ", arg);
        args->job_path = arg;
        return TT_GO_ON;
    }
    flag = find_flag(args, arg);
    if (flag >= 0)
        return take_flag(args, flag, arg);
    if (!strchr(arg, '='))
        return complain(
            args, strchr(arg, '.') ? "needs =value: " : "there is no flag ",
            arg);
    args->knob[args->knob_count++] = arg;
    return TT_GO_ON;
}

int tt_args_parse(struct tt_args *args, int argc, char **argv)
{
    args->knob = calloc((size_t)argc, sizeof(*args->knob));
    if (!args->knob)
        return complain(args, "out of memory", "");
    for (int i = 1; i < argc; i++) {
        int status = take(args, argv[i]);

        if (status != TT_GO_ON)
            return status;
    }
    for (int i = 0; args->flags[i].name; i++)
        if (!args->value[i] && args->flags[i].def)
            args->value[i] = args->flags[i].def;
    if (!args->job_path)
        return complain(args, "which job file?", "");
    return TT_GO_ON;
}

int tt_say_error(const struct tt_world *world, const struct tt_error *err,
                 int status)
{
    if (world->rank == 0)
        tt_log_error("%s", err->text);
    return status;
}

static enum tt_log_level level_of(const struct tt_job *job)
{
    if (strcmp(job->log.level, "quiet") == 0)
        return TT_LOG_QUIET;
    return strcmp(job->log.level, "debug") == 0 ? TT_LOG_DEBUG : TT_LOG_INFO;
}

/* All ranks must have read the same. */
static int same_job(const struct tt_job *job, struct tt_world *world,
                    struct tt_error *err)
{
    char *text = tt_job_format(job, false);
    uint64_t hash = text ? tt_hash(text, strlen(text), 0) : 0;

    free(text);
    return tt_same((int64_t)hash, "the job file", err, world->comm);
}

int tt_job_start(struct tt_job *job, const struct tt_args *args,
                 struct tt_world *world)
{
    struct tt_error err = {0};
    int rc;

    tt_log_start(args->program, world->rank, TT_LOG_INFO);
    rc = tt_job_read(job, args->job_path, args->knob_count, args->knob, &err);

    /* the same file everywhere: whose message it is does not matter */
    if (rc < 0 && world->size == 1)
        return tt_say_error(world, &err, 2);
    if (tt_agree(rc, &err, world->comm) < 0 || same_job(job, world, &err) < 0)
        return tt_say_error(world, &err, 2);
    tt_log_start(args->program, world->rank, level_of(job));
    return TT_GO_ON;
}
