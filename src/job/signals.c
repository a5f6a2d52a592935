/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c - signals that ask the run to save and stop. */
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "job/job.h"

static volatile sig_atomic_t first; /* signal, 0: none came */

/* Slurm sends TERM up to three times, so a repeated signal means nothing new;
 * only INT, which a person sends, ends the process when it comes again. */
static void on_signal(int number)
{
    if (!first)
        first = number;
}

void tt_signals_start(void)
{
    static const int numbers[] = {SIGTERM, SIGUSR1, SIGUSR2, SIGINT};
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        action.sa_flags = SA_RESTART;
        if (numbers[i] == SIGINT)
            action.sa_flags |= (int)SA_RESETHAND;
        sigaction(numbers[i], &action, NULL);
    }
}

enum tt_wish tt_signals_wish(void)
{
    return first ? TT_WISH_STOP : TT_WISH_GO_ON;
}

const char *tt_signals_name(void)
{
    switch (first) {
    case SIGTERM:
        return "SIGTERM";
    case SIGUSR1:
        return "SIGUSR1";
    case SIGUSR2:
        return "SIGUSR2";
    case SIGINT:
        return "SIGINT";
    default:
        return NULL;
    }
}
