/* SPDX-License-Identifier: BSD-3-Clause */
/* manifest.c - a manifest reads back as it was written; one that hashes itself
 * well but says nonsense is refused, not believed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ckpt/manifest.h"
#include "lib/tap.h"

static char *sample_make(void)
{
    struct tt_manifest_tensor tensor[2] = {{.name = "weights/a",
                                            .dtype = TT_F32,
                                            .dims = 2,
                                            .dim = {3, 5},
                                            .offset = 2048,
                                            .hash = 7},
                                           {.name = "b \"quoted\" \xc3\xa9",
                                            .dtype = TT_I64,
                                            .dims = 1,
                                            .dim = {1 << 21},
                                            .offset = 4096,
                                            .hash = UINT64_MAX}};
    struct tt_manifest man = {.step = 123456789012,
                              .time = 1.5e9 + 1.0 / 3,
                              .rank_count = 3,
                              .file_bytes = 1 << 25,
                              .tensor = tensor,
                              .tensor_count = 2,
                              .sums_offset = 100,
                              .root = 0x123456789abcdef0,
                              .meta_hash = 1};
    char *text;

    man.scalars = json_pack("{s:f, s:s}", "loss", 0.1, "job", "a: 1\n");
    tt_manifest_count(&man, NULL);
    text = tt_manifest_format(&man, NULL);
    json_decref(man.scalars);
    return text;
}

static void test_round(const char *text)
{
    struct tt_manifest man;
    struct tt_error err = {0};

    if (!tap_ok(tt_manifest_parse(&man, text, "m", &err) == 0, "reads back %s",
                err.text))
        return;
    tap_ok(man.step == 123456789012 && man.time == 1.5e9 + 1.0 / 3 &&
               man.rank_count == 3 && man.file_bytes == 1 << 25 &&
               man.root == 0x123456789abcdef0 && man.sums_offset == 100,
           "with all its numbers");
    tap_ok(
        man.tensor_count == 2 && man.block_count == 3 &&
            man.tensor[1].first_block == 1 && man.tensor[1].block_count == 2 &&
            man.tensor[1].hash == UINT64_MAX && man.tensor[0].elem_count == 15,
        "and tensors");
    tap_ok(tt_manifest_find(&man, "b \"quoted\" \xc3\xa9", 0) ==
                   &man.tensor[1] &&
               !tt_manifest_find(&man, "c", 1),
           "found by name");
    tap_ok(json_real_value(json_object_get(man.scalars, "loss")) == 0.1,
           "and scalars");
    tt_manifest_clear(&man);
}

/* Put 'value' at a path such as "tensors.0.offset" and hash anew. */
static char *change(const char *text, const char *where, const char *value)
{
    json_t *doc = json_loads(text, 0, NULL), *at = doc;
    json_t *put = json_loads(value, JSON_DECODE_ANY, NULL);
    char path[64], *key, *next, hex[17], *compact, *out;

    snprintf(path, sizeof(path), "%s", where);
    key = strtok(path, ".");
    while ((next = strtok(NULL, "."))) {
        at = json_is_array(at) ? json_array_get(at, strtoul(key, NULL, 10))
                               : json_object_get(at, key);
        key = next;
    }
    if (put)
        json_object_set_new(at, key, put);
    else
        json_object_del(at, key);
    json_object_del(doc, "self");
    compact = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
    snprintf(hex, sizeof(hex), "%016" PRIx64,
             tt_hash(compact, strlen(compact), 0));
    json_object_set_new(doc, "self", json_string(hex));
    out = json_dumps(doc, JSON_INDENT(2));
    free(compact);
    json_decref(doc);
    return out;
}

static void test_nonsense(const char *text)
{
    static const char *const odd[][2] = {
        {"format", "\"zip\""},
        {"version", "2"},
        {"step", "\"one\""},
        {"scalars", ""},
        {"scalars", "7"},
        {"tensors", "{}"},
        {"tensors", "[7]"},
        {"data.bytes", "4000"},
        {"data.bytes", "-1"},
        {"data.metadata_hash", "\"xyz\""},
        {"checksums.blocks", "4"},
        {"checksums.block_elements", "1024"},
        {"checksums.offset", "-8"},
        {"checksums.offset", "33554430"},
        {"checksums.root", "\"0123\""},
        {"tensors.0.offset", "-1"},
        {"tensors.0.offset", "33554400"},
        {"tensors.0.offset", "9223372036854775807"},
        {"tensors.0.shape", "[]"},
        {"tensors.0.shape", "[0, 5]"},
        {"tensors.0.shape", "[-3, -5]"},
        {"tensors.0.shape", "[4294967296, 4294967296, 4294967296]"},
        {"tensors.0.shape", "[1, 1, 1, 1, 15]"},
        {"tensors.0.shape", "[\"a\"]"},
        {"tensors.0.dtype", "\"f31\""},
        {"tensors.0.name", "\"b \\\"quoted\\\" \xc3\xa9\""},
        {"tensors.0.name", "3"},
        {"tensors.1.shape", "[1048577]"},
        {NULL, NULL},
    };

    for (int i = 0; odd[i][0]; i++) {
        char *changed = change(text, odd[i][0], odd[i][1]);
        struct tt_manifest man;
        struct tt_error err = {0};
        int rc = tt_manifest_parse(&man, changed, "m", &err);

        /* one shape is another tensor, but a whole manifest */
        if (strcmp(odd[i][1], "[1048577]") == 0)
            tap_ok(rc == 0, "another shape of as many blocks is fine");
        else
            tap_ok(rc < 0, "%s: %s: %s", odd[i][0], odd[i][1], err.text);
        if (rc == 0)
            tt_manifest_clear(&man);
        free(changed);
    }
}

/* Every byte of the text matters, but for spaces and for the last digit of a
 * number that has more of them than its bits. */
static void test_bytes(const char *text)
{
    size_t bytes = strlen(text);
    char *changed = strdup(text);
    json_t *doc = json_loads(text, 0, NULL);
    int missed = 0;

    for (size_t i = 0; i < bytes; i++) {
        struct tt_manifest man;

        changed[i] ^= 1;
        if (tt_manifest_parse(&man, changed, "m", NULL) == 0) {
            json_object_set(man.doc, "self", json_object_get(doc, "self"));
            missed += !json_equal(man.doc, doc);
            tt_manifest_clear(&man);
        }
        changed[i] ^= 1;
    }
    tap_ok(missed == 0, "a changed byte is found, %d of %zu are not", missed,
           bytes);
    json_decref(doc);
    free(changed);
}

int main(void)
{
    char *text = sample_make();

    test_round(text);
    test_nonsense(text);
    test_bytes(text);
    free(text);
    return tap_done();
}
