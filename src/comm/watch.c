/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - a watchdog that turns a hang into a message and an exit. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "comm/watch.h"

/* Written by the compute thread alone; 'beat' last, so that a note that the
 * watcher sees as new is complete. */
static struct {
    _Atomic(const char *) what; /* NULL: paused, or nothing yet */
    atomic_int_fast64_t number;
    atomic_uint_fast64_t beat;
} now;

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int running, stop;
    double limit_s;
    int rank;
    char host[64];
} dog = {.lock = PTHREAD_MUTEX_INITIALIZER};

void tt_watch_note(const char *what, int64_t number)
{
    uint_fast64_t beat = atomic_load_explicit(&now.beat, memory_order_relaxed);

    atomic_store_explicit(&now.what, what, memory_order_relaxed);
    atomic_store_explicit(&now.number, number, memory_order_relaxed);
    atomic_store_explicit(&now.beat, beat + 1, memory_order_release);
}

const char *tt_watch_what(int64_t *number)
{
    const char *what = atomic_load_explicit(&now.what, memory_order_relaxed);

    *number = atomic_load_explicit(&now.number, memory_order_relaxed);
    return what ? what : "";
}

void tt_watch_pause(void)
{
    tt_watch_note(NULL, -1);
}

/* One write, so that lines of several ranks do not mix. */
static void bark(double age_s)
{
    int64_t number;
    const char *what = tt_watch_what(&number);
    char line[512], which[32] = "";
    int used;

    if (number >= 0)
        snprintf(which, sizeof(which), " %" PRId64, number);
    used = snprintf(line, sizeof(line),
                    "rank %d on %s: no progress for %.1f s in: %s%s\n",
                    dog.rank, dog.host, age_s, what, which);
    if (used >= (int)sizeof(line))
        used = (int)sizeof(line) - 1;
    if (write(STDERR_FILENO, line, (size_t)used) < 0)
        _exit(TT_WATCH_EXIT);
}

static double period_s(void)
{
    return dog.limit_s < 8 ? dog.limit_s / 8 : 1;
}

/* Sleep for 's' seconds or until told to stop; called with the lock held. */
static void doze(double s)
{
    double until = tt_clock_s() + s;
    struct timespec at = {.tv_sec = (time_t)until};

    at.tv_nsec = (long)((until - (double)at.tv_sec) * 1e9);
    while (!dog.stop && tt_clock_s() < until)
        pthread_cond_timedwait(&dog.wake, &dog.lock, &at);
}

static void *guard(void *unused)
{
    uint_fast64_t seen = 0;
    double since = tt_clock_s();

    (void)unused;
    pthread_mutex_lock(&dog.lock);
    while (!dog.stop) {
        uint_fast64_t beat =
            atomic_load_explicit(&now.beat, memory_order_acquire);

        if (beat != seen || !atomic_load(&now.what)) {
            seen = beat;
            since = tt_clock_s();
        } else if (tt_clock_s() - since >= dog.limit_s) {
            bark(tt_clock_s() - since);
            doze(2 * period_s()); /* other ranks have something to say too */
            _exit(TT_WATCH_EXIT);
        }
        doze(period_s());
    }
    pthread_mutex_unlock(&dog.lock);
    return NULL;
}

/* Monotonic, as tt_clock_s() is: setting the date must not bark. */
static void wake_init(void)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&dog.wake, &attr);
    pthread_condattr_destroy(&attr);
}

int tt_watch_start(double limit_s, int rank, const char *host,
                   struct tt_error *err)
{
    sigset_t all, before;
    int rc;

    tt_watch_stop();
    if (limit_s <= 0)
        return 0;
    dog.limit_s = limit_s;
    dog.rank = rank;
    dog.stop = 0;
    snprintf(dog.host, sizeof(dog.host), "%s", host);
    wake_init();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&dog.thread, NULL, guard, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        return tt_fail(err, TT_ENOMEM, "watchdog thread: %s", strerror(rc));
    dog.running = 1;
    return 0;
}

void tt_watch_stop(void)
{
    if (!dog.running)
        return;
    pthread_mutex_lock(&dog.lock);
    dog.stop = 1;
    pthread_cond_signal(&dog.wake);
    pthread_mutex_unlock(&dog.lock);
    pthread_join(dog.thread, NULL);
    pthread_cond_destroy(&dog.wake);
    dog.running = 0;
}
