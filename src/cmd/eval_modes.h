/* SPDX-License-Identifier: BSD-3-Clause */
/* eval_modes.h - tutti-eval: which checkpoint, which set, what is printed. */
#ifndef TT_CMD_EVAL_MODES_H
#define TT_CMD_EVAL_MODES_H

#include "cmd/common.h"

/* Start MPI, evaluate, end MPI; returns main's status. */
int tt_eval_main(const struct tt_args *args, int *argc, char ***argv,
                 const char *checkpoint, const char *set);

#endif
