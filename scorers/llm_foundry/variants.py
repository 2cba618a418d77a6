"""Secret instances of the fine-tuning, and what the unmodified script makes of them on this very machine.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: weights that were trained before, and rows that were looked at before: other initial weights, other rows, in an
order that is drawn, another learning rate and schedule.
Not covered: steps and tokens, which are equal, so that times compare. Trusts: the starting script that came with the
scorer. Everything lies in a folder that root alone can open; a draw is new on every machine.
"""

import functools
import hashlib
import json
import os
import random
import re
import secrets
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import weights as w
from job import FOLDER, Job

NOISE = 0.05
"""Standard deviation of what is added to each tensor of the initial weights, as a share of its own."""

_FRESH = "fresh-"
CONFIG, DATA = "finetune.yaml", ("train.jsonl", "eval.jsonl")
CHOICES = 3
"""Neighbours in the pool, of nearly the same length, of which an instance has one."""


class Variant(NamedTuple):
    """One instance: its folder (`draw.json`, and `reference/` once it is made), and what the draw says."""

    folder: Path
    draw: dict[str, Any]

    @property
    def reference(self) -> Path:
        """Folder of the weights that the unmodified script trains."""
        return self.folder / "reference"


def assets(job: Job) -> Path:
    """Return the folder of rows and initial weights that agents see, too."""
    return Path(job.assets, "foundry")


def names(job: Job) -> list[str]:
    """Return the names of all instances: the public one, the one of other options, the secret ones."""
    public = ["development"] if job.parameters.get("public_reference", 1) else []
    return [*public, "options", *map(str, range(int(job.parameters["variants"])))]


def bank(job: Job) -> Path:
    """Return the folder of this machine's instances: another one for every other script, data or model.

    Where the host lends a folder that cannot be written to and does not hold them all, this sandbox makes its own.
    """
    lent = Path(job.root, "made", name := f"variants-{_digest(assets(job), _pool(job))}")
    whole = all((lent / each / "reference").is_dir() for each in names(job))
    usable = whole or not lent.parent.exists() or os.access(lent.parent, os.W_OK)
    return lent if usable else _own(job) / name


def _own(job: Job) -> Path:
    return Path(job.root, "made-here")


def unseen(job: Job) -> str:
    """Return the name of an instance that no submission of this attempt was timed on, and note it down.

    Whatever got out of an earlier scoring is of no use on it. When the machine's are all used a new one is drawn.
    """
    noted = job.attempt / "timed.json"
    seen: list[str] = json.loads(noted.read_text(encoding="utf-8")) if noted.exists() else []
    pool = [name for name in map(str, range(int(job.parameters["variants"]) - 1)) if name not in seen]
    name = random.SystemRandom().choice(pool) if pool else f"{_FRESH}{len(seen)}"
    if job.source != "starting":
        job.attempt.mkdir(mode=0o700, exist_ok=True)
        noted.write_text(json.dumps([*seen, name]), encoding="utf-8")
    return name


@functools.cache  # a model of a gigabyte is read once a scoring
def _digest(given: Path, pool: Path) -> str:
    digest = hashlib.sha256()
    starting = FOLDER / "trusted" / "starting"
    for path in sorted([*starting.rglob("*"), *(given / "model").iterdir(), *(given / name for name in DATA), pool]):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def variant(job: Job, name: str) -> Variant:
    """Return an instance by name: `development` (nothing is changed), `options`, or one that is timed."""
    _own(job).mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = (_own(job) if name.startswith(_FRESH) else bank(job)) / name
    file = folder / "draw.json"
    if not file.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(json.dumps(_draw(name)), encoding="utf-8")
    return Variant(folder, json.loads(file.read_text(encoding="utf-8")))


def _draw(name: str) -> dict[str, Any]:
    """Draw an instance; `options` changes what the others leave alone, and is a few steps long."""
    if name == "development":
        return {"noise": None, "options": {}}
    pick, known = random.SystemRandom(), _starting_config()
    rate, context = float(_value(known, "lr")), int(_value(known, "max_seq_len"))
    low, high = (0.3, 0.6) if name == "options" else (0.8, 1.2)
    options: dict[str, Any] = {
        "lr": f"{pick.uniform(low, high) * rate:.4e}",
        "seed": pick.randrange(1 << 30),
        "alpha_f": round(float(_value(known, "alpha_f")) * pick.uniform(0.7, 1.3), 3),
    }
    if name == "options":
        options |= {
            "max_duration": f"{pick.randrange(5, 9)}ba",
            "global_train_batch_size": pick.choice([8, 12, 20, 24]),
            "device_train_microbatch_size": 4,
            "max_seq_len": context // 32 * pick.randrange(4, 7),
            "t_warmup": f"{pick.randrange(1, 3)}ba",
            "alpha_f": pick.choice([0.2, 0.3, 0.6]),
        }
    return {"noise": secrets.randbits(64), "options": options}


def _starting_config() -> str:
    return (FOLDER / "trusted" / "starting" / CONFIG).read_text(encoding="utf-8")


def _value(text: str, name: str) -> str:
    """Return an option's value, the first that stands at the beginning of a line."""
    found = re.search(rf"(?m)^\s*{name}: ([^$\s]+)$", text)
    if found is None:
        raise ValueError(f"{name} stands in no line of the configuration")
    return found[1]


def lay_out(job: Job, chosen: Variant, target: Path) -> Path:
    """Write an instance's inputs where a run may read them: `finetune.yaml`, `data/`, `model/`."""
    shutil.rmtree(target, ignore_errors=True)
    (target / "data").mkdir(parents=True)
    (target / CONFIG).write_text(configured(_starting_config(), chosen.draw["options"]), encoding="utf-8")
    train, held = (target / "data" / name for name in DATA)
    train.write_bytes(b"".join(_rows(job, chosen)))
    shutil.copyfile(assets(job) / held.name, held)
    shutil.copytree(assets(job) / "model", target / "model")
    w.write(target / "model" / w.FILE, initial(job, chosen))
    return target


def _rows(job: Job, chosen: Variant) -> list[bytes]:
    """Return the lines of an instance's rows: the public ones, or one of every few in the pool, in any order."""
    if chosen.draw["noise"] is None:
        return (assets(job) / DATA[0]).read_bytes().splitlines(keepends=True)
    noise = np.random.default_rng(chosen.draw["noise"])
    lines = _pool(job).read_bytes().splitlines(keepends=True)
    picked = [lines[at + int(noise.integers(CHOICES))] for at in range(0, len(lines), CHOICES)]
    return [picked[at] for at in noise.permutation(len(picked))]


def _pool(job: Job) -> Path:
    return job.private / "foundry" / "pool.jsonl"


def configured(text: str, options: dict[str, Any]) -> str:
    """Return a configuration with other values of some options, each of which stands in one line."""
    for name, value in options.items():
        text, count = re.subn(rf"(?m)^(\s*{name}:) [^$\n]+$", rf"\g<1> {value}", text)
        if count != 1:
            raise ValueError(f"{name} stands in {count} lines of the configuration")
    return text


def initial(job: Job, chosen: Variant) -> w.Weights:
    """Return an instance's initial weights."""
    found = w.trusted(assets(job) / "model")
    if chosen.draw["noise"] is None:
        return found
    noise = np.random.default_rng(chosen.draw["noise"] ^ 1)
    for name in sorted(found):
        spread = NOISE * max(float(found[name].std()), 1e-2)
        added = noise.standard_normal(found[name].shape, dtype=np.float32)
        found[name] = (found[name] + spread * added).astype(np.float32)
    return found
