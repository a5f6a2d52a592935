# SPDX-License-Identifier: BSD-3-Clause
# peer_gpt2_model.py - GPT-2 as a PyTorch user writes it: fused qkv, gelu by
# tanh, tied head, no dropout.
import math

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, hidden, heads, context):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(hidden)
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.ln_2 = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, 4 * hidden)
        self.down = nn.Linear(4 * hidden, hidden)
        future = torch.ones(context, context, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def attention(self, x):
        batch, length, hidden = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(x).split(hidden, dim=2))
        score = q @ k.transpose(-2, -1) * (1 / math.sqrt(hidden // self.heads))
        score = score.masked_fill(self.future[:length, :length], -math.inf)
        y = score.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, length, hidden))

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        hidden = F.gelu(self.up(self.ln_2(x)), approximate="tanh")
        return x + self.down(hidden)


class GPT2(nn.Module):
    def __init__(self, layers, hidden, heads, context, vocab):
        super().__init__()
        self.wte = nn.Embedding(vocab, hidden)
        self.wpe = nn.Embedding(context, hidden)
        self.blocks = nn.ModuleList(Block(hidden, heads, context)
                                    for _ in range(layers))
        self.ln_f = nn.LayerNorm(hidden)
        self.apply(self.init)
        for block in self.blocks:
            for last in (block.out, block.down):
                nn.init.normal_(last.weight, 0, 0.02 / math.sqrt(2 * layers))

    @staticmethod
    def init(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, 0, 0.02)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)

    def forward(self, token, target):
        x = self.wte(token) + self.wpe.weight[:token.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def adamw(model, lr, decay):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": decay},
                              {"params": others, "weight_decay": 0.0}],
                             lr=lr, betas=(0.9, 0.95), foreach=True)
