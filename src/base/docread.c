/* SPDX-License-Identifier: BSD-3-Clause */
/* docread.c - YAML and JSON to a tree, from libyaml's events. */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/doc.h"

enum {
    FILE_BYTES_MAX = 16 << 20,
    DEPTH_MAX = 32,  /* open lists and maps */
    KEYS_MAX = 4096, /* of one map: each is compared with all before it */
};

/* --- ${VAR} ----------------------------------------------------------- */

/* Well-formed UTF-8 without control characters but tab and newlines: what a
 * YAML file can hold, asked of flags and the environment too. */
static bool is_text(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at) {
        int more = *at < 0x80   ? 0
                   : *at < 0xc2 ? -1
                   : *at < 0xe0 ? 1
                   : *at < 0xf0 ? 2
                   : *at < 0xf5 ? 3
                                : -1;
        uint32_t code = more > 0 ? *at & (0x3fu >> more) : *at;

        if (more < 0 || (*at < 0x20 && !strchr("\t\n\r", *at)) || *at == 0x7f)
            return false;
        for (at++; more > 0; more--, at++) {
            if ((*at & 0xc0) != 0x80)
                return false;
            code = code << 6 | (*at & 0x3f);
        }
        if (code >= 0xd800 && code < 0xe000)
            return false;
    }
    return true;
}

/* Append the variable that starts at "${" to 'out'; returns what follows. */
static const char *put_variable(const char *at, FILE *out,
                                const struct tt_node *node,
                                struct tt_error *err)
{
    size_t bytes = strcspn(at + 2, "}");
    const char *value;
    char name[128];

    snprintf(name, sizeof(name), "%.*s", (int)(bytes < 127 ? bytes : 127),
             at + 2);
    if (at[2 + bytes] != '}' || !bytes || bytes > 120 ||
        strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                     "0123456789_") != bytes ||
        isdigit((unsigned char)name[0])) {
        tt_node_fail(node, err,
                     "'%.40s': expected ${NAME} (write $${ for a literal ${)",
                     at);
        return NULL;
    }
    value = getenv(name);
    if (!value) {
        tt_node_fail(node, err,
                     "the environment has no variable %.100s: export it, or "
                     "write the value here",
                     name);
        return NULL;
    }
    fputs(value, out);
    return at + 2 + bytes + 1;
}

static int write_expanded(const char *text, FILE *out,
                          const struct tt_node *node, struct tt_error *err)
{
    while (*text) {
        if (strncmp(text, "$${", 3) == 0) {
            fputs("${", out);
            text += 3;
        } else if (strncmp(text, "${", 2) == 0) {
            text = put_variable(text, out, node, err);
            if (!text)
                return -1;
        } else {
            fputc(*text++, out);
        }
    }
    return 0;
}

/* Give 'node' its text, variables replaced. */
static int set_text(struct tt_doc *doc, struct tt_node *node, const char *text,
                    struct tt_error *err)
{
    char *expanded = NULL;
    size_t bytes;
    FILE *out;
    int rc;

    if (strstr(text, "${")) {
        out = open_memstream(&expanded, &bytes);
        if (!out)
            return tt_fail(err, TT_ENOMEM, "out of memory");
        rc = write_expanded(text, out, node, err);
        fclose(out);
        if (rc < 0) {
            free(expanded);
            return -1;
        }
        text = expanded;
    }
    rc = is_text(text) ? 0 : tt_node_fail(node, err, "text is not UTF-8");
    node->text = rc < 0 ? NULL : tt_doc_text(doc, text);
    free(expanded);
    if (rc == 0 && !node->text)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return rc;
}

/* --- from events to the tree ------------------------------------------ */

/* A list or map that is still open. */
struct frame {
    struct tt_node *node;
    struct tt_node **tail; /* where the next child goes */
    const char *key;       /* of a map: the key read, its value to come */
    int key_line;
    int child_count;
};

struct builder {
    struct tt_doc *doc;
    const char *file;
    struct tt_node *root;
    struct frame frame[DEPTH_MAX];
    int depth;
};

static int fail_at(const struct builder *b, const yaml_event_t *event,
                   struct tt_error *err, const char *what)
{
    return tt_fail(err, TT_EINVAL, "%.100s:%d: %s", b->file,
                   (int)event->start_mark.line + 1, what);
}

static struct frame *top(struct builder *b)
{
    return b->depth > 0 ? &b->frame[b->depth - 1] : NULL;
}

/* The next thing in the open map is a key. */
static bool wants_key(struct builder *b)
{
    struct frame *f = top(b);

    return f && f->node->kind == TT_NODE_MAP && !f->key;
}

static int take_key(struct builder *b, const yaml_event_t *event,
                    struct tt_error *err)
{
    const char *key = (const char *)event->data.scalar.value;
    const struct tt_node *twin;
    struct frame *f = top(b);
    int line = (int)event->start_mark.line + 1;

    if (strlen(key) != event->data.scalar.length || !is_text(key))
        return fail_at(b, event, err, "a key is not text");
    if (f->child_count++ >= KEYS_MAX)
        return fail_at(b, event, err, "more than 4096 keys in one map");
    twin = tt_node_find(f->node, key);
    if (twin)
        return tt_fail(err, TT_EINVAL,
                       "%.100s:%d: duplicate key '%.60s', first on line %d: "
                       "remove one",
                       b->file, line, key, twin->line);
    f->key = tt_doc_text(b->doc, key);
    f->key_line = line;
    return f->key ? 0 : tt_fail(err, TT_ENOMEM, "out of memory");
}

/* Hang a new node where the next value belongs. */
static struct tt_node *add_node(struct builder *b, const yaml_event_t *event,
                                enum tt_node_kind kind, struct tt_error *err)
{
    struct tt_node *node = tt_doc_alloc(b->doc, sizeof(*node));
    struct frame *f = top(b);

    if (!node) {
        tt_fail(err, TT_ENOMEM, "out of memory");
        return NULL;
    }
    node->kind = kind;
    node->file = b->file;
    node->line = (int)event->start_mark.line + 1;
    if (!f) {
        b->root = node;
        return node;
    }
    if (f->key) {
        node->key = f->key;
        node->line = f->key_line;
        f->key = NULL;
    }
    *f->tail = node;
    f->tail = &node->next;
    return node;
}

static int take_scalar(struct builder *b, const yaml_event_t *event,
                       struct tt_error *err)
{
    const char *text = (const char *)event->data.scalar.value;
    struct tt_node *node = add_node(b, event, TT_NODE_SCALAR, err);

    if (!node)
        return -1;
    if (strlen(text) != event->data.scalar.length)
        return fail_at(b, event, err, "a text holds a zero byte");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return set_text(b->doc, node, text, err);
}

static int take_open(struct builder *b, const yaml_event_t *event,
                     enum tt_node_kind kind, struct tt_error *err)
{
    struct tt_node *node;

    if (b->depth == DEPTH_MAX)
        return fail_at(b, event, err, "lists and maps are nested too deeply");
    node = add_node(b, event, kind, err);
    if (!node)
        return -1;
    b->frame[b->depth++] = (struct frame){.node = node, .tail = &node->first};
    return 0;
}

static bool has_mark(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor ||
               event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor ||
               event->data.mapping_start.tag;
    default:
        return event->type == YAML_ALIAS_EVENT;
    }
}

static int take_event(struct builder *b, const yaml_event_t *event,
                      struct tt_error *err)
{
    if (has_mark(event))
        return fail_at(b, event, err,
                       "anchors (&), aliases (*) and tags (!) are not read: "
                       "write the value out, or in quotes");
    if (event->type == YAML_SCALAR_EVENT && wants_key(b))
        return take_key(b, event, err);
    if ((event->type == YAML_SEQUENCE_START_EVENT ||
         event->type == YAML_MAPPING_START_EVENT) &&
        wants_key(b))
        return fail_at(b, event, err, "a key must be a word");
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->root)
            return fail_at(b, event, err, "a second document (---) begins");
        return 0;
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event, err);
    case YAML_SEQUENCE_START_EVENT:
        return take_open(b, event, TT_NODE_LIST, err);
    case YAML_MAPPING_START_EVENT:
        return take_open(b, event, TT_NODE_MAP, err);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        return 0;
    default:
        return 0;
    }
}

static int fail_syntax(const yaml_parser_t *parser, const char *file,
                       struct tt_error *err)
{
    const char *problem = parser->problem ? parser->problem : "no YAML";
    int line = (int)parser->problem_mark.line + 1;

    if (parser->error == YAML_MEMORY_ERROR)
        return tt_fail(err, TT_ENOMEM, "%.100s: out of memory", file);
    if (parser->error == YAML_READER_ERROR)
        return tt_fail(err, TT_EFORMAT,
                       "%.100s: not a text file: %s at byte %zu", file, problem,
                       parser->problem_offset);
    return tt_fail(err, TT_EFORMAT,
                   "%.100s:%d: not YAML: %s: check indentation (spaces, no "
                   "tabs), colons and quotes",
                   file, line, problem);
}

static int build(struct builder *b, yaml_parser_t *parser, struct tt_error *err)
{
    yaml_event_t event;
    bool done = false;
    int rc = 0;

    while (!done && rc == 0) {
        if (!yaml_parser_parse(parser, &event))
            return fail_syntax(parser, b->file, err);
        done = event.type == YAML_STREAM_END_EVENT;
        rc = take_event(b, &event, err);
        yaml_event_delete(&event);
    }
    return rc;
}

static struct tt_node *empty_map(struct tt_doc *doc, const char *file,
                                 struct tt_error *err)
{
    struct tt_node *node = tt_doc_alloc(doc, sizeof(*node));

    if (!node) {
        tt_fail(err, TT_ENOMEM, "out of memory");
        return NULL;
    }
    node->kind = TT_NODE_MAP;
    node->file = file;
    node->line = 1;
    return node;
}

static struct tt_node *parse(struct tt_doc *doc, const char *text, size_t bytes,
                             const char *name, struct tt_error *err)
{
    struct builder b = {.doc = doc, .file = tt_doc_text(doc, name)};
    yaml_parser_t parser;
    int rc;

    if (!b.file || !yaml_parser_initialize(&parser)) {
        tt_fail(err, TT_ENOMEM, "out of memory");
        return NULL;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    rc = build(&b, &parser, err);
    yaml_parser_delete(&parser);
    if (rc < 0)
        return NULL;
    return b.root ? b.root : empty_map(doc, b.file, err);
}

struct tt_node *tt_doc_parse(struct tt_doc *doc, const char *text,
                             const char *name, struct tt_error *err)
{
    return parse(doc, text, strlen(text), name, err);
}

/* The whole file as one heap block, or NULL. */
static char *read_file(const char *path, size_t *bytes, struct tt_error *err)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(FILE_BYTES_MAX + 1) : NULL;

    if (!text) {
        tt_fail(err, file ? TT_ENOMEM : TT_EIO, "%.150s: %s", path,
                strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    *bytes = fread(text, 1, FILE_BYTES_MAX + 1, file);
    if (ferror(file) || *bytes > FILE_BYTES_MAX) {
        tt_fail(err, TT_EIO, "%.150s: %s", path,
                ferror(file) ? strerror(errno) : "larger than 16 MiB");
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

struct tt_node *tt_doc_read(struct tt_doc *doc, const char *path,
                            struct tt_error *err)
{
    size_t bytes;
    char *text = read_file(path, &bytes, err);
    struct tt_node *root;

    if (!text)
        return NULL;
    root = parse(doc, text, bytes, path, err);
    free(text);
    return root;
}

/* --- flags ------------------------------------------------------------ */

static void unnumber(struct tt_node *node)
{
    node->line = 0;
    for (struct tt_node *at = node->first; at; at = at->next)
        unnumber(at);
}

/* A flag is one line: "--a.b:1: why" becomes "--a.b: why". */
static void drop_line(struct tt_error *err, const char *name)
{
    size_t bytes = strlen(name);
    char *at = err->text + bytes;

    if (strncmp(err->text, name, bytes) != 0 || *at != ':')
        return;
    bytes = strspn(at + 1, "0123456789");
    if (bytes > 0 && at[1 + bytes] == ':')
        memmove(at, at + 1 + bytes, strlen(at + 1 + bytes) + 1);
}

struct tt_node *tt_doc_flag(struct tt_doc *doc, const char *name,
                            const char *value, struct tt_error *err)
{
    const char *start = value + strspn(value, " \t");
    struct tt_node *node;

    if (*start && strchr("[{\"'", *start)) {
        node = tt_doc_parse(doc, value, name, err);
        if (node)
            unnumber(node);
        else if (err)
            drop_line(err, name);
        return node;
    }
    node = empty_map(doc, tt_doc_text(doc, name), err);
    if (!node)
        return NULL;
    node->kind = TT_NODE_SCALAR;
    node->line = 0;
    return set_text(doc, node, value, err) < 0 ? NULL : node;
}
