/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c - signals are sent for real; those that end a process go to
 * children. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "job/job.h"

/* A child sends itself signals; how it ended, as wait() says. */
static int child(int first, int second, int want_wish)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        tt_signals_start();
        if (first)
            raise(first);
        if (second)
            raise(second);
        _exit(tt_signals_wish() == (enum tt_wish)want_wish ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void test_ends(void)
{
    int status = child(SIGINT, SIGINT, TT_WISH_STOP);

    tap_ok(child(0, 0, TT_WISH_GO_ON) == 0, "no signal: go on");
    tap_ok(child(SIGTERM, SIGTERM, TT_WISH_STOP) == 0, "TERM twice: stop");
    tap_ok(child(SIGUSR1, 0, TT_WISH_STOP) == 0, "USR1: stop");
    tap_ok(child(SIGUSR2, SIGTERM, TT_WISH_STOP) == 0, "USR2, TERM: stop");
    tap_ok(child(SIGINT, 0, TT_WISH_STOP) == 0, "INT: stop");
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT,
           "INT twice ends at once, by SIGINT");
}

/* Kernels keep what they need below the stack pointer. */
static void test_own_stack(void)
{
    struct sigaction action;
    stack_t stack;

    sigaltstack(NULL, &stack);
    tap_ok(!(stack.ss_flags & SS_DISABLE), "handlers have a stack");
    sigaction(SIGTERM, NULL, &action);
    tap_ok(action.sa_flags & SA_ONSTACK, "and use it");
}

/* A blocking read goes on over a signal. */
static void test_restarts(void)
{
    int ends[2];
    char byte = 0;
    ssize_t got;
    pid_t self = getpid(), pid;

    if (pipe(ends) < 0)
        return;
    pid = fork();
    if (pid == 0) {
        usleep(50000);
        kill(self, SIGUSR2);
        usleep(50000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    got = read(ends[0], &byte, 1);
    waitpid(pid, NULL, 0);
    tap_ok(got == 1 && byte == 'x', "a signal does not break a read");
}

static void test_name(void)
{
    tt_signals_start();
    tap_ok(tt_signals_name() == NULL, "no name before");
    test_own_stack();
    test_restarts();
    tap_ok(tt_signals_wish() == TT_WISH_STOP, "another process's signal");
    tap_ok(strcmp(tt_signals_name(), "SIGUSR2") == 0, "its name");
    raise(SIGTERM);
    tap_ok(strcmp(tt_signals_name(), "SIGUSR2") == 0, "the first one's name");
}

int main(void)
{
    test_ends();
    test_name();
    return tap_done();
}
