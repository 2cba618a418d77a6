"""The loss of a Llama on rows of tokens, in NumPy: the scorer's own arithmetic, for the held-out check.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: root-mean-square norms, rotary positions (plain, or scaled linearly), plain or grouped heads, gated linear
units, a head of its own or the embedding's, no biases. Not covered: others, which are refused. Trusts: the tokens and
the configuration that the image holds.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


class Shape(NamedTuple):
    """What the weights do not say: heads of queries, of keys and values; the norms' epsilon; base, factor of angles."""

    heads: int
    key_heads: int
    epsilon: float
    base: float
    factor: float


def shape(config: Mapping[str, Any]) -> Shape:
    """Return the shape that a configuration of the hub describes.

    Raises:
        ValueError: It describes what is not covered.
    """
    scaling = config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    width, heads = config["hidden_size"], config["num_attention_heads"]
    plain = config.get("head_dim") in (None, width // heads) and config.get("hidden_act", "silu") == "silu"
    if kind not in ("default", "linear") or not plain or config.get("attention_bias") or config.get("mlp_bias"):
        raise ValueError(
            f"this kind of Llama is not covered: rotary positions {kind}, or its heads, biases, activation"
        )
    factor = float(scaling["factor"]) if kind == "linear" else 1.0
    key_heads = config.get("num_key_value_heads") or heads
    return Shape(heads, key_heads, config.get("rms_norm_eps", 1e-6), config.get("rope_theta", 10000.0), factor)


def _normed(x: Array, gain: Array, epsilon: float) -> Array:
    return gain * (x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon))


def _turned(x: Array, known: Shape) -> Array:
    """Turn (heads, time, size) by each position's angles; the halves of a head are the parts of its numbers."""
    time, size = x.shape[1:]
    speeds = known.base ** (-np.arange(0, size, 2) / size) / known.factor
    angles = np.outer(np.arange(time), speeds)
    cosine, sine = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    left, right = x[..., : size // 2], x[..., size // 2 :]
    return np.concatenate([left * cosine - right * sine, right * cosine + left * sine], -1)


def _attend(x: Array, weights: Mapping[str, Array], name: str, known: Shape) -> Array:
    time = len(x)
    query, key, value = (
        (x @ weights[f"{name}{part}_proj.weight"].T).reshape(time, heads, -1).transpose(1, 0, 2)
        for part, heads in (("q", known.heads), ("k", known.key_heads), ("v", known.key_heads))
    )
    each = known.heads // known.key_heads  # heads of queries that share one of keys
    key, value = np.repeat(_turned(key, known), each, 0), np.repeat(value, each, 0)
    scores = _turned(query, known) @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    scores[:, np.triu(np.ones((time, time), bool), 1)] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return (shares @ value).transpose(1, 0, 2).reshape(time, -1) @ weights[f"{name}o_proj.weight"].T


def _unit(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    gate = x @ weights[f"{name}gate_proj.weight"].T
    inner = gate / (1 + np.exp(-np.clip(gate, -80, None))) * (x @ weights[f"{name}up_proj.weight"].T)
    return inner @ weights[f"{name}down_proj.weight"].T


def _row_loss(weights: Mapping[str, Array], tokens: list[int], start: int, known: Shape) -> NDArray[np.float64]:
    embedding = weights["model.embed_tokens.weight"]
    x = embedding[tokens]
    block = 0
    while (name := f"model.layers.{block}.") + "input_layernorm.weight" in weights:
        inner = _normed(x, weights[name + "input_layernorm.weight"], known.epsilon)
        x = x + _attend(inner, weights, f"{name}self_attn.", known)
        inner = _normed(x, weights[name + "post_attention_layernorm.weight"], known.epsilon)
        x = x + _unit(inner, weights, f"{name}mlp.")
        block += 1
    at = np.arange(max(start, 1) - 1, len(tokens) - 1)
    last = _normed(x[at], weights["model.norm.weight"], known.epsilon)
    logits = (last @ weights.get("lm_head.weight", embedding).T).astype(np.float64)
    top = logits.max(-1)
    return np.log(np.exp(logits - top[:, None]).sum(-1)) + top - logits[np.arange(len(at)), np.array(tokens)[at + 1]]


def loss(weights: Mapping[str, Array], rows: list[tuple[list[int], int]], known: Shape) -> float:
    """Return the mean loss in nats of the responses' tokens.

    Args:
        weights: By the key names of the hub's Llama.
        rows: (token ids, length of the prompt).
        known: What the weights do not say.
    """
    losses = [_row_loss(weights, tokens, start, known) for tokens, start in rows]
    return float(np.concatenate(losses).mean())
