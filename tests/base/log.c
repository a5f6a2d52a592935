/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - who speaks, and what is muted. */
#include <stdio.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/log.h"

static char heard[8192];

static void talk(void)
{
    tt_log_say("say %d", 1);
    tt_log_debug("debug");
    tt_log_warn("%s", "warn");
    tt_log_rank("rank");
    tt_log_error("error");
}

/* What stderr gets from one round of talk. */
static const char *hear(int rank, enum tt_log_level level)
{
    FILE *file = freopen("log-test.out", "w+", stderr);
    size_t got;

    tt_log_start("tutti-test", rank, level);
    talk();
    rewind(file);
    got = fread(heard, 1, sizeof(heard) - 1, file);
    heard[got] = 0;
    remove("log-test.out");
    return heard;
}

int main(void)
{
    const char *always = "warning: warn\nrank 0: rank\ntutti-test: error\n";
    char expected[256], longer[6000];

    tap_ok(strcmp(hear(0, TT_LOG_QUIET), always) == 0, "quiet");
    snprintf(expected, sizeof(expected), "say 1\n%s", always);
    tap_ok(strcmp(hear(0, TT_LOG_INFO), expected) == 0, "info");
    snprintf(expected, sizeof(expected), "say 1\ndebug\n%s", always);
    tap_ok(strcmp(hear(0, TT_LOG_DEBUG), expected) == 0, "debug");
    tap_ok(strcmp(hear(3, TT_LOG_DEBUG), "rank 3: rank\ntutti-test: error\n") ==
               0,
           "another rank has only its own to say");

    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = 0;
    hear(0, TT_LOG_INFO);
    freopen("log-test.out", "w+", stderr);
    tt_log_say("%s", longer);
    rewind(stderr);
    tap_ok(fgets(heard, sizeof(heard), stderr) && strlen(heard) == 4095 &&
               heard[4094] == '\n',
           "a long line is cut and still ends");
    remove("log-test.out");
    return tap_done();
}
