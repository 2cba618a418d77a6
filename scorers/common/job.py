"""What the host asks of one scoring.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: reading the parameters that the host sent. Not covered: checking them; the host is trusted. Trusts: the host.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent
"""The folder of this scoring: `trusted/` (0700) and `shim/` (0755) lie in it."""


@dataclass(frozen=True, slots=True)
class Job:
    """The parameters of one scoring.

    Attributes:
        index: Number of the scoring in its attempt; 0 is the starting solution.
        source: `agent` (the agent's folder), `starting`, `kept` (best so far) or `pending` (cut off by a limit).
        hardware: `cpu` or `cuda`.
        solution: The agent's folder.
        deliverable: File that must exist in it.
        root: Root's folder in the sandbox; `kept/` lies in it.
        work_python: Interpreter for submitted code.
        agent_uid, solver_uid: The two users; None where the sandbox has none (then nothing is protected).
        lower_is_better, best_raw: To decide whether this snapshot is kept for the re-measurement.
        keep_last: Keep every valid snapshot instead of the best.
        archive_bytes: Most that is packed of a snapshot for the host.
        alternative: File that may stand in the deliverable's place; empty for none.
        max_bytes, max_files: Most that a submission may have.
        assets: Folder of the assets that the agent may see, root's.
        given: Files of the starting solution that are assets, by name: paths below `assets`.
        timeout_s: The scorer ends itself after this time.
        memory_gib: Memory that submitted code may use.
        parameters: The scale's parameters.
    """

    index: int
    source: str
    hardware: str
    solution: str
    deliverable: str
    root: str
    work_python: str
    agent_uid: int | None
    solver_uid: int | None
    lower_is_better: bool
    best_raw: float | None
    keep_last: bool
    archive_bytes: int
    timeout_s: float
    memory_gib: float
    parameters: dict[str, Any]
    alternative: str = ""
    max_bytes: int = 16 << 20
    max_files: int = 256
    assets: str = ""
    given: dict[str, str] = field(default_factory=dict)

    @property
    def protected(self) -> bool:
        """Whether submitted code runs as a user of its own."""
        return self.solver_uid is not None

    @property
    def kept(self) -> Path:
        """Root's folder of snapshots that outlive the scoring."""
        return Path(self.root, "kept")

    @property
    def attempt(self) -> Path:
        """Root's folder of what a scorer has to remember of its attempt."""
        return Path(self.root, "attempt")

    @property
    def private(self) -> Path:
        """Root's folder of the scorer's own data."""
        return Path(self.root, "private")

    def improves(self, raw: float) -> bool:
        """Say whether a valid snapshot with this raw score replaces the kept one."""
        if self.keep_last or self.best_raw is None:
            return True
        return raw < self.best_raw if self.lower_is_better else raw > self.best_raw


def load() -> Job:
    """Read the job that the host sent beside the scorer."""
    return Job(**json.loads((FOLDER / "trusted" / "job.json").read_text(encoding="utf-8")))
