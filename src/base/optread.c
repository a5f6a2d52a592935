/* SPDX-License-Identifier: BSD-3-Clause */
/* optread.c - filling option tables from files and flags. */
#include <string.h>

#include "base/opt_priv.h"

enum { INCLUDE_DEPTH = 8 };

/* --- maps ------------------------------------------------------------- */

static bool is_empty(const struct tt_node *node)
{
    return node->kind == TT_NODE_SCALAR && !*node->text;
}

/* A group as a map: its switch last, so that an "on: no" has its way. */
static int set_group(const struct tt_opt_set *set,
                     const struct tt_opt_section *section,
                     const struct tt_node *map, enum tt_opt_level level,
                     struct tt_error *err)
{
    const struct tt_node *on = tt_node_find(map, "on");
    char name[2 * TT_OPT_NAME_BYTES], group[TT_OPT_NAME_BYTES];
    struct tt_opt_at at;

    tt_opt_switch_on(set, section->name, map->key, map, level);
    for (const struct tt_node *node = map->first; node; node = node->next) {
        snprintf(name, sizeof(name), "%.50s.%.50s", map->key, node->key);
        if (!tt_opt_find(set, section->name, name, &at)) {
            snprintf(group, sizeof(group), "%.50s.", map->key);
            return tt_opt_fail_key(set, section, group, node, err);
        }
        if (node != on && tt_opt_set_knob(set, &at, node, level, err) < 0)
            return -1;
    }
    snprintf(name, sizeof(name), "%.50s.on", map->key);
    if (on && tt_opt_find(set, section->name, name, &at))
        return tt_opt_set_knob(set, &at, on, level, err);
    return 0;
}

static int set_section(const struct tt_opt_set *set,
                       const struct tt_opt_section *section,
                       const struct tt_node *map, enum tt_opt_level level,
                       struct tt_error *err)
{
    struct tt_opt_at at;
    int rc = 0;

    if (is_empty(map))
        return 0;
    if (map->kind != TT_NODE_MAP)
        return tt_node_fail(map, err,
                            "%s is a section: expected a map such as "
                            "{%s: ...}",
                            section->name, section->table->name);
    for (const struct tt_node *node = map->first; node && rc == 0;
         node = node->next) {
        bool is_group = tt_opt_has_group(section, node->key);

        if (is_group && node->kind == TT_NODE_MAP)
            rc = set_group(set, section, node, level, err);
        else if (!strchr(node->key, '.') &&
                 tt_opt_find_knob(set, section->name, node->key, &at))
            rc = tt_opt_set_knob(set, &at, node, level, err);
        else if (is_group)
            rc = tt_node_fail(node, err, "%s.%s: expected a map", section->name,
                              node->key);
        else
            rc = tt_opt_fail_key(set, section, "", node, err);
    }
    return rc;
}

/* --- files ------------------------------------------------------------ */

/* A file being read, and the one that includes it. */
struct source {
    const char *path;
    const struct source *by;
};

static int read_source(const struct tt_opt_set *set,
                       const struct source *source, enum tt_opt_level level,
                       struct tt_error *err);

static int read_include(const struct tt_opt_set *set,
                        const struct source *source, const struct tt_node *node,
                        struct tt_error *err)
{
    const struct source inner = {node->text, source};
    int depth = 0;

    if (node->kind != TT_NODE_SCALAR || !*node->text)
        return tt_node_fail(node, err, "include: expected a path");
    for (const struct source *at = source; at; at = at->by, depth++)
        if (strcmp(at->path, node->text) == 0 || depth == INCLUDE_DEPTH)
            return tt_node_fail(node, err, "%.80s is included by itself",
                                node->text);
    if (read_source(set, &inner, TT_FROM_INCLUDE, err) == 0)
        return 0;
    if (err && err->code == TT_EIO)
        tt_fail_in(err, "%.60s:%d: include (from the working directory)",
                   node->file, node->line);
    return -1;
}

static int read_includes(const struct tt_opt_set *set,
                         const struct source *source,
                         const struct tt_node *node, struct tt_error *err)
{
    if (node->kind != TT_NODE_LIST)
        return read_include(set, source, node, err);
    for (const struct tt_node *at = node->first; at; at = at->next)
        if (read_include(set, source, at, err) < 0)
            return -1;
    return 0;
}

static int set_root(const struct tt_opt_set *set, const struct source *source,
                    const struct tt_node *root, enum tt_opt_level level,
                    struct tt_error *err)
{
    const struct tt_node *include = tt_node_find(root, "include");
    const struct tt_opt_section *section;

    if (root->kind != TT_NODE_MAP)
        return tt_node_fail(root, err,
                            "expected sections, such as "
                            "'train: {length: 100 steps}'");
    if (include && read_includes(set, source, include, err) < 0)
        return -1;
    for (const struct tt_node *at = root->first; at; at = at->next) {
        if (at == include)
            continue;
        section = tt_opt_find_section(set, at->key);
        if (!section)
            return tt_opt_fail_section(set, at, err);
        if (set_section(set, section, at, level, err) < 0)
            return -1;
    }
    return 0;
}

static int read_source(const struct tt_opt_set *set,
                       const struct source *source, enum tt_opt_level level,
                       struct tt_error *err)
{
    struct tt_node *root = tt_doc_read(set->doc, source->path, err);

    return root ? set_root(set, source, root, level, err) : -1;
}

int tt_opt_set_file(const struct tt_opt_set *set, const char *path,
                    struct tt_error *err)
{
    const struct source source = {path, NULL};

    return read_source(set, &source, TT_FROM_FILE, err);
}

int tt_opt_set_text(const struct tt_opt_set *set, const char *text,
                    const char *name, struct tt_error *err)
{
    const struct source source = {name, NULL};
    struct tt_node *root = tt_doc_parse(set->doc, text, name, err);

    return root ? set_root(set, &source, root, TT_FROM_FILE, err) : -1;
}

/* --- flags ------------------------------------------------------------ */

/* Find the knob that 'name' (without dashes) is about. */
static int find_flag(const struct tt_opt_set *set, const char *name,
                     struct tt_opt_at *at, struct tt_error *err)
{
    const struct tt_opt_section *owner = NULL;
    char section[TT_OPT_NAME_BYTES], list[140];
    const char *dot = strchr(name, '.');
    int count;

    if (dot) {
        snprintf(section, sizeof(section), "%.*s", (int)(dot - name), name);
        if (tt_opt_find_knob(set, section, dot + 1, at))
            return 0;
    }
    count = tt_opt_owners(set, name, &owner, list, sizeof(list));
    if (count > 1)
        return tt_fail(err, TT_EINVAL, "--%.60s is ambiguous: write %.139s",
                       name, list);
    if (count == 0)
        return tt_opt_fail_flag(set, name, err);
    tt_opt_find_knob(set, owner->name, name, at);
    return 0;
}

int tt_opt_set_flag(const struct tt_opt_set *set, const char *flag,
                    struct tt_error *err)
{
    const char *equals = strchr(flag, '=');
    char name[2 * TT_OPT_NAME_BYTES], group[TT_OPT_NAME_BYTES];
    struct tt_opt_at at;
    struct tt_node *node;

    if (strncmp(flag, "--", 2) != 0)
        return tt_fail(err, TT_EINVAL,
                       "'%.60s' is no flag: write --section.knob=value", flag);
    snprintf(name, sizeof(name), "%.*s",
             equals ? (int)(equals - flag) : (int)sizeof(name), flag);
    if (find_flag(set, name + 2, &at, err) < 0)
        return -1;
    if (!equals)
        return tt_fail(err, TT_EINVAL,
                       "%.60s: a flag needs its value: write "
                       "%.60s=VALUE",
                       name, name);
    node = tt_doc_flag(set->doc, name, equals + 1, err);
    if (!node)
        return -1;
    snprintf(group, sizeof(group), "%.*s", (int)strcspn(at.opt->name, "."),
             at.opt->name);
    if (strchr(at.opt->name, '.'))
        tt_opt_switch_on(set, at.section->name, group, node, TT_FROM_FLAG);
    return tt_opt_set_knob(set, &at, node, TT_FROM_FLAG, err);
}
