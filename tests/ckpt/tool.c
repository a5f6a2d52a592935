/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.c - tutti-ckpt on checkpoints whose content is known. */
/* nranks: 1 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tap.h"
#include "state.h"

static const char *run_dir;
static char root[TT_CKPT_PATH], text[1 << 16];

/* Four floats and a counter. */
static void save(int64_t step, float last, const char *job)
{
    static const char *const name = "weights/w";
    float data[4] = {-1, 0.5, 2, last};
    int64_t count = step;
    struct tt_ckpt_tensor tensor[2] = {{.name = name,
                                        .dtype = TT_F32,
                                        .dims = 2,
                                        .dim = {2, 2},
                                        .count = 4,
                                        .data = data},
                                       {.name = "seen",
                                        .dtype = TT_I64,
                                        .dims = 1,
                                        .dim = {1},
                                        .count = 1,
                                        .data = &count}};
    struct tt_ckpt_state state = {tensor, 2, NULL};
    struct tt_error err = {0};

    state.scalars = json_pack("{s:s, s:f}", "job", job, "best", 0.25);
    if (tt_ckpt_save_all(root, step, &state, MPI_COMM_WORLD, &err) < 0)
        tap_note("%s", err.text);
    json_decref(state.scalars);
}

/* Run "tutti-ckpt ARGS"; what it prints goes to 'text'.  Its exit status. */
static int tool(const char *fmt, const char *a, const char *b)
{
    const char *top = getenv("top_builddir");
    char args[2 * TT_CKPT_PATH], command[3 * TT_CKPT_PATH];
    size_t used;
    FILE *pipe;
    int status;

    snprintf(args, sizeof(args), fmt, a, b);
    snprintf(command, sizeof(command), "%s/tutti-ckpt %s 2>&1", top ? top : ".",
             args);
    pipe = popen(command, "r");
    if (!pipe)
        return -1;
    used = fread(text, 1, sizeof(text) - 1, pipe);
    text[used] = '\0';
    status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void says(const char *want)
{
    if (!tap_ok(strstr(text, want) != NULL, "says: %s", want))
        tap_note("%s", text);
}

static void test_list(void)
{
    tap_ok(tool("list %s", run_dir, "") == 0, "list of a run");
    says("        10  20");
    says("  best");
    tap_ok(tool("list %s", root, "") == 0, "list of its folder");
    tap_ok(tool("list %s/nothing", root, "") == 1, "list of nothing");
    says("there is no such directory");
}

static void test_show(void)
{
    tap_ok(tool("show %s/best", root, "") == 0, "show the best");
    says("step       10");
    says("job: a text of 10 bytes");
    says("best: 0.25");
    says("f32   2 x 2");
    tap_ok(tool("show %s weights/w", run_dir, "") == 0, "show a tensor");
    says("4 elements, 1 not finite");
    says("min -1");
    says("max 2");
    says("mean 0.5");
    tap_ok(tool("show %s job", run_dir, "") == 0 &&
               strcmp(text, "a: 1\nb: 3\n\n") == 0,
           "show a text, whole");
    tap_ok(tool("show %s nobody", run_dir, "") == 1, "show what is not there");
    says("holds no tensor or scalar 'nobody'");
}

static void test_diff(void)
{
    tap_ok(tool("diff %s/best %s", root, root) == 1, "diff of two");
    says("weights/w: 1 of 4 elements differ");
    says("seen: 1 of 1 elements differ, by at most 10");
    says("2 of 2 tensors differ");
    says("job differs");
    tap_ok(tool("diff %s/best %s/step-00000010", root, root) == 0,
           "diff of one and the same");
    says("0 of 2 tensors differ");
}

static void test_verify(void)
{
    char path[TT_CKPT_PATH + 64];
    int fd;

    tap_ok(tool("verify %s", run_dir, "") == 0, "all are whole");
    says("step-00000010: whole");
    snprintf(path, sizeof(path), "%s/step-00000020/data.h5", root);
    fd = open(path, O_RDWR);
    (void)!pwrite(fd, "x", 1, lseek(fd, 0, SEEK_END) - 1);
    close(fd);
    tap_ok(tool("verify %s", run_dir, "") == 1, "one is not");
    says("step-00000020: not whole");
    says("1 of 2 checkpoints are not whole");
    tap_ok(tool("verify %s/step-00000010", root, "") == 0, "the other is");
}

static void test_usage(void)
{
    tap_ok(tool("%s%s", "", "") == 2, "no command");
    tap_ok(tool("frobnicate %s", root, "") == 2, "no such command");
    tap_ok(tool("diff %s", root, "") == 2, "too few arguments");
    tap_ok(tool("--help%s%s", "", "") == 0, "--help");
    tap_ok(tool("--version%s%s", "", "") == 0, "--version");
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    run_dir = test_dir_make();
    snprintf(root, sizeof(root), "%s/checkpoints", run_dir);
    save(10, 3, "a: 1\nb: 2\n");
    save(20, 1.0F / 0.0F, "a: 1\nb: 3\n");
    tt_ckpt_mark_best(root, 10, NULL);
    test_list();
    test_show();
    test_diff();
    test_verify();
    test_usage();
    status = tap_done();
    test_dir_remove(run_dir);
    MPI_Finalize();
    return status;
}
