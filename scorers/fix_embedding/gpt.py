"""The scorer's own GPT-2: a function of weights and tokens; no code and no buffer of a submission is in it.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: masks, positions and the head are made here, so that a weights file cannot change what a position sees.
Not covered: where the weights come from. Trusts: names and shapes were checked.
"""

import json
import math
from pathlib import Path
from typing import NamedTuple

from torch import Tensor  # pyright: ignore[reportMissingImports]
from torch.nn import functional  # pyright: ignore[reportMissingImports]

Weights = dict[str, Tensor]


class Config(NamedTuple):
    """Size of a GPT-2, by the names of its `config.json`."""

    vocab_size: int
    n_positions: int
    n_embd: int
    n_layer: int
    n_head: int
    layer_norm_epsilon: float = 1e-5


def config(file: Path) -> Config:
    """Return the size in a `config.json`."""
    described = json.loads(file.read_text(encoding="utf-8"))
    return Config(**{name: described[name] for name in Config._fields if name in described})


def shapes(size: Config) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight by name."""
    width = size.n_embd
    found = {"wte.weight": (size.vocab_size, width), "wpe.weight": (size.n_positions, width)}
    norms, maps = ["ln_f"], dict[str, tuple[int, int]]()
    for block in (f"h.{number}" for number in range(size.n_layer)):
        norms += [f"{block}.ln_1", f"{block}.ln_2"]
        maps |= {f"{block}.attn.c_attn": (width, 3 * width), f"{block}.attn.c_proj": (width, width)}
        maps |= {f"{block}.mlp.c_fc": (width, 4 * width), f"{block}.mlp.c_proj": (4 * width, width)}
    weights: dict[str, tuple[int, ...]] = {**found, **{f"{name}.weight": shape for name, shape in maps.items()}}
    biases = {f"{name}.bias": (shape[1],) for name, shape in maps.items()}
    return weights | biases | {f"{name}.{part}": (width,) for name in norms for part in ("weight", "bias")}


def logits(weights: Weights, size: Config, tokens: Tensor) -> Tensor:
    """Return the logits (batch, time, vocabulary) of the token after each of `tokens` (batch, time)."""
    x = functional.embedding(tokens, weights["wte.weight"]) + weights["wpe.weight"][: tokens.shape[1]]
    for block in (f"h.{number}" for number in range(size.n_layer)):
        x = x + _attention(weights, size, f"{block}.attn", _norm(weights, size, f"{block}.ln_1", x))
        x = x + _mlp(weights, f"{block}.mlp", _norm(weights, size, f"{block}.ln_2", x))
    return functional.linear(_norm(weights, size, "ln_f", x), weights["wte.weight"])


def _norm(weights: Weights, size: Config, name: str, x: Tensor) -> Tensor:
    scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return functional.layer_norm(x, (size.n_embd,), scale, shift, size.layer_norm_epsilon)


def _linear(weights: Weights, name: str, x: Tensor) -> Tensor:
    return functional.linear(x, weights[f"{name}.weight"].t(), weights[f"{name}.bias"])


def _attention(weights: Weights, size: Config, name: str, x: Tensor) -> Tensor:
    batch, time, width = x.shape
    parts = _linear(weights, f"{name}.c_attn", x).view(batch, time, 3, size.n_head, width // size.n_head)
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    scale = 1 / math.sqrt(width // size.n_head)
    mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scale)
    return _linear(weights, f"{name}.c_proj", mixed.transpose(1, 2).reshape(batch, time, width))


def _mlp(weights: Weights, name: str, x: Tensor) -> Tensor:
    return _linear(weights, f"{name}.c_proj", functional.gelu(_linear(weights, f"{name}.c_fc", x), approximate="tanh"))
