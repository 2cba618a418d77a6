"""A worker's folder: closed to the agent, and nothing of an earlier worker is left when the next one starts."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import folders
import outcome
import pytest

SOLVER = 59_995

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs root to own files of another user")


@pytest.fixture
def left() -> Iterator[Path]:
    """A file in shared memory that an earlier worker left."""
    path = Path(folders.SHARED_MEMORY, "rebench-left-by-a-test")
    path.write_text("weights", encoding="utf-8")
    os.chown(path, SOLVER, SOLVER)
    yield path
    path.unlink(missing_ok=True)


def test_what_an_earlier_worker_left_is_gone(left: Path, tmp_path: Path) -> None:
    """Whatever one scoring could not remove in time, the next one does before anything runs."""
    folders.prepare(tmp_path / "run", SOLVER, None)
    assert not left.exists()


def test_too_much_to_remove_is_no_start(left: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time is not enough nothing runs: what is left could be an answer."""
    monkeypatch.setattr(folders, "_REMOVE_S", -1.0)
    with pytest.raises(outcome.Invalid, match="more files"):
        folders.prepare(tmp_path / "run", SOLVER, None)
    assert left.exists()


def test_the_agent_cannot_enter(tmp_path: Path) -> None:
    """It may know the folder's name; what is in there may outlive the scoring."""
    run = tmp_path / "run"
    folders.prepare(run, SOLVER, None)
    assert stat.S_IMODE(run.stat().st_mode) == 0o710
    assert (run.stat().st_uid, run.stat().st_gid) == (0, SOLVER)
