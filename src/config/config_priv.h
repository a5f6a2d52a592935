/* SPDX-License-Identifier: BSD-3-Clause */
/* config_priv.h - what the files of this room share. */
#ifndef TT_CONFIG_PRIV_H
#define TT_CONFIG_PRIV_H

#include "base/opt.h"
#include "config/job.h"

/* Every section and knob of a job file. */
extern const struct tt_opt_section tt_job_sections[];

/* Words of other programs, and what is not done here. */
extern const struct tt_opt_other tt_job_others[];

/* The job as a set of options. */
struct tt_opt_set tt_job_set(const struct tt_job *job);

#endif
