"""The other readings of the same attempts: by other anchors, and without flagged ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

import pandas as pd

from rebench_inspect import anchors as host_anchors
from rebench_inspect.analysis.archive import Json
from rebench_inspect.analysis.attempt_row import normalised
from rebench_inspect.analysis.columns import require
from rebench_inspect.environments import Anchors, environment
from rebench_inspect.errors import UsageError

AnchorTable = Mapping[tuple[str, str], Anchors]
"""Anchors by environment and scale."""

Source = Literal["own", "published", "local"]
Flagged = Literal["keep", "drop", "as_start"]


def read_anchors(path: Path | str) -> AnchorTable:
    """Read local anchors: a file `<environment>-<scale>.json` as `rebench-inspect calibrate` writes it, or a folder.

    Raises:
        UsageError: No such file, a name that says no environment and scale, or no anchors in it.
    """
    where = Path(path)
    files = sorted(where.glob("*-*.json")) if where.is_dir() else [where]
    return {_named(file): host_anchors.read(file) for file in files}


def _named(file: Path) -> tuple[str, str]:
    slug, dash, scale = file.stem.rpartition("-")
    if not dash:
        raise UsageError(f"{file}: the name must say whose anchors it holds, as in kernel-mini.json")
    return slug, scale


def add_anchors(attempts: pd.DataFrame, local: AnchorTable | None = None) -> pd.DataFrame:
    """Add `best` and `verified` by the published and by local anchors.

    Args:
        attempts: As extracted, `best` being by the anchors that the attempt itself used.
        local: Anchors measured on a machine; where they are missing, the attempt's own count as local unless they were
            the published ones.

    Returns:
        A copy with `best_published`, `verified_published`, `best_local`, `verified_local`; NaN where there are none.
    """
    require(attempts, "environment", "scale", "best_raw", "verified_raw", "n_valid", "anchors_source")
    tables = (
        [_published(slug) for slug in attempts["environment"]],
        [_local(row, local or {}) for row in _records(attempts)],
    )
    return attempts.assign(
        **{
            f"{score}_{name}": pd.Series(_scores(attempts, score, table), index=attempts.index, dtype=float)
            for name, table in zip(("published", "local"), tables, strict=True)
            for score in ("best", "verified")
        }
    )


def with_anchors(attempts: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Return attempts whose `best` and `verified` are by the anchors `source`: `own`, `published` or `local`."""
    if source == "own":
        return attempts
    require(attempts, f"best_{source}", f"verified_{source}")
    return attempts.assign(
        best=attempts[f"best_{source}"], verified=attempts[f"verified_{source}"], anchors_source=source
    )


def with_flagged(attempts: pd.DataFrame, how: Flagged) -> pd.DataFrame:
    """Return attempts with flagged ones kept, dropped, or counted as if they had reached nothing (`as_start`).

    Raises:
        UsageError: `how` is none of the three.
    """
    require(attempts, "flagged", "best", "verified")
    if how == "keep":
        return attempts
    if how == "drop":
        return attempts[~attempts["flagged"]].reset_index(drop=True)
    if how == "as_start":
        flagged = attempts["flagged"]
        return attempts.assign(
            best=attempts["best"].mask(flagged, 0.0), verified=attempts["verified"].mask(flagged, 0.0)
        )
    raise UsageError(f"with_flagged={how!r} is not allowed; choose one of: keep, drop, as_start")


def _records(attempts: pd.DataFrame) -> list[Json]:
    return cast("list[Json]", attempts.to_dict("records"))


def _published(slug: str) -> Anchors:
    return environment(slug).published


def _local(row: Json, local: AnchorTable) -> Anchors | None:
    measured = local.get((str(row["environment"]), str(row["scale"])))
    own = str(row["anchors_source"])
    if measured is not None or own in ("published", "unknown"):
        return measured
    return Anchors(float(str(row["anchors_starting"])), float(str(row["anchors_reference"])), own)


def _scores(attempts: pd.DataFrame, score: str, table: Sequence[Anchors | None]) -> list[float | None]:
    raws = attempts[f"{score}_raw"]
    triples = zip(table, raws, attempts["n_valid"], strict=True)
    return [_score(pair, raw) if valid or pair is None else 0.0 for pair, raw, valid in triples]


def _score(anchors: Anchors | None, raw: float) -> float | None:
    return normalised(anchors, None if pd.isna(raw) else raw)
