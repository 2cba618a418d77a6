"""Making and fetching assets: recipes run one after the other, with a Python of their own."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Generator, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rebench_inspect import asset_store as store
from rebench_inspect import assets, paths
from rebench_inspect.assets import AssetError, Recipe

PYTHON_VARIABLE = "REBENCH_ASSETS_PYTHON"
_GROUP = "assets"

# Threads that wait without spinning: training on a busy machine is more than twice as fast, on a quiet one the same.
_PATIENT = {"OMP_WAIT_POLICY": "PASSIVE"}

Report = Callable[[str], None]


def make(recipes: Iterable[Recipe], report: Report, *, known: Iterable[Recipe] = (), force: bool = False) -> None:
    """Make what is not made yet, in the order given; work that was cut short goes on where it can.

    Args:
        recipes: In an order of making, as `assets.select` returns them.
        report: Receives progress, one line a call.
        known: All rows of the manifest; default: the given ones.
        force: Make them again although they are up to date, from nothing.

    Raises:
        AssetError: A recipe failed, or a fetched file has another hash than recorded or published.
    """
    chosen = tuple(recipes)
    every = (*known, *chosen)
    for recipe in chosen:
        rows = {row.name: row for row in every if row.scale == recipe.scale}
        with _alone(recipe):
            if not force and store.is_made(recipe, rows) and not store.problems(recipe):
                report(f"{recipe.scale} {recipe.name}: up to date")
            else:
                _make_one(recipe, rows, report, force=force)


def ensure(slug: str, scale: str, report: Report) -> store.Prepared:
    """Make what an environment misses at a scale and return the folders, checked; `rebench-inspect build` calls this.

    Raises:
        AssetError: A recipe failed, or an asset differs from its record.
    """
    rows = assets.manifest()
    make(assets.select(rows, slug=slug, scale=scale), report, known=rows)
    return store.prepared(slug, scale, rows)


@contextlib.contextmanager
def _alone(recipe: Recipe) -> Generator[None, None, None]:
    """Hold a scale's lock, so that two commands never make the same files."""
    folder = store.scale_folder(recipe.scale)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_one(recipe: Recipe, rows: Mapping[str, Recipe], report: Report, *, force: bool) -> None:
    key = store.key(recipe, rows)
    before = store.set_aside(recipe)
    store.open_folders(recipe)
    _keep_raw_of(recipe, key, wipe=force)
    report(f"{recipe.scale} {recipe.name}: {'making' if recipe.how == 'make' else 'fetching'} from {recipe.source}")
    _run(recipe, rows, report)
    record = _recorded(recipe, key)
    _check(recipe, record, before, report)
    store.write(recipe, record)
    report(f"{recipe.scale} {recipe.name}: done in {record.figures.get('seconds', 0):g} s")


def _keep_raw_of(recipe: Recipe, key: str, *, wipe: bool) -> None:
    """Empty the raw folder unless what lies there belongs to the same key: a checkpoint of other data is no start."""
    raw = store.folder(recipe, "raw")
    note = raw / "key.txt"
    if wipe or not note.is_file() or note.read_text(encoding="utf-8") != key:
        shutil.rmtree(raw)
        raw.mkdir()
        note.write_text(key, encoding="utf-8")


def _run(recipe: Recipe, rows: Mapping[str, Recipe], report: Report) -> None:
    python = recipe_python(report)
    with tempfile.TemporaryDirectory(prefix="rebench-assets-") as folder:
        job, errors = Path(folder) / "job.json", Path(folder) / "errors.txt"
        job.write_text(json.dumps(job_of(recipe, rows)), encoding="utf-8")
        command = [str(python), "-m", "recipes.make", str(job)]
        settings = {
            **_PATIENT,
            **os.environ,
            "PYTHONPATH": str(paths.DATA / "sandboxes"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        with errors.open("w+") as sink:
            status = _streamed(command, settings, sink.fileno(), report)
        if status:
            lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["it printed nothing"]
            raise AssetError(
                f"the recipe {recipe.name} at {recipe.scale} failed: {lines[-1]} (again: {recipe.command})"
            )


def _streamed(command: list[str], settings: Mapping[str, str], errors: int, report: Report) -> int:
    process = subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=errors, text=True)
    with process:
        try:
            for line in process.stdout or ():
                report(f"  {line.rstrip()}")
        except BaseException:
            process.terminate()
            raise
    return process.returncode


def job_of(recipe: Recipe, rows: Mapping[str, Recipe]) -> dict[str, Any]:
    """Return what the recipe's program is told (`sandboxes/recipes/make.py`)."""
    sides = {side: str(store.folder(recipe, side)) for side in ("raw", "public", "private")}
    return {
        "program": recipe.program,
        **sides,
        "needs": {name: str(store.folder(rows[name], "public")) for name in recipe.needs},
        "needs_private": {name: str(store.folder(rows[name], "private")) for name in recipe.needs},
        "parameters": dict(recipe.parameters),
    }


def _recorded(recipe: Recipe, key: str) -> store.Record:
    """Return the record of what a recipe left, having closed its private files to everybody else."""
    for side, folder_mode, file_mode in (("private", 0o700, 0o600), ("public", 0o755, 0o644)):
        for path in store.folder(recipe, side).rglob("*"):
            path.chmod(folder_mode if path.is_dir() else file_mode)
    found = {asset.file: store.file_path(recipe, asset) for asset in recipe.assets}
    for name, path in found.items():
        if not path.is_file():
            raise AssetError(f"the recipe {recipe.name} at {recipe.scale} left no {name}; run again: {recipe.command}")
    figures = json.loads((store.folder(recipe, "raw") / "figures.json").read_text(encoding="utf-8"))
    return store.Record(
        key=key,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        figures=figures,
        files={name: store.hashed(path) for name, path in found.items()},
        sizes={name: path.stat().st_size for name, path in found.items()},
    )


def _check(recipe: Recipe, record: store.Record, before: store.Record | None, report: Report) -> None:
    """Compare hashes with the published ones and, of what is fetched, with those of the fetch before."""
    for asset in recipe.assets:
        recorded = before.files.get(asset.file) if before and recipe.how == "fetch" and before.key == record.key else ""
        expected, actual = asset.sha256 or recorded, record.files[asset.file]
        if not expected or actual == expected:
            continue
        what = f"{recipe.name}/{asset.file} at {recipe.scale} has sha256 {actual[:12]}, expected {expected[:12]}"
        if recipe.how == "fetch":
            raise AssetError(f"{what}: the source has changed; pin its revision in {assets.MANIFEST.name}")
        report(f"  note: {what}; its packages or their readers have other versions here (see the record)")


def recipe_python(report: Report) -> Path:
    """Return the interpreter of recipes: $REBENCH_ASSETS_PYTHON, else a virtual environment made from the pins.

    Raises:
        AssetError: The variable names no file, or venv or pip failed.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise AssetError(f"{PYTHON_VARIABLE}={named} is no file; name a Python with torch, or unset it")
        return Path(named)
    folder = paths.cache_folder() / "assets" / "python"
    python, stamp, pins = folder / "bin" / "python", folder / "pins.txt", recipe_pins()
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8").split() == pins):
        report(f"making the recipes' Python in {folder} (torch among it; once)")
        for argv in (
            [sys.executable, "-m", "venv", "--clear", str(folder)],
            [str(python), "-m", "pip", "install", "-q", *pins],
        ):
            if subprocess.run(argv, check=False, stdout=sys.stderr).returncode:
                raise AssetError(f"`{' '.join(argv[:4])}` failed; mend what it says and run the same command again")
        stamp.write_text("\n".join(pins), encoding="utf-8")
    return python


def recipe_pins() -> list[str]:
    """Return the pins of pyproject's dependency group `assets`."""
    project = tomllib.loads((paths.DATA / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["dependency-groups"][_GROUP])
