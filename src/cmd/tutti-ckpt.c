/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-ckpt.c - look at checkpoints, by one process on a login node. */
#include <config.h>

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "ckpt/blocks.h"
#include "ckpt/compare.h"
#include "ckpt/manifest.h"
#include "ckpt/steps.h"

static const char usage[] =
    "usage: tutti-ckpt list RUN\n"
    "       tutti-ckpt show CHECKPOINT [NAME]\n"
    "       tutti-ckpt verify RUN | CHECKPOINT\n"
    "       tutti-ckpt diff CHECKPOINT CHECKPOINT\n"
    "\n"
    "Looks at checkpoints; changes nothing, needs no MPI launcher.\n"
    "\n"
    "  list     the checkpoints of a run, oldest first\n"
    "  show     what a checkpoint holds; with NAME one of its tensors (its\n"
    "           smallest and largest element ...) or one of its scalars, "
    "whole\n"
    "  verify   read everything and check it against its hashes\n"
    "  diff     what differs between two checkpoints, tensor by tensor\n"
    "\n"
    "RUN is a run directory or its folder 'checkpoints'.  CHECKPOINT is the\n"
    "directory of one step, such as runs/a/checkpoints/step-00001000 or\n"
    "runs/a/checkpoints/best; of a run its newest one is taken.\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all is well, 1 something is damaged, tensors differ, or\n"
    "something cannot be read, 2 wrong command line.\n";

/* --- which checkpoints ------------------------------------------------ */

static bool has_file(const char *dir, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

/* The folder that holds the steps of a run. */
static int root_find(char root[TT_CKPT_PATH], const char *arg,
                     struct tt_error *err)
{
    const char *sub = has_file(arg, "checkpoints") ? "/checkpoints" : "";

    if (access(arg, F_OK) < 0)
        return tt_fail(err, TT_EINVAL, "%s: there is no such directory", arg);
    if (snprintf(root, TT_CKPT_PATH, "%s%s", arg, sub) >= TT_CKPT_PATH)
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", arg);
    return 0;
}

/* All steps of a run; fails where there is none. */
static int64_t steps_find(char root[TT_CKPT_PATH], const char *arg,
                          int64_t **step, struct tt_error *err)
{
    int64_t count;

    *step = NULL;
    if (root_find(root, arg, err) < 0)
        return -1;
    count = tt_ckpt_steps_list(root, step, err);
    if (count == 0)
        return tt_fail(err, TT_EINVAL, "%s: holds no checkpoint", root);
    return count;
}

static bool is_step(const char *arg)
{
    const char *name = strrchr(arg, '/');

    return has_file(arg, TT_CKPT_MANIFEST) ||
           strncmp(name ? name + 1 : arg, "step-", 5) == 0;
}

/* The directory of one step: as given, or the newest of a run. */
static int step_find(char path[TT_CKPT_PATH], const char *arg,
                     struct tt_error *err)
{
    char root[TT_CKPT_PATH];
    int64_t *step, count;

    if (is_step(arg)) {
        if (snprintf(path, TT_CKPT_PATH, "%s", arg) >= TT_CKPT_PATH)
            return tt_fail(err, TT_EINVAL, "%.80s...: path too long", arg);
        return 0;
    }
    count = steps_find(root, arg, &step, err);
    if (count < 0)
        return -1;
    count = tt_ckpt_step_path(path, root, step[count - 1], err);
    free(step);
    return (int)count;
}

/* A checkpoint, opened. */
struct view {
    char path[TT_CKPT_PATH];
    struct tt_manifest man;
    struct tt_ckpt_file file;
};

static int view_open(struct view *v, const char *arg, struct tt_error *err)
{
    v->file.fd = -1;
    if (step_find(v->path, arg, err) < 0 ||
        tt_manifest_read(&v->man, v->path, NULL, err) < 0)
        return -1;
    return tt_ckpt_file_open(&v->file, v->path, 0, err);
}

static void view_close(struct view *v)
{
    tt_ckpt_file_close(&v->file, NULL);
    tt_manifest_clear(&v->man);
}

/* --- list ------------------------------------------------------------- */

static const char *time_text(double time, char *text, size_t bytes)
{
    time_t seconds = (time_t)time;
    struct tm local;

    localtime_r(&seconds, &local);
    strftime(text, bytes, "%Y-%m-%d %H:%M:%S", &local);
    return text;
}

static int list_one(const char *root, int64_t step, struct tt_error *err)
{
    struct tt_manifest man;
    char path[TT_CKPT_PATH], when[32], size[32];
    int rc = tt_ckpt_step_path(path, root, step, err);

    if (rc == 0)
        rc = tt_manifest_read(&man, path, NULL, err);
    if (rc < 0) {
        printf("%10" PRId64 "  damaged: %s\n", step, err->text);
        return -1;
    }
    printf("%10" PRId64 "  %s  %10s  %7" PRId64 "  %5" PRId64 "  %016" PRIx64
           "%s\n",
           step, time_text(man.time, when, sizeof(when)),
           tt_bytes_format(man.file_bytes, size, sizeof(size)),
           man.tensor_count, man.rank_count, man.root,
           step == tt_ckpt_best_find(root) ? "  best" : "");
    tt_manifest_clear(&man);
    return 0;
}

static int list(char **arg, struct tt_error *err)
{
    char root[TT_CKPT_PATH];
    int64_t *step, damaged = 0, count = steps_find(root, arg[0], &step, err);

    if (count < 0)
        return -1;
    printf("%10s  %-19s  %10s  %7s  %5s  %s\n", "step", "saved", "size",
           "tensors", "ranks", "hash of all data");
    for (int64_t i = 0; i < count; i++)
        damaged += list_one(root, step[i], err) < 0;
    free(step);
    return damaged ? tt_fail(err, TT_EFORMAT,
                             "%" PRId64 " of %" PRId64
                             " checkpoints have no whole manifest",
                             damaged, count)
                   : 0;
}

/* --- show ------------------------------------------------------------- */

static void shape_print(const struct tt_manifest_tensor *t)
{
    char text[96] = "";
    size_t at = 0;

    for (int d = 0; d < t->dims; d++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRId64,
                               d ? " x " : "", t->dim[d]);
    printf("%-24s", text);
}

static void tensors_print(const struct tt_manifest *man)
{
    int width = 8;

    for (int64_t i = 0; i < man->tensor_count; i++)
        if ((int)strlen(man->tensor[i].name) > width)
            width = (int)strlen(man->tensor[i].name);
    for (int64_t i = 0; i < man->tensor_count; i++) {
        const struct tt_manifest_tensor *t = &man->tensor[i];

        printf("  %-*s  %-4s  ", width, t->name, tt_dtype_name(t->dtype));
        shape_print(t);
        printf("  %016" PRIx64 "\n", t->hash);
    }
}

/* A text of several lines is told by its length. */
static void scalar_print(const char *name, const json_t *value)
{
    const char *string = json_string_value(value);
    char *text;

    if (string && strchr(string, '\n')) {
        printf("  %s: a text of %zu bytes\n", name, strlen(string));
        return;
    }
    text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    printf("  %s: %s\n", name, text ? text : "?");
    free(text);
}

static void scalars_print(json_t *scalars)
{
    void *at = json_object_iter(scalars);

    for (; at; at = json_object_iter_next(scalars, at))
        scalar_print(json_object_iter_key(at), json_object_iter_value(at));
}

static void view_print(const struct view *v)
{
    const struct tt_manifest *man = &v->man;
    char when[32], size[32];

    printf("checkpoint %s\nstep       %" PRId64 "\nsaved      %s by %" PRId64
           " ranks\ndata       %s in %" PRId64 " tensors, hash %016" PRIx64
           "\nscalars\n",
           v->path, man->step, time_text(man->time, when, sizeof(when)),
           man->rank_count,
           tt_bytes_format(man->file_bytes, size, sizeof(size)),
           man->tensor_count, man->root);
    scalars_print(man->scalars);
    printf("tensors\n");
    tensors_print(man);
}

static int tensor_print(const struct view *v,
                        const struct tt_manifest_tensor *t,
                        struct tt_error *err)
{
    struct tt_ckpt_stats s;

    if (tt_ckpt_tensor_stats(&v->file, t, &s, err) < 0)
        return -1;
    printf("%s  %s  ", t->name, tt_dtype_name(t->dtype));
    shape_print(t);
    printf("\n%" PRId64 " elements, %" PRId64
           " not finite\nmin %.9g\nmax %.9g\nmean %.9g\nrms %.9g\n",
           s.elem_count, s.odd_count, s.min, s.max, s.mean, s.rms);
    return 0;
}

static int name_print(const struct view *v, const char *name,
                      struct tt_error *err)
{
    const struct tt_manifest_tensor *t = tt_manifest_find(&v->man, name, 0);
    const json_t *value = json_object_get(v->man.scalars, name);
    char *text;

    if (t)
        return tensor_print(v, t, err);
    if (!value)
        return tt_fail(err, TT_EINVAL, "%s: holds no tensor or scalar '%s'",
                       v->path, name);
    if (json_string_value(value)) {
        printf("%s\n", json_string_value(value));
        return 0;
    }
    text = json_dumps(value, JSON_ENCODE_ANY | JSON_INDENT(1));
    printf("%s\n", text ? text : "?");
    free(text);
    return 0;
}

static int show(char **arg, struct tt_error *err)
{
    struct view v = {0};
    int rc = view_open(&v, arg[0], err);

    if (rc == 0 && arg[1])
        rc = name_print(&v, arg[1], err);
    else if (rc == 0)
        view_print(&v);
    view_close(&v);
    return rc;
}

/* --- verify ----------------------------------------------------------- */

static int verify_one(const char *path, struct tt_error *err)
{
    int rc = tt_ckpt_verify(path, err);

    if (rc == 0)
        printf("%s: whole\n", path);
    else
        printf("%s: not whole: %s\n", path, err->text);
    fflush(stdout);
    return rc;
}

static int verify(char **arg, struct tt_error *err)
{
    char root[TT_CKPT_PATH], path[TT_CKPT_PATH];
    int64_t *step, bad = 0, count;

    if (is_step(arg[0]))
        return verify_one(arg[0], err) < 0; /* and was told */
    count = steps_find(root, arg[0], &step, err);
    if (count < 0)
        return -1;
    for (int64_t i = 0; i < count; i++)
        bad += tt_ckpt_step_path(path, root, step[i], err) < 0 ||
               verify_one(path, err) < 0;
    free(step);
    return bad ? tt_fail(err, TT_EFORMAT,
                         "%" PRId64 " of %" PRId64 " checkpoints are not whole",
                         bad, count)
               : 0;
}

/* --- diff ------------------------------------------------------------- */

static bool is_same_kind(const struct tt_manifest_tensor *a,
                         const struct tt_manifest_tensor *b)
{
    return a->dtype == b->dtype && a->dims == b->dims &&
           memcmp(a->dim, b->dim, (size_t)a->dims * sizeof(a->dim[0])) == 0;
}

/* 1 where the tensor differs, 0 where not, -1 where it cannot be read. */
static int tensor_diff(const struct view *va, const struct view *vb,
                       const struct tt_manifest_tensor *a, int64_t hint,
                       struct tt_error *err)
{
    const struct tt_manifest_tensor *b =
        tt_manifest_find(&vb->man, a->name, hint);
    struct tt_ckpt_diff d;

    if (!b) {
        printf("only in %s: %s\n", va->path, a->name);
        return 1;
    }
    if (!is_same_kind(a, b)) {
        printf("%s: of another type or shape\n", a->name);
        return 1;
    }
    if (a->hash == b->hash)
        return 0;
    if (tt_ckpt_tensor_diff((struct tt_ckpt_operand){&va->file, a},
                            (struct tt_ckpt_operand){&vb->file, b}, &d,
                            err) < 0)
        return -1;
    printf("%s: %" PRId64 " of %" PRId64
           " elements differ, by at most %.3g; ||a - b|| / ||a|| = %.3g\n",
           a->name, d.differ_count, d.elem_count, d.max_abs, d.rel);
    return 1;
}

static void scalar_diff(const struct view *a, const struct view *b,
                        const char *name)
{
    const json_t *x = json_object_get(a->man.scalars, name);
    const json_t *y = json_object_get(b->man.scalars, name);

    if (x && y && json_equal(x, y))
        return;
    printf("%s differs:\n", name);
    if (x)
        scalar_print(a->path, x);
    if (y)
        scalar_print(b->path, y);
}

static void scalars_diff(const struct view *a, const struct view *b)
{
    json_t *all = json_copy(a->man.scalars); /* of both */
    void *at;

    json_object_update_missing(all, b->man.scalars);
    for (at = json_object_iter(all); at; at = json_object_iter_next(all, at))
        scalar_diff(a, b, json_object_iter_key(at));
    json_decref(all);
}

static int views_diff(const struct view *a, const struct view *b,
                      struct tt_error *err)
{
    int64_t differ = 0;

    for (int64_t i = 0; i < a->man.tensor_count; i++) {
        int one = tensor_diff(a, b, &a->man.tensor[i], i, err);

        if (one < 0)
            return -1;
        differ += one;
    }
    for (int64_t i = 0; i < b->man.tensor_count; i++)
        if (!tt_manifest_find(&a->man, b->man.tensor[i].name, i)) {
            printf("only in %s: %s\n", b->path, b->man.tensor[i].name);
            differ++;
        }
    printf("%" PRId64 " of %" PRId64 " tensors differ\n", differ,
           a->man.tensor_count);
    scalars_diff(a, b);
    return differ > 0;
}

/* 1 where tensors differ; scalars, such as the time that was used, nearly
 * always do. */
static int diff(char **arg, struct tt_error *err)
{
    struct view a = {0}, b = {0};
    int rc = view_open(&a, arg[0], err);

    b.file.fd = -1;
    if (rc == 0)
        rc = view_open(&b, arg[1], err);
    if (rc == 0)
        rc = views_diff(&a, &b, err);
    view_close(&a);
    view_close(&b);
    return rc;
}

/* --- commands --------------------------------------------------------- */

static const struct command {
    const char *name;
    int args_min, args_max;
    int (*run)(char **arg, struct tt_error *err);
} commands[] = {
    {"list", 1, 1, list}, {"show", 1, 2, show}, {"verify", 1, 1, verify},
    {"diff", 2, 2, diff}, {NULL, 0, 0, NULL},
};

int main(int argc, char **argv)
{
    const struct command *c = commands;
    struct tt_error err = {0};
    int rc;

    if (argc >= 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (argc >= 2 && strcmp(argv[1], "--version") == 0)
        return printf("tutti-ckpt %s\n", PACKAGE_VERSION) < 0;
    while (argc >= 2 && c->name && strcmp(argv[1], c->name) != 0)
        c++;
    if (argc < 2 || !c->name || argc - 2 < c->args_min ||
        argc - 2 > c->args_max) {
        fprintf(stderr, "tutti-ckpt: %s: %s\n%s",
                argc < 2 ? "no command" : argv[1],
                argc < 2 || c->name ? "arguments are missing or too many"
                                    : "no such command",
                usage);
        return 2;
    }
    rc = c->run(argv + 2, &err);
    if (rc < 0)
        fprintf(stderr, "tutti-ckpt: %s\n", err.text);
    return rc != 0;
}
