/* SPDX-License-Identifier: BSD-3-Clause */
/* opt_priv.h - what the opt*.c files share. */
#ifndef TT_BASE_OPT_PRIV_H
#define TT_BASE_OPT_PRIV_H

#include "base/opt.h"

enum { TT_OPT_NAME_BYTES = 64 };

/* The knob 'name' of a section, or the switch of the group 'name'. */
bool tt_opt_find_knob(const struct tt_opt_set *set, const char *section,
                      const char *name, struct tt_opt_at *at);

/* Bytes of a knob's name as users know it: early-stop.on is early-stop. */
int tt_opt_shown_bytes(const struct tt_opt *opt);

/* Some knob's name starts with "group.". */
bool tt_opt_has_group(const struct tt_opt_section *section, const char *group);

const struct tt_opt_section *tt_opt_find_section(const struct tt_opt_set *set,
                                                 const char *name);

/* The answer to a word of set->others, or NULL. */
const char *tt_opt_find_other(const struct tt_opt_set *set, const char *word);

/* Fail at a key that 'section' ("early-stop." of it if that is 'group', else
 * "") does not have, or that is no section, or at a flag that is no knob:
 * saying what it should have been. */
int tt_opt_fail_key(const struct tt_opt_set *set,
                    const struct tt_opt_section *section, const char *group,
                    const struct tt_node *node, struct tt_error *err);
int tt_opt_fail_section(const struct tt_opt_set *set,
                        const struct tt_node *node, struct tt_error *err);
int tt_opt_fail_flag(const struct tt_opt_set *set, const char *name,
                     struct tt_error *err);

/* Sections that have a knob or group of that name; *first is one of them, and
 * 'list' says all as flags, "--eval.every or --log.every". */
int tt_opt_owners(const struct tt_opt_set *set, const char *name,
                  const struct tt_opt_section **first, char *list,
                  size_t list_bytes);

/* Set a knob from a node and note where it came from. */
int tt_opt_set_knob(const struct tt_opt_set *set, const struct tt_opt_at *at,
                    const struct tt_node *node, enum tt_opt_level level,
                    struct tt_error *err);

/* Turn on a group, if it has a switch. */
void tt_opt_switch_on(const struct tt_opt_set *set, const char *section,
                      const char *group, const struct tt_node *node,
                      enum tt_opt_level level);

#endif
