#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# torch_values.py - write torch_values.h: weights after updates by torch.optim.
#
#     python3 torch_values.py > torch_values.h
#
# Weights and gradients are small fractions, exact in f32, made by the formulas
# that update.c has too; PyTorch computes in f64.
import torch

COUNT, UPDATES = 8, 20

CASES = {  # rule, decay, momentum, nesterov, beta1, beta2, eps
    "sgd": ("sgd", 0, 0, 0, 0, 0, 0),
    "sgd_decay": ("sgd", 0.1, 0, 0, 0, 0, 0),
    "sgd_momentum": ("sgd", 0.05, 0.9, 0, 0, 0, 0),
    "sgd_nesterov": ("sgd", 0.05, 0.75, 1, 0, 0, 0),
    "adam": ("adam", 0, 0, 0, 0.9, 0.999, 1e-8),
    "adam_decay": ("adam", 0.1, 0, 0, 0.8, 0.95, 1e-3),
    "adamw": ("adamw", 0.1, 0, 0, 0.9, 0.95, 1e-8),
    "adamw_eps": ("adamw", 0.5, 0, 0, 0.5, 0.75, 0.25),
}


def weight(i):
    return ((5 * i) % 11 - 5) / 8


def gradient(update, i):
    return ((7 * update + 13 * i * i) % 31 - 15) / 16


def rate(update):
    return (1 + update % 3) / 64


def optimizer(w, case):
    rule, decay, momentum, nesterov, beta1, beta2, eps = case
    if rule == "sgd":
        return torch.optim.SGD([w], lr=1, weight_decay=decay,
                               momentum=momentum, nesterov=bool(nesterov))
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[rule]
    return kind([w], lr=1, betas=(beta1, beta2), eps=eps, weight_decay=decay)


def run(case):
    """The weights after the first update and after the last."""
    w = torch.tensor([weight(i) for i in range(COUNT)], dtype=torch.float64,
                     requires_grad=True)
    opt = optimizer(w, case)
    seen = []
    for update in range(1, UPDATES + 1):
        w.grad = torch.tensor([gradient(update, i) for i in range(COUNT)],
                              dtype=torch.float64)
        opt.param_groups[0]["lr"] = rate(update)
        opt.step()
        if update in (1, UPDATES):
            seen.append(w.tolist())
    return seen


def numbers(values):
    return ",\n       ".join(f"{value:.17g}" for value in values)


print("/* SPDX-License-Identifier: BSD-3-Clause */")
print("/* torch_values.h - weights after 1 and after 20 updates by torch.optim,")
print(" * PyTorch " + torch.__version__.split("a")[0] + ", f64; made by "
      "torch_values.py. */")
print("/* clang-format off */")
print("static const struct update_case cases[] = {")
for name, case in CASES.items():
    rule, decay, momentum, nesterov, beta1, beta2, eps = case
    first, last = run(case)
    print(f'    {{"{name}", "{rule}",')
    print(f"     {{.beta1 = {beta1}, .beta2 = {beta2}, .eps = {eps},")
    print(f"      .momentum = {momentum}, .weight_decay = {decay}, "
          f".nesterov = {nesterov}}},")
    print(f"     {{{{\n       {numbers(first)}}},")
    print(f"      {{\n       {numbers(last)}}}}}}},")
print("};")
print("/* clang-format on */")
