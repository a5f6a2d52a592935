/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - the lines that a run starts with. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "train/progress.h"
#include "train/run.h"

enum { SHORT = 32 };

static void say_run(const struct tt_run *run)
{
    const char *dir = run->job.run.dir, *slash = strrchr(dir, '/');
    const char *last = slash && slash[1] ? slash + 1 : dir;

    tt_summary_row("run", "%s in %s",
                   run->job.run.name ? run->job.run.name : last, dir);
}

static void say_model(const struct tt_run *run)
{
    char count[SHORT];

    tt_count_format((double)run->plan.params.trained, count, sizeof(count));
    tt_summary_row("model", "%s, %s parameters in %d blocks",
                   run->job.model.family, count, run->plan.spec.block_count);
}

static void say_set(const char *label, const struct tt_set *set)
{
    const struct tt_set_info *info = tt_set_info(set);

    if (info->kind == TT_SET_TOKENS)
        tt_summary_row(label,
                       "%" PRId64 " samples of %" PRId64
                       " tokens, vocabulary %" PRId64,
                       info->sample_count, info->x_values, info->classes);
    else if (info->y_is_class)
        tt_summary_row(label,
                       "%" PRId64 " samples of %" PRId64 " values, %" PRId64
                       " classes",
                       info->sample_count, info->x_values, info->classes);
    else
        tt_summary_row(label,
                       "%" PRId64 " samples of %" PRId64 " values, %" PRId64
                       " targets each",
                       info->sample_count, info->x_values, info->y_values);
}

static void say_batch(const struct tt_run *run)
{
    const struct tt_plan *p = &run->plan;

    tt_summary_row("batch",
                   "%" PRId64 " samples a step = %" PRId64 " lane%s x %" PRId64
                   " micro-batch%s of %" PRId64,
                   p->global_batch, p->lanes, p->lanes == 1 ? "" : "s",
                   p->deal.micro_per_lane,
                   p->deal.micro_per_lane == 1 ? "" : "es", p->micro_samples);
}

static void say_length(const struct tt_run *run)
{
    const struct tt_plan *p = &run->plan;
    char time[SHORT];

    if (p->total_steps != INT64_MAX && p->epoch_steps > 0)
        tt_summary_row(
            "length", "%" PRId64 " steps, %.3g epochs of %" PRId64 " steps",
            p->total_steps, (double)p->total_steps / (double)p->epoch_steps,
            p->epoch_steps);
    else if (p->total_steps != INT64_MAX)
        tt_summary_row("length", "%" PRId64 " steps", p->total_steps);
    if (p->total_s > 0)
        tt_summary_row("", "at most %s",
                       tt_time_format(p->total_s, time, sizeof(time)));
}

static void say_layout(const struct tt_run *run)
{
    const struct tt_world *w = run->world;

    tt_summary_row("layout", "%d %s on %d %s, %d %s each, backend %s", w->size,
                   w->size == 1 ? "rank" : "ranks", w->node_count,
                   w->node_count == 1 ? "node" : "nodes", run->threads,
                   run->threads == 1 ? "thread" : "threads",
                   run->plan.memory_conf.backend->name);
    tt_summary_row("numbers", "%s", run->fingerprint);
}

static void say_memory(const struct tt_run *run)
{
    const struct tt_memory *m = &run->plan.memory;
    const struct {
        const char *name;
        int64_t bytes;
    } kind[] = {
        {"weights", m->weights},          {"gradients", m->accumulators},
        {"optimizer", m->moments},        {"activations", m->activations},
        {"workspace", m->workspace},      {"samples", m->io},
        {"checkpoint copy", m->snapshot},
    };
    char all[SHORT], text[512], one[SHORT];
    size_t used = 0;

    for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
        used += (size_t)snprintf(
            text + used, sizeof(text) - used, "%s%s %s", i ? ", " : "",
            kind[i].name, tt_bytes_format(kind[i].bytes, one, sizeof(one)));
    tt_summary_row("memory", "%s a rank: %s",
                   tt_bytes_format(tt_memory_sum(m), all, sizeof(all)), text);
}

static void say_work(const struct tt_run *run)
{
    char flops[SHORT];

    tt_count_format((double)run->plan.step_flops, flops, sizeof(flops));
    tt_summary_row("work", "%sFLOP a step", flops);
    if (run->state.step > 0)
        tt_summary_row("resume", "from step %" PRId64, run->state.step);
}

/* Ranks that share lanes unevenly wait for each other. */
static void warn_uneven(const struct tt_deal *deal)
{
    int pieces = tt_deal_pieces(deal);

    if (deal->dp > pieces)
        tt_log_warn("the batch is cut into %d micro-batch%s, fewer than the %d "
                    "ranks: %d of them have nothing to do; a smaller "
                    "train.micro-batch makes more",
                    pieces, pieces == 1 ? "" : "es", deal->dp,
                    deal->dp - pieces);
    else
        tt_log_warn("%d ranks share %d lanes unevenly: about %.0f %% of the "
                    "ranks' time is used; a number of ranks that divides %d "
                    "uses all of it",
                    deal->dp, pieces,
                    100 * tt_lanes_efficiency(pieces, deal->dp), pieces);
}

static void warn_layout(const struct tt_run *run)
{
    const struct tt_deal *deal = &run->plan.deal;

    if (tt_lanes_efficiency(tt_deal_pieces(deal), deal->dp) < 0.999)
        warn_uneven(deal);
    if (deal->split > 1)
        tt_log_warn("%d ranks are more than train.lanes: %d: the numbers agree "
                    "with fewer ranks only up to rounding, not bit for bit",
                    deal->dp, deal->lanes);
}

void tt_run_summary(const struct tt_run *run)
{
    if (run->world->rank != 0)
        return;
    say_run(run);
    say_model(run);
    say_set("train", run->train.set);
    if (run->valid.set)
        say_set("valid", run->valid.set);
    say_batch(run);
    say_length(run);
    say_layout(run);
    say_memory(run);
    say_work(run);
    warn_layout(run);
}
