#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# peer-gpt2.py - seconds per step of a GPT-2 of 12 x 768, vocabulary 8192, in
# f32 with AdamW, and sgemm over the shapes of its step.
#
#     peer-gpt2.py [THREADS [STEPS]]      default 1 thread, 3 steps
import sys

from peer_start import best_of, clock, put, start

THREADS = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
torch = start(THREADS)

from peer_gpt2_model import GPT2, adamw  # noqa: E402

LAYERS, HIDDEN, HEADS, VOCAB, BATCH, CONTEXT = 12, 768, 12, 8192, 4, 256


def shapes():
    """(batch, M, N, K, how often): all GEMMs of a step.  A weight has three,
    forward, for the input and for itself; a product of attention too."""
    rows, head = BATCH * CONTEXT, HIDDEN // HEADS
    weights = [(3 * HIDDEN, HIDDEN, LAYERS), (HIDDEN, HIDDEN, LAYERS),
               (4 * HIDDEN, HIDDEN, LAYERS), (HIDDEN, 4 * HIDDEN, LAYERS),
               (VOCAB, HIDDEN, 1)]
    for out, fan_in, often in weights:
        yield 1, rows, out, fan_in, often
        yield 1, rows, fan_in, out, often
        yield 1, out, fan_in, rows, often
    heads = BATCH * HEADS
    yield heads, CONTEXT, CONTEXT, head, 2 * LAYERS
    yield heads, CONTEXT, head, CONTEXT, 4 * LAYERS


def gemm_flops():
    return sum(2 * b * m * n * k * often for b, m, n, k, often in shapes())


def gemm_s():
    """Time of all GEMMs of a step, each shape at its best of three."""
    total = 0
    for b, m, n, k, often in shapes():
        shape = ((m, k), (k, n)) if b == 1 else ((b, m, k), (b, k, n))
        x, y = torch.randn(shape[0]), torch.randn(shape[1])
        total += often * best_of(3, lambda: x @ y)
    return total


def step_s():
    model = GPT2(LAYERS, HIDDEN, HEADS, CONTEXT, VOCAB)
    optimizer = adamw(model, 6e-4, 0.1)
    token = torch.randint(0, VOCAB, (BATCH, CONTEXT + 1))

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(token[:, :-1], token[:, 1:]).backward()
        optimizer.step()

    step()
    times = []
    for _ in range(STEPS):
        begin = clock()
        step()
        times.append(clock() - begin)
    return sorted(times)[len(times) // 2]


def main():
    gemm, step, flops = gemm_s(), step_s(), gemm_flops()
    where = f"gpt2 {LAYERS}x{HIDDEN}, {THREADS} thread" + "s" * (THREADS > 1)
    put(f"{where}: GEMMs of a step", flops / 1e9, "GFLOP")
    put(f"{where}: sgemm over its shapes", flops / gemm / 1e9, "GFLOP/s")
    put(f"{where}: step", step, "s")
    put(f"{where}: step's share of sgemm", 100 * gemm / step, "%")


main()
