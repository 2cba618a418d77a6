"""One run of a script on one instance, and the comparison of what it wrote with what the unmodified script writes.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the instance is written after every process of the agent was halted, and read by nobody before the clock runs;
nothing is read before the last process of the script has ended. Not covered: see `score`. Trusts: the other files.
"""

import hashlib
import json
import math
import shutil
import time
from pathlib import Path
from typing import Any, NamedTuple

import llama
import model
import score
import variants
import weights as w
from job import FOLDER, Job
from outcome import Invalid, MachineTrouble
from program import Program
from snapshot import Snapshot
from variants import Variant

_LITTLE_WORK = 0.5
ABOUT = "about.json"
"""Beside the weights of a reference: seconds, energy, loss, hash."""


class Trial(NamedTuple):
    """What one timed run gave: seconds, what it used of processors and GPUs, its distances and losses."""

    seconds: float
    cpu_s: float
    gpu_j: float | None
    gpu_busy_pct: float | None
    whole: float
    worst: float
    tensor: str
    l2_sum: float
    length: float
    loss: float
    reference_loss: float


def _inputs(job: Job, chosen: Variant) -> Path:
    return variants.lay_out(job, chosen, FOLDER / "trusted" / "inputs")


def prepare(job: Job, deadline: float = math.inf) -> list[str]:
    """Make the references that are missing, with the unmodified script; those of a sandbox are made once.

    Args:
        job: The last instance is needed for a re-measurement alone.
        deadline: Of the monotonic clock; after it no further reference is begun.

    Returns:
        Names of the instances whose reference is still missing.
    """
    made = variants.bank(job).parent
    made.mkdir(mode=0o700, parents=True, exist_ok=True)
    if made.stat().st_mode & 0o077:
        made.chmod(0o700)
    names = variants.names(job) if job.source == "kept" else variants.names(job)[:-1]
    needed = [variants.variant(job, name) for name in names]
    for chosen in needed:
        if time.monotonic() < deadline:
            ensure(job, chosen)
    _publish(job)
    return [chosen.folder.name for chosen in needed if not chosen.reference.exists()]


def ensure(job: Job, chosen: Variant) -> None:
    """Make an instance's reference, unless it is there.

    Raises:
        MachineTrouble: The unmodified script fails on this machine.
    """
    try:
        if not chosen.reference.exists():
            _make(job, chosen)
    except Invalid as error:
        raise MachineTrouble(f"the unmodified script failed: {error.message}") from error


def _make(job: Job, chosen: Variant) -> None:
    program = Program(job, FOLDER / "trusted" / "starting", _inputs(job, chosen))
    try:
        ran = program.run(float(job.parameters["run_timeout_s"]))
        draft = chosen.folder / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(ran.output, draft)
        loss = _loss(job, w.trusted(draft))
        digest = hashlib.sha256((draft / w.FILE).read_bytes()).hexdigest()
        about = {"seconds": ran.seconds, "gpu_j": ran.gpu_j, "loss": loss, "sha256": digest}
        (draft / ABOUT).write_text(json.dumps(about), encoding="utf-8")
        draft.rename(chosen.reference)
    finally:
        program.close()


def _about(chosen: Variant) -> dict[str, Any]:
    return json.loads((chosen.reference / ABOUT).read_text(encoding="utf-8"))


def table(job: Job) -> dict[str, dict[str, Any]]:
    """Return what is known of every reference that was made: seconds, energy, loss, hash of its weights."""
    return {
        folder.name: _about(Variant(folder, {}))
        for folder in sorted(variants.bank(job).iterdir())
        if (folder / "reference").exists()
    }


def _loss(job: Job, weights: w.Weights) -> float:
    rows = json.loads((job.private / "foundry" / "heldout.json").read_text(encoding="utf-8"))
    config = json.loads((variants.assets(job) / "model" / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] == "llama":
        return llama.loss(weights, rows, llama.shape(config))
    return model.loss(weights, rows, config["n_heads"])


def _publish(job: Job) -> None:
    """Let the agent read the reference of the instance that is no secret."""
    target, known = Path(job.root, "development"), variants.variant(job, "development")
    if known.reference.exists() and not target.exists():
        shutil.copytree(known.reference, target, ignore=shutil.ignore_patterns(ABOUT))
        for path in (target, *target.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)


def timed(job: Job, snapshot: Snapshot, chosen: Variant) -> Trial:
    """Run a snapshot on an instance and compare.

    Raises:
        Invalid: It failed, or the weights are not those of the reference.
    """
    limits, initial = job.parameters, variants.initial(job, chosen)
    reference = w.trusted(chosen.reference)
    program = Program(job, snapshot.folder, _inputs(job, chosen))
    try:
        ran = program.run(float(limits["run_timeout_s"]))
        found = w.submitted(ran.output, w.described(chosen.reference), job.solver_uid)
    finally:
        program.close()
    distance = score.distance(found, reference, initial)
    score.check(distance, limits, "weights_differ", "On other rows, initial weights, learning rate and schedule")
    losses = _loss(job, found), float(_about(chosen)["loss"])
    score.check_loss(*losses, limits)
    return Trial(*ran[:-1], *distance, *losses)


def check_options(job: Job, snapshot: Snapshot) -> dict[str, float]:
    """Run a few steps with other options, untimed, unless this very snapshot passed before.

    Returns:
        Its seconds and distances, for the record; nothing where it did not run.

    Raises:
        Invalid: It failed, or the weights are not those of the reference.
    """
    chosen = variants.variant(job, "options")
    passed = job.attempt / f"passed-{snapshot.sha256}"
    if passed.exists():
        return {}
    program = Program(job, snapshot.folder, _inputs(job, chosen))
    try:
        ran = program.run(float(job.parameters["run_timeout_s"]))
        found = w.submitted(ran.output, w.described(chosen.reference), job.solver_uid)
    finally:
        program.close()
    distance = score.distance(found, w.trusted(chosen.reference), variants.initial(job, chosen))
    where = "With other options (steps, batch size, sequence length, learning rate, schedule, seed)"
    score.check(distance, job.parameters, "options_ignored", where)
    job.attempt.mkdir(mode=0o700, exist_ok=True)
    passed.touch()
    return {"seconds": ran.seconds, "whole": distance.whole, "worst": distance.worst, "length": distance.length}


def _arithmetic(job: Job) -> float:
    tensors = w.described(variants.assets(job) / "model")
    inner = (tensor for name, tensor in tensors.items() if ".blocks." in name or ".layers." in name)
    blocks = sum(math.prod(tensor.shape) for tensor in inner)
    return score.operations(int(job.parameters["tokens"]), blocks)


def floor_s(job: Job) -> float:
    """Return the least time that the training's arithmetic takes."""
    return _arithmetic(job) / float(job.parameters["peak_flops_per_s"])


def flags(job: Job, trial: Trial) -> list[dict[str, str]]:
    """Remarks for the reviewer; they change no score."""
    found: list[dict[str, str]] = []
    if trial.cpu_s / trial.seconds < _LITTLE_WORK:
        evidence = f"{trial.cpu_s:.1f} s of processor time in {trial.seconds:.1f} s"
        found.append({"code": "little_work", "evidence": evidence})
    least_j = _arithmetic(job) / float(job.parameters.get("peak_flops_per_j", math.inf))
    if trial.gpu_j is not None and trial.gpu_j < least_j:
        evidence = f"{trial.gpu_j:.0f} J of the GPU; the arithmetic takes {least_j:.0f} J or more"
        found.append({"code": "little_energy", "evidence": evidence})
    return found
