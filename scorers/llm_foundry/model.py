"""The loss of an MPT on rows of tokens, in NumPy: the scorer's own arithmetic, for the held-out check.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the architecture of the base models (no biases, learned positions, tied embedding). Not covered: others.
Trusts: the tokens that the image holds.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


def _normed(x: Array, gain: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return gain * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def _gelu(x: Array) -> Array:
    # Abramowitz and Stegun 7.1.26: the error function to 1.5e-7.
    z = np.abs(x) / math.sqrt(2)  # a NumPy scalar would turn all into doubles
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 0.5 * x * (1 + np.sign(x) * (1 - series * np.exp(-z * z)))


def _attend(mixed: Array, heads: int) -> Array:
    time, width = len(mixed), mixed.shape[1] // 3
    query, key, value = mixed.reshape(time, 3, heads, width // heads).transpose(1, 2, 0, 3)
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(width // heads)
    scores[:, np.triu(np.ones((time, time), bool), 1)] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return (shares @ value).transpose(1, 0, 2).reshape(time, width)


def _row_loss(weights: Mapping[str, Array], tokens: list[int], start: int, heads: int) -> NDArray[np.float64]:
    embedding = weights["transformer.wte.weight"]
    x = embedding[tokens] + weights["transformer.wpe.weight"][: len(tokens)]
    block = 0
    while (name := f"transformer.blocks.{block}.") + "norm_1.weight" in weights:
        inner = _normed(x, weights[name + "norm_1.weight"])
        x = x + _attend(inner @ weights[name + "attn.Wqkv.weight"].T, heads) @ weights[name + "attn.out_proj.weight"].T
        inner = _gelu(_normed(x, weights[name + "norm_2.weight"]) @ weights[name + "ffn.up_proj.weight"].T)
        x = x + inner @ weights[name + "ffn.down_proj.weight"].T
        block += 1
    at = np.arange(max(start, 1) - 1, len(tokens) - 1)
    logits = (_normed(x[at], weights["transformer.norm_f.weight"]) @ embedding.T).astype(np.float64)
    top = logits.max(-1)
    return np.log(np.exp(logits - top[:, None]).sum(-1)) + top - logits[np.arange(len(at)), np.array(tokens)[at + 1]]


def loss(weights: Mapping[str, Array], rows: list[tuple[list[int], int]], heads: int) -> float:
    """Return the mean loss in nats of the responses' tokens.

    Args:
        weights: By MPT's key names.
        rows: (token ids, length of the prompt).
        heads: Attention heads.
    """
    losses = [_row_loss(weights, tokens, start, heads) for tokens, start in rows]
    return float(np.concatenate(losses).mean())
