"""Writes the pages of what was measured of llm_foundry: docs/measurements/llm_foundry{,-h200}.*.

Usage: python benchmarks/llm_foundry_page.py [FIGURES.json [DISTANCES.json ...]]

Without arguments both pages from their figures. FIGURES are of the bare runner at `single` and replace what was there;
each file of DISTANCES, of `llm_foundry_gpu.py`, is added as another instance.
"""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rebench_inspect.environments import LLM_FOUNDRY

PAGES = Path(__file__).resolve().parents[1] / "docs" / "measurements"
MINI, SINGLE = PAGES / "llm_foundry.json", PAGES / "llm_foundry-h200.json"
SCRIPTS = ("starting", "reference", "frontier")
LIMITED = {
    "whole": ("whole_tolerance", "distance of all tensors"),
    "worst": ("tensor_tolerance", "distance of the worst tensor"),
    "length": ("length_tolerance", "length of the movement, absolute"),
    "loss_difference": ("loss_tolerance", "loss differs by, nats"),
}
COLUMNS = {
    "whole": "distance",
    "worst": "worst tensor",
    "length": "length",
    "l2_sum": "L2 sum",
    "loss_difference": "loss differs by",
}

Run = Mapping[str, Any]
Groups = dict[str, dict[str, list[Run]]]


def groups(figures: Mapping[str, Any]) -> Groups:
    """Return what was run, by kind and name, over instances."""
    found: Groups = {}
    for key in sorted(key for key in figures if key.startswith("run/")):
        _, _, kind, name = key.split("/")
        found.setdefault(kind, {}).setdefault(name, []).append(figures[key])
    return found


def passes(run: Run, limits: Mapping[str, Any]) -> bool | None:
    """Say whether a run is within all limits; None where one was not measured and the others do not decide it."""
    within = {key: abs(run[key]) <= limits[limit] for key, (limit, _) in LIMITED.items() if key in run}
    if "length" not in run and all(within.values()) and run["whole"] > limits["length_tolerance"]:
        return None  # it is never above whole
    return all(within.values())


def most(runs: list[Run], key: str) -> float | None:
    """Return the value that is furthest from zero over instances."""
    return max((run[key] for run in runs if key in run), key=abs, default=None)


def measured(found: Groups) -> list[str]:
    """Return what was measured of any run."""
    runs = [run for each in found.values() for several in each.values() for run in several]
    return [key for key in COLUMNS if any(key in run for run in runs)]


def draw(found: Groups, limits: Mapping[str, Any], page: Path) -> None:
    """Draw the distributions of all that is limited on logarithmic axes, with the limits."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "llm_foundry"
    import matplotlib.pyplot as plt

    colours = {"honest": "tab:blue", "other precision": "tab:grey", "other training": "tab:orange"}
    names = [(kind, name) for kind in colours for name in found.get(kind, {})]
    shown = [key for key in measured(found) if key in LIMITED]
    figure, axes = plt.subplots(1, len(shown), figsize=(3.2 + 3.2 * len(shown), 7), sharey=True, layout="constrained")
    for axis, key in zip(axes, shown, strict=True):
        limit, label = LIMITED[key]
        for at, (kind, name) in enumerate(names):
            values = [abs(run[key]) for run in found[kind][name] if key in run]
            axis.scatter(values, [at] * len(values), color=colours[kind], s=18)
        axis.axvline(limits[limit], color="black", linestyle="--", linewidth=1)
        axis.set_xscale("log")
        axis.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        axis.set_xlabel(label)
        axis.grid(axis="x", alpha=0.3)
    axes[0].set_yticks(range(len(names)), [name for _, name in names])
    axes[0].invert_yaxis()
    figure.savefig(page.with_suffix(".svg"), metadata={"Date": None})
    plt.close(figure)


def distances(found: Groups, limits: Mapping[str, Any], page: Path) -> list[str]:
    """Return the lines of the picture and of the table of distances."""
    draw(found, limits, page)
    shown = measured(found)
    text = [
        "Distances are relative to the movement of the unmodified script's own weights; the largest over instances.",
        "`passes` counts the instances that the limits decide: a length that was not measured leaves some open.",
        "Limits: {whole_tolerance} for all tensors together, {tensor_tolerance} for each tensor, {length_tolerance} "
        "for the length of the movement, {loss_tolerance} nats of loss.".format_map(limits),
        "`L2 sum` is the published measure (limit 5.3 there, for another model).",
        "",
        f"![Distances of honest and other trainings]({page.with_suffix('.svg').name})",
        "",
        f"| kind | training | instances | {' | '.join(COLUMNS[key] for key in shown)} | passes |",
        "|---|---|---|" + "---|" * (len(shown) + 1),
    ]
    for kind, each in found.items():
        for name, runs in each.items():
            values = [most(runs, key) for key in shown]
            judged = [verdict for run in runs if (verdict := passes(run, limits)) is not None]
            cells = [kind, name, len(runs), *("-" if value is None else f"{value:.2g}" for value in values)]
            text.append(f"| {' | '.join(map(str, cells))} | {sum(judged)}/{len(judged)} |")
    return text


def write_mini() -> None:
    """Write the page of `mini` and its picture from the figures."""
    figures = json.loads(MINI.read_text(encoding="utf-8"))
    text = [
        "# llm_foundry at mini",
        "",
        f"Written by `benchmarks/llm_foundry_page.py` from `{MINI.name}`. {figures['machine']}, {figures['date']}.",
        "",
        *distances(groups(figures), LLM_FOUNDRY.scale("mini").parameters, MINI),
        "",
        "| script | seconds | processor seconds |",
        "|---|---|---|",
    ]
    for name in SCRIPTS:
        walls = [value for key, value in figures.items() if key.startswith("timing/") and key.endswith(f"/{name}_s")]
        used = [value for key, value in figures.items() if key.endswith(f"/{name}_cpu_s")]
        text.append(f"| {name} | {np.median(walls):.1f} | {np.median(used):.1f} |")
    imports = [value for key, value in figures.items() if key.endswith("starting_imports_cpu_s")]
    text += ["", f"Imports of the start's three programs: {np.median(imports):.1f} processor seconds, on one core."]
    MINI.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")


def merge(figures: Path, more: list[Path]) -> None:
    """Put what the bare runner and `llm_foundry_gpu.py` measured into the figures of `single`."""
    held = json.loads(SINGLE.read_text(encoding="utf-8")) if SINGLE.is_file() else {}
    found = {key: value for key, value in held.items() if key.startswith("run/")}
    for number, path in enumerate(more, len({key.split("/")[1] for key in found})):
        added = json.loads(path.read_text(encoding="utf-8"))
        found |= {f"run/{number}/{key.split('/', 2)[2]}": run for key, run in added.items()}
    found |= json.loads(figures.read_text(encoding="utf-8")) | {"date": datetime.now(UTC).date().isoformat()}
    SINGLE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def write_single() -> None:
    """Write the page of `single` and its picture from the figures."""
    found = json.loads(SINGLE.read_text(encoding="utf-8"))
    machine = f"{found['fingerprint_gpu']}, driver {found['fingerprint_driver']}, {found['date']}"
    text = [
        "# llm_foundry at single",
        "",
        f"Written by `benchmarks/llm_foundry_page.py` from `{SINGLE.name}`: {machine}.",
        "Through the scorer, one scoring each:",
        "",
        "| solution | seconds | of the start | J of the GPU | GPU busy, % | distance | worst tensor | length |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in (name for name in SCRIPTS if f"{name}_s" in found):
        cells = [f"{found[f'{name}_s']:.1f}", f"{found[f'{name}_s'] / found['starting_s']:.0%}"]
        values = [found.get(f"{name}_{key}") for key in ("gpu_j", "gpu_busy_pct", "whole", "worst", "length")]
        cells += ["-" if value is None else f"{value:.3g}" for value in values]
        text.append(f"| {' | '.join([name, *cells])} |")
    text += ["", f"{found['cheats_run']} cheats run, {found['cheats_won']} won.", ""]
    text += distances(groups(found), LLM_FOUNDRY.scale("single").parameters, SINGLE)
    SINGLE.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    paths = [Path(argument) for argument in sys.argv[1:]]
    if paths:
        merge(paths[0], paths[1:])
    write_mini()
    write_single()
