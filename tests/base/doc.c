/* SPDX-License-Identifier: BSD-3-Clause */
/* doc.c - texts and the trees or messages they must give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "base/doc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The tree as text in one canonical form: every scalar in <>. */
static void show(const struct tt_node *node, FILE *out)
{
    if (node->key)
        fprintf(out, "%s=", node->key);
    if (node->kind == TT_NODE_SCALAR) {
        fprintf(out, "<%s>", node->text);
        return;
    }
    fputc(node->kind == TT_NODE_MAP ? '{' : '[', out);
    for (const struct tt_node *at = node->first; at; at = at->next)
        show(at, out);
    fputc(node->kind == TT_NODE_MAP ? '}' : ']', out);
}

static char *text_of(const struct tt_node *node,
                     void (*write)(const struct tt_node *, FILE *))
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    write(node, out);
    fclose(out);
    return text;
}

/* The text parses to the tree, and so does what is written of the tree. */
static void check_tree(const char *text, const char *expected)
{
    struct tt_doc *doc = tt_doc_create();
    struct tt_error err = {0};
    struct tt_node *node = tt_doc_parse(doc, text, "t.yaml", &err);
    char *shown = node ? text_of(node, show) : strdup(err.text);
    char *written = node ? text_of(node, tt_node_write) : strdup("");
    struct tt_node *again = tt_doc_parse(doc, written, "again", &err);
    char *shown_again = again ? text_of(again, show) : strdup(err.text);

    if (!tap_ok(strcmp(shown, expected) == 0, "tree %.6s...", shown))
        tap_note("expected %s, got %s", expected, shown);
    if (!tap_ok(strcmp(shown_again, expected) == 0, "written and read again"))
        tap_note("wrote %s, got %s", written, shown_again);
    free(shown);
    free(written);
    free(shown_again);
    tt_doc_destroy(doc);
}

static void test_trees(void)
{
    setenv("TT_HERE", "over/there", 1);
    check_tree("", "{}");
    check_tree("# nothing\n", "{}");
    check_tree("a: 1\nb: [x, 'y z', \"q\\\"\"]\nc: {d: }\n",
               "{a=<1>b=[<x><y z><q\">]c={d=<>}}");
    check_tree("{\"a\": {\"b\": [1, true, null]}}",
               "{a={b=[<1><true><null>]}}");
    check_tree("p: ${TT_HERE}/x-${TT_HERE}\n", "{p=<over/there/x-over/there>}");
    check_tree("p: $${TT_HERE}\nq: $$${TT_HERE}\nr: 5$\ns: '$${'\n",
               "{p=<${TT_HERE}>q=<$${TT_HERE}>r=<5$>s=<${>}");
    check_tree("\"${k}\": \"a: b #c\"\n", "{${k}=<a: b #c>}");
    check_tree("t: \"tab\\t nl\\n e\\u00e9 ls\\u2028 nel\\x85 \"\n",
               "{t=<tab\t nl\n e\u00e9 ls\u2028 nel\xc2\x85 >}");
    check_tree("- - 1\n  - 2\n- {}\n- []\n", "[[<1><2>]{}[]]");
    check_tree("\xef\xbb\xbf"
               "bom: 1\r\nb:\r\n  - 2\r\n",
               "{bom=<1>b=[<2>]}");
    check_tree("x: |\n  two\n  lines\n", "{x=<two\nlines\n>}");
    check_tree("share: 10 %\nminus: -1\ndate: 2020-01-01\ntilde: ~\n",
               "{share=<10 %>minus=<-1>date=<2020-01-01>tilde=<~>}");
}

static void check_refused(const char *text, const char *expected)
{
    struct tt_doc *doc = tt_doc_create();
    struct tt_error err = {0};
    struct tt_node *node = tt_doc_parse(doc, text, "t.yaml", &err);

    tap_ok(!node && strncmp(err.text, expected, strlen(expected)) == 0, "%s",
           err.text);
    if (node || strncmp(err.text, expected, strlen(expected)) != 0)
        tap_note("expected %s", expected);
    tt_doc_destroy(doc);
}

static void test_refused(void)
{
    unsetenv("TT_NOWHERE");
    check_refused("a: 1\nb: 2\na: 3\n",
                  "t.yaml:3: duplicate key 'a', first on line 1: remove one");
    check_refused("m: {k: 1,\n k: 2}\n",
                  "t.yaml:2: duplicate key 'k', first on line 1");
    check_refused("\n\na: &x 1\n", "t.yaml:3: anchors (&)");
    check_refused("a: *x\n", "t.yaml:1: anchors (&)");
    check_refused("a: !!str x\n", "t.yaml:1: anchors (&)");
    check_refused("a: 1\n---\nb: 2\n", "t.yaml:2: a second document");
    check_refused("p:\n  q: ${TT_NOWHERE}\n",
                  "t.yaml:2: the environment has no variable TT_NOWHERE");
    check_refused("p: ${TT_NO\n", "t.yaml:1: '${TT_NO': expected ${NAME}");
    check_refused("p: ${}\n", "t.yaml:1: '${}': expected ${NAME}");
    check_refused("p: ${1A}\n", "t.yaml:1: '${1A}': expected ${NAME}");
    check_refused("p: ${A B}\n", "t.yaml:1: '${A B}': expected ${NAME}");
    check_refused("[1, 2]: 3\n", "t.yaml:1: a key must be a word");
    check_refused("? {a: 1}\n: 3\n", "t.yaml:1: a key must be a word");
    check_refused("a: [1, 2\nb: 3\n", "t.yaml:2: not YAML: ");
    check_refused("a: 1\n\tb: 2\n", "t.yaml:2: not YAML: ");
    check_refused("a: \"x\\0y\"\n", "t.yaml:1: a text holds a zero byte");
    check_refused("\"a\\0\": 1\n", "t.yaml:1: a key is not text");
    check_refused("a: \x01\n", "t.yaml: not a text file: ");
    check_refused("a: \xff\xfe\n", "t.yaml: not a text file: ");
}

static char *repeat(const char *what, size_t count)
{
    size_t bytes = strlen(what);
    char *text = calloc(count, bytes + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * bytes, what, bytes);
    return text;
}

/* Texts that only a mischief-maker or a broken disk writes: a message each. */
static void test_hostile(void)
{
    struct tt_doc *doc = tt_doc_create();
    struct tt_error err = {0};
    struct tt_node *node;
    char *text = repeat("[", 1000000);

    check_refused(text, "t.yaml:1: lists and maps are nested too deeply");
    free(text);
    text = repeat("{a: ", 100000);
    check_refused(text, "t.yaml:1: lists and maps are nested too deeply");
    free(text);
    text = repeat("- ", 100000);
    check_refused(text, "t.yaml:1: lists and maps are nested too deeply");
    free(text);
    text = repeat("x", 10000000);
    node = tt_doc_parse(doc, text, "t.yaml", &err);
    tap_ok(node && strlen(node->text) == 10000000, "a scalar of 10 MB is read");
    free(text);
    text = repeat("[],", 300000);
    text[0] = '[';
    text[1] = ' ';
    node = tt_doc_parse(doc, text, "t.yaml", &err);
    tap_ok(!node && strstr(err.text, "not YAML"), "%s", err.text);
    free(text);
    tt_doc_destroy(doc);
}

static void test_many_keys(void)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    for (int i = 0; i < 5000; i++)
        fprintf(out, "k%d: 0\n", i);
    fclose(out);
    check_refused(text, "t.yaml:4097: more than 4096 keys in one map");
    free(text);
}

static void test_files(void)
{
    struct tt_doc *doc = tt_doc_create();
    struct tt_error err = {0};
    struct tt_node *node;
    FILE *file = fopen("doc-test.yaml", "w");

    fputs("one:\n  two: 2\n  three:\n    - 3\n", file);
    fclose(file);
    node = tt_doc_read(doc, "doc-test.yaml", &err);
    tap_ok(node && node->kind == TT_NODE_MAP, "a file is read");
    node = tt_node_find(node, "one");
    tap_ok(node && node->line == 1, "the first line is 1");
    tap_ok(tt_node_count(node) == 2, "two children");
    tap_ok(tt_node_find(node, "two")->line == 2, "a value has its key's line");
    node = tt_node_find(node, "three");
    tap_ok(node->line == 3 && tt_node_at(node, 0)->line == 4 &&
               !tt_node_at(node, 1) && !tt_node_at(node, -1),
           "an item has its own");
    tap_ok(!tt_node_find(node, "x") && !tt_node_find(NULL, "x"),
           "nothing is found in a list or in nothing");
    tt_node_fail(node, &err, "why %d", 7);
    tap_ok(strcmp(err.text, "doc-test.yaml:3: why 7") == 0, "%s", err.text);
    remove("doc-test.yaml");
    tap_ok(!tt_doc_read(doc, "doc-test.yaml", &err) &&
               !strcmp(err.text, "doc-test.yaml: No such file or directory"),
           "%s", err.text);
    tap_ok(!tt_doc_read(doc, ".", &err) &&
               !strcmp(err.text, ".: Is a directory"),
           "%s", err.text);
    tap_ok(!tt_doc_read(doc, "/dev/zero", &err) &&
               !strcmp(err.text, "/dev/zero: larger than 16 MiB"),
           "%s", err.text);
    tt_doc_destroy(doc);
}

static void check_flag(const char *value, const char *expected)
{
    struct tt_doc *doc = tt_doc_create();
    struct tt_error err = {0};
    struct tt_node *node = tt_doc_flag(doc, "--a.b", value, &err);
    char *shown = node ? text_of(node, show) : strdup(err.text);

    if (!tap_ok(strncmp(shown, expected, strlen(expected)) == 0, "flag %s",
                expected))
        tap_note("got %s", shown);
    tap_ok(!node || node->line == 0, "line 0");
    free(shown);
    tt_doc_destroy(doc);
}

static void test_flags(void)
{
    check_flag("20000 steps", "<20000 steps>");
    check_flag("a: b # c", "<a: b # c>");
    check_flag("", "<>");
    check_flag("[1, 2]", "[<1><2>]");
    check_flag("{files: \"a/*.h5\", x: /images}",
               "{files=<a/*.h5>x=</images>}");
    check_flag("'10 %'", "<10 %>");
    check_flag("${TT_HERE}/x", "<over/there/x>");
    check_flag("${TT_NOWHERE}", "--a.b: the environment has no variable");
    check_flag("[1, 2", "--a.b: not YAML: ");
    check_flag("\xff", "--a.b: text is not UTF-8");
}

static void test_nearest(void)
{
    static const char *const names[] = {"lr",       "betas",    "micro-batch",
                                        "momentum", "nesterov", NULL};
    static const struct {
        const char *text, *nearest;
    } cases[] = {{"lrr", "lr"},
                 {"micro_batch", "micro-batch"},
                 {"microbatch", "micro-batch"},
                 {"mirco-batch", "micro-batch"},
                 {"Betas", "betas"},
                 {"beta", "betas"},
                 {"momnetum", "momentum"},
                 {"x", NULL},
                 {"warmup", NULL},
                 {"gradient-accumulation", NULL}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got = tt_nearest(cases[i].text, names);
        const char *want = cases[i].nearest;

        tap_ok(got == want || (got && want && strcmp(got, want) == 0),
               "nearest to '%s' is %s", cases[i].text, got ? got : "none");
    }
}

int main(void)
{
    test_trees();
    test_refused();
    test_hostile();
    test_many_keys();
    test_files();
    test_flags();
    test_nearest();
    return tap_done();
}
