"""Human verdicts on attempts, stored beside the logs and never inside: one line a verdict, the last one counts."""

import getpass
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd

from rebench_inspect.analysis.archive import LogError, open_log
from rebench_inspect.analysis.columns import require
from rebench_inspect.analysis.extract import Problem
from rebench_inspect.analysis.sources import file_system
from rebench_inspect.errors import UsageError

FILE = "rebench-verdicts.jsonl"
"""Name of the file beside the logs; Inspect lists no `.jsonl`, so it never takes it for a log."""

Decision = Literal["flagged", "cleared"]


class Verdict(NamedTuple):
    """One verdict: on which attempt, what, why, by whom, when."""

    attempt_id: str
    decision: Decision
    reason: str
    log: str
    sample: str
    by: str
    at: str


def add_verdict(log: str, sample: str, decision: Decision, reason: str, epoch: int | None = None) -> Verdict:
    """Store a verdict beside `log`.

    Args:
        log: Log file.
        sample: Id of the sample, or the attempt's id.
        decision: `flagged`, or `cleared` where a person looked and found nothing.
        reason: Why.
        epoch: Needed only where the log has several epochs of the sample.

    Raises:
        UsageError: The log cannot be read, or holds no such sample or more than one.
    """
    attempt_id = _attempt_id(log, sample, epoch)
    verdict = Verdict(
        attempt_id, decision, reason, Path(log).name, sample, _user(), datetime.now(UTC).isoformat("T", "seconds")
    )
    system, inner = file_system(_beside(log))
    earlier = system.cat_file(inner) if system.exists(inner) else b""
    system.pipe_file(inner, earlier + json.dumps(verdict._asdict()).encode() + b"\n")
    return verdict


def apply_verdicts(attempts: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """Return attempts with `flagged` and `verdict` as people decided, and lines of verdict files that say nothing.

    A person's verdict wins over the scorer's flags, in both directions.
    """
    require(attempts, "log", "attempt_id", "flagged")
    problems: list[Problem] = []
    decided: dict[str, Verdict] = {}
    for path in dict.fromkeys(_beside(log) for log in attempts["log"]):
        for verdict in _read(path, problems):
            decided[verdict.attempt_id] = verdict
    found = [decided.get(attempt) for attempt in attempts["attempt_id"]]
    flags = [
        verdict.decision == "flagged" if verdict else flag
        for verdict, flag in zip(found, attempts["flagged"], strict=True)
    ]
    texts = [f"{verdict.decision} by {verdict.by}: {verdict.reason}" if verdict else "" for verdict in found]
    columns = {
        "flagged": pd.Series(flags, attempts.index, dtype=bool),
        "verdict": pd.Series(texts, attempts.index, dtype=str),
    }
    return attempts.assign(**columns), problems


def _beside(log: str) -> str:
    folder, slash, _ = log.rpartition("/")
    return f"{folder}{slash}{FILE}"


def _read(path: str, problems: list[Problem]) -> list[Verdict]:
    system, inner = file_system(path)
    if not system.exists(inner):
        return []
    verdicts: list[Verdict] = []
    for number, line in enumerate(system.cat_file(inner).decode("utf-8").splitlines(), start=1):
        try:
            verdicts.append(Verdict(**json.loads(line)))
        except (ValueError, TypeError) as error:
            problems.append(Problem(path, f"line {number}", f"no verdict ({error})", "the line was ignored"))
    return verdicts


def _attempt_id(log: str, sample: str, epoch: int | None) -> str:
    try:
        samples = [member.sample for member in open_log(log).members]
    except LogError as error:
        raise UsageError(f"{log}: {error}") from error
    named = [s for s in samples if sample in (str(s.get("id")), s.get("uuid")) and epoch in (None, s.get("epoch"))]
    if len(named) != 1:
        have = ", ".join(sorted(f"{s.get('id')} (epoch {s.get('epoch')})" for s in samples)) or "none"
        raise UsageError(
            f"{log}: {len(named)} samples match {sample!r}; it holds {have}; name one, with --epoch if needed"
        )
    return str(named[0]["uuid"])


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
