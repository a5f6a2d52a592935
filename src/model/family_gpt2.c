/* SPDX-License-Identifier: BSD-3-Clause */
/* family_gpt2.c - GPT-2 (Radford et al. 2019): token and position embeddings,
 * pre-norm transformer blocks, a final norm and logits whose weight is the
 * token embedding unless model.tied is no. */
#include "model/family.h"

static int check(const struct tt_model_conf *conf, struct tt_error *err)
{
    if (!conf->tokens)
        return tt_fail(err, TT_EINVAL,
                       "model.family gpt2 reads a token stream, the data has "
                       "rows: pack text with tutti-shard --text=...");
    if (conf->hidden % conf->heads != 0)
        return tt_fail(err, TT_EINVAL,
                       "model.hidden %lld does not divide by model.heads %lld",
                       (long long)conf->hidden, (long long)conf->heads);
    if (conf->classes > conf->vocab)
        return tt_fail(err, TT_EINVAL,
                       "the data has %lld token ids, model.vocab is %lld: set "
                       "it to at least that",
                       (long long)conf->classes, (long long)conf->vocab);
    return 0;
}

static int no_memory(struct tt_error *err)
{
    return tt_fail(err, TT_ENOMEM, "out of memory for the model's layers");
}

static int add_embedding(const struct tt_model_conf *conf, struct tt_spec *spec,
                         struct tt_error *err)
{
    struct tt_layer *layer = tt_spec_add(spec, &tt_layer_embed, true, "", -1);

    if (!layer)
        return no_memory(err);
    layer->width = conf->hidden;
    layer->vocab = conf->vocab;
    layer->init_std = conf->init_std;
    if (conf->dropout <= 0)
        return 0;
    layer = tt_spec_add(spec, &tt_layer_dropout, false, "drop", -1);
    if (!layer)
        return no_memory(err);
    layer->p = conf->dropout;
    return 0;
}

static int add_blocks(const struct tt_model_conf *conf, struct tt_spec *spec,
                      struct tt_error *err)
{
    for (int i = 0; i < conf->layers; i++) {
        struct tt_layer *layer =
            tt_spec_add(spec, &tt_layer_transformer, true, "h.", i);

        if (!layer)
            return no_memory(err);
        layer->heads = conf->heads;
        layer->p = conf->dropout;
        layer->act = TT_ACT_GELU;
        layer->init_std = conf->init_std;
        layer->width = conf->layers; /* scales the residual projections */
    }
    return 0;
}

static int add_head(const struct tt_model_conf *conf, struct tt_spec *spec,
                    struct tt_error *err)
{
    struct tt_layer *layer;

    if (!tt_spec_add(spec, &tt_layer_layernorm, true, "ln_f", -1))
        return no_memory(err);
    layer = tt_spec_add(spec, &tt_layer_lmhead, false, "lm_head", -1);
    if (!layer)
        return no_memory(err);
    layer->vocab = conf->vocab;
    layer->init_std = conf->init_std;
    layer->tied = conf->tied ? 0 : -1;
    return 0;
}

static int build(const struct tt_model_conf *conf, struct tt_spec *spec,
                 struct tt_error *err)
{
    if (check(conf, err) < 0 || add_embedding(conf, spec, err) < 0 ||
        add_blocks(conf, spec, err) < 0)
        return -1;
    return add_head(conf, spec, err);
}

const struct tt_family tt_family_gpt2 = {"gpt2", build};
