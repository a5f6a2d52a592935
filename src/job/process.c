/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - whether a process of this host still runs. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "job/job.h"

/* The line of Linux's proc(5) about a process, from its state on. */
static const char *read_stat(int64_t pid, char *line, int bytes)
{
    char path[64];
    const char *name_end;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    file = fopen(path, "r");
    if (!file)
        return NULL;
    if (!fgets(line, bytes, file))
        line[0] = '\0';
    fclose(file);
    name_end = strrchr(line, ')'); /* a name may hold anything */
    return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

/* Clock ticks from boot to its start are the 20th field from the state on. */
static int64_t start_ticks(const char *stat)
{
    int64_t ticks = -1;

    for (int field = 1; field < 20 && stat; field++) {
        stat = strchr(stat, ' ');
        stat = stat ? stat + 1 : NULL;
    }
    if (!stat || sscanf(stat, "%" SCNd64, &ticks) != 1)
        return -1;
    return ticks;
}

int64_t tt_process_born(int64_t pid)
{
    char line[1024];
    const char *stat;

    if (pid <= 0 || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
        return 0;
    stat = read_stat(pid, line, sizeof(line));
    if (!stat)
        return -1;
    return *stat == 'Z' || *stat == 'X' ? 0 : start_ticks(stat);
}
