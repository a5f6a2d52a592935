#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# make.py - make the reference values of this directory with PyTorch.
#
#     python3 make.py [CASE ...]
#
# Needs PyTorch, numpy and h5py.  Everything is seeded: the same PyTorch on the
# same kind of CPU writes the same bytes.  README says what the files hold.
# For each case it prints how far PyTorch in f32 is from PyTorch in f64, which
# is what any f32 program may be expected to reach.
import copy
import json
import math
import os
import sys

import h5py
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

STEPS = 50
WIDE = 64
HERE = os.path.dirname(os.path.abspath(__file__))

ACTIVATION = {
    "relu": F.relu,
    "gelu": lambda x: F.gelu(x, approximate="tanh"),
    "gelu-erf": F.gelu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}


# --- models -------------------------------------------------------------

class Act(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.run = ACTIVATION[name]

    def forward(self, x):
        return self.run(x)


def mlp(model):
    """dense, norm, activation for each hidden layer; then a dense layer."""
    net = nn.Sequential()
    width = [model["inputs"]] + model["widths"]
    for i, (fan_in, fan_out) in enumerate(zip(width, width[1:])):
        net.add_module(f"dense{i}", nn.Linear(fan_in, fan_out))
        if model["norm"] == "batch":
            net.add_module(f"norm{i}", nn.BatchNorm1d(fan_out))
        elif model["norm"] == "layer":
            net.add_module(f"norm{i}", nn.LayerNorm(fan_out))
        net.add_module(f"act{i}", Act(model["activation"]))
    net.add_module(f"dense{len(width) - 1}",
                   nn.Linear(width[-1], model["outputs"]))
    return net


class FlattenNHWC(nn.Module):
    """Flatten NCHW as if it were NHWC."""

    def forward(self, x):
        return x.permute(0, 2, 3, 1).flatten(1)


class FromNHWC(nn.Module):
    def forward(self, x):
        return x.permute(0, 3, 1, 2)


def cnn(model, shape):
    """The layers of model["net"]; inputs are NHWC of 'shape' = (H, W, C)."""
    net = nn.Sequential()
    net.add_module("input", FromNHWC())
    probe = torch.zeros(2, *shape)
    for i, layer in enumerate(model["net"]):
        width = net.eval()(probe).shape[1]  # running statistics stay
        if layer == "flatten":
            net.add_module(f"flatten{i}", FlattenNHWC())
        elif "conv" in layer:
            net.add_module(f"conv{i}", nn.Conv2d(
                width, layer["conv"], layer["kernel"],
                stride=layer["stride"], padding=layer["pad"]))
        elif "norm" in layer:
            net.add_module(f"norm{i}", nn.BatchNorm2d(width))
        elif "act" in layer:
            net.add_module(f"act{i}", Act(layer["act"]))
        elif "pool" in layer:
            kind = {"max": nn.MaxPool2d, "avg": nn.AvgPool2d}[layer["pool"]]
            net.add_module(f"pool{i}", kind(layer["size"], layer["stride"],
                                            layer["pad"]))
        else:
            net.add_module(f"dense{i}", nn.Linear(width, layer["dense"]))
    return net.train()


class Attention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(hidden, 3 * hidden)
        self.c_proj = nn.Linear(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        qkv = self.c_attn(x).view(batch, length, 3, self.heads,
                                  hidden // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-2, -1) / math.sqrt(hidden // self.heads)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        p = score.masked_fill(future, -math.inf).softmax(-1)
        return self.c_proj((p @ v).transpose(1, 2).reshape(x.shape))


class FeedForward(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.c_fc = nn.Linear(hidden, 4 * hidden)
        self.c_proj = nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        return self.c_proj(ACTIVATION["gelu"](self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden)
        self.attn = Attention(hidden, heads)
        self.ln_2 = nn.LayerNorm(hidden)
        self.mlp = FeedForward(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT2(nn.Module):
    """Radford et al. 2019: pre-norm blocks, learned positions, gelu by tanh."""

    def __init__(self, model):
        super().__init__()
        hidden = model["hidden"]
        self.wte = nn.Embedding(model["vocab"], hidden)
        self.wpe = nn.Embedding(model["context"], hidden)
        self.h = nn.ModuleList(Block(hidden, model["heads"])
                               for _ in range(model["layers"]))
        self.ln_f = nn.LayerNorm(hidden)
        if not model["tied"]:
            self.lm_head = nn.Linear(hidden, model["vocab"], bias=False)
        self.tied = model["tied"]

    def forward(self, token):
        x = self.wte(token) + self.wpe(torch.arange(token.shape[1]))
        for block in self.h:
            x = block(x)
        head = self.wte if self.tied else self.lm_head
        return F.linear(self.ln_f(x), head.weight)


def build(case):
    model = case["job"]["model"]
    if model["family"] == "mlp":
        return mlp(model)
    if model["family"] == "cnn":
        return cnn(model, case["shape"])
    return GPT2(model)


def is_batch_norm(module):
    return isinstance(module, nn.modules.batchnorm._BatchNorm)


def perturb(net, family):
    """Random values where PyTorch starts with zeros and ones, and weights of a
    GPT-2 large enough that no gradient is tiny."""
    with torch.no_grad():
        for name, p in net.named_parameters():
            if p.dim() == 1:
                p.add_(0.1 * torch.randn_like(p))
            elif family == "gpt2":
                p.normal_(0, 0.15)
        widen(list(net.children()))


def widen(layers):
    """Make what batch norms see large.  The gradient of a bias in front of one
    is zero; the larger the norm's input, the smaller is the rounding that f32
    leaves of it, beside the other gradients of the block."""
    norms = [i for i, layer in enumerate(layers) if is_batch_norm(layer)]
    for i in norms:
        layers[i - 1].weight.mul_(16)
    for i in norms[:-1]:
        layers[i].weight.mul_(16)


# --- layouts ------------------------------------------------------------

def ours(tensor):
    """A tensor as an array in the layout of our programs: convolution weights
    (O, KH, KW, I), all else as PyTorch has it."""
    if tensor.dim() == 4:
        tensor = tensor.permute(0, 2, 3, 1)
    return tensor.detach().contiguous().numpy()


# --- loss ---------------------------------------------------------------

def loss_sum(logits, y, train):
    """Sum of the weighted losses of the valid targets, sum of their weights,
    correct ones, valid targets."""
    kind = train["loss"]
    if kind == "mse":
        return ((logits - y) ** 2).sum(), y.numel(), 0, y.numel()
    if kind == "bce":
        correct = ((logits > 0) == (y > 0.5)).sum().item()
        loss = F.binary_cross_entropy_with_logits(logits, y, reduction="sum")
        return loss, y.numel(), correct, y.numel()
    logits, y = logits.flatten(0, -2), y.flatten().long()
    ignore = train["ignore-index"]
    valid = y != ignore
    weight = None
    total = valid.sum().item()
    if train["class-weights"]:
        weight = torch.tensor(train["class-weights"], dtype=logits.dtype)
        total = weight[y[valid]].sum().item()
    loss = F.cross_entropy(logits, y, weight=weight, ignore_index=ignore,
                           label_smoothing=train["label-smoothing"],
                           reduction="sum")
    correct = (logits.argmax(1)[valid] == y[valid]).sum().item()
    return loss, total, correct, valid.sum().item()


def tally(net, x, y, train):
    """The four numbers of loss_sum() for a batch; the graph of the first."""
    micro = train["micro-batch"]
    parts = [loss_sum(net(x[i:i + micro]), y[i:i + micro], train)
             for i in range(0, len(x), micro)]
    return [sum(column) for column in zip(*parts)]


# --- a step -------------------------------------------------------------

def batch_norms(net):
    return [(name, module) for name, module in net.named_modules()
            if is_batch_norm(module)]


def forward_train(net, x, y, train):
    """As tally(), in training mode.  Batch statistics are per micro-batch, and
    the running ones move once a step, towards the micro-batches' mean: with one
    micro-batch that is what PyTorch does."""
    norms = [norm for _, norm in batch_norms(net)]
    micro = train["micro-batch"]
    if not norms or micro == len(x):
        return tally(net, x, y, train)
    start = [(norm.running_mean, norm.running_var) for norm in norms]
    seen = [[] for _ in norms]
    parts = []
    for i in range(0, len(x), micro):
        for norm in norms:  # momentum 1 leaves this micro-batch's own
            norm.momentum = 1.0
            norm.running_mean = torch.zeros_like(norm.running_mean)
            norm.running_var = torch.zeros_like(norm.running_var)
        parts.append(loss_sum(net(x[i:i + micro]), y[i:i + micro], train))
        for norm, stats in zip(norms, seen):
            stats.append((norm.running_mean, norm.running_var))
    for norm, (mean, var), stats in zip(norms, start, seen):
        means, variances = zip(*stats)
        norm.running_mean = mean + 0.1 * (sum(means) / len(parts) - mean)
        norm.running_var = var + 0.1 * (sum(variances) / len(parts) - var)
    return [sum(column) for column in zip(*parts)]


def rate(job, step):
    """The learning rate of a step, from 0."""
    lr = job["optimizer"]["lr"]
    schedule = job.get("schedule", {"name": "constant", "warmup": 0})
    warmup = schedule["warmup"]
    if step < warmup:
        return lr * (step + 1) / warmup
    if schedule["name"] == "constant":
        return lr
    way = (step - warmup) / (STEPS - warmup)
    if schedule["name"] == "cosine":
        way = (1 - math.cos(math.pi * way)) / 2
    return lr + (schedule["min-lr"] - lr) * way


def optimizer(net, job):
    conf = job["optimizer"]
    matrices = [p for p in net.parameters() if p.dim() > 1]
    others = [p for p in net.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": conf["weight-decay"]},
              {"params": others, "weight_decay": 0.0}]
    if conf["name"] == "sgd":
        return torch.optim.SGD(groups, lr=conf["lr"],
                               momentum=conf["momentum"],
                               nesterov=conf["nesterov"])
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[conf["name"]]
    return kind(groups, lr=conf["lr"], betas=tuple(conf["betas"]),
                eps=conf["eps"])


def gradients(net, x, y, job):
    """Loss and gradients of a batch; the gradients stay in the parameters."""
    net.zero_grad()
    total, weights, correct, valid = forward_train(net, x, y, job["train"])
    loss = total / weights
    loss.backward()
    return [total.item(), weights, correct, valid], loss.item()


def running(net):
    stats = {}
    for name, norm in batch_norms(net):
        stats[f"{name}.running_mean"] = norm.running_mean.clone()
        stats[f"{name}.running_var"] = norm.running_var.clone()
    return stats


def train(net, xs, ys, job):
    """STEPS updates.  Losses before each, running statistics after the first
    and the last, and the last network's loss on the first batch."""
    opt = optimizer(net, job)
    clip = job["optimizer"]["clip-norm"]
    losses, first = [], None
    for step in range(STEPS):
        batch = step % len(xs)
        losses.append(gradients(net, xs[batch], ys[batch], job)[1])
        if clip:
            nn.utils.clip_grad_norm_(net.parameters(), clip)
        for group in opt.param_groups:
            group["lr"] = rate(job, step)
        opt.step()
        first = running(net) if step == 0 else first
    net.eval()
    with torch.no_grad():
        total, weights, _, _ = tally(net, xs[0], ys[0], job["train"])
    net.train()
    return {"losses": losses, "first": first, "last": running(net),
            "eval": total.item() / weights}


# --- files --------------------------------------------------------------

def as_type(array, dtype):
    return torch.tensor(array, dtype=dtype if array.dtype.kind == "f"
                        else torch.int64)


def run(net, case, dtype):
    """All values of a case, computed in 'dtype'."""
    net = copy.deepcopy(net).to(dtype)
    xs, ys = as_type(case["x"], dtype), as_type(case["y"], dtype)
    probe = copy.deepcopy(net)
    numbers, loss = gradients(probe, xs[0], ys[0], case["job"])
    out = train(net, xs, ys, case["job"])
    out.update(tally=numbers, loss=loss, params=dict(net.named_parameters()),
               grads={n: p.grad for n, p in probe.named_parameters()})
    return out


def write(case, net, f64, f32):
    path = os.path.join(HERE, case["name"] + ".h5")
    with h5py.File(path, "w", libver="earliest") as h5:
        h5.attrs["job"] = np.bytes_(json.dumps(case["job"]))
        h5["x"], h5["y"] = case["x"], case["y"]
        for name, p in net.named_parameters():
            h5["param/" + name] = ours(p).astype(np.float32)
            h5["grad/" + name] = ours(f64["grads"][name])
        for when in ("first", "last"):
            for name, stat in f64[when].items():
                h5[f"running/{when}/{name}"] = ours(stat)
        for name in ("loss", "tally", "losses", "eval"):
            h5[name] = np.atleast_1d(np.array(f64[name], dtype=np.float64))
        h5["losses_f32"] = np.array(f32["losses"], dtype=np.float64)
    return path


def block_of(name, names):
    """A block is a transformer block, or a dense or convolution layer with the
    norm behind it, or an embedding, or the last norm."""
    part = name.split(".")
    if part[0] == "h":
        return ".".join(part[:2])
    if part[0].startswith("norm"):
        before = [n for n in names[:names.index(name)]
                  if not n.startswith("norm")]
        return before[-1].split(".")[0]
    return part[0]


def off_gradients(ref, got):
    """The largest ||got - ref|| / (||ref|| + 1e-3 x the largest in its
    block)."""
    names, largest = list(ref), {}
    for name in names:
        block = block_of(name, names)
        largest[block] = max(largest.get(block, 0), ref[name].norm().item())
    return max(((got[n].double() - ref[n]).norm() /
                (ref[n].norm() + 1e-3 * largest[block_of(n, names)])).item()
               for n in names)


def report(case, path, f64, f32):
    """How far f32 is from f64; fails where the case is too sensitive to be a
    reference, or where the training leaves the loss as it was."""
    a, b = np.array(f64["losses"]), np.array(f32["losses"])
    off_loss = np.max(np.abs(a - b) / np.abs(a))
    off_grad = off_gradients(f64["grads"], f32["grads"])
    kib = os.path.getsize(path) / 1024
    print(f"{case['name']:20} {kib:6.1f} KiB  loss {a[0]:.4f} to {a[-1]:.4f}  "
          f"f32 off by: losses {off_loss:.1e}, gradients {off_grad:.1e}")
    assert off_loss < 2e-5 and off_grad < 3e-6 and a[-1] < 0.97 * a[0]


# --- cases --------------------------------------------------------------

ADAMW = {"name": "adamw", "lr": 3e-3, "betas": [0.9, 0.999], "eps": 1e-8,
         "weight-decay": 0.1, "clip-norm": 0.0}


def job(model, train, **optimizer):
    loss = {"loss": "cross-entropy", "label-smoothing": 0.0,
            "ignore-index": -100, "class-weights": []}
    whole = {"length": f"{STEPS} steps", "micro-batch": train["global-batch"]}
    return {"model": model, "train": {**whole, **loss, **train},
            "optimizer": {**ADAMW, **optimizer}}


def dense_net(inputs, widths, outputs, activation, norm="none"):
    return {"family": "mlp", "inputs": inputs, "widths": widths,
            "outputs": outputs, "activation": activation, "norm": norm}


def dense_case(name, spec, batches=3):
    """Inputs are normal, targets a noisy function of them."""
    model, train = spec["model"], spec["train"]
    rng = np.random.default_rng(list(name.encode()))
    shape = (batches, train["global-batch"])
    x = rng.standard_normal((*shape, model["inputs"])).astype(np.float32)
    x *= WIDE if model["norm"] == "batch" else 1
    mix = rng.standard_normal((model["inputs"], model["outputs"]))
    y = x @ mix + 0.5 * rng.standard_normal((*shape, model["outputs"]))
    if train["loss"] == "mse":
        y = y.astype(np.float32)
    elif train["loss"] == "bce":
        y = (y > 0).astype(np.float32)
    else:
        y = with_ignored(y.argmax(-1).astype(np.int32), rng, train)
    return {"name": name, "job": spec, "x": x, "y": y}


def with_ignored(y, rng, train):
    """A fifth of the targets masked where the case has an ignored index."""
    if train["ignore-index"] == -100:
        return y
    return np.where(rng.random(y.shape) < 0.2,
                    train["ignore-index"], y).astype(np.int32)


def image_case(name, spec, shape, batches=2):
    """Images of noise with a bright spot whose place is the class."""
    train = spec["train"]
    rng = np.random.default_rng(list(name.encode()))
    classes = spec["model"]["net"][-1]["dense"]
    count = (batches, train["global-batch"])
    x = rng.standard_normal((*count, *shape)).astype(np.float32)
    y = rng.integers(0, classes, count).astype(np.int32)
    for index, target in np.ndenumerate(y):
        row, column = target // 4 * 3, target % 4 * 2
        x[index][row:row + 3, column:column + 2] += 1.5
    x *= WIDE if NORM in spec["model"]["net"] else 1
    return {"name": name, "job": spec, "x": x, "y": y, "shape": shape}


def text_case(name, spec, batches=3):
    """Tokens that count up in steps of their own, now and then jumping."""
    model, train = spec["model"], spec["train"]
    rng = np.random.default_rng(list(name.encode()))
    shape = (batches, train["global-batch"], model["context"] + 1)
    stride = rng.integers(1, 4, (*shape[:2], 1))
    jump = rng.integers(0, model["vocab"], shape) * (rng.random(shape) < 0.1)
    start = rng.integers(0, model["vocab"], (*shape[:2], 1))
    token = (start + stride * np.arange(shape[2]) + jump.cumsum(-1))
    token = (token % model["vocab"]).astype(np.int32)
    y = with_ignored(token[..., 1:], rng, train)
    return {"name": name, "job": spec, "x": token[..., :-1].copy(),
            "y": np.ascontiguousarray(y)}


def conv(width, kernel, stride=1, pad=0):
    return {"conv": width, "kernel": kernel, "stride": stride, "pad": pad}


def pool(kind, size, stride, pad=0):
    return {"pool": kind, "size": size, "stride": stride, "pad": pad}


NORM = {"norm": "batch"}
SMALL_NET = {"family": "cnn", "net": [
    conv(8, 3, 1, 1), NORM, {"act": "relu"}, pool("max", 2, 2),
    conv(16, 3, 2, 1), NORM, {"act": "relu"}, pool("avg", 2, 1),
    "flatten", {"dense": 24}, {"act": "relu"}, {"dense": 10}]}
ODD_NET = {"family": "cnn", "net": [
    conv(5, 5, 1, 2), {"act": "tanh"}, pool("max", 3, 2, 1),
    conv(7, 3, 1, 0), {"act": "gelu-erf"}, pool("avg", 2, 2, 1),
    "flatten", {"dense": 6}]}
# A bias in front of a batch norm has a gradient of zero, of which f32 leaves
# rounding; Adam with a tiny eps would walk after it.
CALM = {"eps": 1e-5}


def gpt2(layers, hidden, heads, context, tied):
    return {"family": "gpt2", "layers": layers, "hidden": hidden,
            "heads": heads, "context": context, "vocab": 61, "tied": tied,
            "dropout": 0.0}


def cases():
    yield dense_case("mlp-relu", job(dense_net(10, [50], 2, "relu"),
                                     {"global-batch": 32}, lr=1e-3), 4)
    yield dense_case("mlp-gelu-erf-layer", job(
        dense_net(12, [24, 17, 20], 5, "gelu-erf", "layer"),
        {"global-batch": 24, "label-smoothing": 0.1}))
    yield dense_case("mlp-tanh-batch", job(
        dense_net(9, [16], 3, "tanh", "batch"),
        {"global-batch": 20, "ignore-index": -1}, **CALM))
    yield dense_case("mlp-relu-batch-micro", job(
        dense_net(9, [16, 11], 4, "relu", "batch"),
        {"global-batch": 24, "micro-batch": 8}, **CALM))
    yield dense_case("mlp-sigmoid", job(
        dense_net(7, [13], 4, "sigmoid"),
        {"global-batch": 16, "ignore-index": 1, "label-smoothing": 0.2,
         "class-weights": [0.5, 2.0, 1.0, 3.5]}, lr=1e-2))
    yield dense_case("mlp-weights", job(
        dense_net(7, [13, 9], 4, "gelu-erf"),
        {"global-batch": 16, "micro-batch": 4,
         "class-weights": [0.25, 1.5, 1.0, 3.0]}))
    yield dense_case("mlp-gelu-clip", job(
        dense_net(8, [16, 8], 3, "gelu"), {"global-batch": 16},
        **{"clip-norm": 0.25}))
    yield dense_case("mlp-mse", job(dense_net(6, [20], 3, "relu"),
                                    {"global-batch": 16, "loss": "mse"}))
    yield dense_case("mlp-bce", job(dense_net(6, [20], 3, "tanh"),
                                    {"global-batch": 16, "loss": "bce"}))
    yield dense_case("mlp-sgd", job(
        dense_net(8, [16], 3, "relu"), {"global-batch": 16}, name="sgd",
        lr=0.05, momentum=0.9, nesterov=True, **{"weight-decay": 0.01}))
    yield dense_case("mlp-adam", job(
        dense_net(8, [16], 3, "relu"), {"global-batch": 16}, name="adam",
        **{"weight-decay": 0.01}))
    yield image_case("cnn-small", job(SMALL_NET, {"global-batch": 8}, **CALM), (12, 12, 3))
    yield image_case("cnn-small-micro", job(
        SMALL_NET, {"global-batch": 12, "micro-batch": 4}, **CALM),
        (12, 12, 3))
    yield image_case("cnn-odd", job(ODD_NET, {"global-batch": 6}), (11, 9, 2))
    yield text_case("gpt2-tied", job(
        gpt2(2, 32, 4, 16, True), {"global-batch": 4}, lr=1e-3,
        betas=[0.9, 0.95]))
    untied = job(gpt2(1, 24, 3, 8, False),
                 {"global-batch": 6, "micro-batch": 2, "ignore-index": -1,
                  "label-smoothing": 0.1},
                 lr=2e-3, betas=[0.9, 0.95], **{"clip-norm": 1.0})
    untied["schedule"] = {"name": "cosine", "warmup": 5, "min-lr": 2e-4}
    yield text_case("gpt2-untied", untied)


def main(wanted):
    torch.set_num_threads(1)
    for case in cases():
        if wanted and case["name"] not in wanted:
            continue
        torch.manual_seed(sum(case["name"].encode()))
        net = build(case)
        perturb(net, case["job"]["model"]["family"])
        f64, f32 = run(net, case, torch.float64), run(net, case, torch.float32)
        report(case, write(case, net, f64, f32), f64, f32)


if __name__ == "__main__":
    main(sys.argv[1:])
