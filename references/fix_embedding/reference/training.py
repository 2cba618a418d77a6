"""Learning an embedding as a linear image of another model's, and training all weights on.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import data
import numpy as np
import torch
from gpt import GPT
from torch import Tensor
from torch.nn import functional


class Plan(NamedTuple):
    """How long to learn: steps of the map and of the training, sequences a step, peak rates."""

    map_steps: int
    train_steps: int
    sequences: int
    map_rate: float
    matrix_rate: float
    rate: float


def plan(width: int) -> Plan:
    """Return the plan for a model of this width: `test`, `mini`, `single`, `paper`."""
    if width <= 64:
        torch.set_num_threads(1)  # waking a second thread costs more than such products
        return Plan(80, 20, 8, 0.02, 0.01, 0.002)
    if width <= 256:
        return Plan(160, 260, 8, 0.02, 0.01, 0.002)
    if width <= 1024:
        return Plan(250, 500, 32, 0.01, 0.005, 0.001)
    return Plan(400, 1500, 16, 0.005, 0.001, 0.0003)


def loss_with(model: GPT, embedding: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean loss of a model whose tied embedding is `embedding` instead of its own."""
    x = functional.embedding(tokens[:, :-1], embedding) + model.wpe.weight[: tokens.shape[1] - 1]
    for block in model.h:
        x = block(x)
    logits = functional.linear(model.ln_f(x), embedding).float()
    return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def learned_map(model: GPT, small: Tensor, steps: Plan, rng: np.random.Generator) -> Tensor:
    """Return the embedding (vocabulary, width) that is the best linear image of `small`; the body stays as it is."""
    device, width = small.device, model.config.n_embd
    spread = float(model.wte.weight.detach().std() / small.std())
    start = torch.from_numpy(rng.normal(size=(small.shape[1], width)) * spread / small.shape[1] ** 0.5)
    weight = start.to(device, torch.float32).requires_grad_()
    shift = torch.zeros(width, device=device, requires_grad=True)
    model.requires_grad_(requires_grad=False)
    optimizer = torch.optim.Adam([weight, shift], lr=steps.map_rate, betas=(0.9, 0.95))
    mapped = lambda tokens: loss_with(model, small @ weight + shift, tokens)  # noqa: E731
    loop(mapped, model, [optimizer], steps.map_steps, steps, rng)
    model.requires_grad_(requires_grad=True)
    return (small @ weight + shift).detach()


def train(model: GPT, steps: Plan, rng: np.random.Generator) -> None:
    """Train all weights: Muon for the matrices of blocks, Adam for the rest."""
    matrices = [weight for weight in model.h.parameters() if weight.ndim == 2]
    chosen = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in chosen]
    optimizers = [
        torch.optim.Muon(matrices, lr=steps.matrix_rate, weight_decay=0.0),
        torch.optim.AdamW(others, lr=steps.rate, betas=(0.9, 0.95), eps=1e-10, weight_decay=0.0),
    ]
    loop(model.loss, model, optimizers, steps.train_steps, steps, rng)


def loop(
    loss_of: Callable[[Tensor], Tensor],
    model: GPT,
    optimizers: list[torch.optim.Optimizer],
    count: int,
    steps: Plan,
    rng: np.random.Generator,
) -> None:
    """Take `count` optimizer steps on random windows of the training text; rates rise shortly, then fall to zero."""
    tokens, device, began = data.tokens("train"), model.wte.weight.device, time.monotonic()
    peaks = [group["lr"] for optimizer in optimizers for group in optimizer.param_groups]
    for step in range(count):
        share = min((step + 1) / 10, 1.0, 1.5 * (count - step) / count)
        groups = [group for optimizer in optimizers for group in optimizer.param_groups]
        for group, peak in zip(groups, peaks, strict=True):
            group["lr"] = peak * share
        windows = data.random_batch(tokens, rng, steps.sequences, model.config.n_positions).to(device)
        for part in windows.split(windows.shape[0] if device.type == "cpu" else 8):
            with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
                loss = loss_of(part) * (len(part) / len(windows))
            loss.backward()
        weights = [weight for group in groups for weight in group["params"]]
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if step % 20 == 0 or step == count - 1:
            shown = float(loss.detach()) * len(windows) / len(part)
            print(f"step {step + 1}/{count}: loss {shown:.3f}, {time.monotonic() - began:.0f} s", flush=True)
