/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.h - the small maps of data.train and data.valid: known keys only, each
 * value by its type, failures with file and line. */
#ifndef TT_DATA_KEYS_H
#define TT_DATA_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/doc.h"
#include "base/err.h"

/* Fails at the first key of 'map' that is not in 'known' (NULL-terminated),
 * or where 'map' is no map. */
int tt_keys_known(const struct tt_node *map, const char *const *known,
                  struct tt_error *err);

/* Optional values: an absent key leaves *value as it is. */
int tt_key_i64(const struct tt_node *map, const char *key, int64_t min,
               int64_t max, int64_t *value, struct tt_error *err);
int tt_key_f64(const struct tt_node *map, const char *key, double *value,
               struct tt_error *err);
int tt_key_text(const struct tt_node *map, const char *key, const char **value,
                struct tt_error *err);

/* One scalar node as an integer in min .. max; 'key' is for the message. */
int tt_key_i64_of(const struct tt_node *node, const char *key, int64_t min,
                  int64_t max, int64_t *value, struct tt_error *err);

#endif
