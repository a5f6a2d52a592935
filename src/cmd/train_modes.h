/* SPDX-License-Identifier: BSD-3-Clause */
/* train_modes.h - what tutti-train can be asked to do with a job. */
#ifndef TT_CMD_TRAIN_MODES_H
#define TT_CMD_TRAIN_MODES_H

#include "cmd/common.h"

struct tt_train_modes {
    const char *resume, *try_steps; /* try_steps: text of --try, or NULL */
    bool force, dry_run, show_config, list;
};

/* Start MPI, do it, end MPI; returns main's status. */
int tt_train_main(const struct tt_args *args, int *argc, char ***argv,
                  const struct tt_train_modes *modes);

#endif
