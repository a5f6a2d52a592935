/* SPDX-License-Identifier: BSD-3-Clause */
/* opt.c - walks of option tables, and setting one knob. */
#include <stdarg.h>
#include <string.h>

#include "base/opt_priv.h"

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

const struct tt_opt_section *tt_opt_find_section(const struct tt_opt_set *set,
                                                 const char *name)
{
    const struct tt_opt_section *at = set->sections;

    for (; at->name; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

bool tt_opt_has_group(const struct tt_opt_section *section, const char *group)
{
    size_t bytes = strlen(group);

    for (const struct tt_opt *opt = section->table; opt->type; opt++)
        if (strncmp(opt->name, group, bytes) == 0 && opt->name[bytes] == '.')
            return true;
    return false;
}

bool tt_opt_find_knob(const struct tt_opt_set *set, const char *section,
                      const char *name, struct tt_opt_at *at)
{
    char on[TT_OPT_NAME_BYTES];

    snprintf(on, sizeof(on), "%.50s.on", name);
    return tt_opt_find(set, section, name, at) ||
           tt_opt_find(set, section, on, at);
}

int tt_opt_shown_bytes(const struct tt_opt *opt)
{
    size_t bytes = strlen(opt->name);

    if (bytes > 3 && strcmp(opt->name + bytes - 3, ".on") == 0)
        bytes -= 3;
    return (int)bytes;
}

/* --- one value -------------------------------------------------------- */

static int prefix(const struct tt_opt_at *at, const struct tt_node *node,
                  struct tt_error *err)
{
    if (node->line == 0)
        return tt_fail_in(err, "%.60s", node->file);
    return tt_fail_in(err, "%.100s:%d: %s.%.*s", node->file, node->line,
                      at->section->name, tt_opt_shown_bytes(at->opt),
                      at->opt->name);
}

const char *tt_opt_find_other(const struct tt_opt_set *set, const char *word)
{
    for (const struct tt_opt_other *at = set->others; at && at->word; at++)
        if (strcmp(at->word, word) == 0)
            return at->answer;
    return NULL;
}

int tt_opt_set_knob(const struct tt_opt_set *set, const struct tt_opt_at *at,
                    const struct tt_node *node, enum tt_opt_level level,
                    struct tt_error *err)
{
    const char *answer = NULL;

    if (tt_opt_parse(at->opt, node, at->field, set->doc, err) < 0) {
        if (at->opt->type == TT_OPT_ENUM && node->kind == TT_NODE_SCALAR)
            answer = tt_opt_find_other(set, node->text);
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
        memset(at.origin, 0, sizeof(*at.origin));
        if (tt_opt_default(at.opt, at.field, set->doc, err) < 0)
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
        return tt_fail(err, TT_EINVAL, "%s.%.*s: %s", at->section->name,
                       tt_opt_shown_bytes(at->opt), at->opt->name, text);
    if (from->line == 0)
        return tt_fail(err, TT_EINVAL, "%.60s: %s", from->file, text);
    return tt_fail(err, TT_EINVAL, "%.100s:%d: %s.%.*s: %s", from->file,
                   from->line, at->section->name, tt_opt_shown_bytes(at->opt),
                   at->opt->name, text);
}

void tt_opt_switch_on(const struct tt_opt_set *set, const char *section,
                      const char *group, const struct tt_node *node,
                      enum tt_opt_level level)
{
    char on[TT_OPT_NAME_BYTES];
    struct tt_opt_at at;

    snprintf(on, sizeof(on), "%.50s.on", group);
    if (!tt_opt_find(set, section, on, &at) || at.opt->type != TT_OPT_BOOL)
        return;
    *(bool *)at.field = true;
    *at.origin = (struct tt_opt_origin){
        .level = (int32_t)level, .line = node->line, .file = node->file};
}
