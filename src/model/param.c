/* SPDX-License-Identifier: BSD-3-Clause */
/* param.c - THE parameter table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "layout/block.h"
#include "model/layer.h"
#include "model/param.h"

enum { PARAM_ALIGN = 16, BLOCK_ALIGN = 512 };

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

struct tt_param *tt_params_add(struct tt_params *params, struct tt_layer *layer,
                               int slot, const char *suffix)
{
    struct tt_param *param = &params->at[params->count];
    const char *dot = layer->name[0] ? "." : "";

    *param = (struct tt_param){.block = layer->block, .tied_to = -1};
    snprintf(param->name, sizeof(param->name), "%s%s%s", layer->name, dot,
             suffix);
    layer->param[slot] = params->count++;
    return param;
}

/* Second accumulators follow everything else; a tied parameter has no other
 * place of its own. */
static void place_kind(struct tt_params *params, int kind, int64_t *at)
{
    for (int i = 0; i < params->count; i++) {
        struct tt_param *p = &params->at[i];

        if (p->kind != kind)
            continue;
        p->offset = *at;
        *at += round_up(p->storage, PARAM_ALIGN);
    }
    *at = round_up(*at, BLOCK_ALIGN);
}

static void place_block(struct tt_params *params, int block, int64_t *at)
{
    for (int decays = 1; decays >= 0; decays--)
        for (int i = 0; i < params->count; i++) {
            struct tt_param *p = &params->at[i];

            if (p->kind != TT_PARAM_WEIGHT || p->block != block ||
                p->decays != decays)
                continue;
            p->offset = *at;
            *at += round_up(p->storage, PARAM_ALIGN);
            params->trained += p->count;
        }
    *at = round_up(*at, BLOCK_ALIGN);
}

static void set_counts(struct tt_params *params)
{
    for (int i = 0; i < params->count; i++) {
        struct tt_param *p = &params->at[i];

        p->count = 1;
        for (int d = 0; d < p->dims; d++)
            p->count *= p->dim[d];
        if (p->storage < p->count)
            p->storage = p->count;
    }
}

static void place(struct tt_params *params, int block_count)
{
    int64_t at = 0;

    for (int b = 0; b < block_count; b++)
        place_block(params, b, &at);
    params->weights = (struct tt_range){0, at};
    params->stats.first = at;
    place_kind(params, TT_PARAM_STAT, &at);
    params->stats.count = at - params->stats.first;
    params->extras.first = at;
    place_kind(params, TT_PARAM_TIED, &at);
    params->extras.count = at - params->extras.first;
}

int tt_params_build(struct tt_spec *spec, struct tt_params *params,
                    struct tt_error *err)
{
    size_t room = (size_t)spec->layer_count * TT_LAYER_PARAMS;

    *params = (struct tt_params){0};
    params->at = calloc(room, sizeof(*params->at));
    if (!params->at)
        return tt_fail(err, TT_ENOMEM, "out of memory for the parameter table");
    for (int i = 0; i < spec->layer_count; i++) {
        struct tt_layer *layer = &spec->layer[i];

        if (layer->type->params)
            layer->type->params(params, layer);
        if (layer->tied >= 0)
            params->at[layer->param[0]].tied_to =
                spec->layer[layer->tied].param[0];
    }
    set_counts(params);
    place(params, spec->block_count);
    return 0;
}

void tt_params_clear(struct tt_params *params)
{
    free(params->at);
    *params = (struct tt_params){0};
}

const struct tt_param *tt_params_find(const struct tt_params *params,
                                      const char *name)
{
    for (int i = 0; i < params->count; i++)
        if (strcmp(params->at[i].name, name) == 0)
            return &params->at[i];
    return NULL;
}

static void init_elements(const struct tt_param *p, uint64_t seed,
                          uint32_t site, struct tt_block mine, float *w)
{
    float scale = (float)p->init_scale;

    if (p->init == TT_INIT_UNIFORM)
        tt_rng_fill_uniform(seed, site, mine.first, mine.count, -scale, scale,
                            w);
    else if (p->init == TT_INIT_NORMAL)
        tt_rng_fill_normal(seed, site, mine.first, mine.count, scale, w);
    else
        for (int64_t e = 0; e < mine.count; e++)
            w[e] = p->init == TT_INIT_ONE ? 1.0f : 0.0f;
}

void tt_params_init(const struct tt_params *params, uint64_t seed, int part,
                    int parts, float *weights)
{
    for (int i = 0; i < params->count; i++) {
        const struct tt_param *p = &params->at[i];
        struct tt_block mine = tt_block_of(p->count, parts, part);

        if (p->kind != TT_PARAM_TIED)
            init_elements(p, seed, tt_rng_site(TT_RNG_INIT, (uint32_t)i), mine,
                          weights + p->offset + mine.first);
    }
}

int tt_params_runs(const struct tt_params *params, int block, bool all,
                   struct tt_range *run, bool *decays, int max)
{
    int count = 0;

    for (int want = 1; want >= 0; want--) {
        int64_t first = -1, end = -1;

        for (int i = 0; i < params->count; i++) {
            const struct tt_param *p = &params->at[i];

            if (p->kind != TT_PARAM_WEIGHT || p->block != block ||
                (p->decays != want && !all))
                continue;
            if (first < 0 || p->offset < first)
                first = p->offset;
            if (p->offset + p->storage > end)
                end = p->offset + p->storage;
        }
        if (first < 0 || count == max)
            continue;
        run[count] = (struct tt_range){first, end - first};
        decays[count++] = want;
        if (all)
            break;
    }
    return count;
}
