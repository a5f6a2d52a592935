/* SPDX-License-Identifier: BSD-3-Clause */
/* family.h - one table entry per model family: conf -> layers. */
#ifndef TT_MODEL_FAMILY_H
#define TT_MODEL_FAMILY_H

#include "model/layer.h"

struct tt_family {
    const char *name;
    int (*build)(const struct tt_model_conf *conf, struct tt_spec *spec,
                 struct tt_error *err);
};

extern const struct tt_family tt_family_mlp, tt_family_cnn, tt_family_gpt2;

/* Append a layer in the current last block (new_block: in a new one), named
 * "<prefix><number>" or, with number < 0, "<prefix>".  NULL: out of memory. */
struct tt_layer *tt_spec_add(struct tt_spec *spec,
                             const struct tt_layer_type *type, bool new_block,
                             const char *prefix, int number);

#endif
