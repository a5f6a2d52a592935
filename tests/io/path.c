/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "io/path.h"

static struct tt_error err;

static mode_t mode_of(const char *path)
{
    struct stat st = {0};

    stat(path, &st);
    return st.st_mode & 0777;
}

static void test_mkdirs(void)
{
    struct stat st;

    tap_ok(tt_path_mkdirs("a/b/c", &err) == 0 && stat("a/b/c", &st) == 0 &&
               S_ISDIR(st.st_mode),
           "mkdirs makes parents");
    tap_ok(tt_path_mkdirs("a/b/c/", &err) == 0, "mkdirs: existing is fine");
    tt_path_write("a/file", "x", 1, &err);
    tap_ok(tt_path_mkdirs("a/file/d", &err) == -1 && strstr(err.text, "a/file"),
           "mkdirs under a file fails and names it: %s", err.text);
    tap_ok(tt_path_mkdirs("a/file", &err) == -1, "mkdirs over a file fails");
}

static void test_write_read(void)
{
    size_t bytes;
    char *data;

    umask(027);
    tap_ok(tt_path_write("w.txt", "first", 5, &err) == 0, "write");
    tap_ok(mode_of("w.txt") == 0640, "the mode follows the umask");
    tap_ok(tt_path_write("w.txt", "second", 6, &err) == 0, "write over");
    data = tt_path_read("w.txt", &bytes, &err);
    tap_ok(data && bytes == 6 && strcmp(data, "second") == 0,
           "read returns what was written, with a NUL");
    free(data);
    tap_ok(tt_path_write("nowhere/w.txt", "x", 1, &err) == -1,
           "write into no directory fails");
    tap_ok(tt_path_read("absent", NULL, &err) == NULL &&
               strcmp(err.text, "absent: No such file or directory") == 0,
           "read of an absent file names it");
    data = tt_path_read("/proc/self/status", &bytes, &err);
    tap_ok(data && bytes > 0 && strlen(data) == bytes,
           "a file that claims no length is read whole");
    free(data);
}

static void test_offsets(void)
{
    char got[4] = "";
    int fd = open("p.bin", O_RDWR | O_CREAT, 0666);

    tap_ok(tt_path_pwrite(fd, "abc", 3, 5, "p.bin", &err) == 0, "pwrite");
    tap_ok(tt_path_pread(fd, got, 3, 5, "p.bin", &err) == 0 &&
               strcmp(got, "abc") == 0,
           "pread");
    tap_ok(tt_path_pread(fd, got, 3, 6, "p.bin", &err) == -1 &&
               strcmp(err.text, "p.bin: ends at byte 8, 1 bytes too early") ==
                   0,
           "pread past the end says where the file ends");
    close(fd);
    fd = open("/dev/full", O_WRONLY);
    tap_ok(tt_path_pwrite(fd, "abc", 3, 0, "/dev/full", &err) == -1 &&
               strstr(err.text, "No space left"),
           "a full disk is reported");
    close(fd);
}

static void test_find(void)
{
    struct tt_paths paths;

    tt_path_mkdirs("d/sub", &err);
    tt_path_write("d/b.h5", "", 0, &err);
    tt_path_write("d/a.h5", "", 0, &err);
    tt_path_write("d/c.txt", "", 0, &err);
    tt_path_write("d/odd[1].h5", "", 0, &err);
    tap_ok(tt_paths_find("d", ".h5", &paths, &err) == 0 && paths.count == 3 &&
               strcmp(paths.at[0], "d/a.h5") == 0,
           "a directory: its files with the suffix, sorted");
    tt_paths_free(&paths);
    tap_ok(tt_paths_find("d/[ab].h5", NULL, &paths, &err) == 0 &&
               paths.count == 2 && strcmp(paths.at[1], "d/b.h5") == 0,
           "a pattern");
    tt_paths_free(&paths);
    tap_ok(tt_paths_find("d/odd[1].h5", NULL, &paths, &err) == 0 &&
               paths.count == 1,
           "a file whose name looks like a pattern");
    tt_paths_free(&paths);
    tap_ok(tt_paths_find("d/*.csv", NULL, &paths, &err) == -1 &&
               strcmp(err.text, "d/*.csv: no file matches") == 0,
           "no match fails");
    tap_ok(tt_paths_find("d/sub", ".h5", &paths, &err) == -1,
           "an empty directory fails: %s", err.text);
}

static void test_remove(void)
{
    tap_ok(tt_path_remove("d", &err) == 0 && access("d", F_OK) < 0,
           "remove takes a tree");
    tap_ok(tt_path_remove("d", &err) == 0, "remove: absent is fine");
}

int main(void)
{
    char dir[] = "/tmp/tt-path-XXXXXX";
    const char *tmp = mkdtemp(dir);

    if (!tmp || chdir(tmp) < 0)
        return 1;
    test_mkdirs();
    test_write_read();
    test_offsets();
    test_find();
    test_remove();
    tt_path_remove(dir, &err);
    return tap_done();
}
