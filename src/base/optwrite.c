/* SPDX-License-Identifier: BSD-3-Clause */
/* optwrite.c - all knobs as a file, and as --help. */
#include <stdlib.h>
#include <string.h>

#include "base/opt_priv.h"

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
    char group[TT_OPT_NAME_BYTES] = "";

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

/* --- help ------------------------------------------------------------- */

enum { HELP_COLUMNS = 79, HELP_INDENT = 8 };

/* What stands for a value. */
static const char *value_name(const struct tt_opt *opt)
{
    static const char *const names[] = {
        [TT_OPT_I64] = "N",          [TT_OPT_F64] = "X",
        [TT_OPT_BOOL] = "yes|no",    [TT_OPT_STR] = "TEXT",
        [TT_OPT_LENGTHS] = "LENGTH", [TT_OPT_BYTES] = "BYTES",
        [TT_OPT_I64S] = "[N, ...]",  [TT_OPT_F64S] = "[X, ...]",
        [TT_OPT_NODE] = "VALUE",
    };

    return opt->type == TT_OPT_ENUM ? opt->unit : names[opt->type];
}

/* Words of 'text' in lines of HELP_COLUMNS. */
static void write_folded(const char *text, FILE *out)
{
    int column = 0;

    while (*text) {
        int bytes = (int)strcspn(text, " ");

        if (column + 1 + bytes > HELP_COLUMNS)
            column = 0;
        if (column == 0)
            fprintf(out, "\n%*s", HELP_INDENT, "");
        else
            fputc(' ', out);
        column = (column ? column + 1 : HELP_INDENT) + bytes;
        fprintf(out, "%.*s", bytes, text);
        text += bytes;
        text += *text == ' ';
    }
    fputc('\n', out);
}

static void write_help(const struct tt_opt_section *section,
                       const struct tt_opt *opt, FILE *out)
{
    bool has_unit = opt->unit && opt->type != TT_OPT_ENUM;
    bool has_def = opt->def && *opt->def;

    fprintf(out, "  --%s.%.*s=%s", section->name, tt_opt_shown_bytes(opt),
            opt->name, value_name(opt));
    if (has_unit)
        fprintf(out, " %s", opt->unit);
    if (has_def)
        fprintf(out, "  (default: %s)", opt->def);
    write_folded(opt->help, out);
}

void tt_opt_help(const struct tt_opt_section *sections, FILE *out)
{
    for (; sections->name; sections++) {
        fprintf(out, "%s: %s\n", sections->name, sections->help);
        for (const struct tt_opt *opt = sections->table; opt->type; opt++)
            write_help(sections, opt, out);
        fputs(sections[1].name ? "\n" : "", out);
    }
}
