"""Train one small GPT on packed tokens: seeded, resumable, its loss curve kept.

Batches are a pure function of the seed and the step, so a training that was stopped goes on as if it had not been.
"""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from recipes.gpt import GPT, Config
from recipes.job import RecipeError, say
from recipes.rows import Row

_CHECKPOINT_EVERY_S = 60
_DECAY_SHARE, _WARMUP_STEPS = 0.4, 20


@dataclass(frozen=True, slots=True)
class Data:
    """Packed tokens: `train` and `dev`, flat uint16."""

    train: np.ndarray
    dev: np.ndarray


def open_tokens(path: Path) -> np.ndarray:
    """Return a token file without reading it into memory."""
    return np.memmap(path, dtype="<u2", mode="r")


def batch(tokens: np.ndarray, row: Row, seed: int, step: int) -> Tensor:
    """Return the (sequences, context + 1) tokens of a step, int64: random windows of the packed text."""
    source = np.random.default_rng((seed, step))
    starts = source.integers(0, len(tokens) - row.context - 1, size=row.sequences)
    return torch.from_numpy(np.stack([tokens[at : at + row.context + 1] for at in starts]).astype(np.int64))


@torch.no_grad()
def evaluate(model: GPT, tokens: np.ndarray, *, sequences: int = 256, group: int = 8) -> float:
    """Return the fp32 loss in nats on the first windows of `tokens`, at most `sequences` of them."""
    context, device = model.config.n_positions, model.wte.weight.device
    count = min(sequences, (len(tokens) - 1) // context)
    total = 0.0
    for first in range(0, count, group):
        windows = [tokens[at * context : (at + 1) * context + 1] for at in range(first, min(first + group, count))]
        held = torch.from_numpy(np.stack(windows).astype(np.int64)).to(device)
        total += float(model.loss(held)) * len(windows)
    return total / count


def share_of_rate(step: int, steps: int) -> float:
    """Return the learning rate's share of its peak: a short warm-up, constant, then linear to zero."""
    return min((step + 1) / _WARMUP_STEPS, 1.0, (steps - step) / (_DECAY_SHARE * steps))


class Trainer:
    """A training that can be stopped after any step and goes on from its last checkpoint.

    Args:
        row: The model and its schedule.
        folder: Keeps `checkpoint.pt` and `curve.json`.
        seed: Decides the initial weights and the order of the text.
        device: `cpu` (fp32) or `cuda` (compiled, bf16 products of fp32 weights).
    """

    def __init__(self, row: Row, folder: Path, seed: int, device: str) -> None:
        torch.manual_seed(seed)
        self.row, self.folder, self.seed, self.device = row, folder, seed, device
        config = Config(row.vocabulary, row.context, row.width, row.layers, row.heads)
        self.model = GPT(config).to(device)
        matrices = [weight for weight in self.model.h.parameters() if weight.ndim == 2]
        chosen = {id(weight) for weight in matrices}
        others = [weight for weight in self.model.parameters() if id(weight) not in chosen]
        self.optimizers = [
            torch.optim.Muon(matrices, lr=row.matrix_rate, weight_decay=0.0),
            torch.optim.AdamW(others, lr=row.rate, betas=(0.9, 0.95), eps=1e-10, weight_decay=0.0),
        ]
        self.step, self.elapsed_s, self.curve = 0, 0.0, list[dict[str, float]]()
        if self._checkpoint.exists():
            self._resume()

    @property
    def _checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    @property
    def _group(self) -> int:
        """Sequences whose logits fit into memory at once; a step adds up the gradients of its groups."""
        if self.device == "cpu":
            return self.row.sequences
        return 32 if torch.cuda.get_device_properties(0).total_memory > 60e9 else 8

    def run(self, data: Data, until: int | None = None) -> None:
        """Train to the end, or to step `until`; the curve gets a point every twentieth of the way.

        Raises:
            RecipeError: The loss is not finite.
        """
        last, every = min(until or self.row.steps, self.row.steps), max(1, self.row.steps // 20)
        loss_of, saved, began = self._loss(), time.monotonic(), time.monotonic() - self.elapsed_s
        while self.step < last:
            loss = self._advance(loss_of, batch(data.train, self.row, self.seed, self.step).to(self.device))
            self.elapsed_s = time.monotonic() - began
            if self.step % every == 0 or self.step == self.row.steps:
                self._record(float(loss), data)
            if time.monotonic() - saved > _CHECKPOINT_EVERY_S:
                self.save()
                saved = time.monotonic()
        torch.set_float32_matmul_precision("highest")  # what is measured after the training is in fp32
        self.save()

    def _loss(self) -> Callable[[Tensor], Tensor]:
        if self.device == "cpu":
            return self.model.loss
        torch.set_float32_matmul_precision("high")
        return torch.compile(self.model.loss)

    def _advance(self, loss_of: Callable[[Tensor], Tensor], tokens: Tensor) -> Tensor:
        share = share_of_rate(self.step, self.row.steps)
        for optimizer, peak in zip(self.optimizers, (self.row.matrix_rate, self.row.rate), strict=True):
            for group in optimizer.param_groups:
                group["lr"] = peak * share
        total = torch.zeros((), device=self.device)
        for part in tokens.split(self._group):
            with torch.autocast("cuda", torch.bfloat16, enabled=self.device != "cpu"):
                loss = loss_of(part) * (len(part) / len(tokens))
            loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.step += 1
        return total

    def _record(self, loss: float, data: Data) -> None:
        if not math.isfinite(loss):
            raise RecipeError(f"the training loss is {loss} at step {self.step}; run it again, then lower the rates")
        seen = self.step * self.row.sequences * self.row.context
        point = {"step": self.step, "tokens": seen, "seconds": round(self.elapsed_s, 1), "train_loss": round(loss, 4)}
        self.curve.append({**point, "dev_loss": round(evaluate(self.model, data.dev, sequences=32), 4)})
        say(f"step {self.step}/{self.row.steps}: dev loss {self.curve[-1]['dev_loss']:.3f}, {self.elapsed_s:.0f} s")
        (self.folder / "curve.json").write_text(json.dumps(self.curve, indent=1) + "\n", encoding="utf-8")

    def save(self) -> None:
        """Write a checkpoint; a crash while writing leaves the one before."""
        state: dict[str, Any] = {
            "step": self.step,
            "elapsed_s": self.elapsed_s,
            "curve": self.curve,
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
        }
        partial = self._checkpoint.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(self._checkpoint)

    def _resume(self) -> None:
        state = torch.load(self._checkpoint, map_location=self.device, weights_only=True)
        self.step, self.elapsed_s, self.curve = state["step"], state["elapsed_s"], state["curve"]
        self.model.load_state_dict(state["model"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        say(f"going on from step {self.step}")
