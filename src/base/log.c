/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - talk on stderr, line by line.  A line goes out in one write, so that
 * lines of several ranks never mix. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum { LINE_BYTES = 4096 };

static struct {
    const char *program;
    int rank;
    enum tt_log_level level;
} who = {"tutti", 0, TT_LOG_INFO};

void tt_log_start(const char *program, int rank, enum tt_log_level level)
{
    who.program = program;
    who.rank = rank;
    who.level = level;
}

static void put(const char *before, const char *fmt, va_list ap)
{
    char line[LINE_BYTES];
    size_t used = (size_t)snprintf(line, sizeof(line), "%.100s", before);

    vsnprintf(line + used, sizeof(line) - used - 1, fmt, ap);
    used = strlen(line);
    line[used++] = '\n';
    fwrite(line, 1, used, stderr);
    fflush(stderr);
}

void tt_log_say(const char *fmt, ...)
{
    va_list ap;

    if (who.rank != 0 || who.level < TT_LOG_INFO)
        return;
    va_start(ap, fmt);
    put("", fmt, ap);
    va_end(ap);
}

void tt_log_debug(const char *fmt, ...)
{
    va_list ap;

    if (who.rank != 0 || who.level < TT_LOG_DEBUG)
        return;
    va_start(ap, fmt);
    put("", fmt, ap);
    va_end(ap);
}

void tt_log_warn(const char *fmt, ...)
{
    va_list ap;

    if (who.rank != 0)
        return;
    va_start(ap, fmt);
    put("warning: ", fmt, ap);
    va_end(ap);
}

void tt_log_rank(const char *fmt, ...)
{
    char before[32];
    va_list ap;

    snprintf(before, sizeof(before), "rank %d: ", who.rank);
    va_start(ap, fmt);
    put(before, fmt, ap);
    va_end(ap);
}

void tt_log_error(const char *fmt, ...)
{
    char before[100];
    va_list ap;

    snprintf(before, sizeof(before), "%.90s: ", who.program);
    va_start(ap, fmt);
    put(before, fmt, ap);
    va_end(ap);
}
