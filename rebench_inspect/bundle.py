"""Packs the scorer of an environment for one scoring, and the files of a solution (standard library alone)."""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rebench_inspect import paths
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.paths import SandboxPaths

CASE_FILE = "solution.py"
"""What a solution or case that is a single file becomes in its folder."""


def scorer_files(slug: str) -> dict[str, bytes]:
    """Return the scorer as files: `trusted/` is common and environment flattened, `shim/` what workers run."""
    files: dict[str, bytes] = {}
    for folder in (paths.scorer_folder("common"), paths.scorer_folder(slug)):
        for path in _files(folder):
            relative = path.relative_to(folder)
            name = str(relative) if relative.parts[0] == "shim" else f"trusted/{relative}"
            files[name] = path.read_bytes()
    return files


def scorer_hash(slug: str) -> str:
    """Return a short hash of everything that an environment's scorer is made of."""
    return files_hash(scorer_files(slug))


def files_hash(files: dict[str, bytes]) -> str:
    """Return a short hash over names and contents."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def solution_files(folder: Path) -> dict[str, bytes]:
    """Return the files of a solution folder, or of a single file that becomes `CASE_FILE`."""
    if folder.is_file():
        return {CASE_FILE: folder.read_bytes()}
    return {str(path.relative_to(folder)): path.read_bytes() for path in _files(folder)}


def workspace_files(slug: str, scale: Scale) -> dict[str, bytes]:
    """Return the agent's first files: of `workspace/`, over them those of the scale's hardware, then of the scale."""
    found: dict[str, bytes] = {}
    for name in ("workspace", f"workspace-{scale.hardware}", f"workspace-{scale.name}"):
        found |= solution_files(paths.tasks_folder(slug) / name)
    return found


def known_files(environment: Environment, scale: Scale, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the folder of a known solution: where it is a program, its files over those of the starting solution."""
    if not environment.program:
        return files
    named = {environment.program if name == CASE_FILE else name: content for name, content in files.items()}
    return {**workspace_files(environment.slug, scale), **named}


def job(environment: Environment, scale: Scale, where: SandboxPaths) -> dict[str, Any]:
    """Return what every scoring is told, whatever attempt it belongs to; fields as in `scorers/common/job.py`."""
    names = ("solution", "root", "assets", "work_python", "agent_uid", "solver_uid")
    return {
        **{name: getattr(where, name) for name in names},
        "index": 0,
        "source": "agent",
        "hardware": scale.hardware,
        "deliverable": environment.deliverable,
        "alternative": environment.alternative,
        "given": dict(environment.given),
        "max_bytes": scale.submission_mib << 20,
        "max_files": scale.submission_files,
        "lower_is_better": not environment.higher_is_better,
        "best_raw": None,
        "keep_last": environment.aggregate == "last",
        "archive_bytes": 0,
        "timeout_s": scale.scoring_timeout_s,
        "memory_gib": 0.6 * scale.memory_gib,
        "parameters": dict(scale.parameters),
    }


def scoring_archive(slug: str, scale: Scale, job: dict[str, Any], extra: Mapping[str, bytes] | None = None) -> bytes:
    """Return the tar that one scoring begins with: the scorer, its job, and the starting solution.

    Args:
        slug: The environment.
        scale: Whose starting files it gets.
        job: See `scorers/common/job.py`.
        extra: Further files, or others in place of the scorer's (its programs beside `__main__.py`) or of the start's.
    """
    files = scorer_files(slug)
    files["trusted/job.json"] = json.dumps(job).encode()
    for name, content in workspace_files(slug, scale).items():
        files[f"trusted/starting/{name}"] = content
    return archive({**files, **(extra or {})})


def archive(files: dict[str, bytes]) -> bytes:
    """Return a tar of the files, readable by everyone, with every folder listed before what lies in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for folder in sorted({str(parent) for name in files for parent in Path(name).parents} - {".", "trusted"}):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
