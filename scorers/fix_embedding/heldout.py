"""The loss on held-out text, in float32, and a test that no position sees a later one.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: logits so large that their common part swallows the differences (the greatest is taken off before anything is
added up); losses that are not finite. The model is the scorer's own and causal by construction: the test covers a
mistake in it, and weights that overflow so that a masked position reaches an earlier one.
Not covered: text that the agent has by heart. Trusts: the token files are root's.
"""

from pathlib import Path

import gpt
import numpy as np
import torch  # pyright: ignore[reportMissingImports]
from outcome import Invalid
from torch import Tensor  # pyright: ignore[reportMissingImports]

_CAUSAL_WINDOWS = 4
_TOLERANCE = 1e-3


def windows(file: Path, count: int, context: int) -> Tensor:
    """Return the first `count` windows of context + 1 tokens that lie side by side: (count, context + 1), int64."""
    tokens = np.memmap(file, dtype="<u2", mode="r")
    count = min(count, (len(tokens) - 1) // context)
    return torch.from_numpy(np.stack([tokens[at * context :][: context + 1] for at in range(count)]).astype(np.int64))


@torch.no_grad()
def losses(weights: gpt.Weights, size: gpt.Config, held: Tensor, group: int) -> list[float]:
    """Return the mean loss in nats of each window.

    Args:
        weights: Of the model.
        size: Of the model.
        held: (count, context + 1) tokens.
        group: Windows at once.

    Raises:
        Invalid: A loss is not finite.
    """
    device = weights["wte.weight"].device
    found = [_loss(gpt.logits(weights, size, part[:, :-1]), part[:, 1:]) for part in held.to(device).split(group)]
    each = torch.cat(found).cpu()
    if not torch.isfinite(each).all():
        raise Invalid("non_finite", "The loss of the model is not finite.")
    return each.tolist()


def _loss(logits: Tensor, actual: Tensor) -> Tensor:
    """Return each row's mean of -log softmax(logits)[actual], added up in float64."""
    below = logits - logits.amax(-1, keepdim=True)
    chosen = below.gather(-1, actual.unsqueeze(-1)).squeeze(-1)
    return (below.exp_().sum(-1).log() - chosen).double().mean(-1)


@torch.no_grad()
def check_causal(weights: gpt.Weights, size: gpt.Config, held: Tensor, source: np.random.Generator) -> None:
    """Change the later part of some windows and compare the logits of the earlier part.

    Raises:
        Invalid: They differ: something sees what comes after it.
    """
    first = held[:_CAUSAL_WINDOWS, :-1].to(weights["wte.weight"].device)
    border = int(source.integers(1, first.shape[1]))
    changed = first.clone()
    changed[:, border:] = (changed[:, border:] + int(source.integers(1, size.vocab_size))) % size.vocab_size
    before, after = (gpt.logits(weights, size, tokens)[:, :border] for tokens in (first, changed))
    allowed = _TOLERANCE * max(1.0, float(before.abs().max()))
    if not float((before - after).abs().max()) <= allowed:  # also where it is no number
        raise Invalid("not_causal", "The model's prediction depends on tokens that come later.")
