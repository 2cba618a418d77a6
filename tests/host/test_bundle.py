"""What is sent into the sandbox for a scoring."""

import io
import tarfile

from rebench_inspect import bundle
from rebench_inspect.environments import KERNEL


def members() -> dict[str, tarfile.TarInfo]:
    sent = bundle.scoring_archive("kernel", KERNEL.scale("mini"), {"index": 1})
    archive = tarfile.open(fileobj=io.BytesIO(sent))  # noqa: SIM115 - in memory
    return {member.name: member for member in archive.getmembers()}


def test_the_archive_holds_scorer_job_and_start() -> None:
    """Trusted files are flattened into one folder, the worker's files lie apart, the start goes along."""
    names = set(members())
    assert {"trusted/__main__.py", "trusted/worker.py", "trusted/job.json", "trusted/starting/solution.py"} <= names
    assert {"shim/main.py", "shim/words.py"} <= names


def test_the_archive_holds_no_reference() -> None:
    """Neither references nor cheats are ever sent with a scorer."""
    assert not [name for name in members() if "reference" in name or "frontier" in name or "cheat" in name]


def test_hash_follows_the_files() -> None:
    """The scorer's hash depends on names and contents alone, not on order."""
    assert bundle.files_hash({"a": b"1", "b": b"2"}) == bundle.files_hash({"b": b"2", "a": b"1"})
    assert bundle.files_hash({"a": b"12"}) != bundle.files_hash({"a1": b"2"})
