/* SPDX-License-Identifier: BSD-3-Clause */
/* save.h - when checkpoints are written and what happens around them: in the
 * background while training goes on, the last one before the run ends; older
 * ones pruned, the best marked. */
#ifndef TT_TRAIN_SAVE_H
#define TT_TRAIN_SAVE_H

#include "ckpt/ckpt.h"
#include "train/due.h"
#include "train/report.h"
#include "train/run.h"

struct tt_saver {
    struct tt_run *run;
    struct tt_report *report;
    struct tt_due due;
    struct tt_ckpt_save *flight; /* a save under way, or NULL */
    int64_t flight_step, flight_best;
    double flight_start_s;
    double cost_s; /* what the last one took from begin to end; 0: none yet */
};

void tt_saver_init(struct tt_saver *saver, struct tt_run *run,
                   struct tt_report *report);

/* Local: this rank's part of the save under way is written (never, where none
 * is): what the verdict carries as TT_ASK_WRITTEN. */
bool tt_saver_is_written(const struct tt_saver *saver);

/* Collective.  Begin a save of the current state; one under way makes this one
 * be skipped, with a line.  A failure is a warning: the older checkpoint stays
 * and the run goes on. */
void tt_saver_begin_all(struct tt_saver *saver);

/* Collective.  Commit the save under way, if there is one; likewise. */
void tt_saver_end_all(struct tt_saver *saver);

/* Collective.  Be sure that the current state is saved; fails where it cannot
 * be. */
int tt_saver_last_all(struct tt_saver *saver, struct tt_error *err);

#endif
