"""The three ways a scoring ends, and the one file that says which.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: one verdict per scoring, written whole or not at all, readable by root alone.
Not covered: whether the numbers are right. Trusts: the other trusted files.
"""

import errno
import json
import math
import os
from dataclasses import asdict, dataclass, field
from typing import Any

from job import FOLDER

SCHEMA = 1
MACHINE_FAULT_STATUS = 75
"""Exit status (EX_TEMPFAIL) that tells the host: the machine failed, not the scorer."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM)
"""Errors of the operating system that are the machine's, whatever was done."""


class Invalid(Exception):
    """The agent's fault: `reason` is a code, `message` helps an honest agent and reveals nothing of the scorer."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class MachineTrouble(Exception):
    """The machine's fault, told apart from the scorer's own crash by the exit status."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a scoring returns; the host checks it against the same schema."""

    outcome: str
    message: str
    raw_score: float | None = None
    raw_se: float | None = None
    reason: str | None = None
    measurements: dict[str, Any] = field(default_factory=dict)
    flags: list[dict[str, str]] = field(default_factory=list)
    fingerprint: dict[str, Any] = field(default_factory=dict)


def write(verdict: Verdict) -> None:
    """Write the verdict beside its final name, then rename: the host never sees half of one."""
    if verdict.outcome == "scored" and not math.isfinite(
        verdict.raw_score if verdict.raw_score is not None else math.nan
    ):
        raise ValueError(f"a scored verdict needs a finite raw score, got {verdict.raw_score}")
    target = FOLDER / "trusted" / "verdict.json"
    draft = target.with_suffix(".draft")
    draft.write_text(json.dumps({"schema": SCHEMA, **asdict(verdict)}, allow_nan=False), encoding="utf-8")
    os.replace(draft, target)
