/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-shard.c - pack files by others into sets of shards. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "comm/start.h"
#include "data/pack.h"

/* 0, 1 failed, 2 usage; rank 0 says why. */
static int run(int argc, char **argv, struct tt_world *world,
               struct tt_error *err)
{
    struct tt_doc *doc = tt_doc_create();
    struct tt_pack_conf conf;
    int status = 2;

    if (tt_pack_read(&conf, argc, argv, doc, err) == 0)
        status = tt_pack_run_all(&conf, stdout, world->comm, err) < 0 ? 1 : 0;
    if (status != 0 && world->rank == 0)
        fprintf(stderr, "tutti-shard: %s\n", err->text);
    tt_doc_destroy(doc);
    return status;
}

int main(int argc, char **argv)
{
    struct tt_world world;
    struct tt_error err = {0};
    int status = 1;

    if (argc < 2 || strcmp(argv[1], "--help") == 0)
        return tt_pack_help(argc < 2 ? stderr : stdout), argc < 2 ? 2 : 0;
    if (strcmp(argv[1], "--version") == 0)
        return printf("tutti-shard %s (%s)\n", PACKAGE_VERSION, TT_FEATURES), 0;
    if (tt_world_start(&world, &argc, &argv, &err) == 0)
        status = run(argc, argv, &world, &err), tt_world_end(&world);
    else if (world.rank == 0)
        fprintf(stderr, "tutti-shard: %s\n", err.text);
    return status;
}
