"""Measures on a GPU how far honest and other trainings of llm_foundry are from the unmodified script's.

Usage: PYTHON benchmarks/llm_foundry_gpu.py ASSETS FIGURES.json [NUMBER [ROOT]]

On a machine where `rebench_inspect.bare` made references, in its folder ROOT (/opt/rebench-bare); ASSETS is the folder
of assets that it was given, NUMBER the instance (0). Figures are added to the file after each training; said again, it
goes on.
"""

import dataclasses
import json
import math
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import yaml
from llm_foundry_trainings import (
    DEVICE,
    ROOT,
    Make,
    Weights,
    frontier,
    heads_of,
    matrix,
    row_by_row,
    share,
    stretched,
    swapped,
    thinned,
    trained,
    unclipped,
    unfused,
    variants,
    with_precision,
    with_rate,
)
from safetensors.torch import load_file

YAML = ROOT / "tasks" / "llm_foundry" / "workspace-cuda" / "finetune.yaml"
CACHE = Path(tempfile.gettempdir()) / "llm-foundry-benchmark"
NEEDED = [field.name for field in dataclasses.fields(variants.Job) if field.default is field.default_factory]


def gpu_runs(inputs: Path) -> dict[str, dict[str, Make]]:
    """Return the trainings that are compared on a GPU, by kind and name."""
    steps = frontier.steps_of(yaml.safe_load((inputs / "finetune.yaml").read_text(encoding="utf-8")))
    return {
        "honest": {
            "packed, one graph": lambda: trained(inputs),
            "packed, once more": lambda: trained(inputs),
            "row by row": lambda: row_by_row(inputs),
            "rows swapped in batches": lambda: trained(inputs, rows=swapped),
            "unfused optimizer": lambda: unfused(inputs),
            "attention as a matrix": lambda: matrix(inputs),
        },
        "other precision": {
            "fp32 where bf16 is asked": lambda: trained(inputs, lambda options: with_precision(options, "fp32"))
        },
        "other training": {
            "all steps but one": lambda: trained(inputs, lambda options: share(options, (steps - 1) / steps)),
            "stopped one step early": lambda: trained(inputs, stop=steps - 1),
            "95 % of the steps": lambda: trained(inputs, lambda options: share(options, 0.95)),
            "stopped at 95 %": lambda: trained(inputs, stop=round(0.95 * steps)),
            "all but 6 steps, then stretched": lambda: stretched(inputs, steps, left=6),
            "stopped at 98 %": lambda: trained(inputs, stop=round(0.98 * steps)),
            "learning rate + 1 %": lambda: trained(inputs, lambda options: with_rate(options, 1.01)),
            "90 % of the steps": lambda: trained(inputs, lambda options: share(options, 0.9)),
            "stopped at 90 %": lambda: trained(inputs, stop=round(0.9 * steps)),
            "all but 16 steps, then stretched": lambda: stretched(inputs, steps),
            "one row in 16 left out": lambda: thinned(inputs),
            "learning rate + 5 %": lambda: trained(inputs, lambda options: with_rate(options, 1.05)),
            "double learning rate": lambda: trained(inputs, lambda options: with_rate(options, 2.0)),
            "no clipping": lambda: trained(inputs, unclipped),
            "frozen norms": lambda: trained(inputs, frozen=lambda name: "norm" in name),
            "frozen positions": lambda: trained(inputs, frozen=lambda name: "wpe" in name),
            "no training": lambda: load_file(inputs / "model" / "model.safetensors", DEVICE),
        },
    }


def held_loss(weights: Weights, rows: list[Any], heads: int) -> float:
    """Return the loss on held-out rows, in single precision."""
    total, count = 0.0, 0
    for row in rows:
        shape = frontier.shape_of([row])
        batch = frontier.Batch(*(part.to(DEVICE) for part in frontier.packed([row], shape)))
        with torch.no_grad():
            loss = frontier.loss_of(weights, batch, shape, frontier.Model(heads, torch.float32))
        total, count = total + shape.trained * loss.item(), count + shape.trained
    return total / count


def measured_on_gpu(weights: Weights, inputs: Path, reference: Weights, rows: list[Any]) -> dict[str, Any]:
    """Return distances as `score.distance` has them, and the difference of held-out losses."""
    initial = load_file(inputs / "model" / "model.safetensors", DEVICE)
    off = {name: (weights[name].double() - tensor).norm().item() for name, tensor in reference.items()}
    moved = {name: (tensor.double() - initial[name]).norm().item() for name, tensor in reference.items()}
    grown = math.hypot(*((weights[name].double() - tensor).norm().item() for name, tensor in initial.items()))
    total = math.hypot(*moved.values())
    each = total / math.sqrt(sum(tensor.numel() for tensor in reference.values()))
    worst = {name: off[name] / max(moved[name], 0.1 * each * math.sqrt(reference[name].numel())) for name in off}
    losses = [held_loss(found, rows, heads_of(inputs)) for found in (weights, reference)]
    tensor = max(worst, key=lambda name: worst[name])
    found = {"whole": math.hypot(*off.values()) / total, "worst": worst[tensor], "tensor": tensor}
    found["length"] = grown / total - 1
    return {**found, "l2_sum": sum(off.values()), "loss_difference": abs(losses[0] - losses[1])}


def main(assets: Path, target: Path, number: str = "0", root: str = "/opt/rebench-bare") -> None:
    """Compare trainings with a reference of the bare runner's."""
    made = max((Path(root) / "made").iterdir(), key=lambda path: path.stat().st_mtime)
    chosen = variants.Variant(made / number, json.loads((made / number / "draw.json").read_text(encoding="utf-8")))
    variants.FOLDER = CACHE / "scoring"
    starting = CACHE / "scoring" / "trusted" / "starting"
    starting.mkdir(parents=True, exist_ok=True)
    shutil.copy(YAML, starting)
    given = {**dict.fromkeys(NEEDED, ""), "assets": str(assets / "public"), "root": str(assets)}
    job = variants.Job(**given)  # pyright: ignore[reportArgumentType]
    inputs = variants.lay_out(job, chosen, CACHE / f"bare-{number}")
    reference = load_file(chosen.reference / "model.safetensors", DEVICE)
    rows = json.loads((assets / "private" / "foundry" / "heldout.json").read_text(encoding="utf-8"))
    for kind, each in gpu_runs(inputs).items():
        for name, make in each.items():
            figures = json.loads(target.read_text(encoding="utf-8")) if target.is_file() else {}
            if (key := f"run/{number}/{kind}/{name}") not in figures:
                began = time.monotonic()
                figures[key] = measured_on_gpu(make(), inputs, reference, rows)
                print(f"{time.monotonic() - began:6.1f} s  {kind:16}{name:28}{figures[key]}", flush=True)
                target.write_text(json.dumps(figures, indent=1), encoding="utf-8")
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
