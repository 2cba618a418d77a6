"""Two snapshots: what the wheel holds, and what the agent sees. A change of either is a decision, not an accident.

After a deliberate change, run: REBENCH_UPDATE_SNAPSHOTS=1 .venv/bin/pytest tests/zones (and bump the task's version
where the agent's view changed).
"""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rebench_inspect import agents, bundle, tasks
from rebench_inspect.environments import ENVIRONMENTS

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent


def compare(path: Path, text: str) -> None:
    """Compare with a snapshot, or write it where the developer asked for that."""
    if os.environ.get("REBENCH_UPDATE_SNAPSHOTS") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; see the docstring of {Path(__file__).name}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel through the sdist, from committed and unignored files alone."""
    source = tmp_path_factory.mktemp("source")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(source / "dist"), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return next((source / "dist").glob("*.whl"))


def test_wheel_files(wheel: Path) -> None:
    """The wheel's file list equals its snapshot."""
    names = sorted(name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name)
    compare(HERE / "wheel_files.txt", "\n".join(names) + "\n")


def test_wheel_reveals_no_solution(wheel: Path) -> None:
    """References, cheats, tests, logs and docs are in no wheel."""
    for name in zipfile.ZipFile(wheel).namelist():
        assert not any(
            part in name.split("/") for part in ("references", "tests", "logs", "docs", "cheats", "examples")
        )


def agent_view(slug: str, scale_name: str) -> dict[str, Any]:
    """Return everything an agent is given: instructions, system prompt, starting files, tools."""
    environment = next(row for row in ENVIRONMENTS if row.slug == slug)
    scale = environment.scale(scale_name)
    chosen = tasks.checked(environment, scale, {})
    texts = {
        "instructions": str(tasks.samples(environment, scale, chosen)[0].input),
        "prompt": agents.system_prompt(chosen["budget_hours"] * 3600),
        **{name: text.decode() for name, text in bundle.workspace_files(slug, scale).items()},
    }
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}


def test_agent_view() -> None:
    """What the agent sees at each scale equals its snapshot, recorded under the version that it belongs to."""
    views = {
        f"{row.slug} {scale.name} {row.version}": agent_view(row.slug, scale.name)
        for row in ENVIRONMENTS
        for scale in row.scales
    }
    compare(HERE / "agent_view.json", json.dumps(views, indent=1, sort_keys=True) + "\n")
