/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - reads a job file over its defaults, writes it back, and compares two.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "config/config_priv.h"

struct tt_opt_set tt_job_set(const struct tt_job *job)
{
    return (struct tt_opt_set){.sections = tt_job_sections,
                               .others = tt_job_others,
                               .base = (void *)job,
                               .origin = job->origin,
                               .doc = job->doc};
}

/* An empty job with room for its origins. */
static int init(struct tt_job *job, struct tt_error *err)
{
    size_t count = (size_t)tt_opt_count(tt_job_sections);

    memset(job, 0, sizeof(*job));
    job->doc = tt_doc_create();
    if (job->doc)
        job->origin = tt_doc_alloc(job->doc, count * sizeof(*job->origin));
    if (!job->origin) {
        tt_job_clear(job);
        return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    return 0;
}

void tt_job_clear(struct tt_job *job)
{
    if (!job)
        return;
    tt_doc_destroy(job->doc);
    memset(job, 0, sizeof(*job));
}

static int fill(struct tt_job *job, const char *path, int argc, char **argv,
                struct tt_error *err)
{
    struct tt_opt_set set = tt_job_set(job);

    if (tt_opt_set_defaults(&set, err) < 0 ||
        tt_opt_set_file(&set, path, err) < 0)
        return -1;
    for (int i = 0; i < argc; i++)
        if (tt_opt_set_flag(&set, argv[i], err) < 0)
            return -1;
    return tt_job_check(job, err);
}

/* A message quotes keys and values, which may hold anything. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

int tt_job_read(struct tt_job *job, const char *path, int argc, char **argv,
                struct tt_error *err)
{
    if (init(job, err) < 0)
        return -1;
    if (fill(job, path, argc, argv, err) == 0)
        return 0;
    if (err)
        make_one_line(err->text);
    tt_job_clear(job);
    return -1;
}

void tt_job_resolve(struct tt_job *job, const char *section, const char *knob,
                    int64_t value)
{
    struct tt_opt_set set = tt_job_set(job);
    struct tt_opt_at at;

    if (!tt_opt_find(&set, section, knob, &at) ||
        (at.opt->type != TT_OPT_I64 && at.opt->type != TT_OPT_BYTES) ||
        *(int64_t *)at.field != TT_AUTO)
        return;
    *(int64_t *)at.field = value;
    at.origin->was_auto = true;
}

char *tt_job_format(const struct tt_job *job, bool with_origin)
{
    struct tt_opt_set set = tt_job_set(job);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    tt_opt_write_all(&set, with_origin, out);
    fclose(out);
    return text;
}

/* "section.knob: value" of one knob, on the heap. */
static char *format_one(const struct tt_opt_at *at, const char *before)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    fputs(before, out);
    tt_opt_write(at->opt, at->field, out);
    fclose(out);
    return text;
}

uint64_t tt_job_hash(const struct tt_job *job)
{
    struct tt_opt_set set = tt_job_set(job);
    struct tt_opt_at at = {0};
    uint64_t hash = 0;

    while (tt_opt_next(&set, &at)) {
        char name[160];
        char *text;

        if (at.opt->resume == TT_RESUME_FREE)
            continue;
        snprintf(name, sizeof(name), "%s.%s=", at.section->name, at.opt->name);
        text = format_one(&at, name);
        hash = tt_hash(text ? text : "", text ? strlen(text) : 0, hash);
        free(text);
    }
    return hash;
}

/* --- two jobs --------------------------------------------------------- */

static int read_old(struct tt_job *old, const char *yaml, struct tt_error *err)
{
    struct tt_opt_set set;

    if (init(old, err) < 0)
        return -1;
    set = tt_job_set(old);
    if (tt_opt_set_defaults(&set, err) == 0 &&
        tt_opt_set_text(&set, yaml, "job of the checkpoint", err) == 0)
        return 0;
    tt_job_clear(old);
    return -1;
}

/* An auto that is not resolved yet, which is no change. */
static bool is_open(const struct tt_opt_at *at)
{
    if (at->opt->type == TT_OPT_F64)
        return isnan(*(const double *)at->field);
    return (at->opt->type == TT_OPT_I64 || at->opt->type == TT_OPT_BYTES) &&
           *(const int64_t *)at->field == TT_AUTO;
}

/* A knob whose values differ in two jobs. */
struct change {
    const struct tt_opt_at *now;
    const char *new_text, *old_text;
};

typedef int (*change_fn)(const struct change *change, void *arg,
                         struct tt_error *err);

static int compare(const struct tt_job *job, const struct tt_job *old,
                   change_fn fn, void *arg, struct tt_error *err)
{
    struct tt_opt_set new_set = tt_job_set(job), old_set = tt_job_set(old);
    struct tt_opt_at at = {0}, old_at = {0};
    int rc = 0;

    while (rc == 0 && tt_opt_next(&new_set, &at) &&
           tt_opt_next(&old_set, &old_at)) {
        char *new_text = format_one(&at, "");
        char *old_text = format_one(&old_at, "");
        struct change change = {&at, new_text, old_text};

        if (!new_text || !old_text)
            rc = tt_fail(err, TT_ENOMEM, "out of memory");
        else if (strcmp(new_text, old_text) != 0 && !is_open(&at) &&
                 !is_open(&old_at))
            rc = fn(&change, arg, err);
        free(new_text);
        free(old_text);
    }
    return rc;
}

/* A validation set that is not a share of the training set may lie elsewhere
 * now; a share decides which samples are trained on. */
static bool is_moved_set(const struct change *change)
{
    return strcmp(change->now->section->name, "data") == 0 &&
           strcmp(change->now->opt->name, "valid") == 0 &&
           !strchr(change->new_text, '%') && !strchr(change->old_text, '%');
}

static int judge(const struct change *change, void *arg, struct tt_error *err)
{
    bool force = *(bool *)arg;

    if (change->now->opt->resume == TT_RESUME_FREE || is_moved_set(change))
        return 0;
    if (change->now->opt->resume == TT_RESUME_NEVER)
        return tt_opt_fail(change->now, err,
                           "%.40s, but the run began with %.40s: that cannot "
                           "change when it resumes; set it back, or start "
                           "anew in another run.dir",
                           change->new_text, change->old_text);
    if (force)
        return 0;
    return tt_opt_fail(change->now, err,
                       "%.40s, but the run began with %.40s: set it back, take "
                       "another run.dir, or give --force to go on with other "
                       "numbers",
                       change->new_text, change->old_text);
}

int tt_job_may_resume(const struct tt_job *job, const char *old_job_yaml,
                      bool force, struct tt_error *err)
{
    struct tt_job old;
    int rc;

    if (read_old(&old, old_job_yaml, err) < 0)
        return -1;
    rc = compare(job, &old, judge, &force, err);
    tt_job_clear(&old);
    return rc;
}

static int put_change(const struct change *change, void *arg,
                      struct tt_error *err)
{
    (void)err;
    fprintf(arg, "%s.%s: %s, was %s\n", change->now->section->name,
            change->now->opt->name, change->new_text, change->old_text);
    return 0;
}

char *tt_job_changes(const struct tt_job *job, const char *old_job_yaml,
                     struct tt_error *err)
{
    struct tt_job old;
    char *text = NULL;
    size_t bytes;
    FILE *out;
    int rc;

    if (read_old(&old, old_job_yaml, err) < 0)
        return NULL;
    out = open_memstream(&text, &bytes);
    rc = out ? compare(job, &old, put_change, out, err)
             : tt_fail(err, TT_ENOMEM, "out of memory");
    if (out)
        fclose(out);
    tt_job_clear(&old);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

void tt_job_help(FILE *out)
{
    tt_opt_help(tt_job_sections, out);
}
