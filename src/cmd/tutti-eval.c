/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-eval.c - loss and accuracy of a checkpoint on a set. */
#include "cmd/common.h"
#include "cmd/eval_modes.h"

enum { CHECKPOINT, DATA };

static const struct tt_flag flags[] = {
    [CHECKPOINT] = {"checkpoint", "best|newest|STEP|PATH", "best",
                    "checkpoint to evaluate; best falls back to the newest"},
    [DATA] = {"data", "test|valid|train", "test",
              "set of the job file; test falls back to valid"},
    {0},
};

int main(int argc, char **argv)
{
    struct tt_args args = {.program = "tutti-eval",
                           .summary = "Evaluate a checkpoint.",
                           .flags = flags};
    int status = tt_args_parse(&args, argc, argv);

    if (status != TT_GO_ON)
        return status;
    return tt_eval_main(&args, &argc, &argv, args.value[CHECKPOINT],
                        args.value[DATA]);
}
