/* SPDX-License-Identifier: BSD-3-Clause */
/* rundir.c - the run directory: its lock, its verdict, wishes by hand. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "io/path.h"
#include "train/rundir.h"

static char top[64] = "rundir-XXXXXX", dir[96], lock[128];

static int open_as(struct tt_rundir *rd, int64_t job, int64_t restart,
                   struct tt_error *err)
{
    struct tt_slurm slurm = {.job_id = job, .restart_count = restart};

    return tt_rundir_open(rd, dir, &slurm, err);
}

static void lock_put(const char *text, int age_s)
{
    struct timespec when[2] = {{0}};
    FILE *f = fopen(lock, "w");

    fputs(text, f);
    fclose(f);
    clock_gettime(CLOCK_REALTIME, &when[0]);
    when[0].tv_sec -= age_s;
    when[1] = when[0];
    utimensat(AT_FDCWD, lock, when, 0);
}

static void test_lock(void)
{
    struct tt_rundir rd, other;
    struct tt_error err = {0};
    struct stat st;
    siginfo_t info;
    int status;
    pid_t child;

    tap_ok(open_as(&rd, 5, 0, &err) == 0, "made and locked: %s", err.text);
    tap_ok(open_as(&other, 6, 0, &err) < 0, "refused while held: %s", err.text);
    tt_rundir_close(&rd);
    tap_ok(stat(lock, &st) < 0, "given back");
    child = fork();
    if (child == 0) {
        open_as(&rd, 5, 0, &err);
        _exit(0); /* as if killed: the lock stays */
    }
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    tap_ok(stat(lock, &st) == 0, "a killed one's lock stays");
    tap_ok(open_as(&rd, 6, 0, &err) == 0,
           "and is passed over before anybody waited for it: %s", err.text);
    tt_rundir_close(&rd);
    waitpid(child, &status, 0);
}

/* Locks of this host, by processes that run. */
static void test_lock_alive(void)
{
    struct tt_rundir rd;
    struct tt_error err = {0};
    char host[65] = "", text[160];

    gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "job -1 restart -1 pid %ld host %s\n",
             (long)getppid(), host);
    lock_put(text, 700);
    tap_ok(open_as(&rd, 6, 0, &err) < 0, "one alive is respected for ever: %s",
           err.text);
    snprintf(text, sizeof(text), "job -1 restart -1 pid %ld host %s born 1\n",
             (long)getpid(), host);
    lock_put(text, 0);
    tap_ok(open_as(&rd, 6, 0, &err) == 0,
           "another process that has its number now is not: %s", err.text);
    tt_rundir_close(&rd);
}

static void test_lock_elsewhere(void)
{
    const char *text = "job 5 restart 1 pid 1 host not.this.one\n";
    struct tt_rundir rd;
    struct tt_error err = {0};

    lock_put(text, 0);
    tap_ok(open_as(&rd, 6, 0, &err) < 0 && strstr(err.text, "not.this.one"),
           "another host's is respected: %s", err.text);
    tap_ok(open_as(&rd, 5, 1, &err) < 0, "also of the same start");
    tap_ok(open_as(&rd, 5, 2, &err) == 0, "an earlier start's is not");
    tt_rundir_close(&rd);
    lock_put(text, 700);
    tap_ok(open_as(&rd, 6, 0, &err) == 0, "one untouched for long is not");
    tt_rundir_beat(&rd, 1000);
    tt_rundir_close(&rd);
    lock_put("", 0);
    tap_ok(open_as(&rd, 6, 0, &err) < 0, "an empty young one is respected");
    unlink(lock);
}

static void test_verdict(void)
{
    struct tt_rundir rd;
    struct tt_error err = {0};
    struct stat st;
    char path[128], *text;

    open_as(&rd, 5, 3, &err);
    snprintf(path, sizeof(path), "%s/verdict", dir);
    tap_ok(tt_rundir_write_verdict(&rd, TT_VERDICT_REQUEUE, 12,
                                   "time is up\nsoon", &err) == 0,
           "verdict: %s", err.text);
    text = tt_path_read(path, NULL, &err);
    tap_ok(text && strcmp(text, "requeue 5 3\nstep 12\ntime is up soon\n") == 0,
           "three lines");
    free(text);
    stat(path, &st);
    tap_ok((st.st_mode & 0777) == 0664, "its mode follows the umask");
    tt_rundir_write_verdict(&rd, TT_VERDICT_DONE, 20, NULL, &err);
    text = tt_path_read(path, NULL, &err);
    tap_ok(text && strncmp(text, "done\nstep 20\n", 13) == 0, "replaced");
    free(text);
    tap_ok(tt_rundir_clear_verdict(&rd, &err) == 0 && stat(path, &st) < 0 &&
               tt_rundir_clear_verdict(&rd, &err) == 0,
           "cleared, also twice");
    tt_rundir_close(&rd);
}

static void test_wishes(void)
{
    struct tt_rundir rd;
    char path[128];

    open_as(&rd, -1, -1, NULL);
    tap_ok(tt_rundir_wish(&rd, 10) == TT_WISH_GO_ON, "no file, no wish");
    snprintf(path, sizeof(path), "%s/SAVE", dir);
    fclose(fopen(path, "w"));
    tap_ok(tt_rundir_wish(&rd, 10.5) == TT_WISH_GO_ON, "not twice a second");
    tap_ok(tt_rundir_wish(&rd, 11.5) == TT_WISH_SAVE, "SAVE");
    snprintf(path, sizeof(path), "%s/STOP", dir);
    fclose(fopen(path, "w"));
    tap_ok(tt_rundir_wish(&rd, 13) == TT_WISH_STOP, "STOP comes first");
    tt_rundir_grant(&rd, TT_WISH_STOP);
    tap_ok(tt_rundir_wish(&rd, 15) == TT_WISH_SAVE, "once granted it is gone");
    tt_rundir_grant(&rd, TT_WISH_SAVE);
    tt_rundir_close(&rd);
}

static void test_start(void)
{
    struct tt_slurm slurm = {.job_id = 5, .restart_count = 1};
    struct tt_rundir rd;
    struct tt_error err = {0};
    char path[128], *text, *end;

    open_as(&rd, 5, 1, &err);
    for (int i = 0; i < 2; i++)
        tt_rundir_add_start(&rd, tt_start_create(&slurm, 4, 8), &err);
    snprintf(path, sizeof(path), "%s/starts.jsonl", dir);
    text = tt_path_read(path, NULL, &err);
    end = text ? strchr(text, '\n') : NULL;
    tap_ok(end && strchr(end + 1, '\n'), "two starts, two lines");
    if (end) {
        json_t *line = json_loadb(text, (size_t)(end - text), 0, NULL);

        tap_ok(json_integer_value(json_object_get(line, "ranks")) == 4 &&
                   json_integer_value(json_object_get(line, "job")) == 5,
               "with ranks and job");
        json_decref(line);
    }
    free(text);
    tt_rundir_close(&rd);
}

int main(void)
{
    umask(0002);
    if (!mkdtemp(top))
        return 1;
    snprintf(dir, sizeof(dir), "%s/runs/a", top);
    snprintf(lock, sizeof(lock), "%s/lock", dir);
    test_lock();
    test_lock_alive();
    test_lock_elsewhere();
    test_verdict();
    test_wishes();
    test_start();
    tt_path_remove(top, NULL);
    return tap_done();
}
