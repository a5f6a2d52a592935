/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-train.c - train a model as a job file says; run again, it resumes. */
#include "base/log.h"
#include "cmd/common.h"
#include "cmd/train_modes.h"

enum { RESUME, FORCE, TRY, DRY_RUN, SHOW_CONFIG, LIST };

static const struct tt_flag flags[] = {
    [RESUME] = {"resume", "auto|none|best|STEP|PATH", "auto",
                "checkpoint to go on from; auto: the newest, if there is one"},
    [FORCE] = {"force", NULL, NULL,
               "resume although knobs changed that change the numbers"},
    [TRY] = {"try", "N", NULL,
             "train N steps, evaluate, save and load, and leave nothing"},
    [DRY_RUN] = {"dry-run", NULL, NULL, "plan, say what is needed, and stop"},
    [SHOW_CONFIG] = {"show-config", NULL, NULL,
                     "print every knob and where its value came from"},
    [LIST] = {"list", NULL, NULL, "print the planned operations of a step"},
    {0},
};

int main(int argc, char **argv)
{
    struct tt_args args = {.program = "tutti-train",
                           .summary = "Train a model. The same command goes "
                                      "on from the newest checkpoint.",
                           .flags = flags};
    int status = tt_args_parse(&args, argc, argv);

    if (status != TT_GO_ON)
        return status;
    return tt_train_main(
        &args, &argc, &argv,
        &(struct tt_train_modes){.resume = args.value[RESUME],
                                 .force = args.value[FORCE] != NULL,
                                 .dry_run = args.value[DRY_RUN] != NULL,
                                 .show_config = args.value[SHOW_CONFIG] != NULL,
                                 .list = args.value[LIST] != NULL,
                                 .try_steps = args.value[TRY]});
}
