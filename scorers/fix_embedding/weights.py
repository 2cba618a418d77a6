"""Submitted weights as the model's own: every tensor of it, and a head that is its embedding.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: a head that is not the embedding; the rest as in `tensors`. Not covered: what the numbers do. Trusts: the
snapshot stands still and holds no links.
"""

from pathlib import Path

import tensors
import torch  # pyright: ignore[reportMissingImports]
from outcome import Invalid

_EMBEDDING, _HEAD = "wte.weight", "lm_head.weight"


def read(file: Path, expected: tensors.Shapes, device: str) -> dict[str, torch.Tensor]:
    """Return the weights in `file`, or in the files that its index names, as float32.

    Args:
        file: The deliverable; where it is not there, `<file>.index.json` is.
        expected: Shape of every tensor by name.
        device: Where they go.

    Raises:
        Invalid: Anything but exactly these tensors, in a type of floating point, all finite.
    """
    places = tensors.found(file)
    tensors.check(places, {**expected, **({_HEAD: expected[_EMBEDDING]} if _HEAD in places else {})})
    weights = {name: torch.from_numpy(tensors.load(name, place)).to(device) for name, place in places.items()}
    if not torch.equal(weights.pop(_HEAD, weights[_EMBEDDING]), weights[_EMBEDDING]):
        raise Invalid("untied_head", f"{_HEAD} differs from {_EMBEDDING}; the head of this model is its embedding.")
    return weights
