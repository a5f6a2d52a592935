/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "data/stream.h"
#include "io/path.h"

enum { BYTES = 3000000 };

static struct tt_error err;
static char text[BYTES];

static int shell(const char *command)
{
    return system(command);
}

/* Odd pieces, a seek back and forth, and the end, against the text. */
static void test_file(const char *path)
{
    struct tt_stream *s = tt_stream_open(path, &err);
    static char got[BYTES + 8];
    int64_t used = 0, some, bytes = 0;

    if (!s && strstr(err.text, "built without")) {
        tap_ok(1, "%s # SKIP %s", path, err.text);
        return;
    }
    if (!tap_ok(s != NULL, "%s opens %s", path, s ? "" : err.text))
        return;
    while ((some = tt_stream_read(s, got + used, 70001, &err)) > 0)
        used += some;
    tap_ok(some == 0 && used == BYTES && memcmp(got, text, BYTES) == 0,
           "%s: read in pieces", path);
    tap_ok(tt_stream_read(s, got, 1, &err) == 0, "%s: stays at the end", path);
    tap_ok(tt_stream_seek(s, 2000000, &err) == 0 &&
               tt_stream_take(s, got, 1000, &err) == 0 &&
               memcmp(got, text + 2000000, 1000) == 0,
           "%s: seek", path);
    tap_ok(tt_stream_seek(s, 17, &err) == 0 &&
               tt_stream_take(s, got, 1000, &err) == 0 &&
               memcmp(got, text + 17, 1000) == 0 && tt_stream_offset(s) == 1017,
           "%s: seek back", path);
    tap_ok(tt_stream_measure(s, &bytes, &err) == 0 && bytes == BYTES &&
               tt_stream_offset(s) == 0,
           "%s: measure", path);
    tap_ok(tt_stream_seek(s, BYTES - 5, &err) == 0 &&
               tt_stream_take(s, got, 6, &err) == -1 &&
               strstr(err.text, "1 bytes too early"),
           "%s: too short: %s", path, err.text);
    tt_stream_close(s);
}

/* Every read up to the end of a damaged file must end in a failure. */
static void expect_damage(const char *path, const char *want)
{
    struct tt_stream *s = tt_stream_open(path, &err);
    int64_t bytes;

    tap_ok(s && tt_stream_measure(s, &bytes, &err) == -1 &&
               strstr(err.text, want),
           "%s: %s", path, err.text);
    tt_stream_close(s);
}

static void test_damage(const char *packed, const char *kind)
{
    char path[64], want[64];
    size_t bytes;
    char *data;

    if (strstr(err.text, "built without"))
        return;
    data = tt_path_read(packed, &bytes, &err);
    snprintf(path, sizeof(path), "cut.%s", kind);
    snprintf(want, sizeof(want), "truncated");
    tt_path_write(path, data, bytes / 2, &err);
    expect_damage(path, want);
    tt_path_write(path, data, bytes - 3, &err);
    expect_damage(path, want);
    memset(data + bytes / 2, 0x5a, 64);
    snprintf(path, sizeof(path), "bad.%s", kind);
    tt_path_write(path, data, bytes, &err);
    expect_damage(path, "damaged");
    free(data);
}

static void test_refusals(void)
{
    struct tt_stream *s;

    tt_path_write("x.xz",
                  "\xfd"
                  "7zXZ\0",
                  6, &err);
    s = tt_stream_open("x.xz", &err);
    tap_ok(!s && strstr(err.text, "packed with xz"), "xz: %s", err.text);
    s = tt_stream_open("nothere", &err);
    tap_ok(!s && strstr(err.text, "No such file"), "absent: %s", err.text);
    s = tt_stream_open(".", &err);
    tap_ok(!s && strstr(err.text, "is a directory"), "directory: %s", err.text);
    tt_path_write("empty", "", 0, &err);
    s = tt_stream_open("empty", &err);
    tap_ok(s && tt_stream_read(s, text, 1, &err) == 0, "an empty file");
    tt_stream_close(s);
}

int main(void)
{
    char dir[] = "/tmp/tt-stream-XXXXXX";
    const char *tmp = mkdtemp(dir);
    uint32_t state = 1;

    if (!tmp || chdir(tmp) < 0)
        return 1;
    for (int i = 0; i < BYTES; i++) { /* packs to about a half */
        state = state * 1664525 + 1013904223;
        text[i] = (char)('a' + (state >> 28));
    }
    tt_path_write("t", text, BYTES, &err);
    test_file("t");
    if (shell("head -c 1000000 t | gzip >t.gz && "
              "tail -c +1000001 t | gzip >>t.gz") == 0) {
        test_file("t.gz");
        test_damage("t.gz", "gz");
    }
    if (shell("command -v zstd >/dev/null && head -c 1000000 t | zstd -q >t.zst"
              " && tail -c +1000001 t | zstd -q >>t.zst") == 0) {
        test_file("t.zst");
        test_damage("t.zst", "zst");
    } else {
        tap_ok(1, "zstd # SKIP no zstd");
    }
    test_refusals();
    tt_path_remove(dir, &err);
    return tap_done();
}
