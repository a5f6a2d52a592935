/* SPDX-License-Identifier: BSD-3-Clause */
/* side.c - names of what stands beside the steps of a run. */
#include "ckpt/side.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "job/job.h"

enum { DAY_S = 24 * 3600 };

static void side_here(struct tt_side *side, int64_t step, const char *kind)
{
    static int64_t serial;
    struct tt_slurm slurm;

    tt_slurm_read(&slurm);
    *side = (struct tt_side){.step = step,
                             .job = slurm.job_id,
                             .restart = slurm.restart_count,
                             .pid = getpid(),
                             .serial = serial};
    serial++;
    snprintf(side->kind, sizeof(side->kind), "%s", kind);
    if (gethostname(side->host, sizeof(side->host) - 1) < 0)
        snprintf(side->host, sizeof(side->host), "unknown");
}

int tt_side_path(char path[TT_CKPT_PATH], const char *root, int64_t step,
                 const char *kind, struct tt_error *err)
{
    struct tt_side s;

    side_here(&s, step, kind);
    if (snprintf(path, TT_CKPT_PATH,
                 "%s/.step-%08" PRId64 ".%s.%" PRId64 ".%" PRId64 ".%" PRId64
                 ".%" PRId64 ".%s",
                 root, s.step, s.kind, s.job, s.restart, s.pid, s.serial,
                 s.host) >= TT_CKPT_PATH)
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", root);
    return 0;
}

static bool is_side_name(const char *name, struct tt_side *s)
{
    return sscanf(name,
                  ".step-%" SCNd64 ".%7[a-z].%" SCNd64 ".%" SCNd64 ".%" SCNd64
                  ".%" SCNd64 ".%64s",
                  &s->step, s->kind, &s->job, &s->restart, &s->pid, &s->serial,
                  s->host) == 7;
}

static bool is_day_old(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 &&
           tt_clock_epoch_s() - (double)st.st_mtime > DAY_S;
}

/* A process of another host cannot be asked; another start of our own job is
 * over, and nothing takes a day to write. */
bool tt_side_is_dead(const struct tt_side *s, const char *path)
{
    struct tt_side me;

    side_here(&me, s->step, "tmp");
    if (strcmp(s->host, me.host) == 0 && tt_process_born(s->pid) == 0)
        return true;
    if (me.job >= 0 && s->job == me.job && s->restart != me.restart)
        return true;
    return is_day_old(path);
}

int tt_sides_walk(const char *root, tt_side_fn each, struct tt_error *err)
{
    DIR *dir = opendir(root);
    struct dirent *entry;
    struct tt_side side;
    char path[TT_CKPT_PATH];
    int rc = 0;

    if (!dir)
        return errno == ENOENT
                   ? 0
                   : tt_fail(err, TT_EIO, "%s: %s", root, strerror(errno));
    while (rc == 0 && (entry = readdir(dir)))
        if (is_side_name(entry->d_name, &side) &&
            snprintf(path, sizeof(path), "%s/%s", root, entry->d_name) <
                TT_CKPT_PATH)
            rc = each(root, path, &side, err);
    closedir(dir);
    return rc;
}
