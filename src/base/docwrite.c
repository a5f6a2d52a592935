/* SPDX-License-Identifier: BSD-3-Clause */
/* docwrite.c - a tree as YAML on one line. */
#include <ctype.h>
#include <string.h>

#include "base/doc.h"

/* May stand bare, in a list or map too: a conservative set. */
static bool is_plain(const char *text)
{
    static const char inner[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz"
                                "0123456789_./+-% ";
    size_t bytes = strlen(text);

    if (!bytes || strspn(text, inner) != bytes || text[bytes - 1] == ' ')
        return false;
    return isalnum((unsigned char)text[0]) ||
           (strchr("_./+-", text[0]) && isalnum((unsigned char)text[1]));
}

/* Characters that a YAML file may not hold as they are. */
static bool is_odd(const unsigned char *at)
{
    return *at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0) ||
           (*at == 0xef && at[1] == 0xbf && at[2] >= 0xbe) ||
           (*at == 0xef && at[1] == 0xbb && at[2] == 0xbf) ||
           (*at == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9));
}

/* Write the odd character at 'at' as \uXXXX; returns its last byte. */
static const unsigned char *put_escape(const unsigned char *at, FILE *out)
{
    unsigned code = *at;

    if (*at >= 0xe0) {
        code = (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
        at += 2;
    } else if (*at >= 0xc0) {
        code = (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
        at += 1;
    }
    fprintf(out, "\\u%04X", code);
    return at;
}

static void put_text(const char *text, bool is_value, FILE *out)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (is_value && *at == '$' && at[1] == '{')
            fputs("$$", out);
        else if (is_odd(at))
            at = put_escape(at, out);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

void tt_text_write(const char *text, FILE *out)
{
    put_text(text, true, out);
}

void tt_node_write(const struct tt_node *node, FILE *out)
{
    if (node->kind == TT_NODE_SCALAR) {
        tt_text_write(node->text, out);
        return;
    }
    fputc(node->kind == TT_NODE_MAP ? '{' : '[', out);
    for (struct tt_node *at = node->first; at; at = at->next) {
        if (node->kind == TT_NODE_MAP) {
            put_text(at->key, false, out);
            fputs(": ", out);
        }
        tt_node_write(at, out);
        fputs(at->next ? ", " : "", out);
    }
    fputc(node->kind == TT_NODE_MAP ? '}' : ']', out);
}
