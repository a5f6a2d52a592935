/* SPDX-License-Identifier: BSD-3-Clause */
/* match.h - the collectives of a step as each rank will call them, and the
 * proof that they pair up. */
#ifndef TT_PLAN_MATCH_H
#define TT_PLAN_MATCH_H

#include "plan/build.h"

/* Walk the lists of all plan->deal.dp ranks: 0, or -1 with the first misfit.
 */
int tt_plan_match(const struct tt_plan *plan, struct tt_error *err);

#endif
