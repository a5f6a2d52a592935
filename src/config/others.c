/* SPDX-License-Identifier: BSD-3-Clause */
/* others.c - words that people bring from other programs, and things that are
 * not done here or not yet, each with its answer. */
#include "config/config_priv.h"

#define NO_MOE "mixture of experts is not something tutti does"
#define NO_CP "context parallelism is not something tutti does"
#define NO_NVME "offload to NVMe or host memory is not something tutti does"
#define NO_QUANT "quantised weights are not something tutti does"
#define NO_RL "reinforcement learning is not something tutti does"
#define NO_VISION "detection and diffusion models are not something tutti does"
#define LATER "not built yet in this version"
#define F32_ONLY LATER ": f32 is"
#define FAMILIES LATER ": mlp, cnn and gpt2 are"

const struct tt_opt_other tt_job_others[] = {
    /* not done */
    {"moe", NO_MOE},
    {"experts", NO_MOE},
    {"num-experts", NO_MOE},
    {"num_experts", NO_MOE},
    {"expert", NO_MOE},
    {"mixtral", NO_MOE},
    {"context-parallel", NO_CP},
    {"context_parallel", NO_CP},
    {"sequence-parallel", NO_CP},
    {"nvme", NO_NVME},
    {"offload", NO_NVME},
    {"offload-optimizer", NO_NVME},
    {"offload_optimizer", NO_NVME},
    {"offload_param", NO_NVME},
    {"quantize", NO_QUANT},
    {"quantization", NO_QUANT},
    {"load-in-4bit", NO_QUANT},
    {"load_in_4bit", NO_QUANT},
    {"load_in_8bit", NO_QUANT},
    {"int4", NO_QUANT},
    {"int8", NO_QUANT},
    {"ppo", NO_RL},
    {"reward", NO_RL},
    {"yolo", NO_VISION},
    {"diffusion", NO_VISION},
    {"unet", NO_VISION},

    /* not yet */
    {"bf16", F32_ONLY},
    {"f16", F32_ONLY},
    {"fp16", F32_ONLY},
    {"fp8", F32_ONLY},
    {"fp32", "write f32"},
    {"float32", "write f32"},
    {"bfloat16", F32_ONLY},
    {"float16", F32_ONLY},
    {"cuda", LATER ": cpu and ref are"},
    {"gpu", LATER ": cpu and ref are"},
    {"recompute", LATER},
    {"hf", LATER},
    {"llama", FAMILIES},
    {"bert", FAMILIES},
    {"t5", FAMILIES},
    {"vit", FAMILIES},
    {"lstm", FAMILIES},
    {"gru", FAMILIES},
    {"rnn", FAMILIES},
    {"resnet", FAMILIES},
    {"lamb", LATER ": sgd, adam and adamw are"},
    {"lion", LATER ": sgd, adam and adamw are"},
    {"rmsprop", LATER ": sgd, adam and adamw are"},
    {"adagrad", LATER ": sgd, adam and adamw are"},
    {"adafactor", LATER ": sgd, adam and adamw are"},

    /* other programs' names */
    {"learning-rate", "write optimizer.lr"},
    {"learning_rate", "write optimizer.lr"},
    {"max_lr", "write optimizer.lr"},
    {"type", "write name"},
    {"batch-size", "write train.global-batch, the samples of a step on all "
                   "ranks together"},
    {"batch_size", "write train.global-batch, the samples of a step on all "
                   "ranks together"},
    {"train_batch_size", "write train.global-batch"},
    {"train_micro_batch_size_per_gpu", "write train.micro-batch"},
    {"gradient-accumulation", "it follows: global-batch / (micro-batch x "
                              "ranks)"},
    {"gradient_accumulation_steps", "it follows: global-batch / (micro-batch "
                                    "x ranks)"},
    {"epochs", "write train.length: 10 epochs"},
    {"num_epochs", "write train.length: 10 epochs"},
    {"steps", "write train.length: 1000 steps"},
    {"max_steps", "write train.length: 1000 steps"},
    {"dtype", "write train.precision"},
    {"grad-clip", "write optimizer.clip-norm"},
    {"gradient_clipping", "write optimizer.clip-norm"},
    {"max_grad_norm", "write optimizer.clip-norm"},
    {"wd", "write optimizer.weight-decay"},
    {"n_layer", "write model.layers"},
    {"num_layers", "write model.layers"},
    {"n_head", "write model.heads"},
    {"n_embd", "write model.hidden"},
    {"d_model", "write model.hidden"},
    {"hidden_size", "write model.hidden"},
    {"block_size", "write model.context"},
    {"seq_len", "write model.context"},
    {"vocab_size", "write model.vocab"},
    {"early_stopping", "write train.early-stop: {patience: 5}"},
    {"num_workers", "reading ahead needs no setting here"},
    {"workers", "reading ahead needs no setting here"},
    {"gpus", "the launcher says how many ranks: srun --ntasks=N"},
    {"ranks", "the launcher says how many: srun --ntasks=N"},
    {"nodes", "the launcher says how many: srun --nodes=N"},
    {0},
};
