/* SPDX-License-Identifier: BSD-3-Clause */
/* optunknown.c - what to answer to a name that no table has. */
#include <string.h>

#include "base/opt_priv.h"

enum { NAMES_MAX = 512 };

/* Names gathered for tt_nearest(); the one after the last is NULL. */
struct names {
    const char *at[NAMES_MAX];
    int count;
};

static void names_add(const struct tt_opt_set *set, struct names *names,
                      const char *before, const char *name)
{
    char text[2 * TT_OPT_NAME_BYTES];

    snprintf(text, sizeof(text), "%s%s", before, name);
    if (names->count < NAMES_MAX - 1)
        names->at[names->count++] = tt_doc_text(set->doc, text);
}

/* The part of a section's names at the level of 'group' ("" or "early-stop."),
 * each once. */
static void names_of_level(const struct tt_opt_set *set,
                           const struct tt_opt_section *section,
                           const char *group, struct names *names)
{
    size_t skip = strlen(group);

    for (const struct tt_opt *opt = section->table; opt->type; opt++) {
        char name[TT_OPT_NAME_BYTES];

        if (strncmp(opt->name, group, skip) != 0)
            continue;
        snprintf(name, sizeof(name), "%s", opt->name + skip);
        name[strcspn(name, ".")] = 0;
        if (!names->count || strcmp(names->at[names->count - 1], name) != 0)
            names_add(set, names, "", name);
    }
}

/* Sections that have a knob or group of that name; *first is one of them. */
int tt_opt_owners(const struct tt_opt_set *set, const char *name,
                  const struct tt_opt_section **first, char *list,
                  size_t list_bytes)
{
    struct tt_opt_at at;
    size_t used = 0;
    int count = 0;

    for (const struct tt_opt_section *s = set->sections; s->name; s++) {
        if (!tt_opt_find_knob(set, s->name, name, &at))
            continue;
        if (used < list_bytes)
            used +=
                (size_t)snprintf(list + used, list_bytes - used, "%s--%s.%s",
                                 count ? " or " : "", s->name, name);
        *first = count++ ? *first : s;
    }
    return count;
}

static int fail_list(const struct tt_node *node, const char *where,
                     const struct names *names, struct tt_error *err)
{
    char list[140];
    size_t used = 0;

    list[0] = 0;
    for (int i = 0; i < names->count; i++) {
        if (used + strlen(names->at[i]) + 8 > sizeof(list)) {
            snprintf(list + used, sizeof(list) - used, " ...");
            break;
        }
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i ? ", " : "", names->at[i]);
    }
    return tt_node_fail(node, err, "unknown key '%.40s'%s, which has %s",
                        node->key, where, *list ? list : "nothing");
}

static bool has_opt(const struct tt_opt_section *section, const char *name)
{
    for (const struct tt_opt *opt = section->table; opt->type; opt++)
        if (strcmp(opt->name, name) == 0)
            return true;
    return false;
}

/* A key that a section (or a group of it) does not have. */
int tt_opt_fail_key(const struct tt_opt_set *set,
                    const struct tt_opt_section *section, const char *group,
                    const struct tt_node *node, struct tt_error *err)
{
    const char *answer = tt_opt_find_other(set, node->key), *near;
    const struct tt_opt_section *owner = NULL;
    struct names names = {{NULL}, 0};
    char where[2 * TT_OPT_NAME_BYTES], list[8];

    if (answer)
        return tt_node_fail(node, err, "%s.%s%.40s: %s", section->name, group,
                            node->key, answer);
    snprintf(where, sizeof(where), " in %s%s%.*s", section->name,
             *group ? "." : "", *group ? (int)strlen(group) - 1 : 0, group);
    names_of_level(set, section, group, &names);
    if (strchr(node->key, '.') && has_opt(section, node->key))
        return tt_node_fail(node, err,
                            "unknown key '%.40s'%s: write %.*s: {%s: ...}",
                            node->key, where, (int)strcspn(node->key, "."),
                            node->key, strchr(node->key, '.') + 1);
    if (tt_opt_owners(set, node->key, &owner, list, sizeof(list)) == 1)
        return tt_node_fail(node, err,
                            "unknown key '%.40s'%s: it belongs to section %s",
                            node->key, where, owner->name);
    near = tt_nearest(node->key, names.at);
    if (near)
        return tt_node_fail(node, err,
                            "unknown key '%.40s'%s: did you mean '%s'?",
                            node->key, where, near);
    return fail_list(node, where, &names, err);
}

int tt_opt_fail_section(const struct tt_opt_set *set,
                        const struct tt_node *node, struct tt_error *err)
{
    const char *answer = tt_opt_find_other(set, node->key), *near;
    const struct tt_opt_section *owner = NULL;
    struct names names = {{NULL}, 0};
    char list[8];

    if (answer)
        return tt_node_fail(node, err, "%.40s: %s", node->key, answer);
    for (const struct tt_opt_section *s = set->sections; s->name; s++)
        names_add(set, &names, "", s->name);
    if (tt_opt_owners(set, node->key, &owner, list, sizeof(list)) == 1)
        return tt_node_fail(node, err,
                            "unknown section '%.40s': that key belongs to "
                            "section %s",
                            node->key, owner->name);
    near = tt_nearest(node->key, names.at);
    if (near)
        return tt_node_fail(node, err,
                            "unknown section '%.40s': did you mean '%s'?",
                            node->key, near);
    return fail_list(node, " in a job file", &names, err);
}

int tt_opt_fail_flag(const struct tt_opt_set *set, const char *name,
                     struct tt_error *err)
{
    const char *last = strrchr(name, '.'), *near;
    const char *answer = tt_opt_find_other(set, last ? last + 1 : name);
    struct names names = {{NULL}, 0};
    struct tt_opt_at at = {0};
    char before[TT_OPT_NAME_BYTES];

    if (answer)
        return tt_fail(err, TT_EINVAL, "--%.60s: %s", name, answer);
    if (tt_opt_find_section(set, name))
        return tt_fail(err, TT_EINVAL,
                       "--%s: %s is a section: write --%s.KNOB=VALUE", name,
                       name, name);
    while (tt_opt_next(set, &at)) {
        snprintf(before, sizeof(before), "%s.", at.section->name);
        names_add(set, &names, before, at.opt->name);
        names_add(set, &names, "", at.opt->name);
    }
    near = tt_nearest(name, names.at);
    if (near)
        return tt_fail(err, TT_EINVAL,
                       "unknown flag --%.60s: did you mean --%s=...?", name,
                       near);
    return tt_fail(err, TT_EINVAL, "unknown flag --%.60s: see --help", name);
}
