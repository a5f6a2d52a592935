/* SPDX-License-Identifier: BSD-3-Clause */
/* doc.h - YAML and JSON documents as a tree that remembers its line numbers.
 * Every scalar stays text until a knob's type says how to read it. */
#ifndef TT_BASE_DOC_H
#define TT_BASE_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum tt_node_kind { TT_NODE_SCALAR, TT_NODE_LIST, TT_NODE_MAP };

struct tt_node {
    int kind;         /* enum tt_node_kind */
    const char *file; /* where it stands; of a flag "--section.knob" */
    int line;         /* of a value in a map: its key's; 0: the command line */
    bool quoted;      /* a scalar in quotes: text even if it looks empty */
    const char *key;  /* within a map, else NULL */
    const char *text; /* of a scalar, after ${VAR} */
    struct tt_node *first; /* child of a list or map, in order */
    struct tt_node *next;  /* sibling */
};

/* Owns its nodes and their strings. */
struct tt_doc;

struct tt_doc *tt_doc_create(void);
void tt_doc_destroy(struct tt_doc *doc);

/* Zeroed memory, or a copy of a text, that lives as long as 'doc'; NULL when
 * out of memory. */
void *tt_doc_alloc(struct tt_doc *doc, size_t bytes);
char *tt_doc_text(struct tt_doc *doc, const char *text);

/* Parse a file or a text (called 'name' in messages) into a tree owned by
 * 'doc'.  YAML 1.1 of one document (JSON is a subset of it): duplicate keys,
 * anchors, aliases and tags are errors, ${VAR} in values is replaced from the
 * environment and unset is an error ($${ is a literal ${).  Nothing but
 * comments is an empty map.  NULL on failure, "file:line: what: cure". */
struct tt_node *tt_doc_read(struct tt_doc *doc, const char *path,
                            struct tt_error *err);
struct tt_node *tt_doc_parse(struct tt_doc *doc, const char *text,
                             const char *name, struct tt_error *err);

/* The value of a flag: a list, a map or a quoted text is parsed as YAML, all
 * else is one scalar as it stands (colons and # included).  'name' is the flag
 * itself, "--section.knob". */
struct tt_node *tt_doc_flag(struct tt_doc *doc, const char *name,
                            const char *value, struct tt_error *err);

/* The child called 'key' or NULL; the i-th child or NULL; how many. */
struct tt_node *tt_node_find(const struct tt_node *map, const char *key);
struct tt_node *tt_node_at(const struct tt_node *list, int idx);
int tt_node_count(const struct tt_node *node);

/* Fail with "file:line: " in front. */
int tt_node_fail(const struct tt_node *node, struct tt_error *err,
                 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Write as YAML on one line that parses to the same tree: {a: [1, 2]}.  A
 * scalar is quoted where it must be, and ${ written $${. */
void tt_node_write(const struct tt_node *node, FILE *out);
void tt_text_write(const char *text, FILE *out);

/* The name in 'names' (NULL-terminated) nearest to 'text' by edit distance, or
 * NULL where none is near: for "unknown key 'lerning-rate', did you mean". */
const char *tt_nearest(const char *text, const char *const *names);

#endif
