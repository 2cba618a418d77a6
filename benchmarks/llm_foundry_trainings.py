"""Trainings of llm_foundry that are compared: the frontier's own functions with one thing changed."""

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import yaml
from safetensors.torch import load_file

ROOT = Path(__file__).resolve().parents[1]
for folder in ("scorers/common", "scorers/llm_foundry", "references/llm_foundry/frontier"):
    sys.path.insert(0, str(ROOT / folder))

import finetune as frontier  # noqa: E402 - the lines above make them importable
import model  # noqa: E402, F401 - for those who import this file
import score  # noqa: E402, F401
import variants  # noqa: E402, F401

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Weights = dict[str, torch.Tensor]
Make = Callable[[], Weights]


def heads_of(inputs: Path) -> int:
    """Return the number of heads of an instance's model."""
    return json.loads((inputs / "model" / "config.json").read_text(encoding="utf-8"))["n_heads"]


def trained(
    inputs: Path,
    change: Callable[[dict[str, Any]], None] = lambda _: None,
    *,
    frozen: Callable[[str], bool] = lambda _: False,
    rows: Callable[[list[Any]], list[Any]] = lambda rows: rows,
    stop: int | None = None,
    start: Weights | None = None,
) -> Weights:
    """Train with the frontier's own functions, and one thing changed."""
    options = yaml.safe_load((inputs / "finetune.yaml").read_text(encoding="utf-8"))
    options["optimizer"]["lr"] = float(options["optimizer"]["lr"])
    change(options)
    heads = heads_of(inputs)
    weights = start or load_file(inputs / "model" / "model.safetensors", DEVICE)
    weights = {name: tensor.clone().requires_grad_(not frozen(name)) for name, tensor in weights.items()}
    found = rows(frontier.samples(inputs / "data", inputs / "model", options))
    moving = {name: tensor for name, tensor in weights.items() if tensor.requires_grad}
    if not moving:
        return {name: tensor.detach() for name, tensor in weights.items()}
    original = frontier.loss_of
    frontier.loss_of = lambda _, *rest: original(weights, *rest)  # frozen ones take part, too
    try:
        run(moving, found, options, heads, stop)
    finally:
        frontier.loss_of = original
    return {name: tensor.detach() for name, tensor in weights.items()}


class EnoughError(Exception):
    """Ends a training early."""


def run(weights: Weights, rows: list[Any], options: dict[str, Any], heads: int, stop: int | None) -> None:
    """Train as the frontier does, at most `stop` steps."""
    whole, seen = frontier.rate, 0

    def counted(*arguments: Any) -> float:  # noqa: ANN401 - asked once a step, before the weights change
        nonlocal seen
        if seen == stop:
            raise EnoughError
        seen += 1
        return whole(*arguments)

    frontier.rate = counted
    try:
        with contextlib.suppress(EnoughError):
            frontier.train(weights, rows, options, heads)
    finally:
        frontier.rate = whole


def share(options: dict[str, Any], part: float) -> None:
    """Train a part of the steps; the schedule is compressed."""
    options["max_duration"] = f"{round(part * frontier.steps_of(options))}ba"


def with_rate(options: dict[str, Any], factor: float) -> None:
    """Train at another peak learning rate."""
    options["optimizer"]["lr"] *= factor


def unclipped(options: dict[str, Any]) -> None:
    """Train without clipping of gradients."""
    options.pop("algorithms")


def shorter(options: dict[str, Any]) -> None:
    """Train on half the context."""
    options["max_seq_len"] //= 2


def replayed(inputs: Path, development: Path, rank: int | None) -> Weights:
    """The movement that the development instance had, compressed or not, added to other initial weights."""
    initial, known = (load_file(folder / "model" / "model.safetensors") for folder in (inputs, development))
    trained_before = load_file(development / "reference" / "model.safetensors")
    rates = [yaml.safe_load((each / "finetune.yaml").read_text())["optimizer"]["lr"] for each in (inputs, development)]
    factor = float(rates[0]) / float(rates[1])
    found: Weights = {}
    for name, tensor in initial.items():
        move = trained_before[name] - known[name]
        if rank and move.ndim == 2:
            left, values, right = torch.linalg.svd(move, full_matrices=False)
            move = left[:, :rank] * values[:rank] @ right[:rank]
        found[name] = tensor + factor * move
    return found


def with_precision(options: dict[str, Any], name: str) -> None:
    """Train with another precision."""
    options["precision"] = name


def in_bf16(inputs: Path) -> Weights:
    """Train with products in bf16."""
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
        return trained(inputs)


def row_by_row(inputs: Path) -> Weights:
    """Train as the start does: every row is a microbatch of its own."""
    with patch.object(frontier, "on_gpu", rows_apart):
        return trained(inputs)


def rows_apart(weights: Weights, rows: list[list[Any]], sizes: Any) -> Callable[[int], None]:  # noqa: ANN401
    """Return what computes the gradients of a batch row by row, in single precision over rows."""

    def gradients(number: int) -> None:
        for weight in weights.values():
            weight.grad = None
        trained_positions = frontier.shape_of(rows[number]).trained
        for row in rows[number]:
            shape = frontier.shape_of([row])
            batch = frontier.Batch(*(part.to(DEVICE) for part in frontier.packed([row], shape)))
            (frontier.loss_of(weights, batch, shape, sizes) * (shape.trained / trained_positions)).backward()

    return gradients


def matrix(inputs: Path) -> Weights:
    """Train as the start does with attention, too: the matrix of weights is rounded before the softmax and after it."""
    with patch.object(frontier, "attention", matrix_attention):
        return row_by_row(inputs)


def matrix_attention(mixed: torch.Tensor, _: torch.Tensor, shape: Any, heads: int) -> torch.Tensor:  # noqa: ANN401
    """Map (tokens, 3 * width) of one row to (tokens, width)."""
    query, key, value = mixed.view(shape.tokens, 3, heads, -1).permute(1, 2, 0, 3)
    scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5
    hidden = torch.ones_like(scores[0], dtype=torch.bool).triu(1)
    shares = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).float().softmax(-1).to(value.dtype)
    return (shares @ value).transpose(0, 1).reshape(shape.tokens, -1)


def unfused(inputs: Path) -> Weights:
    """Train with an optimizer that loops over tensors."""
    made = torch.optim.AdamW
    looping = lambda *arguments, **options: made(*arguments, **{**options, "fused": False, "foreach": True})  # noqa: E731
    with patch.object(torch.optim, "AdamW", looping):
        return trained(inputs)


def one_thread(inputs: Path) -> Weights:
    """Train on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return trained(inputs)
    finally:
        torch.set_num_threads(threads)


def compiled(inputs: Path) -> Weights:
    """The frontier's loss with torch.compile on everything but the row-wise attention."""
    plain = torch.nn.functional.gelu
    with patch.object(torch.nn.functional, "gelu", torch.compile(plain, dynamic=True)):
        return trained(inputs)


def in_doubles(inputs: Path) -> Weights:
    """Train in double precision: what all others round."""
    start = {name: tensor.double() for name, tensor in load_file(inputs / "model" / "model.safetensors").items()}
    return {name: tensor.float() for name, tensor in trained(inputs, start=start).items()}


def swapped(rows: list[Any], size: int = 16) -> list[Any]:
    """Rows in another order within each batch: the same sums in another order."""
    return [row for at in range(0, len(rows), size) for row in reversed(rows[at : at + size])]


def thinned(inputs: Path) -> Weights:
    """Leave the last row of every batch out: what attention and products cost goes down by a sixteenth."""
    return trained(
        inputs,
        lambda options: options.update(global_train_batch_size=15),
        rows=lambda rows: [row for at, row in enumerate(rows) if at % 16 < 15],
    )


def repeated(inputs: Path) -> Weights:
    """Save the last gradient of an epoch: step with the one before it again."""
    real = frontier.on_cpu

    def prepare(weights: Weights, batches: list[list[Any]], sizes: Any) -> Callable[[int], None]:  # noqa: ANN401
        gradients = real(weights, batches, sizes)
        return lambda number: gradients(number) if number < len(batches) - 1 else None

    with patch.object(frontier, "on_cpu", prepare):
        return trained(inputs)


def stretched(inputs: Path, steps: int, left: int = 16) -> Weights:
    """Leave the last steps out, and go on in the direction of as many before them, by the rates that are left."""
    options = yaml.safe_load((inputs / "finetune.yaml").read_text(encoding="utf-8"))
    options["optimizer"]["lr"] = float(options["optimizer"]["lr"])
    rates = [frontier.rate(step, steps, options) for step in range(steps)]
    ratio = sum(rates[-left:]) / sum(rates[-2 * left : -left])
    before, last = (trained(inputs, stop=steps - many * left) for many in (2, 1))
    return {name: tensor + ratio * (tensor - before[name]) for name, tensor in last.items()}
