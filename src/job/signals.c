/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c - signals that ask the run to save and stop. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "job/job.h"

static const int numbers[] = {SIGTERM, SIGUSR1, SIGUSR2, SIGINT};
enum { NUMBER_COUNT = sizeof(numbers) / sizeof(numbers[0]) };

static pthread_t taker;             /* the thread that signals are for */
static volatile sig_atomic_t first; /* signal, 0: none came */

/* Slurm sends TERM up to three times, so a repeated signal means nothing new;
 * only INT, which a person sends, ends the process when it comes again. */
static void on_signal(int number)
{
    if (!first)
        first = number;
}

/* Handlers run on a stack of their own: kernels that oneDNN makes at run time
 * keep what they need below the stack pointer, where a handler would write over
 * it. */
static void own_stack(void)
{
    static char stack[1 << 16] __attribute__((aligned(64)));
    stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};

    sigaltstack(&own, NULL);
}

void tt_signals_start(void)
{
    struct sigaction action;

    taker = pthread_self();
    own_stack();
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        action.sa_flags = SA_RESTART | SA_ONSTACK;
        if (numbers[i] == SIGINT)
            action.sa_flags |= (int)SA_RESETHAND;
        sigaction(numbers[i], &action, NULL);
    }
}

void tt_signals_leave(void)
{
    sigset_t set;

    if (pthread_equal(taker, pthread_self()))
        return;
    sigemptyset(&set);
    for (size_t i = 0; i < NUMBER_COUNT; i++)
        sigaddset(&set, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
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
