"""Writes the pages of what was measured of llm_foundry: docs/measurements/llm_foundry{,-h200}.*.

Usage: python benchmarks/llm_foundry_page.py [FIGURES.json DISTANCES.json]

Without arguments the page of `mini` from its figures; with them, written by the bare runner and `llm_foundry_gpu.py`,
that of `single`.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rebench_inspect.environments import LLM_FOUNDRY

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measurements" / "llm_foundry.json"
SCRIPTS = ("starting", "reference", "frontier")
LIMITS = LLM_FOUNDRY.scale("mini").parameters


def groups(figures: dict[str, Any]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return what was run, by kind and name, over instances."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for key in sorted(key for key in figures if key.startswith("run/")):
        _, _, kind, name = key.split("/")
        found.setdefault(kind, {}).setdefault(name, []).append(figures[key])
    return found


def draw(found: dict[str, dict[str, list[dict[str, Any]]]]) -> None:
    """Draw both distributions on one logarithmic axis, with the limits."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "llm_foundry"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 6), sharey=True, layout="constrained")
    colours = {"honest": "tab:blue", "other precision": "tab:grey", "other training": "tab:orange"}
    names = [(kind, name) for kind in colours for name in found.get(kind, {})]
    for axis, key, limit in zip(axes, ("whole", "worst"), ("whole_tolerance", "tensor_tolerance"), strict=True):
        for at, (kind, name) in enumerate(names):
            values = [each[key] for each in found[kind][name]]
            axis.scatter(values, [at] * len(values), color=colours[kind], s=18)
        axis.axvline(LIMITS[limit], color="black", linestyle="--", linewidth=1)
        axis.set_xscale("log")
        axis.set_xlabel({"whole": "distance of all tensors", "worst": "distance of the worst tensor"}[key])
        axis.grid(axis="x", alpha=0.3)
    axes[0].set_yticks(range(len(names)), [name for _, name in names])
    axes[0].invert_yaxis()
    figure.savefig(PAGE.with_suffix(".svg"), metadata={"Date": None})


def write() -> None:
    """Write the page and its picture from the figures."""
    figures = json.loads(PAGE.read_text(encoding="utf-8"))
    found = groups(figures)
    draw(found)
    text = [
        "# llm_foundry at mini",
        "",
        f"Written by `benchmarks/llm_foundry_page.py` from `{PAGE.name}`. {figures['machine']}, {figures['date']}.",
        "",
        "Distances are relative to the movement of the unmodified script's own weights; the largest over instances.",
        f"Limits: {LIMITS['whole_tolerance']} for all tensors together, {LIMITS['tensor_tolerance']} for each tensor.",
        "`L2 sum` is the published measure (limit 5.3 there, for another model).",
        "",
        "![Distances of honest and other trainings](llm_foundry.svg)",
        "",
        "| kind | training | instances | distance | worst tensor | L2 sum | loss differs by | passes |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind, each in found.items():
        for name, values in each.items():
            most = {key: max(value[key] for value in values) for key in ("whole", "worst", "l2_sum", "loss_difference")}
            passed = [
                value["whole"] <= LIMITS["whole_tolerance"]
                and value["worst"] <= LIMITS["tensor_tolerance"]
                and value["loss_difference"] <= LIMITS["loss_tolerance"]
                for value in values
            ]
            cells = [
                kind,
                name,
                len(values),
                *(f"{value:.2g}" for value in most.values()),
                f"{sum(passed)}/{len(passed)}",
            ]
            text.append(f"| {' | '.join(map(str, cells))} |")
    text += ["", "| script | seconds | processor seconds |", "|---|---|---|"]
    for name in SCRIPTS:
        walls = [value for key, value in figures.items() if key.startswith("timing/") and key.endswith(f"/{name}_s")]
        used = [value for key, value in figures.items() if key.endswith(f"/{name}_cpu_s")]
        if walls:
            text.append(f"| {name} | {np.median(walls):.1f} | {np.median(used):.1f} |")
    imports = [value for key, value in figures.items() if key.endswith("starting_imports_cpu_s")]
    if imports:
        text += ["", f"Imports of the start's three programs: {np.median(imports):.1f} processor seconds, on one core."]
    PAGE.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")


def write_gpu_page(figures: Path, distances: Path) -> None:
    """Merge what the bare runner and `llm_foundry_gpu.py` measured into one JSON file, and write its page."""
    page = PAGE.with_name("llm_foundry-h200.json")
    found = {**json.loads(figures.read_text(encoding="utf-8")), **json.loads(distances.read_text(encoding="utf-8"))}
    found["date"] = datetime.now(UTC).date().isoformat()
    page.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    machine = f"{found.get('fingerprint_gpu')}, driver {found.get('fingerprint_driver')}, {found['date']}"
    text = [
        "# llm_foundry at single",
        "",
        f"Written by `benchmarks/llm_foundry_page.py` from `{page.name}`: {machine}.",
        "",
        "| solution | seconds | of the start | J of the GPU | GPU busy, % | distance | worst tensor |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in (name for name in SCRIPTS if f"{name}_s" in found):
        cells = [f"{found[f'{name}_s']:.1f}", f"{found[f'{name}_s'] / found['starting_s']:.0%}"]
        values = [found.get(f"{name}_{key}") for key in ("gpu_j", "gpu_busy_pct", "whole", "worst")]
        cells += ["-" if value is None else f"{value:.2g}" for value in values]
        text.append(f"| {' | '.join([name, *cells])} |")
    text += ["", f"{found['cheats_run']} cheats run, {found['cheats_won']} won.", ""]
    text += ["| kind | training | distance | worst tensor | L2 sum | loss differs by |", "|---|---|---|---|---|---|"]
    for kind, each in groups(found).items():
        for name, values in each.items():
            most = [max(value[key] for value in values) for key in ("whole", "worst", "l2_sum", "loss_difference")]
            text.append(f"| {kind} | {name} | {' | '.join(f'{value:.2g}' for value in most)} |")
    page.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_gpu_page(*map(Path, sys.argv[1:])) if sys.argv[1:] else write()
