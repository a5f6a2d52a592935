/* SPDX-License-Identifier: BSD-3-Clause */
/* rundir.c - the directory of a run. */
#include <config.h>

#include "train/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/path.h"

static const double beat_every_s = 30, stale_s = 600, look_every_s = 1;

static void path_of(char path[TT_RUNDIR_PATH], const struct tt_rundir *rd,
                    const char *name)
{
    snprintf(path, TT_RUNDIR_PATH, "%s/%.60s", rd->dir, name);
}

static int fail_errno(const char *path, struct tt_error *err)
{
    return tt_fail(err, TT_EIO, "%s: %s", path, strerror(errno));
}

/* --- lock ------------------------------------------------------------- */

struct holder {
    int64_t job, restart, pid, born; /* born: -1 where not known */
    char host[65];
};

static struct holder holder_here(const struct tt_rundir *rd)
{
    struct holder me = {rd->job_id, rd->restart, getpid(), -1, ""};

    me.born = tt_process_born(me.pid);
    if (gethostname(me.host, sizeof(me.host) - 1) < 0)
        snprintf(me.host, sizeof(me.host), "unknown");
    return me;
}

static int holder_read(const char *path, struct holder *h)
{
    char *text = tt_path_read(path, NULL, NULL);
    int got = text ? sscanf(text,
                            "job %" SCNd64 " restart %" SCNd64 " pid %" SCNd64
                            " host %64s born %" SCNd64,
                            &h->job, &h->restart, &h->pid, h->host, &h->born)
                   : 0;

    free(text);
    if (got < 5)
        h->born = -1;
    return got >= 4 ? 0 : -1;
}

/* Seconds since the lock was touched, by the clock of the file system: the
 * file that is made to ask it is 'probe'. */
static double lock_age_s(const char *lock, const char *probe)
{
    struct stat old, now;
    int fd = open(probe, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    double age = 0;

    if (fd < 0)
        return 0;
    if (write(fd, "\n", 1) == 1 && fstat(fd, &now) == 0 &&
        stat(lock, &old) == 0)
        age = (double)(now.st_mtime - old.st_mtime);
    close(fd);
    unlink(probe);
    return age;
}

/* Its number may be another's by now: in a container every first process has
 * the same one. */
static bool is_gone(const struct holder *h)
{
    int64_t born = tt_process_born(h->pid);

    return born == 0 || (born > 0 && h->born > 0 && born != h->born);
}

static bool is_stale(const struct holder *h, const struct holder *me,
                     double age_s)
{
    if (strcmp(h->host, me->host) == 0)
        return is_gone(h);
    if (age_s > stale_s)
        return true;
    return me->job >= 0 && h->job == me->job && h->restart < me->restart;
}

static bool is_same_holder(const struct holder *a, const struct holder *b)
{
    return a->job == b->job && a->restart == b->restart && a->pid == b->pid &&
           strcmp(a->host, b->host) == 0;
}

/* Take a dead one's lock out of the way.  Another may have done so just now
 * and hold a new one, which is then given back. */
static int lock_remove(const char *lock, const char *aside,
                       const struct holder *dead, struct tt_error *err)
{
    struct holder moved = {-1, -1, 0, -1, "an unknown host"};

    if (rename(lock, aside) < 0)
        return errno == ENOENT ? 0 : fail_errno(lock, err);
    holder_read(aside, &moved);
    if (is_same_holder(&moved, dead))
        unlink(aside);
    else if (rename(aside, lock) < 0)
        return fail_errno(lock, err);
    return 0;
}

/* Fails while somebody alive holds the lock; removes a dead one's.  A lock
 * that was just made has no text yet: nobody's, and young. */
static int lock_break(const char *lock, const struct holder *me,
                      struct tt_error *err)
{
    char aside[TT_RUNDIR_PATH + 32];
    struct holder h = {-1, -1, 0, -1, "an unknown host"};
    char job[40] = "";
    bool known = holder_read(lock, &h) == 0;
    double age_s;

    snprintf(aside, sizeof(aside), "%s.%ld", lock, (long)getpid());
    age_s = lock_age_s(lock, aside);
    if (known ? is_stale(&h, me, age_s) : age_s > stale_s)
        return lock_remove(lock, aside, &h, err);
    if (h.job >= 0)
        snprintf(job, sizeof(job), ", job %" PRId64 ",", h.job);
    return tt_fail(err, TT_EINVAL,
                   "%.80s: process %" PRId64 " on %s%s trains in this run.dir "
                   "(heard of %.0f s ago): wait for it, take another run.dir, "
                   "or remove the file if it is gone",
                   lock, h.pid, h.host, job, age_s);
}

static int lock_write(int fd, const char *lock, const struct holder *me,
                      struct tt_error *err)
{
    char text[256];
    int bytes = snprintf(text, sizeof(text),
                         "job %" PRId64 " restart %" PRId64 " pid %" PRId64
                         " host %s born %" PRId64 "\n",
                         me->job, me->restart, me->pid, me->host, me->born);
    int rc = tt_path_pwrite(fd, text, (size_t)bytes, 0, lock, err);

    if (close(fd) < 0 && rc == 0)
        rc = fail_errno(lock, err);
    if (rc < 0)
        unlink(lock);
    return rc;
}

static int lock_take(struct tt_rundir *rd, struct tt_error *err)
{
    char lock[TT_RUNDIR_PATH];
    struct holder me = holder_here(rd);
    int fd;

    path_of(lock, rd, "lock");
    while ((fd = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) <
           0) {
        if (errno != EEXIST)
            return fail_errno(lock, err);
        if (lock_break(lock, &me, err) < 0)
            return -1;
    }
    if (lock_write(fd, lock, &me, err) < 0)
        return -1;
    rd->locked = true;
    return 0;
}

void tt_rundir_beat(struct tt_rundir *rd, double now_s)
{
    char lock[TT_RUNDIR_PATH];

    if (!rd->locked || now_s - rd->beat_s < beat_every_s)
        return;
    rd->beat_s = now_s;
    path_of(lock, rd, "lock");
    utimensat(AT_FDCWD, lock, NULL, 0);
}

int tt_rundir_open(struct tt_rundir *rd, const char *dir,
                   const struct tt_slurm *slurm, struct tt_error *err)
{
    *rd = (struct tt_rundir){.job_id = slurm->job_id,
                             .restart = slurm->restart_count};
    if (snprintf(rd->dir, sizeof(rd->dir), "%s", dir) >= (int)sizeof(rd->dir))
        return tt_fail(err, TT_EINVAL, "%.80s...: path too long", dir);
    path_of(rd->checkpoints, rd, "checkpoints");
    if (tt_path_mkdirs(rd->checkpoints, err) < 0 || lock_take(rd, err) < 0)
        return tt_fail_in(err, "run.dir");
    return 0;
}

/* Not if another took it from us meanwhile. */
void tt_rundir_close(struct tt_rundir *rd)
{
    char lock[TT_RUNDIR_PATH];
    struct holder me, h;

    if (!rd->locked)
        return;
    me = holder_here(rd);
    path_of(lock, rd, "lock");
    if (holder_read(lock, &h) == 0 && h.pid == me.pid &&
        strcmp(h.host, me.host) == 0)
        unlink(lock);
    rd->locked = false;
}

/* --- records ---------------------------------------------------------- */

int tt_rundir_write_job(const struct tt_rundir *rd, const char *yaml,
                        struct tt_error *err)
{
    char path[TT_RUNDIR_PATH];

    path_of(path, rd, "job.yaml");
    return tt_path_write(path, yaml, strlen(yaml), err);
}

/* One write of a whole line, at the end, and synced. */
static int line_append(const char *path, char *line, struct tt_error *err)
{
    size_t bytes = strlen(line);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int rc = 0;

    if (fd < 0)
        return fail_errno(path, err);
    line[bytes] = '\n'; /* in place of the NUL */
    if (write(fd, line, bytes + 1) != (ssize_t)bytes + 1 || fsync(fd) < 0)
        rc = fail_errno(path, err);
    if (close(fd) < 0 && rc == 0)
        rc = fail_errno(path, err);
    return rc;
}

int tt_rundir_add_start(const struct tt_rundir *rd, json_t *start,
                        struct tt_error *err)
{
    char path[TT_RUNDIR_PATH];
    char *line = json_dumps(start, JSON_COMPACT);
    int rc;

    json_decref(start);
    path_of(path, rd, "starts.jsonl");
    if (!line)
        return tt_fail(err, TT_EINVAL, "%s: this start is no JSON", path);
    rc = line_append(path, line, err);
    free(line);
    return rc;
}

json_t *tt_start_create(const struct tt_slurm *slurm, int rank_count,
                        int thread_count)
{
    const char *modules = getenv("LOADEDMODULES");
    char host[65] = "";

    if (gethostname(host, sizeof(host) - 1) < 0)
        host[0] = '\0';
    return json_pack("{s:f, s:I, s:I, s:s, s:s, s:i, s:i, s:s, s:s}", "time",
                     tt_clock_epoch_s(), "job", (json_int_t)slurm->job_id,
                     "restart", (json_int_t)slurm->restart_count, "nodes",
                     slurm->node_list, "host", host, "ranks", rank_count,
                     "threads", thread_count, "build", PACKAGE_STRING,
                     "modules", modules ? modules : "");
}

/* --- verdict ---------------------------------------------------------- */

/* A reason may be of several lines; the verdict's third line holds it. */
static void one_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            *text = ' ';
}

int tt_rundir_write_verdict(const struct tt_rundir *rd,
                            enum tt_run_verdict verdict, int64_t step,
                            const char *reason, struct tt_error *err)
{
    char path[TT_RUNDIR_PATH], why[512], word[64] = "done", text[1024];
    int bytes;

    if (verdict == TT_VERDICT_REQUEUE)
        snprintf(word, sizeof(word), "requeue %" PRId64 " %" PRId64, rd->job_id,
                 rd->restart);
    else if (verdict == TT_VERDICT_FAILED)
        snprintf(word, sizeof(word), "failed");
    snprintf(why, sizeof(why), "%s", reason ? reason : "");
    one_line(why);
    bytes = snprintf(text, sizeof(text), "%s\nstep %" PRId64 "\n%s\n", word,
                     step, why);
    path_of(path, rd, "verdict");
    return tt_path_write(path, text, (size_t)bytes, err);
}

int tt_rundir_clear_verdict(const struct tt_rundir *rd, struct tt_error *err)
{
    char path[TT_RUNDIR_PATH];

    path_of(path, rd, "verdict");
    if (unlink(path) < 0 && errno != ENOENT)
        return fail_errno(path, err);
    return 0;
}

/* --- wishes ----------------------------------------------------------- */

static bool is_there(const struct tt_rundir *rd, const char *name)
{
    char path[TT_RUNDIR_PATH];

    path_of(path, rd, name);
    return access(path, F_OK) == 0;
}

enum tt_wish tt_rundir_wish(struct tt_rundir *rd, double now_s)
{
    if (now_s - rd->look_s < look_every_s)
        return TT_WISH_GO_ON;
    rd->look_s = now_s;
    if (is_there(rd, "STOP"))
        return TT_WISH_STOP;
    return is_there(rd, "SAVE") ? TT_WISH_SAVE : TT_WISH_GO_ON;
}

void tt_rundir_grant(const struct tt_rundir *rd, enum tt_wish wish)
{
    char path[TT_RUNDIR_PATH];

    path_of(path, rd, wish == TT_WISH_STOP ? "STOP" : "SAVE");
    unlink(path);
}
