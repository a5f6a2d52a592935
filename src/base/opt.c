/* SPDX-License-Identifier: BSD-3-Clause */
/* opt.c - walks of option tables, and filling them from files and flags. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"

enum { NAME_BYTES = 64, INCLUDE_DEPTH = 8 };

/* --- the tables ------------------------------------------------------- */

int tt_opt_count(const struct tt_opt_section *sections)
{
    int count = 0;

    for (; sections->name; sections++)
        for (const struct tt_opt *opt = sections->table; opt->type; opt++)
            count++;
    return count;
}

static void *field_of(const struct tt_opt_set *set,
                      const struct tt_opt_section *section,
                      const struct tt_opt *opt)
{
    return (char *)set->base + section->offset + opt->offset;
}

bool tt_opt_next(const struct tt_opt_set *set, struct tt_opt_at *at)
{
    if (!at->section) {
        at->section = set->sections;
        at->opt = at->section->table;
        at->origin = set->origin;
    } else {
        at->opt++;
        at->origin++;
    }
    while (!at->opt->type) {
        at->section++;
        if (!at->section->name)
            return false;
        at->opt = at->section->table;
    }
    at->field = field_of(set, at->section, at->opt);
    return true;
}

bool tt_opt_find(const struct tt_opt_set *set, const char *section,
                 const char *name, struct tt_opt_at *at)
{
    *at = (struct tt_opt_at){0};
    while (tt_opt_next(set, at))
        if (strcmp(at->section->name, section) == 0 &&
            strcmp(at->opt->name, name) == 0)
            return true;
    return false;
}

static const struct tt_opt_section *find_section(const struct tt_opt_set *set,
                                                 const char *name)
{
    const struct tt_opt_section *at = set->sections;

    for (; at->name; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

/* Some knob's name starts with "group.". */
static bool has_group(const struct tt_opt_section *section, const char *group)
{
    size_t bytes = strlen(group);

    for (const struct tt_opt *opt = section->table; opt->type; opt++)
        if (strncmp(opt->name, group, bytes) == 0 && opt->name[bytes] == '.')
            return true;
    return false;
}

/* The knob 'name' of a section, or the switch of the group 'name'. */
static bool find_knob(const struct tt_opt_set *set, const char *section,
                      const char *name, struct tt_opt_at *at)
{
    char on[NAME_BYTES];

    snprintf(on, sizeof(on), "%.50s.on", name);
    return tt_opt_find(set, section, name, at) ||
           tt_opt_find(set, section, on, at);
}

/* --- one value -------------------------------------------------------- */

static int prefix(const struct tt_opt_at *at, const struct tt_node *node,
                  struct tt_error *err)
{
    if (node->line == 0)
        return tt_fail_in(err, "%.60s", node->file);
    return tt_fail_in(err, "%.100s:%d: %s.%s", node->file, node->line,
                      at->section->name, at->opt->name);
}

static const char *find_other(const struct tt_opt_set *set, const char *word)
{
    for (const struct tt_opt_other *at = set->others; at && at->word; at++)
        if (strcmp(at->word, word) == 0)
            return at->answer;
    return NULL;
}

static int set_knob(const struct tt_opt_set *set, const struct tt_opt_at *at,
                    const struct tt_node *node, enum tt_opt_level level,
                    struct tt_error *err)
{
    const char *answer = NULL;

    if (tt_opt_parse(at->opt, node, at->field, set->doc, err) < 0) {
        if (at->opt->type == TT_OPT_ENUM && node->kind == TT_NODE_SCALAR)
            answer = find_other(set, node->text);
        if (answer)
            tt_fail(err, TT_EINVAL, "'%.40s': %s", node->text, answer);
        return prefix(at, node, err);
    }
    *at->origin = (struct tt_opt_origin){
        .level = (int32_t)level, .line = node->line, .file = node->file};
    return 0;
}

int tt_opt_set_defaults(const struct tt_opt_set *set, struct tt_error *err)
{
    struct tt_opt_at at = {0};

    while (tt_opt_next(set, &at)) {
        struct tt_node *node;

        memset(at.origin, 0, sizeof(*at.origin));
        if (!at.opt->def)
            continue;
        node = tt_doc_flag(set->doc, "default", at.opt->def, err);
        if (!node)
            return -1;
        if (tt_opt_parse(at.opt, node, at.field, set->doc, err) < 0)
            return tt_fail_in(err, "default of %s.%s", at.section->name,
                              at.opt->name);
    }
    return 0;
}

int tt_opt_fail(const struct tt_opt_at *at, struct tt_error *err,
                const char *fmt, ...)
{
    char text[sizeof(err->text)];
    const struct tt_opt_origin *from = at->origin;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (from->level == TT_FROM_DEFAULT)
        return tt_fail(err, TT_EINVAL, "%s.%s: %s", at->section->name,
                       at->opt->name, text);
    if (from->line == 0)
        return tt_fail(err, TT_EINVAL, "%.60s: %s", from->file, text);
    return tt_fail(err, TT_EINVAL, "%.100s:%d: %s.%s: %s", from->file,
                   from->line, at->section->name, at->opt->name, text);
}

/* --- unknown keys ----------------------------------------------------- */

/* Names gathered for tt_nearest(). */
struct names {
    const char **at;
    int count;
};

static struct names names_create(const struct tt_opt_set *set)
{
    size_t max = 4 * (size_t)tt_opt_count(set->sections) + 16;

    return (struct names){tt_doc_alloc(set->doc, max * sizeof(char *)), 0};
}

static void names_add(const struct tt_opt_set *set, struct names *names,
                      const char *before, const char *name)
{
    char text[2 * NAME_BYTES];

    snprintf(text, sizeof(text), "%s%s", before, name);
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
        char name[NAME_BYTES];

        if (strncmp(opt->name, group, skip) != 0)
            continue;
        snprintf(name, sizeof(name), "%s", opt->name + skip);
        name[strcspn(name, ".")] = 0;
        if (!names->count || strcmp(names->at[names->count - 1], name) != 0)
            names_add(set, names, "", name);
    }
}

/* Sections that have a knob or group of that name; *first is one of them. */
static int owners_of(const struct tt_opt_set *set, const char *name,
                     const struct tt_opt_section **first, char *list,
                     size_t list_bytes)
{
    struct tt_opt_at at;
    size_t used = 0;
    int count = 0;

    for (const struct tt_opt_section *s = set->sections; s->name; s++) {
        if (!find_knob(set, s->name, name, &at))
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
                        node->key, where, list);
}

static bool has_opt(const struct tt_opt_section *section, const char *name)
{
    for (const struct tt_opt *opt = section->table; opt->type; opt++)
        if (strcmp(opt->name, name) == 0)
            return true;
    return false;
}

/* A key that a section (or a group of it) does not have. */
static int fail_key(const struct tt_opt_set *set,
                    const struct tt_opt_section *section, const char *group,
                    const struct tt_node *node, struct tt_error *err)
{
    const char *answer = find_other(set, node->key), *near;
    const struct tt_opt_section *owner = NULL;
    struct names names = names_create(set);
    char where[2 * NAME_BYTES], list[8];

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
    if (owners_of(set, node->key, &owner, list, sizeof(list)) == 1)
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

static int fail_section(const struct tt_opt_set *set,
                        const struct tt_node *node, struct tt_error *err)
{
    const char *answer = find_other(set, node->key), *near;
    const struct tt_opt_section *owner = NULL;
    struct names names = names_create(set);
    char list[8];

    if (answer)
        return tt_node_fail(node, err, "%.40s: %s", node->key, answer);
    for (const struct tt_opt_section *s = set->sections; s->name; s++)
        names_add(set, &names, "", s->name);
    if (owners_of(set, node->key, &owner, list, sizeof(list)) == 1)
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

/* --- maps ------------------------------------------------------------- */

static bool is_empty(const struct tt_node *node)
{
    return node->kind == TT_NODE_SCALAR && !*node->text;
}

/* Turn on the group that 'node' is about, if it has a switch. */
static void switch_on(const struct tt_opt_set *set, const char *section,
                      const char *group, const struct tt_node *node,
                      enum tt_opt_level level)
{
    char on[NAME_BYTES];
    struct tt_opt_at at;

    snprintf(on, sizeof(on), "%.50s.on", group);
    if (!tt_opt_find(set, section, on, &at) || at.opt->type != TT_OPT_BOOL)
        return;
    *(bool *)at.field = true;
    *at.origin = (struct tt_opt_origin){
        .level = (int32_t)level, .line = node->line, .file = node->file};
}

/* A group as a map: its switch last, so that an "on: no" has its way. */
static int set_group(const struct tt_opt_set *set,
                     const struct tt_opt_section *section,
                     const struct tt_node *map, enum tt_opt_level level,
                     struct tt_error *err)
{
    const struct tt_node *on = tt_node_find(map, "on");
    char name[2 * NAME_BYTES], group[NAME_BYTES];
    struct tt_opt_at at;

    switch_on(set, section->name, map->key, map, level);
    for (const struct tt_node *node = map->first; node; node = node->next) {
        snprintf(name, sizeof(name), "%.50s.%.50s", map->key, node->key);
        if (!tt_opt_find(set, section->name, name, &at)) {
            snprintf(group, sizeof(group), "%.50s.", map->key);
            return fail_key(set, section, group, node, err);
        }
        if (node != on && set_knob(set, &at, node, level, err) < 0)
            return -1;
    }
    snprintf(name, sizeof(name), "%.50s.on", map->key);
    if (on && tt_opt_find(set, section->name, name, &at))
        return set_knob(set, &at, on, level, err);
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
        bool is_group = has_group(section, node->key);

        if (is_group && node->kind == TT_NODE_MAP)
            rc = set_group(set, section, node, level, err);
        else if (!strchr(node->key, '.') &&
                 find_knob(set, section->name, node->key, &at))
            rc = set_knob(set, &at, node, level, err);
        else if (is_group)
            rc = tt_node_fail(node, err, "%s.%s: expected a map", section->name,
                              node->key);
        else
            rc = fail_key(set, section, "", node, err);
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
        section = find_section(set, at->key);
        if (!section)
            return fail_section(set, at, err);
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

static int fail_flag(const struct tt_opt_set *set, const char *name,
                     struct tt_error *err)
{
    const char *last = strrchr(name, '.'), *near;
    const char *answer = find_other(set, last ? last + 1 : name);
    struct names names = names_create(set);
    struct tt_opt_at at = {0};
    char before[NAME_BYTES];

    if (answer)
        return tt_fail(err, TT_EINVAL, "--%.60s: %s", name, answer);
    if (find_section(set, name))
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

/* Find the knob that 'name' (without dashes) is about. */
static int find_flag(const struct tt_opt_set *set, const char *name,
                     struct tt_opt_at *at, struct tt_error *err)
{
    const struct tt_opt_section *owner = NULL;
    char section[NAME_BYTES], list[140];
    const char *dot = strchr(name, '.');
    int count;

    if (dot) {
        snprintf(section, sizeof(section), "%.*s", (int)(dot - name), name);
        if (find_knob(set, section, dot + 1, at))
            return 0;
    }
    count = owners_of(set, name, &owner, list, sizeof(list));
    if (count > 1)
        return tt_fail(err, TT_EINVAL, "--%.60s is ambiguous: write %.139s",
                       name, list);
    if (count == 0)
        return fail_flag(set, name, err);
    find_knob(set, owner->name, name, at);
    return 0;
}

int tt_opt_set_flag(const struct tt_opt_set *set, const char *flag,
                    struct tt_error *err)
{
    const char *equals = strchr(flag, '=');
    char name[2 * NAME_BYTES], group[NAME_BYTES];
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
        switch_on(set, at.section->name, group, node, TT_FROM_FLAG);
    return set_knob(set, &at, node, TT_FROM_FLAG, err);
}

/* --- writing ---------------------------------------------------------- */

static void write_origin(const struct tt_opt_origin *from, int column,
                         FILE *out)
{
    fprintf(out, "%*s# %s", column < 40 ? 40 - column : 1, "",
            from->was_auto ? "auto, " : "");
    if (from->level == TT_FROM_DEFAULT)
        fputs("default", out);
    else if (from->line == 0)
        fputs(from->file, out);
    else
        fprintf(out, "%s:%d", from->file, from->line);
}

/* One line, "  name: value  # origin". */
static void write_knob(const struct tt_opt_at *at, const char *name,
                       const char *indent, bool with_origin, FILE *out)
{
    char *value = NULL;
    size_t bytes;
    FILE *text = open_memstream(&value, &bytes);

    if (!text)
        return;
    tt_opt_write(at->opt, at->field, text);
    fclose(text);
    fprintf(out, "%s%s: %s", indent, name, value);
    if (with_origin)
        write_origin(at->origin,
                     (int)(strlen(indent) + strlen(name) + 2 + bytes), out);
    fputc('\n', out);
    free(value);
}

void tt_opt_write_all(const struct tt_opt_set *set, bool with_origin, FILE *out)
{
    const struct tt_opt_section *section = NULL;
    struct tt_opt_at at = {0};
    char group[NAME_BYTES] = "";

    while (tt_opt_next(set, &at)) {
        const char *dot = strchr(at.opt->name, '.');
        int bytes = dot ? (int)(dot - at.opt->name) : 0;

        if (at.section != section)
            fprintf(out, "%s:\n", at.section->name);
        section = at.section;
        if (dot &&
            (strncmp(group, at.opt->name, (size_t)bytes) != 0 || group[bytes]))
            fprintf(out, "  %.*s:\n", bytes, at.opt->name);
        snprintf(group, sizeof(group), "%.*s", bytes, at.opt->name);
        write_knob(&at, dot ? dot + 1 : at.opt->name, dot ? "    " : "  ",
                   with_origin, out);
    }
}

/* What stands for a value in --help. */
static void write_value_name(const struct tt_opt *opt, FILE *out)
{
    static const char *const names[] = {
        [TT_OPT_I64] = "N",          [TT_OPT_F64] = "X",
        [TT_OPT_BOOL] = "yes|no",    [TT_OPT_STR] = "TEXT",
        [TT_OPT_LENGTHS] = "LENGTH", [TT_OPT_BYTES] = "BYTES",
        [TT_OPT_I64S] = "[N, ...]",  [TT_OPT_F64S] = "[X, ...]",
        [TT_OPT_NODE] = "VALUE",
    };

    fputs(opt->type == TT_OPT_ENUM ? opt->unit : names[opt->type], out);
}

void tt_opt_help(const struct tt_opt_section *sections, FILE *out)
{
    for (; sections->name; sections++) {
        fprintf(out, "\n%s: %s\n", sections->name, sections->help);
        for (const struct tt_opt *opt = sections->table; opt->type; opt++) {
            bool is_enum = opt->type == TT_OPT_ENUM;

            fprintf(out, "  --%s.%s=", sections->name, opt->name);
            write_value_name(opt, out);
            fprintf(out, "\n        %s%s%s%s [%s]\n", opt->help,
                    opt->unit && !is_enum ? ", in " : "",
                    opt->unit && !is_enum ? opt->unit : "", "",
                    opt->def ? opt->def : "none");
        }
    }
}
