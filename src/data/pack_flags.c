/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_flags.c - the command line of tutti-shard. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/describe.h"
#include "data/intake.h"
#include "data/pack.h"

static const struct tt_opt *find_option(const char *flag)
{
    size_t bytes = strcspn(flag + 2, "=");

    for (const struct tt_opt *o = tt_pack_sections[0].table; o->type; o++)
        if (strlen(o->name) == bytes && strncmp(o->name, flag + 2, bytes) == 0)
            return o;
    return NULL;
}

/* A text is what it is, also where it begins as a list of YAML would,
 * "[ab]*.csv": "--csv=[ab]*.csv" becomes "--csv='[ab]*.csv'". */
static char *quote(const char *flag)
{
    const char *value = strchr(flag, '=') + 1;
    char *text = malloc(2 * strlen(flag) + 3), *to = text;

    if (!text)
        return NULL;
    memcpy(to, flag, (size_t)(value - flag));
    to += value - flag;
    *to++ = '\'';
    for (; *value; value++) {
        if (*value == '\'')
            *to++ = '\'';
        *to++ = *value;
    }
    *to++ = '\'';
    *to = 0;
    return text;
}

/* "--force" is short for "--force=yes". */
static int set_flag(const struct tt_opt_set *set, const char *flag,
                    struct tt_error *err)
{
    const struct tt_opt *option =
        strncmp(flag, "--", 2) == 0 ? find_option(flag) : NULL;
    const char *equals = strchr(flag, '=');
    char yes[64], *text;
    int rc;

    if (option && option->type == TT_OPT_BOOL && !equals) {
        snprintf(yes, sizeof(yes), "%s=yes", flag);
        return tt_opt_set_flag(set, yes, err);
    }
    if (!option || option->type != TT_OPT_STR || !equals || !equals[1])
        return tt_opt_set_flag(set, flag, err);
    if (!(text = quote(flag)))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    rc = tt_opt_set_flag(set, text, err);
    free(text);
    return rc;
}

int tt_pack_read(struct tt_pack_conf *conf, int argc, char **argv,
                 struct tt_doc *doc, struct tt_error *err)
{
    struct tt_opt_origin *origin =
        calloc((size_t)tt_opt_count(tt_pack_sections), sizeof(*origin));
    struct tt_opt_set set = {.sections = tt_pack_sections,
                             .base = conf,
                             .origin = origin,
                             .doc = doc};
    int rc = origin ? 0 : tt_fail(err, TT_ENOMEM, "out of memory");

    *conf = (struct tt_pack_conf){0};
    if (rc == 0)
        rc = tt_opt_set_defaults(&set, err);
    for (int i = 1; i < argc && rc == 0; i++)
        rc = set_flag(&set, argv[i], err);
    free(origin);
    return rc;
}

int tt_pack_run_all(const struct tt_pack_conf *conf, FILE *out, MPI_Comm comm,
                    struct tt_error *err)
{
    int rank, rc = 0;

    MPI_Comm_rank(comm, &rank);
    if (!conf->describe && !conf->show && !conf->verify) {
        if (tt_pack_all(conf, comm, err) < 0)
            return -1;
        if (rank == 0)
            rc = tt_describe_heads(conf->out, out, err);
        return tt_intake_agree(rc, err, comm);
    }
    if (rank == 0 && conf->verify)
        rc = tt_describe_verify(conf->verify, out, err);
    if (rank == 0 && rc == 0 && conf->describe)
        rc = tt_describe(conf->describe, out, err);
    if (rank == 0 && rc == 0 && conf->show)
        rc = tt_describe_sample(conf->show, out, err);
    return tt_intake_agree(rc, err, comm);
}

static const char usage[] =
    "usage: tutti-shard --text=FILES --out=DIR          pack text\n"
    "       tutti-shard --csv=FILES --label=COLUMN --out=DIR\n"
    "       tutti-shard --jsonl=FILES --label=KEY --out=DIR\n"
    "       tutti-shard --idx=IMAGES --labels=LABELS --out=DIR\n"
    "       tutti-shard --npy=FILES --labels=FILES --out=DIR\n"
    "       tutti-shard --hdf5=FILES --x=/images --y=/labels --out=DIR\n"
    "       tutti-shard --describe=DIR                  what is in a set\n"
    "       tutti-shard --verify=DIR                    check its files\n"
    "       tutti-shard --show=DIR:17                   print sample 17\n"
    "\n"
    "Packs files into a set of HDF5 shards that tutti-train reads.  FILES is\n"
    "a file, a folder or a pattern in quotes, \"corpus/*.txt\"; gzip and zstd\n"
    "are unpacked on the way.  Works alone, and under mpirun or srun on many\n"
    "ranks with the same result.  Killed and started again, it goes on.\n"
    "\n";

static const char *value_name(const struct tt_opt *option)
{
    switch (option->type) {
    case TT_OPT_I64:
        return "N";
    case TT_OPT_BOOL:
        return "yes|no";
    case TT_OPT_BYTES:
        return "BYTES";
    default:
        return option->unit;
    }
}

void tt_pack_help(FILE *out)
{
    char left[64];

    fputs(usage, out);
    for (const struct tt_opt *o = tt_pack_sections[0].table; o->type; o++) {
        snprintf(left, sizeof(left), "--%s=%s", o->name, value_name(o));
        fprintf(out, "  %-28s", left);
        if (strlen(left) > 27)
            fprintf(out, "\n  %-28s", "");
        fputs(o->help, out);
        if (o->def[0])
            fprintf(out, " [%s]", o->def);
        fputc('\n', out);
    }
    fprintf(out, "  %-28sthis text\n", "--help");
    fprintf(out, "  %-28sversion and what was compiled in\n", "--version");
}
