"""Which row belongs to which token: evidence from text and from a smaller model, and the best assignment.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

The head is the embedding, and the normaliser of a softmax does not depend on the order of its rows. So, for features
f_t that the body computes from a guess of the embedding, the log-likelihood of a text is, but for a constant, the sum
over tokens v of (sum of f_t where v comes next) . row(v): the likeliest order of the rows is a linear assignment.
"""

from typing import NamedTuple

import data
import numpy as np
import torch
from gpt import GPT
from torch import Tensor
from torch.nn import functional


class Evidence(NamedTuple):
    """What the text says: sums of features before each token (vocabulary, width), and counts (vocabulary)."""

    features: Tensor
    counts: Tensor


@torch.no_grad()
def evidence(model: GPT, embedding: Tensor, windows: int, rng: np.random.Generator) -> Evidence:
    """Return the evidence of `windows` random windows of the training text, read with `embedding`."""
    text, context, device = data.tokens("train"), model.config.n_positions, embedding.device
    sums, counts = torch.zeros_like(embedding), torch.zeros(len(embedding), device=device)
    for _ in range(0, windows, 8):
        tokens = data.random_batch(text, rng, 8, context).to(device)
        with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
            x = functional.embedding(tokens[:, :-1], embedding) + model.wpe.weight[:context]
            for block in model.h:
                x = block(x)
            features = model.ln_f(x).float().flatten(0, 1)
        following = tokens[:, 1:].flatten()
        sums.index_add_(0, following, features)
        counts.index_add_(0, following, torch.ones_like(following, dtype=counts.dtype))
    return Evidence(sums, counts)


def image(small: Tensor, rows: Tensor, weights: Tensor, penalty: float = 1.0) -> tuple[Tensor, float]:
    """Return the weighted ridge regression of `rows` on `small`, for all tokens, and the variance that it leaves."""
    known = torch.cat([small, torch.ones_like(small[:, :1])], 1).double()
    scaled = known * weights.double().unsqueeze(1)
    gram = known.T @ scaled + penalty * torch.eye(known.shape[1], device=small.device, dtype=torch.float64)
    predicted = (known @ torch.linalg.solve(gram, scaled.T @ rows.double())).float()
    off = ((predicted - rows) ** 2).mean(1)
    return predicted, float((off * weights).sum() / weights.sum())


def benefits(found: Evidence, rows: Tensor, predicted: Tensor, variance: float) -> Tensor:
    """Return the log-likelihood (tokens, rows) of each row as each token's: from the text, and from the prediction."""
    prior = (predicted @ rows.T - 0.5 * (rows**2).sum(1)) / variance
    return found.features @ rows.T + prior


def assign(benefit: Tensor, rounds: int = 4000) -> Tensor:
    """Return for each token its row, every row once: an auction with falling least bids, the rest greedily."""
    count, device = len(benefit), benefit.device
    prices = torch.zeros(count, device=device)
    owner = torch.full((count,), -1, device=device)
    spread = float(benefit.std())
    for share in (0.1, 0.01, 0.001):
        owner.fill_(-1)
        for _ in range(rounds):
            waiting = torch.ones(count, dtype=torch.bool, device=device)
            waiting[owner[owner >= 0]] = False
            bidders = waiting.nonzero().flatten()[:2048]
            if not len(bidders):
                break
            top = (benefit[bidders] - prices).topk(2, dim=1)
            bids = prices[top.indices[:, 0]] + top.values[:, 0] - top.values[:, 1] + share * spread
            best = torch.full((count,), -torch.inf, device=device)
            best.scatter_reduce_(0, top.indices[:, 0], bids, "amax")
            wins = bids >= best[top.indices[:, 0]]
            won = top.indices[wins, 0]
            owner[won], prices[won] = bidders[wins], bids[wins]
    return _complete(owner, benefit - prices)


def _complete(owner: Tensor, value: Tensor) -> Tensor:
    """Return each token's row; tokens that the auction left out get the best row that is free, one after another."""
    rows = torch.full_like(owner, -1)
    taken = owner >= 0
    rows[owner[taken]] = taken.nonzero().flatten()
    free, tokens = (~taken).nonzero().flatten(), (rows < 0).nonzero().flatten()
    left = value[tokens][:, free]
    for at in range(len(tokens)):
        chosen = left[at].argmax()
        rows[tokens[at]] = free[chosen]
        left[:, chosen] = -torch.inf
    return rows
