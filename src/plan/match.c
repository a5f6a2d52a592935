/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c - the collectives of a step as each rank will call them. */
#include <stdlib.h>

#include "layout/match.h"
#include "plan/match.h"

enum { SUM_OF_GRADIENTS, VERDICT, PER_STEP };

/* What exec/step.c calls, in its order.  A rank of one calls nothing. */
static int64_t list_collectives(const struct tt_plan *plan,
                                struct tt_match_op *op)
{
    int64_t flat = plan->params.stats.first + plan->params.stats.count;

    if (plan->deal.dp == 1)
        return 0;
    op[SUM_OF_GRADIENTS] = (struct tt_match_op){
        .name = "sum of gradients",
        .kind = SUM_OF_GRADIENTS,
        .peer = -1,
        .bytes = flat * 4,
    };
    op[VERDICT] = (struct tt_match_op){
        .name = "verdict of the step",
        .kind = VERDICT,
        .peer = -1,
        .bytes = -1,
    };
    return PER_STEP;
}

int tt_plan_match(const struct tt_plan *plan, struct tt_error *err)
{
    static const int32_t world = 0;
    int32_t dp = plan->deal.dp;
    struct tt_match_rank *rank = calloc((size_t)dp, sizeof(*rank));
    struct tt_match_op *op = calloc((size_t)dp * PER_STEP, sizeof(*op));
    int rc = -1;

    if (!rank || !op) {
        tt_fail(err, TT_ENOMEM, "out of memory for the ranks' lists");
        goto out;
    }
    for (int32_t r = 0; r < dp; r++) {
        struct tt_match_op *own = &op[r * PER_STEP];

        rank[r] = (struct tt_match_rank){
            .op = own,
            .op_count = list_collectives(plan, own),
            .group = &world,
        };
    }
    rc = tt_match(rank, dp, 1, err);
out:
    free(rank);
    free(op);
    return rc;
}
