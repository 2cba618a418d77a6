"""The copy of a submission: links, special files, foreign files, size."""

import errno
import os
import tarfile
from pathlib import Path
from typing import Any

import job
import outcome
import pytest
import snapshot

ME = os.getuid()


def job_for(folder: Path, **changes: Any) -> job.Job:
    values: dict[str, Any] = {
        "index": 1, "source": "agent", "solution": str(folder / "solution"), "deliverable": "solution.py",
        "root": str(folder), "work_python": "", "agent_uid": ME, "solver_uid": None, "lower_is_better": True,
        "best_raw": None, "keep_last": False, "archive_bytes": 1 << 20, "timeout_s": 10.0, "memory_gib": 1.0,
        "parameters": {}, "hardware": "cpu",
    }  # fmt: skip
    return job.Job(**{**values, **changes})


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    folder = tmp_path / "solution"
    folder.mkdir()
    (folder / "solution.py").write_text("x = 1\n", encoding="utf-8")
    return folder


def test_regular_files_are_copied_with_their_folders(solution: Path, tmp_path: Path) -> None:
    """Helper modules come along; caches and hidden files do not."""
    (solution / "helpers" / "deep").mkdir(parents=True)
    (solution / "helpers" / "deep" / "a.py").write_text("a", encoding="utf-8")
    (solution / "__pycache__").mkdir()
    (solution / "__pycache__" / "a.pyc").write_bytes(b"x")
    (solution / ".git").mkdir()
    taken = snapshot.take(job_for(tmp_path))
    assert taken.files == {"solution.py": 6, "helpers/deep/a.py": 1}
    assert set(taken.skipped) == {"__pycache__", ".git"}


def test_the_hash_depends_on_names_and_contents(solution: Path, tmp_path: Path) -> None:
    """The same files give the same hash; a renamed file gives another."""
    first = snapshot.take(job_for(tmp_path)).sha256
    assert snapshot.take(job_for(tmp_path)).sha256 == first
    (solution / "solution.py").write_text("x = 2\n", encoding="utf-8")
    assert snapshot.take(job_for(tmp_path)).sha256 != first


def reason_of(work: job.Job) -> str:
    with pytest.raises(outcome.Invalid) as caught:
        snapshot.take(work)
    return caught.value.reason


def test_a_link_to_a_secret_is_refused(solution: Path, tmp_path: Path) -> None:
    """A symbolic link in the deliverable's place is named as one, and nothing behind it is read."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (solution / "solution.py").unlink()
    (solution / "solution.py").symlink_to(tmp_path / "secret")
    assert reason_of(job_for(tmp_path)) == "symlink"


def test_a_hard_link_is_refused(solution: Path, tmp_path: Path) -> None:
    """A second name of somebody's file is not a file of one's own."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (solution / "solution.py").unlink()
    os.link(tmp_path / "secret", solution / "solution.py")
    assert reason_of(job_for(tmp_path)) == "not_a_file"


def test_a_file_of_another_user_is_refused(solution: Path, tmp_path: Path) -> None:
    """Only files that the agent itself owns are taken."""
    assert solution.exists()
    assert reason_of(job_for(tmp_path, agent_uid=ME + 1)) == "not_a_file"


def test_linked_solution_folders_are_refused(solution: Path, tmp_path: Path) -> None:
    """No component of the path may be a link."""
    solution.rename(tmp_path / "elsewhere")
    (tmp_path / "solution").symlink_to(tmp_path / "elsewhere")
    assert reason_of(job_for(tmp_path)) == "missing_submission"


@pytest.mark.parametrize(
    ("make", "reason"), [("folder", "not_a_file"), ("pipe", "not_a_file"), ("nothing", "missing_submission")]
)
def test_what_is_no_file(solution: Path, tmp_path: Path, make: str, reason: str) -> None:
    """A directory, a pipe and nothing at all each get their reason; a pipe does not hold the scorer."""
    (solution / "solution.py").unlink()
    if make == "folder":
        (solution / "solution.py").mkdir()
    elif make == "pipe":
        os.mkfifo(solution / "solution.py")
    assert reason_of(job_for(tmp_path)) == reason


def test_a_huge_file_is_refused_without_reading_it_whole(solution: Path, tmp_path: Path) -> None:
    """A sparse terabyte costs the scorer no more than the cap."""
    with (solution / "weights.bin").open("wb") as file:
        file.truncate(1 << 40)
    assert reason_of(job_for(tmp_path)) == "too_large"


def test_names_that_are_no_text_are_left_out(solution: Path, tmp_path: Path) -> None:
    """A name of raw bytes, a control character, a folder nested without end: left out, and the scorer goes on."""
    (solution / "a\nb.py").write_text("x", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(solution) + b"/\xff\xfe.py")).write_text("x", encoding="utf-8")
    (solution / Path(*["d"] * 300)).mkdir(parents=True)
    assert snapshot.take(job_for(tmp_path)).files == {"solution.py": 6}


def test_too_many_folders_are_refused(solution: Path, tmp_path: Path) -> None:
    """A crowd of empty folders is an answer of its own kind."""
    for number in range(300):
        (solution / str(number)).mkdir()
    assert reason_of(job_for(tmp_path)) == "too_large"


def test_too_many_entries_are_refused(solution: Path, tmp_path: Path) -> None:
    """Hidden files count, too, and over all folders: each costs the scorer a look."""
    for number in range(5):
        (solution / str(number)).mkdir()
        for name in range(4001):
            (solution / str(number) / f".{name}").touch()
    assert reason_of(job_for(tmp_path)) == "too_large"


def test_a_copy_is_pending_once_it_is_whole(solution: Path, tmp_path: Path) -> None:
    """A limit may cut a scoring off at any moment: half a copy must not be measured in the whole one's place."""
    snapshot.take(job_for(tmp_path))
    (solution / "weights.bin").write_bytes(bytes(20 << 20))
    assert reason_of(job_for(tmp_path)) == "too_large"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["taking"]
    snapshot.settle(job_for(tmp_path), None)
    assert list((tmp_path / "kept").iterdir()) == []


def test_what_a_limit_cut_off_can_be_measured_twice(solution: Path, tmp_path: Path) -> None:
    """After a fault the host asks again for the same copy."""
    assert solution.exists()
    snapshot.take(job_for(tmp_path))
    again = job_for(tmp_path, source="pending")
    snapshot.settle(again, None)
    assert snapshot.take(again).files == {"solution.py": 6}


def test_the_watchdog_is_no_fault_of_the_submission(
    solution: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its TimeoutError, which is an OSError, passes through the copying."""
    assert solution.exists()

    def late(*_: Any) -> None:
        raise TimeoutError("the scorer's own watchdog")

    monkeypatch.setattr(snapshot, "_check_deliverable", late)
    with pytest.raises(TimeoutError):
        snapshot.take(job_for(tmp_path))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.ENOMEM])
def test_a_full_machine_is_no_fault_of_the_submission(
    solution: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """No room for the copy is told apart from files that cannot be read."""
    assert solution.exists()

    def full(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(snapshot, "_check_deliverable", full)
    with pytest.raises(OSError, match=os.strerror(code)):
        snapshot.take(job_for(tmp_path))


def test_the_best_is_kept_and_only_the_best(solution: Path, tmp_path: Path) -> None:
    """A better snapshot replaces the kept one, a worse one does not, and nothing pending stays behind."""
    kept = tmp_path / "kept" / "best" / "solution.py"
    for raw, best, text in ((2.0, None, "first"), (3.0, 2.0, "worse"), (1.0, 2.0, "better")):
        (solution / "solution.py").write_text(text, encoding="utf-8")
        work = job_for(tmp_path, best_raw=best)
        snapshot.take(work)
        snapshot.settle(work, raw)
        assert kept.read_text(encoding="utf-8") == {"first": "first", "worse": "first", "better": "better"}[text]
        assert not (tmp_path / "kept" / "pending").exists()


def test_the_starting_solution_is_never_kept(solution: Path, tmp_path: Path) -> None:
    """Scoring 0 is the machine's own; it is not what the agent handed in."""
    assert solution.exists()
    work = job_for(tmp_path, index=0)
    snapshot.take(work)
    snapshot.settle(work, 1.0)
    assert not (tmp_path / "kept" / "best").exists()


def test_the_cap_is_the_jobs(solution: Path, tmp_path: Path) -> None:
    """A file of 20 MiB is too large for a kernel and fine for a model."""
    with (solution / "weights.bin").open("wb") as file:
        file.truncate(20 << 20)
    assert reason_of(job_for(tmp_path)) == "too_large"
    assert snapshot.take(job_for(tmp_path, max_bytes=32 << 20)).files["weights.bin"] == 20 << 20
    assert reason_of(job_for(tmp_path, max_bytes=32 << 20, max_files=1)) == "too_large"


def test_another_file_may_stand_in_the_deliverables_place(solution: Path, tmp_path: Path) -> None:
    """An index of shards is as good as the one file, where the environment says so."""
    (solution / "solution.py").rename(solution / "index.json")
    assert reason_of(job_for(tmp_path)) == "missing_submission"
    assert snapshot.take(job_for(tmp_path, alternative="index.json")).files == {"index.json": 6}


def test_the_start_has_the_assets_that_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring 0 measures the starting files and the assets that the agent finds beside them."""
    (tmp_path / "trusted" / "starting").mkdir(parents=True)
    (tmp_path / "trusted" / "starting" / "a.py").write_text("a", encoding="utf-8")
    (tmp_path / "assets" / "model").mkdir(parents=True)
    (tmp_path / "assets" / "model" / "w").write_text("weights", encoding="utf-8")
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    given = job_for(tmp_path, source="starting", assets=str(tmp_path / "assets"), given={"fixed": "model/w"})
    assert snapshot.take(given).files == {"a.py": 1, "fixed": 7}


def test_small_files_are_packed_first(solution: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host gets a submission's text although its weights are too large to travel."""
    (solution / "weights.bin").write_bytes(bytes(2 << 20))
    (tmp_path / "trusted").mkdir()
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    taken = snapshot.take(job_for(tmp_path))
    snapshot.pack(job_for(tmp_path), taken)
    assert taken.packed == ["solution.py"]
    with tarfile.open(tmp_path / "trusted" / "submission.tar.gz") as archive:
        assert archive.getnames() == ["solution.py"]
