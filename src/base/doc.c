/* SPDX-License-Identifier: BSD-3-Clause */
/* doc.c - documents as trees: their memory, and walks. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"

enum { CHUNK_BYTES = 16384 };

/* --- memory ----------------------------------------------------------- */

struct chunk {
    struct chunk *next;
    size_t used, bytes;
    _Alignas(16) unsigned char data[];
};

struct tt_doc {
    struct chunk *chunk;
};

struct tt_doc *tt_doc_create(void)
{
    return calloc(1, sizeof(struct tt_doc));
}

void tt_doc_destroy(struct tt_doc *doc)
{
    struct chunk *next;

    if (!doc)
        return;
    for (struct chunk *at = doc->chunk; at; at = next) {
        next = at->next;
        free(at);
    }
    free(doc);
}

void *tt_doc_alloc(struct tt_doc *doc, size_t bytes)
{
    struct chunk *chunk = doc->chunk;
    size_t need = (bytes + 15) / 16 * 16;
    void *out;

    if (!chunk || chunk->bytes - chunk->used < need) {
        size_t room = need > CHUNK_BYTES ? need : CHUNK_BYTES;

        chunk = calloc(1, sizeof(*chunk) + room);
        if (!chunk)
            return NULL;
        chunk->bytes = room;
        chunk->next = doc->chunk;
        doc->chunk = chunk;
    }
    out = chunk->data + chunk->used;
    chunk->used += need;
    return out;
}

char *tt_doc_text(struct tt_doc *doc, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = tt_doc_alloc(doc, bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* --- the tree --------------------------------------------------------- */

struct tt_node *tt_node_find(const struct tt_node *map, const char *key)
{
    if (!map || map->kind != TT_NODE_MAP)
        return NULL;
    for (struct tt_node *at = map->first; at; at = at->next)
        if (strcmp(at->key, key) == 0)
            return at;
    return NULL;
}

struct tt_node *tt_node_at(const struct tt_node *list, int idx)
{
    struct tt_node *at = idx < 0 ? NULL : list->first;

    for (; at && idx > 0; idx--)
        at = at->next;
    return at;
}

int tt_node_count(const struct tt_node *node)
{
    int count = 0;

    for (struct tt_node *at = node->first; at; at = at->next)
        count++;
    return count;
}

int tt_node_fail(const struct tt_node *node, struct tt_error *err,
                 const char *fmt, ...)
{
    char text[sizeof(err->text)];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (node->line == 0)
        return tt_fail(err, TT_EINVAL, "%.60s: %s", node->file, text);
    return tt_fail(err, TT_EINVAL, "%.100s:%d: %s", node->file, node->line,
                   text);
}
