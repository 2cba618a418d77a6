"""Pages of what was measured of fix_embedding: docs/measurements/fix_embedding{,-h200}.*.

Usage: python benchmarks/fix_embedding_page.py FOLDER [EXTRA.json]

Writes the page of `single` from a folder that `fix_embedding_h200.sh` brought back, with more figures from a file.
"""

import itertools
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rebench_inspect import asset_store, assets

PAGES = Path(__file__).resolve().parents[1] / "docs" / "measurements"
TRAINED = ("reference", "frontier")
_STEP = re.compile(r"step (\d+)/\d+: loss ([\d.]+)")
_EXPLAINED = """
Losses in nats per token on this machine's held-out text: `_loss` on the part of in-run scorings,
`_loss_verified` on that of the re-measurement. `_made_s`: seconds of the program that makes the file.
`_closes_pct`: share of the way from the damaged to the original model's loss. `raw_spread`: greatest
difference of ten scorings of one file. `exact_rows`: the damaged model with every row back in its place.
"""


def curve(printed: str) -> list[list[float]]:
    """Return pairs of step and loss that a program printed; steps begin again with each of its trainings."""
    return [[int(step), float(loss)] for step, loss in _STEP.findall(printed)]


def derived(figures: dict[str, Any], scale: str) -> dict[str, Any]:
    """Return shares of the gap between start and original, the frontier's normalised score, the text's unigram loss."""
    start = figures["starting_loss"]
    gap = start - figures["original_loss"]
    closed = {f"{name}_closes_pct": 100 * (start - figures[f"{name}_loss"]) / gap for name in TRAINED}
    width = figures["starting_raw"] - figures["reference_raw"]
    tokenizer = next(row for row in assets.manifest() if (row.name, row.scale) == ("tokenizer", scale))
    record = asset_store.read(tokenizer)
    return {
        **closed,
        "frontier_score": (figures["starting_raw"] - figures["frontier_raw"]) / width,
        "unigram_loss_dev": record.figures["unigram_loss_dev"] if record else math.nan,
    }


def draw(figures: dict[str, Any], page: Path, scale: str) -> None:
    """Draw the losses of the trainings that repair (and that made the models, where known), and those around them."""
    made = [name for name in ("large", "small") if f"model_{name}_curve" in figures]
    figure = Figure(figsize=(11 if made else 7, 4), layout="constrained")
    axes = figure.subplots(1, 2 if made else 1, squeeze=False)
    _draw_repairs(axes[0][0], figures)
    axes[0][0].set_title(f"fix_embedding at {scale}")
    for name in made:
        steps, losses = zip(*figures[f"model_{name}_curve"], strict=True)
        axes[0][1].plot(steps, losses, label=f"{name} model")
    if made:
        axes[0][1].set(
            xlabel="optimizer step", ylabel="loss of the first 32 dev windows, nats", title="making the models"
        )
        axes[0][1].legend()
    with mpl.rc_context({"svg.hashsalt": "fix_embedding"}):
        figure.savefig(page.with_suffix(".svg"), metadata={"Date": None})


def _draw_repairs(axes: Axes, figures: dict[str, Any]) -> None:
    for name in TRAINED:
        points = figures[f"{name}_curve"]
        again = [number for number in range(1, len(points)) if points[number][0] < points[number - 1][0]]
        offset = 0
        for first, last in itertools.pairwise([0, *again, len(points)]):
            part = points[first:last]
            style = "--" if name == "reference" and first == 0 else "-"
            label = f"{name}: linear map" if style == "--" else f"{name}: training"
            axes.plot([offset + step for step, _ in part], [loss for _, loss in part], style, label=label)
            offset += part[-1][0]
    axes.axhline(figures["original_loss"], color="grey", linestyle=":", label="before the damage (held-out)")
    axes.axhline(figures["unigram_loss_dev"], color="grey", linestyle="-.", label="unigram (dev)")
    axes.set(xlabel="optimizer step", ylabel="training loss of a batch, nats")
    axes.legend()


def write(figures: dict[str, Any], page: Path, scale: str) -> None:
    """Write the figures, and a page made from them."""
    rounded = {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
    page.write_text(json.dumps(rounded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    rows = [f"| `{name}` | {value} |" for name, value in sorted(rounded.items()) if not isinstance(value, dict | list)]
    text = [
        f"# fix_embedding at {scale}",
        "",
        f"Written from `{page.name}`. Machine: {rounded.get('fingerprint')}.",
        "",
        f"![losses]({page.with_suffix('.svg').name})",
        "",
        "| figure | value |",
        "|---|---|",
        *rows,
        _EXPLAINED.rstrip(),
    ]
    page.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")


def known(folder: Path, name: str, curves: dict[str, list[list[float]]]) -> dict[str, Any]:
    """Return the figures of a known solution out of the bare runner's record."""
    row = json.loads((folder / "figures.record.json").read_text(encoding="utf-8"))["cases"][name]
    measured = row["measurements"]
    figures = {
        "loss": measured["loss"],
        "raw": row["measured"][2],
        "raw_se": row["measured"][3],
        "scoring_s": row["seconds"],
        "made_s": measured.get("made_s", 0.0),
        "curve": curves.get(name, []),
    }
    return {**{f"{name}_{key}": value for key, value in figures.items()}, "fingerprint": row["fingerprint"]}


def making(folder: Path, name: str) -> dict[str, Any]:
    """Return the figures of how a model was made."""
    found = json.loads((folder / f"figures-{name}.json").read_text(encoding="utf-8"))
    figures = {"parameters": found["parameters"], "tokens": found["tokens"], "training_s": found["training_s"]}
    figures |= {f"loss_{part}": loss for part, loss in found["loss"].items()}
    figures["curve"] = [[point["step"], point["dev_loss"]] for point in found["curve"]]
    return {f"model_{name}_{key}": value for key, value in figures.items()}


def single(folder: Path) -> dict[str, Any]:
    """Return all figures of scale `single` out of what a GPU machine brought back."""
    printed, _, rest = (folder / "made.log").read_text(encoding="utf-8").partition("after training")
    curves = {"reference": curve(printed), "frontier": curve(rest)}
    figures: dict[str, Any] = {}
    for name in ("starting", *TRAINED, "exact_rows"):
        figures |= known(folder, name, curves)
    for name in ("large", "small"):
        figures |= making(folder, name)
    losses = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    figures["original_loss"] = losses["original"]["scoring"]
    figures["original_loss_verified"] = losses["original"]["verified"]
    counts = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    return figures | {key: counts[key] for key in ("cheats_run", "cheats_won", "controls_run", "controls_rejected")}


def main() -> None:
    """Write the page of `single`."""
    page = PAGES / "fix_embedding-h200.json"
    figures = single(Path(sys.argv[1]))
    figures |= json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")) if sys.argv[2:] else {}
    figures |= derived(figures, "single")
    draw(figures, page, "single")
    write(figures, page, "single")


if __name__ == "__main__":
    main()
