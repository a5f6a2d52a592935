/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.c - the small maps of data.train and data.valid. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "data/keys.h"

static bool is_known(const char *key, const char *const *known)
{
    for (; *known; known++)
        if (strcmp(key, *known) == 0)
            return true;
    return false;
}

int tt_keys_known(const struct tt_node *map, const char *const *known,
                  struct tt_error *err)
{
    if (map->kind != TT_NODE_MAP)
        return tt_node_fail(map, err, "expected a map such as {%s: ...}",
                            known[0]);
    for (const struct tt_node *at = map->first; at; at = at->next) {
        const char *near;

        if (is_known(at->key, known))
            continue;
        near = tt_nearest(at->key, known);
        return tt_node_fail(at, err, "unknown key '%s'%s%s%s", at->key,
                            near ? ", did you mean '" : "", near ? near : "",
                            near ? "'?" : "");
    }
    return 0;
}

int tt_key_i64_of(const struct tt_node *node, const char *key, int64_t min,
                  int64_t max, int64_t *value, struct tt_error *err)
{
    struct tt_error why = {0};
    int64_t got;

    if (node->kind != TT_NODE_SCALAR)
        return tt_node_fail(node, err, "%s: expected one integer", key);
    if (tt_i64_parse(node->text, &got, &why) < 0)
        return tt_node_fail(node, err, "%s: %.180s", key, why.text);
    if (got < min || got > max)
        return tt_node_fail(
            node, err, "%s: %" PRId64 " is outside %" PRId64 " .. %" PRId64,
            key, got, min, max);
    *value = got;
    return 0;
}

int tt_key_i64(const struct tt_node *map, const char *key, int64_t min,
               int64_t max, int64_t *value, struct tt_error *err)
{
    const struct tt_node *node = tt_node_find(map, key);

    return node ? tt_key_i64_of(node, key, min, max, value, err) : 0;
}

int tt_key_f64(const struct tt_node *map, const char *key, double *value,
               struct tt_error *err)
{
    const struct tt_node *node = tt_node_find(map, key);
    struct tt_error why = {0};

    if (!node)
        return 0;
    if (node->kind != TT_NODE_SCALAR)
        return tt_node_fail(node, err, "%s: expected one number", key);
    if (tt_f64_parse(node->text, value, &why) < 0)
        return tt_node_fail(node, err, "%s: %.180s", key, why.text);
    return 0;
}

int tt_key_text(const struct tt_node *map, const char *key, const char **value,
                struct tt_error *err)
{
    const struct tt_node *node = tt_node_find(map, key);

    if (!node)
        return 0;
    if (node->kind != TT_NODE_SCALAR || !node->text[0])
        return tt_node_fail(node, err, "%s: expected a text", key);
    *value = node->text;
    return 0;
}
