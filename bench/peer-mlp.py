#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# peer-mlp.py - steps per second of the classic first example: 1000 samples of
# 10 features and 2 classes, 10-50-2 with ReLU, Adam 1e-3, batches of 32 by a
# DataLoader that shuffles, the last of 8 kept.  One core.
#
#     peer-mlp.py [EPOCHS]        default 500 (16,000 steps)
import sys

from peer_start import clock, put, start

torch = start(1)

from torch import nn                                    # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402


def steps_per_s(batches, epochs):
    """Train on what 'batches' yields; a first epoch is not counted."""
    model = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Linear(50, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.CrossEntropyLoss()
    steps = 0
    for epoch in range(epochs + 1):
        if epoch == 1:
            begin, steps = clock(), 0
        for x, y in batches:
            optimizer.zero_grad()
            loss_fn(model(x), y).backward()
            optimizer.step()
            steps += 1
    return steps / (clock() - begin)


def main(epochs=500):
    x, y = torch.randn(1000, 10), torch.randint(0, 2, (1000,))
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    sliced = list(zip(x.split(32), y.split(32)))
    put("mlp with DataLoader", steps_per_s(loader, epochs), "steps/s")
    put("mlp without a loader", steps_per_s(sliced, epochs), "steps/s")


main(*map(int, sys.argv[1:]))
