/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - a watchdog that turns a hang into a message and an exit.  The
 * compute thread notes what it is about to do; a thread of its own, which
 * never calls MPI, looks whether the notes still change. */
#ifndef TT_COMM_WATCH_H
#define TT_COMM_WATCH_H

#include <stdint.h>

#include "base/err.h"

enum { TT_WATCH_EXIT = 76 };

/* Start watching: when no note has come for 'limit_s' seconds, print rank,
 * host, the last note and its age, and end the process with TT_WATCH_EXIT;
 * the launcher then ends the other ranks.  limit_s 0: notes are kept, nobody
 * watches.  All signals stay with the calling thread. */
int tt_watch_start(double limit_s, int rank, const char *host,
                   struct tt_error *err);

/* Note what is done next: a text that lives as long as the process, and a
 * number for it, usually the step (-1: none).  Costs three plain stores, no
 * clock; the same note again counts as progress too. */
void tt_watch_note(const char *what, int64_t number);

/* The last note and its number; "" before the first. */
const char *tt_watch_what(int64_t *number);

/* Nothing may hang from here until the next note: waiting for a person, or
 * for input without a time limit. */
void tt_watch_pause(void);

/* Stop watching and join the thread. */
void tt_watch_stop(void);

#endif
