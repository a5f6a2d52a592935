/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - the story of packing: open and scan, split, statistics, write,
 * index.
 *
 * Work is cut into units, ranges of the input whose bounds depend on the data
 * and --shard-bytes alone.  A unit becomes one shard of each part.  Ranks write
 * whole units, neighbouring ones, so that packed files are unpacked once; the
 * shards do not depend on who wrote them. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "comm/agree.h"
#include "data/pack_priv.h"
#include "layout/block.h"

enum { PIECE_LEAST = 256, PIECE_MOST = 1 << 20, PIECES_WANTED = 256 };
enum { SAY_EVERY_S = 10 };

static const struct tt_intake_ops *
choose_intake(const struct tt_pack_conf *conf, const char **files,
              struct tt_error *err)
{
    const struct {
        const char *files;
        const struct tt_intake_ops *ops;
    } ways[] = {{conf->text, &tt_intake_text},   {conf->csv, &tt_intake_csv},
                {conf->jsonl, &tt_intake_jsonl}, {conf->idx, &tt_intake_idx},
                {conf->npy, &tt_intake_npy},     {conf->hdf5, &tt_intake_hdf5}};
    const struct tt_intake_ops *ops = NULL;

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (!ways[i].files)
            continue;
        if (ops) {
            tt_fail(err, TT_EINVAL,
                    "--%s and --%s: give one kind of files at a time",
                    ops->name, ways[i].ops->name);
            return NULL;
        }
        ops = ways[i].ops;
        *files = ways[i].files;
    }
    if (!ops)
        tt_fail(err, TT_EINVAL,
                "nothing to pack: give --text, --csv, --jsonl, --idx, --npy or "
                "--hdf5 "
                "(--help lists all)");
    return ops;
}

static struct tt_intake_conf intake_conf(const struct tt_pack *pack,
                                         const char *files)
{
    const struct tt_pack_conf *c = pack->conf;

    return (struct tt_intake_conf){.files = files,
                                   .labels = c->labels,
                                   .x = c->x,
                                   .y = c->y,
                                   .label = c->label,
                                   .drop = c->drop,
                                   .channels = c->channels,
                                   .task = c->task,
                                   .header = c->header,
                                   .missing = c->missing,
                                   .separator = c->separator,
                                   .quotes = c->quotes,
                                   .classes = c->classes,
                                   .skip = c->skip,
                                   .one_hot = c->one_hot,
                                   .like = pack->like};
}

static uint64_t hash_text(const char *text, uint64_t hash)
{
    return tt_hash(text ? text : "", text ? strlen(text) + 1 : 0, hash + 1);
}

static uint64_t hash_files(const struct tt_paths *paths, uint64_t hash)
{
    for (int64_t i = 0; i < paths->count; i++) {
        struct stat st = {0};
        int64_t what[3];

        stat(paths->at[i], &st);
        what[0] = st.st_size;
        what[1] = st.st_mtim.tv_sec;
        what[2] = st.st_mtim.tv_nsec;
        hash = hash_text(paths->at[i], hash);
        hash = tt_hash(what, sizeof(what), hash);
    }
    return hash;
}

static uint64_t hash_option(const struct tt_opt *option, const void *field,
                            uint64_t hash)
{
    hash = hash_text(option->name, hash);
    switch (option->type) {
    case TT_OPT_BOOL:
        return tt_hash(field, sizeof(bool), hash);
    case TT_OPT_I64:
    case TT_OPT_BYTES:
        return tt_hash(field, sizeof(int64_t), hash);
    default:
        return hash_text(*(const char *const *)field, hash);
    }
}

/* Options that do not change what is written. */
static bool is_aside(const struct tt_opt *option)
{
    static const char *const names[] = {"out",      "like",   "force",
                                        "describe", "verify", "show"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(option->name, names[i]) == 0)
            return true;
    return false;
}

/* Of everything that decides what is written. */
static uint64_t hash_plan(const struct tt_pack *pack)
{
    const struct tt_opt *o = tt_pack_sections[0].table;
    uint64_t hash = TT_SHARD_VERSION;

    for (; o->type; o++)
        if (!is_aside(o))
            hash = hash_option(o, (const char *)pack->conf + o->offset, hash);
    hash = hash_files(&pack->intake.files, hash);
    hash = hash_files(&pack->intake.labels, hash);
    return pack->like ? tt_hash(&pack->like->text_hash, 8, hash) : hash;
}

/* Token streams are split in runs, long ones where there are many tokens. */
static int64_t piece_samples(const struct tt_pack *pack)
{
    int64_t piece = PIECE_LEAST;

    if (pack->intake.shape->kind != TT_SHARD_TOKENS)
        return 1;
    while (piece < PIECE_MOST &&
           2 * piece * PIECES_WANTED <= pack->intake.sample_count)
        piece *= 2;
    return piece;
}

static int64_t unit_samples(const struct tt_pack *pack)
{
    const struct tt_shard_index *shape = pack->intake.shape;
    int64_t piece = pack->split.piece_samples;
    int64_t bytes =
        tt_shard_field_bytes(&shape->x) + tt_shard_field_bytes(&shape->y);
    int64_t samples = pack->conf->shard_bytes / bytes / piece * piece;

    return samples > piece ? samples : piece;
}

static int check_like(const struct tt_pack *pack, struct tt_error *err)
{
    const struct tt_shard_index *like = pack->like, *own = pack->intake.shape;

    if (!like)
        return 0;
    if (like->kind != own->kind || like->x.dtype != own->x.dtype ||
        like->x.dims != own->x.dims ||
        memcmp(like->x.dim, own->x.dim, sizeof(own->x.dim)) != 0)
        return tt_fail(err, TT_EFORMAT,
                       "%s: its samples differ in type or shape from those of "
                       "%s",
                       pack->intake.conf.files, pack->conf->like);
    if (own->y.values > 0 &&
        (like->y.dtype != own->y.dtype || like->y.values != own->y.values))
        return tt_fail(err, TT_EFORMAT,
                       "%s: its labels are of another kind than those of %s",
                       pack->intake.conf.files, pack->conf->like);
    return 0;
}

static int prepare(struct tt_pack *pack, struct tt_error *err)
{
    const struct tt_pack_conf *conf = pack->conf;

    if (!conf->out)
        return tt_fail(err, TT_EINVAL,
                       "no --out: name the folder that the set goes into");
    if (strlen(conf->out) > PATH_MAX - 128)
        return tt_fail(err, TT_EINVAL, "--out: the name is too long");
    if (conf->like && !(pack->like = tt_shard_index_read(conf->like, err)))
        return tt_fail_in(err, "--like");
    return tt_split_parse(conf->split, conf->valid, &pack->split, err);
}

static int plan_units(struct tt_pack *pack, struct tt_error *err)
{
    pack->split.seed = (uint64_t)pack->conf->seed;
    pack->split.by_end = strcmp(pack->conf->split_by, "end") == 0;
    if (tt_split_set(&pack->split, pack->intake.sample_count,
                     piece_samples(pack), err) < 0)
        return -1;
    pack->writer = (struct tt_writer){.intake = &pack->intake,
                                      .split = &pack->split,
                                      .out = pack->conf->out,
                                      .unit_samples = unit_samples(pack)};
    return check_like(pack, err);
}

/* What was missing is told, and stands in the index. */
static void note_missing(struct tt_pack *pack)
{
    struct tt_shard_index *shape = pack->intake.shape;
    int64_t total = 0;

    for (int64_t i = 0; i < pack->stats.slot_count; i++)
        total += pack->stats.missing[i];
    for (int64_t i = 0; i < shape->column_count; i++) {
        struct tt_shard_column *c = &shape->column[i];

        c->fill = c->category_count ? 0 : shape->x.mean[c->first_value];
    }
    if (total == 0 && !pack->like)
        return;
    pack->writer.fill = shape->x.mean;
    pack->writer.fill_count = shape->x.stat_count;
}

static int count_numbers(struct tt_pack *pack, struct tt_error *err)
{
    int rc;

    if (tt_pack_stats_all(pack, err) < 0)
        return -1;
    rc = tt_pack_set_scale(pack, err);
    if (rc == 0)
        note_missing(pack);
    return tt_intake_agree(rc, err, pack->comm);
}

/* Rank 0 tells how far it is. */
static void say_progress(const struct tt_pack *pack, int64_t done,
                         int64_t count, double *last_s)
{
    if (pack->rank != 0 || tt_clock_s() - *last_s < SAY_EVERY_S)
        return;
    *last_s = tt_clock_s();
    tt_log_say("%" PRId64 " of %" PRId64 " shards of this rank", done, count);
}

/* This rank's units. */
static int write_share(struct tt_pack *pack, struct tt_written *written,
                       int64_t *written_count, struct tt_block share,
                       struct tt_error *err)
{
    double last_s = tt_clock_s();

    *written_count = 0;
    for (int64_t i = 0; i < share.count; i++) {
        int count = 0;

        if (tt_writer_unit(&pack->writer, share.first + i,
                           written + *written_count, &count, err) < 0)
            return -1;
        *written_count += count;
        say_progress(pack, i + 1, share.count, &last_s);
    }
    return 0;
}

/* Everybody's entries to rank 0, in the order of units. */
static int gather_written(struct tt_pack *pack, const struct tt_written *own,
                          int64_t own_count, struct tt_error *err)
{
    int bytes = (int)(own_count * (int64_t)sizeof(*own)), total = 0;
    int *count = calloc(2 * (size_t)pack->size, sizeof(*count)), *start;
    int rc = count ? 0 : tt_fail(err, TT_ENOMEM, "out of memory");

    rc = tt_intake_agree(rc, err, pack->comm);
    if (rc < 0)
        goto out;
    start = count + pack->size;
    MPI_Gather(&bytes, 1, MPI_INT, count, 1, MPI_INT, 0, pack->comm);
    for (int i = 0; i < pack->size; i++) {
        start[i] = total;
        total += count[i]; /* zeros but on rank 0 */
    }
    pack->written = malloc((size_t)total + 1);
    pack->written_count = total / (int)sizeof(*own);
    if (!pack->written)
        rc = tt_fail(err, TT_ENOMEM, "list of shards: out of memory");
    rc = tt_intake_agree(rc, err, pack->comm);
    if (rc == 0)
        MPI_Gatherv(own, bytes, MPI_BYTE, pack->written, count, start, MPI_BYTE,
                    0, pack->comm);
out:
    free(count);
    return rc;
}

static int write_all(struct tt_pack *pack, struct tt_error *err)
{
    int64_t units = tt_writer_unit_count(&pack->writer), count = 0;
    struct tt_block share = tt_block_of(units, pack->size, pack->rank);
    struct tt_written *own = calloc(
        (size_t)(share.count * pack->split.part_count) + 1, sizeof(*own));
    int rc = own ? 0 : tt_fail(err, TT_ENOMEM, "list of shards: out of memory");

    if (rc == 0)
        rc = write_share(pack, own, &count, share, err);
    rc = tt_intake_agree(rc, err, pack->comm);
    if (rc == 0)
        rc = gather_written(pack, own, count, err);
    free(own);
    if (rc == 0 && pack->rank == 0)
        rc = tt_pack_end(pack, err);
    return tt_intake_agree(rc, err, pack->comm);
}

static void say_intake(const struct tt_pack *pack)
{
    const struct tt_shard_index *shape = pack->intake.shape;

    tt_log_say("%s: %" PRId64 " %s in %" PRId64 " files",
               pack->intake.conf.files, pack->intake.sample_count,
               shape->kind == TT_SHARD_TOKENS ? "tokens" : "samples",
               pack->intake.files.count);
}

static int begin_all(struct tt_pack *pack, bool *done, struct tt_error *err)
{
    int finished = 0, rc = 0;

    if (pack->rank == 0)
        rc = tt_pack_begin(pack, done, err);
    if (tt_intake_agree(rc, err, pack->comm) < 0)
        return -1;
    finished = *done;
    MPI_Bcast(&finished, 1, MPI_INT, 0, pack->comm);
    *done = finished != 0;
    if (*done)
        tt_log_say("%s: is packed already by this very command",
                   pack->conf->out);
    return 0;
}

static int pack_all(struct tt_pack *pack, struct tt_error *err)
{
    const struct tt_intake_ops *ops;
    struct tt_intake_conf conf;
    const char *files = NULL;
    bool done = false;
    int rc = prepare(pack, err);

    ops = rc == 0 ? choose_intake(pack->conf, &files, err) : NULL;
    if (tt_intake_agree(ops ? 0 : -1, err, pack->comm) < 0)
        return -1;
    conf = intake_conf(pack, files);
    if (tt_intake_open_all(&pack->intake, ops, &conf, pack->comm, err) < 0)
        return -1;
    pack->plan_hash = hash_plan(pack);
    if (tt_intake_agree(plan_units(pack, err), err, pack->comm) < 0)
        return -1;
    say_intake(pack);
    if (begin_all(pack, &done, err) < 0 || done)
        return done ? 0 : -1;
    if (count_numbers(pack, err) < 0)
        return -1;
    return write_all(pack, err);
}

int tt_pack_all(const struct tt_pack_conf *conf, MPI_Comm comm,
                struct tt_error *err)
{
    struct tt_pack pack = {.conf = conf, .comm = comm, .lock_fd = -1};
    int rc;

    MPI_Comm_rank(comm, &pack.rank);
    MPI_Comm_size(comm, &pack.size);
    rc = pack_all(&pack, err);
    if (pack.lock_fd >= 0)
        close(pack.lock_fd);
    tt_intake_close(&pack.intake);
    tt_stats_clear(&pack.stats);
    tt_shard_index_destroy(pack.like);
    free(pack.written);
    return rc;
}
