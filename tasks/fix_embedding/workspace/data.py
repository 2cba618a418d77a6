"""Where the given files are, and batches of tokens out of them.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

ASSETS = Path(__file__).resolve().parent / "assets"
"""A link to the given files: `model-damaged/`, `model-small/` (config.json, model.safetensors), tokens, tokenizer."""

DAMAGED, SMALL = ASSETS / "model-damaged", ASSETS / "model-small"


def tokens(part: str) -> np.ndarray:
    """Return the tokens of `train` or `dev`: flat uint16, not read into memory."""
    return np.memmap(next(ASSETS.glob(f"*/{part}.bin")), dtype="<u2", mode="r")


def batch(source: np.ndarray, starts: np.ndarray, context: int) -> Tensor:
    """Return windows of `context + 1` tokens that begin at `starts`: (len(starts), context + 1), int64."""
    return torch.from_numpy(np.stack([source[at : at + context + 1] for at in starts]).astype(np.int64))


def random_batch(source: np.ndarray, rng: np.random.Generator, count: int, context: int) -> Tensor:
    """Return `count` windows at random places, as `batch` does."""
    return batch(source, rng.integers(0, len(source) - context - 1, size=count), context)
