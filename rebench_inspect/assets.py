"""The manifest of assets: text, tokenizers and models that environments need (standard library and errors alone).

`sandboxes/assets.toml` is the one home of these facts. A recipe is a program that makes some files, or fetches them
from a hub; each file is an asset that either the agent may see or only the scorer.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from rebench_inspect import environments, paths
from rebench_inspect.environments import SCALE_NAMES
from rebench_inspect.errors import RebenchError, UsageError

MANIFEST = paths.DATA / "sandboxes" / "assets.toml"
_SCALES = (*SCALE_NAMES, "test")

Visibility = Literal["agent", "scorer"]
How = Literal["make", "fetch"]


class AssetError(RebenchError):
    """An asset is missing, differs from its recorded hash, or cannot be made; the message ends with what to do."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file that a recipe leaves.

    Attributes:
        file: Path below the recipe's folder.
        visibility: `agent`: in the folder `public`; `scorer`: in `private`.
        sha256: The published hash; empty where every machine makes its own, whose hash is recorded at making.
        size_bytes: Size where the hash is published; 0 elsewhere.
    """

    file: str
    visibility: Visibility
    sha256: str = ""
    size_bytes: int = 0

    def __post_init__(self) -> None:
        """Refuse what could be shown to the agent by mistake, or leave the recipe's folder."""
        if self.visibility not in ("agent", "scorer"):
            raise ValueError(f"visibility={self.visibility!r} of {self.file} must be agent or scorer")
        if self.file.startswith("/") or ".." in self.file.split("/"):
            raise ValueError(f"file={self.file!r} must be a path below the recipe's folder")

    @property
    def side(self) -> str:
        """The folder that holds it: `public` or `private`."""
        return "public" if self.visibility == "agent" else "private"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A row of the manifest: what makes some assets of one scale.

    Attributes:
        name: Unique within its scale.
        scale: `paper`, `single`, `mini` or the private `test`.
        how: `make` offline from packages, or `fetch` from a hub.
        program: Module of `sandboxes/recipes`.
        source: Where the contents come from, for people.
        licence: Of the contents.
        environments: Slugs of the environments that use it.
        needs: Recipes of the same scale that must be made before.
        parameters: What the program is told.
        version: Raised when the program's results change; whatever was made under another version is made again.
        assets: The files that it leaves.
    """

    name: str
    scale: str
    how: How
    program: str
    source: str
    licence: str
    environments: tuple[str, ...]
    assets: tuple[Asset, ...]
    needs: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    version: int = 1

    @property
    def command(self) -> str:
        """The command that makes it, for messages."""
        return f"rebench-inspect assets {self.how} --scale {self.scale}"

    @property
    def determined_by(self) -> str:
        """What of the manifest decides the contents, as text; not the hashes, licences and users of the result."""
        chosen = {"program": self.program, "parameters": dict(self.parameters), "version": self.version}
        return json.dumps(chosen, sort_keys=True)

    def describe(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return asdict(self) | {"parameters": dict(self.parameters)}


def manifest(path: Path = MANIFEST) -> tuple[Recipe, ...]:
    """Return the rows of a manifest.

    Raises:
        AssetError: The file is malformed; the line names the row.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["recipe"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise AssetError(f"{path} is no manifest of assets ({error}); mend it and run the command again") from error
    recipes = tuple(_recipe(row, path) for row in rows)
    _check_needs(recipes, path)
    return recipes


def _recipe(row: dict[str, Any], path: Path) -> Recipe:
    try:
        lists = {name: tuple(row.pop(name)) for name in ("environments", "needs") if name in row}
        assets = tuple(Asset(**asset) for asset in row.pop("assets"))
        if row["scale"] not in _SCALES or row["how"] not in ("make", "fetch"):
            raise ValueError(f"scale must be one of {', '.join(_SCALES)}, how must be make or fetch")
        return Recipe(assets=assets, **lists, **row)
    except (TypeError, KeyError, ValueError) as error:
        named = f"{row.get('name')} at {row.get('scale')}"
        raise AssetError(f"{path}: the recipe {named} is malformed ({error}); mend it and run again") from error


def _check_needs(recipes: Iterable[Recipe], path: Path) -> None:
    """Refuse a need that does not stand before its user: so the manifest's order is an order of making."""
    known: set[tuple[str, str]] = set()
    for recipe in recipes:
        for need in recipe.needs:
            if (recipe.scale, need) not in known:
                raise AssetError(f"{path}: {recipe.name} at {recipe.scale} needs {need!r}, which must stand before it")
        if (recipe.scale, recipe.name) in known:
            raise AssetError(f"{path}: {recipe.name} stands twice at {recipe.scale}; rename one")
        known.add((recipe.scale, recipe.name))


def select(
    recipes: Iterable[Recipe], *, slug: str | None = None, scale: str | None = None, how: How | None = None
) -> tuple[Recipe, ...]:
    """Return chosen rows in an order of making, each after what it needs.

    Args:
        recipes: Rows of a manifest.
        slug: Only what this environment uses; None for all.
        scale: Only this scale; None for all.
        how: Only these, and what they need of either kind; None for all.

    Raises:
        UsageError: No such environment or scale.
    """
    rows = tuple(recipes)
    _check_names(slug, scale)
    wanted = [
        row
        for row in rows
        if scale in (None, row.scale) and how in (None, row.how) and (slug is None or slug in row.environments)
    ]
    chosen: set[tuple[str, str]] = set()
    for row in reversed(rows):
        if row in wanted or (row.scale, row.name) in chosen:
            chosen |= {(row.scale, name) for name in (row.name, *row.needs)}
    return tuple(row for row in rows if (row.scale, row.name) in chosen)


def _check_names(slug: str | None, scale: str | None) -> None:
    if scale is not None and scale not in _SCALES:
        raise UsageError(f"--scale {scale} is not a scale; choose one of: {', '.join(SCALE_NAMES)}")
    if slug is not None:
        try:
            environments.environment(slug)
        except KeyError as error:
            raise UsageError(str(error.args[0])) from None
