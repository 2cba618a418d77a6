"""The small GPTs that are trained here: one row a model (standard library alone)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A model and its training.

    Attributes:
        vocabulary, context, width, layers, heads: Size of the GPT; context in tokens.
        steps: Optimizer steps.
        sequences: Sequences of `context` tokens a step.
        matrix_rate: Peak learning rate of the matrices inside blocks (Muon).
        rate: Peak learning rate of everything else (AdamW).
        seconds: What training may take on the hardware of its scale.
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
    seconds: int

    @property
    def tokens(self) -> int:
        """Tokens seen in training."""
        return self.steps * self.sequences * self.context

    @property
    def parameters(self) -> int:
        """Number of weights, the tied embedding counted once."""
        block = 12 * self.width**2 + 13 * self.width
        return (self.vocabulary + self.context) * self.width + self.layers * block + 2 * self.width


ROWS = {
    # Two CPU cores, fp32.
    "mini-large": Row(4096, 256, 192, 5, 3, 760, 8, 0.02, 0.003, 250),
    "mini-small": Row(4096, 256, 96, 4, 3, 900, 8, 0.02, 0.004, 110),
    # One H200, bf16, compiled.
    "single-large": Row(50257, 1024, 768, 12, 12, 1600, 64, 0.02, 0.002, 300),
    "single-small": Row(50257, 1024, 384, 6, 6, 1600, 64, 0.02, 0.003, 120),
    # The project's own tests, seconds.
    "test-large": Row(512, 64, 64, 2, 2, 60, 8, 0.02, 0.004, 10),
    "test-small": Row(512, 64, 32, 2, 2, 60, 8, 0.02, 0.004, 10),
}
