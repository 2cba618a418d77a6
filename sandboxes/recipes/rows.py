"""The small GPTs that are trained here: rows of the manifest's `model` recipes (standard library alone)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """A model and its training.

    Attributes:
        vocabulary, context, width, layers, heads: Size of the GPT; context in tokens.
        steps: Optimizer steps.
        sequences: Sequences of `context` tokens a step.
        matrix_rate: Peak learning rate of the matrices inside blocks (Muon).
        rate: Peak learning rate of everything else (AdamW).
    """

    vocabulary: int
    context: int
    width: int
    layers: int
    heads: int
    steps: int
    sequences: int
    matrix_rate: float
    rate: float

    @property
    def tokens(self) -> int:
        """Tokens seen in training."""
        return self.steps * self.sequences * self.context

    @property
    def parameters(self) -> int:
        """Number of weights, the tied embedding counted once."""
        block = 12 * self.width**2 + 13 * self.width
        return (self.vocabulary + self.context) * self.width + self.layers * block + 2 * self.width


def row(parameters: Mapping[str, Any]) -> Row:
    """Return the row in the parameters of a recipe of the manifest."""
    return Row(**{field.name: parameters[field.name] for field in fields(Row)})


def rows(manifest: Path = Path(__file__).parents[1] / "assets.toml") -> dict[str, Row]:
    """Return every row of the manifest by `<scale>-<size>`, as in `mini-large`."""
    recipes = tomllib.loads(manifest.read_text(encoding="utf-8"))["recipe"]
    trained = [recipe for recipe in recipes if recipe["program"] == "model"]
    return {f"{each['scale']}-{each['name'].removeprefix('model-')}": row(each["parameters"]) for each in trained}
