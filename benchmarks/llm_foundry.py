"""Measures how far honest and other trainings are from the unmodified script's; writes docs/measurements/llm_foundry.*.

Usage: PYTHON benchmarks/llm_foundry.py ASSETS reference|runs|timing|write|gpu [N] [NAME]

PYTHON is the image's (`/opt/work/bin/python`, or a virtual environment with the same pins), ASSETS the folder of the
recipe `foundry` of a scale with `public/` and `private/`. `reference N` runs the unmodified script on instance N, `runs
N` everything else on it (or what has NAME in its name), `timing` start, reference and frontier in turn, `write` makes
the page from what was run. `gpu N FIGURES.json`, on a machine where `rebench_inspect.bare` made references: ASSETS is
its folder of assets. `FIGURES.json page DISTANCES.json` makes the page from what both measured.
"""

import contextlib
import copy
import dataclasses
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from safetensors.torch import load_file, save_file

ROOT = Path(__file__).resolve().parents[1]
for folder in ("scorers/common", "scorers/llm_foundry", "references/llm_foundry/frontier"):
    sys.path.insert(0, str(ROOT / folder))

import finetune as frontier  # noqa: E402 - the three lines above make it importable
import model  # noqa: E402
import score  # noqa: E402
import variants  # noqa: E402

PAGE = ROOT / "docs" / "measurements" / "llm_foundry.json"
STARTING = ROOT / "tasks" / "llm_foundry" / "workspace"
CACHE = Path(tempfile.gettempdir()) / "llm-foundry-benchmark"
SCRIPTS = {
    "starting": STARTING,
    "reference": ROOT / "references" / "llm_foundry" / "reference",
    "frontier": ROOT / "references" / "llm_foundry" / "frontier",
}
PARTS = ("finetune.yaml", "data", "model")
NEEDED = [field.name for field in dataclasses.fields(variants.Job) if field.default is field.default_factory]
LIMITS = {"whole_tolerance": 0.0003, "tensor_tolerance": 0.002, "loss_tolerance": 0.001}

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Weights = dict[str, torch.Tensor]


def heads_of(inputs: Path) -> int:
    """Return the number of heads of an instance's model."""
    return json.loads((inputs / "model" / "config.json").read_text(encoding="utf-8"))["n_heads"]


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
    whole = frontier.on_gpu
    frontier.on_gpu = rows_apart
    try:
        return trained(inputs)
    finally:
        frontier.on_gpu = whole


def rows_apart(weights: Weights, rows: list[list[Any]], model: Any) -> Callable[[int], None]:  # noqa: ANN401
    """Return what computes the gradients of a batch row by row, in single precision over rows."""

    def gradients(number: int) -> None:
        for weight in weights.values():
            weight.grad = None
        trained_positions = frontier.shape_of(rows[number]).trained
        for row in rows[number]:
            shape = frontier.shape_of([row])
            batch = frontier.Batch(*(part.to(DEVICE) for part in frontier.packed([row], shape)))
            (frontier.loss_of(weights, batch, shape, model) * (shape.trained / trained_positions)).backward()

    return gradients


def unfused(inputs: Path) -> Weights:
    """Train with an optimizer that loops over tensors."""
    made = torch.optim.AdamW
    torch.optim.AdamW = lambda *arguments, **options: made(*arguments, **{**options, "fused": False, "foreach": True})
    try:
        return trained(inputs)
    finally:
        torch.optim.AdamW = made


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
    original, plain = frontier.attention, torch.nn.functional.gelu
    torch.nn.functional.gelu = torch.compile(plain, dynamic=True)
    try:
        return trained(inputs)
    finally:
        frontier.attention, torch.nn.functional.gelu = original, plain


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


def stretched(inputs: Path, steps: int, left: int = 16) -> Weights:
    """Leave the last steps out, and go on in the direction of as many before them, by the rates that are left."""
    options = yaml.safe_load((inputs / "finetune.yaml").read_text(encoding="utf-8"))
    options["optimizer"]["lr"] = float(options["optimizer"]["lr"])
    rates = [frontier.rate(step, steps, options) for step in range(steps)]
    ratio = sum(rates[-left:]) / sum(rates[-2 * left : -left])
    before, last = (trained(inputs, stop=steps - many * left) for many in (2, 1))
    return {name: tensor + ratio * (tensor - before[name]) for name, tensor in last.items()}


def runs(inputs: Path, development: Path) -> dict[str, dict[str, Callable[[], Weights]]]:
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
            "all steps but one": lambda: trained(inputs, lambda options: share(options, 74 / 75)),
            "90 % of the steps": lambda: trained(inputs, lambda options: share(options, 0.9)),
            "stopped at 90 %": lambda: trained(inputs, stop=68),
            "all but 16 steps, then stretched": lambda: stretched(inputs, 75),
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


def gpu_runs(inputs: Path) -> dict[str, dict[str, Callable[[], Weights]]]:
    """Return the trainings that are compared on a GPU, by kind and name."""
    steps = frontier.steps_of(yaml.safe_load((inputs / "finetune.yaml").read_text(encoding="utf-8")))
    return {
        "honest": {
            "packed, one graph": lambda: trained(inputs),
            "packed, once more": lambda: trained(inputs),
            "row by row": lambda: row_by_row(inputs),
            "rows swapped in batches": lambda: trained(inputs, rows=swapped),
            "unfused optimizer": lambda: unfused(inputs),
        },
        "other precision": {
            "fp32 where bf16 is asked": lambda: trained(inputs, lambda options: with_precision(options, "fp32"))
        },
        "other training": {
            "all steps but one": lambda: trained(inputs, lambda options: share(options, (steps - 1) / steps)),
            "stopped one step early": lambda: trained(inputs, stop=steps - 1),
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
    total = math.hypot(*moved.values())
    each = total / math.sqrt(sum(tensor.numel() for tensor in reference.values()))
    worst = {name: off[name] / max(moved[name], 0.1 * each * math.sqrt(reference[name].numel())) for name in off}
    losses = [held_loss(found, rows, heads_of(inputs)) for found in (weights, reference)]
    tensor = max(worst, key=lambda name: worst[name])
    found = {"whole": math.hypot(*off.values()) / total, "worst": worst[tensor], "tensor": tensor}
    return {**found, "l2_sum": sum(off.values()), "loss_difference": abs(losses[0] - losses[1])}


def run_on_gpu(root: Path, assets: Path, number: str, target: Path) -> None:
    """Compare trainings with a reference that `rebench_inspect.bare` made; figures go to a file after each.

    Args:
        root: The bare runner's folder, `/opt/rebench-bare`.
        assets: The folder of assets that it was given.
        number: The instance: `0`, ...
        target: A JSON file of figures, added to.
    """
    made = max((root / "made").iterdir(), key=lambda path: path.stat().st_mtime)
    chosen = variants.Variant(made / number, json.loads((made / number / "draw.json").read_text(encoding="utf-8")))
    variants.FOLDER = CACHE / "scoring"
    starting = CACHE / "scoring" / "trusted" / "starting"
    starting.mkdir(parents=True, exist_ok=True)
    shutil.copy(STARTING.with_name("workspace-cuda") / "finetune.yaml", starting)
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


def main(assets: str, what: str, number: str = "0", only: str = "", root: str = "/opt/rebench-bare") -> None:
    """Do what was asked for."""
    if what == "gpu":
        run_on_gpu(Path(root), Path(assets), number, Path(only))
        return
    if what == "page":
        write_gpu_page(Path(assets), Path(number))
        return
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    folder = Path(assets)
    inputs, development = lay_out(folder, int(number)), lay_out(folder, 0)
    if what == "reference":
        wall, used = script("starting", inputs, inputs / "reference")
        keep({f"timing/reference-{number}/starting_s": wall, f"timing/reference-{number}/starting_cpu_s": used})
    if what == "runs":
        run_all(folder, int(number), inputs, development, only)
    if what == "timing":
        time_all(int(number), inputs)
    if what == "write":
        write()


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
    for axis, key, limit in zip(axes, ("whole", "worst"), list(LIMITS)[:2], strict=True):
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
        f"Written by `benchmarks/llm_foundry.py` from `{PAGE.name}`. {figures['machine']}, {figures['date']}.",
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
    """Merge what the bare runner and `gpu` measured into one JSON file, and write its page."""
    page = PAGE.with_name("llm_foundry-h200.json")
    found = {**json.loads(figures.read_text(encoding="utf-8")), **json.loads(distances.read_text(encoding="utf-8"))}
    found["date"] = datetime.now(UTC).date().isoformat()
    page.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    machine = f"{found.get('fingerprint_gpu')}, driver {found.get('fingerprint_driver')}, {found['date']}"
    text = [
        "# llm_foundry at single",
        "",
        f"Written by `benchmarks/llm_foundry.py` from `{page.name}`: {machine}.",
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
    main(*sys.argv[1:])
