/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h - the folder of checkpoints of one run: step-00001000/ and so on, a
 * link 'best', and what writers leave aside: .step-00001000.KIND.JOB.RESTART.
 * PID.SERIAL.HOST with KIND tmp (being written), old (complete, being
 * replaced) or gone (being removed).  One process works here at a time: rank 0
 * of the run that holds the run directory.  No MPI here. */
#ifndef TT_CKPT_STEPS_H
#define TT_CKPT_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"

enum { TT_CKPT_PATH = 480 }; /* bytes of a path of a step directory */

/* root/step-%08lld into 'path'. */
int tt_ckpt_step_path(char path[TT_CKPT_PATH], const char *root, int64_t step,
                      struct tt_error *err);

/* Steps in root in ascending order; complete or not is not asked.  The caller
 * frees *step.  Returns how many (0 where root is absent), or -1. */
int64_t tt_ckpt_steps_list(const char *root, int64_t **step,
                           struct tt_error *err);

/* The step that root/best points to, or -1. */
int64_t tt_ckpt_best_find(const char *root);

/* Point root/best (a relative symbolic link, replaced by rename) to a step. */
int tt_ckpt_mark_best(const char *root, int64_t step, struct tt_error *err);

/* Keep the newest 'keep' complete steps (0: all) and the one called 'best'
 * (-1: none), remove older ones and what dead writers left: of this host and
 * no longer running, of an earlier start of this Slurm job, or a day old. */
int tt_ckpt_prune(const char *root, int64_t keep, int64_t best,
                  struct tt_error *err);

/* Rename steps newer than 'step' to step-...aside (aside2, ...), where they are
 * not looked for: of a run that goes on from an older one.  Returns how many,
 * or -1. */
int64_t tt_ckpt_set_aside(const char *root, int64_t step, struct tt_error *err);

/* Make a directory beside the one of 'step' to write into; its name is taken
 * by nobody else. */
int tt_ckpt_tmp_create(char path[TT_CKPT_PATH], const char *root, int64_t step,
                       struct tt_error *err);

/* The commit: 'tmp' becomes the directory of 'step', for good and in one
 * instant; one that was there is replaced and removed. */
int tt_ckpt_commit(const char *tmp, const char *root, int64_t step,
                   struct tt_error *err);

/* A step that was put aside for a replacement which never came is put back:
 * for file systems that cannot exchange two names in one instant. */
int tt_ckpt_recover(const char *root, struct tt_error *err);

/* The scalars of a checkpoint, without its tensors; a new reference. */
json_t *tt_ckpt_scalars(const char *path, struct tt_error *err);

/* The whole of a step directory against its hashes, by this process alone. */
int tt_ckpt_verify(const char *path, struct tt_error *err);

#endif
