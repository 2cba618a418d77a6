"""Measures at `mini` how far honest and other trainings are from the unmodified script's, and times the scripts.

Usage: PYTHON benchmarks/llm_foundry.py ASSETS reference|runs|timing [N] [NAME]

PYTHON is the image's (`/opt/work/bin/python`, or a virtual environment with the same pins), ASSETS the folder of the
recipe `foundry` of a scale with `public/` and `private/`. `reference N` runs the unmodified script on instance N, `runs
N` everything else on it (or what has NAME in its name), `timing` start, reference and frontier in turn; then
`llm_foundry_page.py` makes the page.
"""

import copy
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from llm_foundry_trainings import (
    ROOT,
    Make,
    Weights,
    compiled,
    frontier,
    heads_of,
    in_bf16,
    in_doubles,
    model,
    one_thread,
    repeated,
    replayed,
    score,
    share,
    shorter,
    stretched,
    swapped,
    thinned,
    trained,
    unclipped,
    unfused,
    variants,
    with_rate,
)
from safetensors.torch import load_file, save_file

PAGE = ROOT / "docs" / "measurements" / "llm_foundry.json"
STARTING = ROOT / "tasks" / "llm_foundry" / "workspace"
CACHE = Path(tempfile.gettempdir()) / "llm-foundry-benchmark"
SCRIPTS = {
    "starting": STARTING,
    "reference": ROOT / "references" / "llm_foundry" / "reference",
    "frontier": ROOT / "references" / "llm_foundry" / "frontier",
}
PARTS = ("finetune.yaml", "data", "model")
STEPS = frontier.steps_of(yaml.safe_load((STARTING / "finetune.yaml").read_text(encoding="utf-8")))


def lay_out(assets: Path, number: int) -> Path:
    """Write instance N's inputs, and return their folder; 0 is the development instance, as it is."""
    target = CACHE / f"instance-{number}"
    if (target / "finetune.yaml").exists():
        return target
    draw = np.random.default_rng(1000 + number)
    (target / "data").mkdir(parents=True, exist_ok=True)
    options = {"lr": f"{draw.uniform(0.8, 1.2):.4f}e-3", "seed": int(draw.integers(1 << 30))} if number else {}
    for name in variants.DATA:
        lines = (assets / "public" / name).read_bytes().splitlines(keepends=True)
        order = draw.permutation(len(lines)) if number else range(len(lines))
        (target / "data" / name).write_bytes(b"".join(lines[at] for at in order))
    shutil.copytree(assets / "public" / "model", target / "model", dirs_exist_ok=True)
    weights = load_file(target / "model" / "model.safetensors")
    for tensor in weights.values() if number else ():
        spread = variants.NOISE * max(float(tensor.std()), 1e-2)
        tensor.add_(spread * torch.from_numpy(draw.standard_normal(tuple(tensor.shape), dtype=np.float32)))
    save_file(weights, target / "model" / "model.safetensors", metadata={"format": "pt"})
    text = (STARTING / "finetune.yaml").read_text(encoding="utf-8")
    (target / "finetune.yaml").write_text(variants.configured(text, options), encoding="utf-8")
    return target


def script(name: str, inputs: Path, output: Path) -> tuple[float, float]:
    """Run a script as the scorer does, without its protections; return wall-clock and processor seconds."""
    shutil.rmtree(output, ignore_errors=True)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    command = ["/bin/bash", str(SCRIPTS[name] / "finetune.sh"), *(str(inputs / each) for each in PARTS), str(output)]
    before, start = os.times(), time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": path, "HOME": home, "TMPDIR": home, "OMP_WAIT_POLICY": "PASSIVE"}
        subprocess.run(command, check=True, env=environment, cwd=home, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - start, used


def runs(inputs: Path, development: Path) -> dict[str, dict[str, Make]]:
    """Every training that is compared, by kind and name."""
    return {
        "honest": {
            "packed": lambda: trained(inputs),
            "unfused optimizer": lambda: unfused(inputs),
            "one thread": lambda: one_thread(inputs),
            "rows swapped in batches": lambda: trained(inputs, rows=swapped),
            "torch.compile": lambda: compiled(inputs),
            "double precision": lambda: in_doubles(inputs),
        },
        "other precision": {"bf16 where fp32 is asked": lambda: in_bf16(inputs)},
        "other training": {
            "all steps but one": lambda: trained(inputs, lambda options: share(options, 1 - 1 / STEPS)),
            "90 % of the steps": lambda: trained(inputs, lambda options: share(options, 0.9)),
            "stopped at 90 %": lambda: trained(inputs, stop=round(0.9 * STEPS)),
            "all but 6 steps, then stretched": lambda: stretched(inputs, STEPS, 6),
            "last step with the gradient before": lambda: repeated(inputs),
            "one row in 16 left out": lambda: thinned(inputs),
            "double learning rate": lambda: trained(inputs, lambda options: with_rate(options, 2.0)),
            "learning rate + 5 %": lambda: trained(inputs, lambda options: with_rate(options, 1.05)),
            "frozen embedding": lambda: trained(inputs, frozen=lambda name: "wte" in name),
            "frozen first half": lambda: trained(inputs, frozen=lambda name: ".blocks.0." in name or ".1." in name),
            "frozen norms": lambda: trained(inputs, frozen=lambda name: "norm" in name),
            "frozen positions": lambda: trained(inputs, frozen=lambda name: "wpe" in name),
            "no training": lambda: load_file(inputs / "model" / "model.safetensors"),
            "no clipping": lambda: trained(inputs, unclipped),
            "half the context": lambda: trained(inputs, shorter),
            "another order of rows": lambda: trained(inputs, rows=lambda rows: rows[::-1]),
            "initial weights without the noise": lambda: trained(
                inputs, start=load_file(development / "model" / "model.safetensors")
            ),
            "replay of the development movement": lambda: replayed(inputs, development, None),
            "replay of rank 8": lambda: replayed(inputs, development, 8),
        },
    }


def measured(weights: Weights, inputs: Path, rows: list[Any]) -> dict[str, Any]:
    """Return distances and the difference of held-out losses."""
    reference, initial = (load_file(inputs / name / "model.safetensors") for name in ("reference", "model"))
    arrays = [{name: tensor.float().numpy() for name, tensor in each.items()} for each in (weights, reference, initial)]
    heads = heads_of(inputs)
    found = score.distance(*arrays)
    losses = [model.loss(each, rows, heads) for each in arrays]
    return {**found._asdict(), "loss_difference": abs(losses[0] - losses[1]), "loss_gain": losses[2] - losses[1]}


def keep(found: dict[str, Any]) -> None:
    """Merge into the figures that are there."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    figures = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
    figures |= copy.deepcopy(found)
    figures["date"] = datetime.now(UTC).date().isoformat()
    figures["machine"] = (
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, torch {torch.__version__}"
    )
    PAGE.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def run_all(folder: Path, number: int, inputs: Path, development: Path, only: str) -> None:
    """Run everything on one instance; what concerns the public one is not run on itself."""
    rows = json.loads((folder / "private" / "heldout.json").read_text(encoding="utf-8"))
    for kind, each in runs(inputs, development).items():
        for name, make in each.items():
            if only in name and (number or not ("replay" in name or "noise" in name)):
                found = measured(make(), inputs, rows)
                print(f"{kind:16}{name:38}{found['whole']:.6f} {found['worst']:.6f} {found['loss_difference']:.5f}")
                keep({f"run/{number}/{kind}/{name}": found})


def time_all(number: int, inputs: Path) -> None:
    """Time the known solutions one after another, and what the start's three programs import."""
    for name in SCRIPTS:
        wall, used = script(name, inputs, CACHE / "timed")
        print(name, f"{wall:.1f} s, {used:.1f} s of processor time")
        keep({f"timing/{number}/{name}_s": wall, f"timing/{number}/{name}_cpu_s": used})
    spent = 0.0
    for modules in (
        "torch, omegaconf, safetensors.torch, streaming",
        "llmfoundry.command_utils",
        "llmfoundry.models.mpt",
    ):
        before = os.times().children_user
        subprocess.run([sys.executable, "-c", f"import {modules}, transformers"], check=True, capture_output=True)
        spent += os.times().children_user - before
    print(f"imports {spent:.1f} s of processor time")
    keep({f"timing/{number}/starting_imports_cpu_s": spent})


def main(assets: str, what: str, number: str = "0", only: str = "") -> None:
    """Do what was asked for."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    folder = Path(assets)
    inputs, development = lay_out(folder, int(number)), lay_out(folder, 0)
    if what == "reference":
        script("starting", inputs, inputs / "reference")
    if what == "runs":
        run_all(folder, int(number), inputs, development, only)
    if what == "timing":
        time_all(int(number), inputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
