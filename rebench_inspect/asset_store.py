"""Where made assets lie, their hashes, and the record of each making (standard library and the manifest alone).

`<cache>/assets/<scale>/` has `public/` (what an agent may see), `private/` (what only the scorer may see, 0700), `raw/`
(downloads and checkpoints) and `records/`, each with a folder or file per recipe.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rebench_inspect import assets, paths
from rebench_inspect.assets import Asset, AssetError, Recipe
from rebench_inspect.environments import Environment

_SIDES = ("public", "private", "raw", "records")


class Prepared(NamedTuple):
    """The two folders of a scale, each with a folder per recipe: named build contexts of images."""

    public: Path
    private: Path


class Problem(NamedTuple):
    """Something wrong with an asset: which, what, and the command that mends it."""

    recipe: Recipe
    file: str
    what: str


@dataclass(frozen=True, slots=True)
class Record:
    """What one making left.

    Attributes:
        key: Hash of all that decided it; another key today means stale.
        made_at: UTC, ISO 8601.
        figures: What the recipe measured: counts, seconds, losses, versions of its sources.
        files: SHA-256 by file.
        sizes: Bytes by file.
    """

    key: str
    made_at: str
    figures: dict[str, Any]
    files: dict[str, str]
    sizes: dict[str, int]


def scale_folder(scale: str) -> Path:
    """Return the folder of a scale's assets."""
    return paths.cache_folder() / "assets" / scale


def folder(recipe: Recipe, side: str) -> Path:
    """Return a recipe's folder on one side: `public`, `private` or `raw`."""
    return scale_folder(recipe.scale) / side / recipe.name


def file_path(recipe: Recipe, asset: Asset) -> Path:
    """Return where an asset lies once it is made."""
    return folder(recipe, asset.side) / asset.file


def open_folders(recipe: Recipe) -> None:
    """Make a recipe's folders: public and private empty, raw as it is; only the owner enters private and raw."""
    for side in _SIDES:
        (scale_folder(recipe.scale) / side).mkdir(parents=True, exist_ok=True)
    for side in ("private", "raw"):
        (scale_folder(recipe.scale) / side).chmod(0o700)
    for side in ("public", "private"):
        shutil.rmtree(folder(recipe, side), ignore_errors=True)
        folder(recipe, side).mkdir()
    folder(recipe, "raw").mkdir(exist_ok=True)


def hashed(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def key(recipe: Recipe, known: Mapping[str, Recipe]) -> str:
    """Return the hash of what decides a recipe's contents: its row, and the files of what it needs.

    Args:
        recipe: The recipe.
        known: The recipes of its scale by name.

    Raises:
        AssetError: Something that it needs is not made.
    """
    total = hashlib.sha256(recipe.determined_by.encode())
    for name in recipe.needs:
        record = read(known[name])
        if record is None:
            raise AssetError(f"{recipe.name} needs {name}, which is not made; run: {known[name].command}")
        total.update(json.dumps(sorted(record.files.items())).encode())
    return total.hexdigest()


def _record_path(recipe: Recipe) -> Path:
    return scale_folder(recipe.scale) / "records" / f"{recipe.name}.json"


def _before_path(recipe: Recipe) -> Path:
    return _record_path(recipe).with_suffix(".before")


def read(recipe: Recipe) -> Record | None:
    """Return the record of a recipe, or None where it was never made (or its record is unreadable)."""
    return _parsed(_record_path(recipe))


def _parsed(path: Path) -> Record | None:
    try:
        return Record(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(recipe: Recipe, record: Record) -> None:
    """Keep a record; it comes last, so that a making that was cut short leaves none."""
    path = _record_path(recipe)
    partial = path.with_suffix(".partial")
    text = json.dumps(asdict(record), indent=1)
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)
    _before_path(recipe).unlink(missing_ok=True)


def set_aside(recipe: Recipe) -> Record | None:
    """Make a recipe count as not made until `write`, and return its last record, also over makings that failed."""
    if _record_path(recipe).is_file():
        _record_path(recipe).replace(_before_path(recipe))
    return _parsed(_before_path(recipe))


def is_made(recipe: Recipe, known: Mapping[str, Recipe]) -> bool:
    """Say whether a recipe was made as the manifest says today, by key and sizes; `problems` reads the contents."""
    record = read(recipe)
    if record is None or any(read(known[name]) is None for name in recipe.needs):
        return False
    present = all(_has_size(file_path(recipe, asset), record.sizes.get(asset.file)) for asset in recipe.assets)
    return present and record.key == key(recipe, known)


def _has_size(path: Path, size_bytes: int | None) -> bool:
    return path.is_file() and path.stat().st_size == size_bytes


def problems(recipe: Recipe) -> list[Problem]:
    """Return what is wrong with a recipe's assets, having read each of them."""
    record = read(recipe)
    if record is None:
        return [Problem(recipe, asset.file, "not made") for asset in recipe.assets]
    found = ((asset, _wrong(file_path(recipe, asset), record.files.get(asset.file))) for asset in recipe.assets)
    return [Problem(recipe, asset.file, what) for asset, what in found if what]


def _wrong(path: Path, recorded: str | None) -> str:
    if not path.is_file():
        return "missing"
    actual = hashed(path)
    return "" if actual == recorded else f"sha256 {actual[:12]} instead of {(recorded or 'none')[:12]}"


def in_image(environment: Environment, scale: str) -> dict[str, tuple[Path, str]]:
    """Return the assets that an environment's image holds: where each lies, and its recorded hash (empty: not made).

    Returns:
        By `<side>/<recipe>/<file>`, the side being `public` or `private`.
    """
    found: dict[str, tuple[Path, str]] = {}
    for recipe in assets.manifest():
        if recipe.scale == scale and recipe.name in environment.image_assets:
            record = read(recipe)
            for asset in recipe.assets:
                recorded = record.files.get(asset.file, "") if record else ""
                found[f"{asset.side}/{recipe.name}/{asset.file}"] = file_path(recipe, asset), recorded
    return found


def lay_out(environment: Environment, scale: str, target: Path) -> Prepared:
    """Lay out below `target` what an image holds: `public` and `private`, as hard links where that is possible."""
    for side, mode in (("public", 0o755), ("private", 0o700)):
        (target / side).mkdir(mode=mode)
    for name, (source, _) in in_image(environment, scale).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            (target / name).hardlink_to(source)
        except OSError:
            shutil.copy2(source, target / name)
    return Prepared(target / "public", target / "private")


def prepared(slug: str, scale: str, recipes: tuple[Recipe, ...] | None = None) -> Prepared:
    """Return the folders of a scale for an environment's use, having checked every asset that it needs.

    Raises:
        AssetError: Something is missing, stale or altered; the line ends with the command that makes it.
    """
    rows = assets.manifest() if recipes is None else recipes
    known = {row.name: row for row in rows if row.scale == scale}
    for recipe in assets.select(rows, slug=slug, scale=scale):
        for problem in problems(recipe)[:1]:
            raise AssetError(f"asset {recipe.name}/{problem.file} at {scale}: {problem.what}; run: {recipe.command}")
        if not is_made(recipe, known):
            raise AssetError(f"asset {recipe.name} at {scale} is stale; make it again: {recipe.command}")
    return Prepared(scale_folder(scale) / "public", scale_folder(scale) / "private")
