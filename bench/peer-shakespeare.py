#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# peer-shakespeare.py - how far a GPT-2 of 1.06 M parameters comes on the bytes
# of a text in five minutes on one core: nats per byte of the last tenth.
#
#     peer-shakespeare.py TEXT [SECONDS [THREADS [LR]]]
#
# Defaults: 300 s, 1 thread, 3e-3.  The rate follows a cosine over the time.
import math
import sys

from peer_start import clock, put, start

TEXT = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 300
THREADS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
LR = float(sys.argv[4]) if len(sys.argv) > 4 else 3e-3
torch = start(THREADS)

from peer_gpt2_model import GPT2, adamw  # noqa: E402

LAYERS, HIDDEN, HEADS, CONTEXT, VOCAB, BATCH = 5, 128, 4, 256, 256, 4


def rate(share):
    """The learning rate after a share of the time."""
    warm = min(1, share / 0.02)
    return LR * warm * (0.05 + 0.95 * (1 + math.cos(math.pi * share)) / 2)


def random_batch(text):
    start_at = torch.randint(0, len(text) - CONTEXT, (BATCH,))
    rows = torch.stack([text[i:i + CONTEXT + 1] for i in start_at])
    return rows[:, :-1], rows[:, 1:]


def validate(model, text):
    """Mean loss of all whole windows, one after the other."""
    count = (len(text) - 1) // CONTEXT
    x = text[:count * CONTEXT].view(count, CONTEXT)
    y = text[1:count * CONTEXT + 1].view(count, CONTEXT)
    total = 0
    with torch.no_grad():
        for i in range(0, count, 16):
            part = x[i:i + 16]
            total += model(part, y[i:i + 16]).item() * len(part)
    return total / count


def main():
    with open(TEXT, "rb") as stream:
        text = torch.tensor(list(stream.read()))
    cut = len(text) * 9 // 10
    model = GPT2(LAYERS, HIDDEN, HEADS, CONTEXT, VOCAB)
    optimizer = adamw(model, LR, 0.1)
    begin, steps, share = clock(), 0, 0.0
    while share < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate(share)
        optimizer.zero_grad(set_to_none=True)
        model(*random_batch(text[:cut])).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps += 1
        share = (clock() - begin) / SECONDS
    where = f"shakespeare, {THREADS} thread" + "s" * (THREADS > 1)
    params = sum(p.numel() for p in model.parameters())
    put(f"{where}: parameters", params / 1e6, "M")
    put(f"{where}: tokens", steps * BATCH * CONTEXT / 1e6, "M")
    put(f"{where}: time", clock() - begin, "s")
    put(f"{where}: validation", validate(model, text[cut:]), "nats/byte")


main()
