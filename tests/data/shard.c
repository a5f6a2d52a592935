/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "data/shard.h"
#include "io/path.h"

static struct tt_error err;

/* Written by hand after the page in shard.h. */
static const char good[] =
    "{\"tutti_shards\": 1, \"kind\": \"rows\", \"split\": \"valid\","
    " \"seed\": 7, \"samples\": 5,"
    " \"x\": {\"dtype\": \"f32\", \"shape\": [3],"
    "  \"scale\": [0.5, 1, 1], \"shift\": [-2, 0, 0],"
    "  \"mean\": [4, 0.25, 0.75], \"std\": [2, 1, 1],"
    "  \"min\": [0, 0, 0], \"max\": [9, 1, 1]},"
    " \"y\": {\"dtype\": \"i32\", \"shape\": []},"
    " \"classes\": 2, \"class_names\": [\"no\", \"y\\u00e9s\"],"
    " \"label\": \"ill\","
    " \"columns\": [{\"name\": \"age\", \"first\": 0, \"values\": 1,"
    "   \"missing\": 3, \"fill\": 4},"
    "  {\"name\": \"sex\", \"first\": 1, \"values\": 2, \"missing\": 0,"
    "   \"fill\": 0, \"categories\": [\"f\", \"m\"]}],"
    " \"shards\": [{\"file\": \"a.h5\", \"samples\": 2, \"bytes\": 4096,"
    "   \"xxh64\": \"00000000000000ff\", \"x_offset\": 2048,"
    "   \"y_offset\": 3000},"
    "  {\"file\": \"b.h5\", \"samples\": 3, \"bytes\": 1, \"xxh64\":"
    "   \"ffffffffffffffff\", \"x_offset\": 0, \"y_offset\": 0}]}";

static struct tt_shard_index *read_text(const char *text)
{
    tt_path_write("index.json", text, strlen(text), &err);
    return tt_shard_index_read(".", &err);
}

static void check_good(const struct tt_shard_index *index, const char *what)
{
    tap_ok(index && index->kind == TT_SHARD_ROWS && index->sample_count == 5 &&
               index->seed == 7 && strcmp(index->split, "valid") == 0,
           "%s: head: %s", what, index ? "" : err.text);
    if (!index)
        return;
    tap_ok(index->x.dtype == TT_F32 && index->x.dims == 1 &&
               index->x.values == 3 && index->x.scale_count == 3 &&
               index->x.scale[0] == 0.5 && index->x.shift[0] == -2 &&
               index->x.stat_count == 3 && index->x.mean[2] == 0.75 &&
               index->x.max[0] == 9,
           "%s: x", what);
    tap_ok(index->y.dtype == TT_I32 && index->y.dims == 0 &&
               index->y.values == 1 && index->class_count == 2 &&
               strcmp(index->class_name[1], "y\xc3\xa9s") == 0 &&
               strcmp(index->label, "ill") == 0,
           "%s: y and its classes", what);
    tap_ok(index->column_count == 2 && index->column[0].missing_count == 3 &&
               index->column[0].fill == 4 &&
               index->column[1].first_value == 1 &&
               index->column[1].category_count == 2 &&
               strcmp(index->column[1].category[1], "m") == 0,
           "%s: columns", what);
    tap_ok(index->shard_count == 2 && index->shard[0].hash == 255 &&
               index->shard[1].hash == UINT64_MAX &&
               index->shard[0].x_offset == 2048 &&
               index->shard[0].y_offset == 3000 &&
               strcmp(index->shard[1].file, "b.h5") == 0,
           "%s: shards", what);
}

static void test_read_write(void)
{
    struct tt_shard_index *index = read_text(good), *again;
    uint64_t hash = index ? index->text_hash : 0;

    check_good(index, "read");
    if (!index)
        return;
    unlink("index.json");
    tap_ok(tt_shard_index_write(index, ".", &err) == 0, "write");
    again = tt_shard_index_read(".", &err);
    check_good(again, "written and read");
    tap_ok(again->text_hash != hash && hash != 0, "another text, another hash");
    tt_shard_index_destroy(index);
    tt_shard_index_destroy(again);
}

/* The good index with one piece replaced. */
static void expect_bad(const char *old, const char *new, const char *want)
{
    char text[2048];
    const char *at = strstr(good, old);
    struct tt_shard_index *index;

    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, new,
             at + strlen(old));
    index = read_text(text);
    tap_ok(!index && strstr(err.text, want), "refused: %s",
           index ? new : err.text);
    tt_shard_index_destroy(index);
}

static void test_bad(void)
{
    struct tt_shard_index *index;

    expect_bad("_shards\": 1", "_shards\": 2", "format version 2");
    expect_bad("\"tutti_shards\"", "\"other\"", "not an index");
    expect_bad("\"samples\": 5", "\"samples\": 6", "sum over the shards");
    expect_bad("\"samples\": 5", "\"samples\": -1", "not a count");
    expect_bad("\"rows\"", "\"rags\"", "kind");
    expect_bad("\"f32\"", "\"f33\"", "x: dtype");
    expect_bad("\"shape\": [3]", "\"shape\": [0]", "shape");
    expect_bad("\"shape\": [3]", "\"shape\": [4]", "last axis");
    expect_bad("[0.5, 1, 1]", "[0.5, 1]", "right length");
    expect_bad("[0.5, 1, 1]", "[0.5, 1, \"a\"]", "numbers");
    expect_bad("\"classes\": 2", "\"classes\": 3", "class_names");
    expect_bad("\"first\": 1", "\"first\": 2", "beyond a sample");
    expect_bad("\"a.h5\"", "\"../a.h5\"", "shards[0]: file");
    expect_bad("\"00000000000000ff\"", "\"ff\"", "checksum");
    expect_bad("\"seed\": 7", "\"seed\": 7, \"seed\": 7", "duplicate");
    expect_bad("\"seed\": 7,", "\"seed\": 7", "index.json:1");
    unlink("index.json");
    index = tt_shard_index_read(".", &err);
    tap_ok(!index && strstr(err.text, "did not finish"), "no index: %s",
           err.text);
}

static void test_verify(void)
{
    /* XXH64 of "abc", from the reference implementation's xxh64sum */
    struct tt_shard shard = {.file = "f", .bytes = 3, .hash = 0};

    shard.hash = 0x44bc2cf5ad770999;
    tt_path_write("f", "abc", 3, &err);
    tap_ok(tt_shard_verify(".", &shard, true, &err) == 0, "verify: %s",
           err.text);
    tt_path_write("f", "abd", 3, &err);
    tap_ok(tt_shard_verify(".", &shard, false, &err) == 0 &&
               tt_shard_verify(".", &shard, true, &err) == -1,
           "a changed byte: %s", err.text);
    tt_path_write("f", "ab", 2, &err);
    tap_ok(tt_shard_verify(".", &shard, false, &err) == -1, "a lost byte: %s",
           err.text);
}

int main(void)
{
    char dir[] = "/tmp/tt-shard-XXXXXX";
    const char *tmp = mkdtemp(dir);

    if (!tmp || chdir(tmp) < 0)
        return 1;
    test_read_write();
    test_bad();
    test_verify();
    tt_path_remove(dir, &err);
    return tap_done();
}
