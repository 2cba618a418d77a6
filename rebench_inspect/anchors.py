"""Which anchors an attempt is normalised by: published, measured on this machine, or shipped with the suite."""

import json
from pathlib import Path
from typing import NamedTuple

from rebench_inspect import paths
from rebench_inspect.environments import Anchors, Environment, Scale
from rebench_inspect.errors import RebenchError, UsageError

PUBLISHED_TOLERANCE = 0.1
"""Published anchors hold on a machine whose start lies within this distance (raw units) of the published one."""


class Chosen(NamedTuple):
    """Anchors with a flag where they are another machine's, or another task's."""

    anchors: Anchors
    flags: list[dict[str, str]]


def local_file(environment: Environment, scale: Scale) -> Path:
    """Return the file of the anchors that were measured on this machine."""
    return paths.state_folder() / "anchors" / f"{environment.slug}-{scale.name}.json"


def read(path: Path) -> Anchors:
    """Read an anchors file: an object with the numbers `starting` and `reference` (raw units).

    Raises:
        UsageError: No such file, or not such an object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Anchors(float(data["starting"]), float(data["reference"]), source=f"local:{path}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"anchors={path} holds no anchors ({error}); expected JSON with the numbers starting and reference, "
            "as `rebench-inspect calibrate` writes it"
        ) from error


def choose(environment: Environment, scale: Scale, requested: str, starting_raw: float | None) -> Chosen:
    """Choose the anchors of an attempt.

    Args:
        environment: The environment.
        scale: Its scale.
        requested: `auto`, `published`, `local`, or the path of a file.
        starting_raw: Raw score of the starting solution on this machine, just measured; None where that failed.

    Raises:
        RebenchError: There are none to choose; the message ends with the command that measures them.
    """
    local = local_file(environment, scale)
    published = Chosen(environment.published, _remarks(scale))
    if requested == "published":
        return published
    if requested not in ("auto", "local"):
        return Chosen(read(Path(requested)), [])
    if requested == "auto" and scale.name == "paper" and _near(environment.published, starting_raw):
        return published
    if local.is_file():
        return Chosen(read(local), [])
    if requested == "auto" and scale.shipped_anchors is not None:
        evidence = f"measured on another machine: {scale.shipped_anchors.source}"
        return Chosen(scale.shipped_anchors, [{"code": "anchors_shipped", "evidence": evidence}])
    raise RebenchError(
        f"{environment.slug} at {scale.name} has no anchors for this machine (the start scores {starting_raw}, "
        f"published {environment.published.starting}); measure them: "
        f"rebench-inspect calibrate {environment.slug} --scale {scale.name}"
    )


def _remarks(scale: Scale) -> list[dict[str, str]]:
    return [{"code": "anchors_approximate", "evidence": scale.deviates}] if scale.deviates else []


def _near(published: Anchors, starting_raw: float | None) -> bool:
    return starting_raw is not None and abs(starting_raw - published.starting) <= PUBLISHED_TOLERANCE
