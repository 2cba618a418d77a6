"""Runs one scoring of an attempt and enters it into the ledger; archives what was measured."""

import io
import tarfile
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.util import concurrency, sample_limits, store_as, suspend_working_limit
from pydantic import JsonValue

from rebench_inspect import bundle, environments, sandbox
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.errors import MachineFault, ScorerFault
from rebench_inspect.ledger import Kind, Ledger, Scoring
from rebench_inspect.paths import SandboxPaths

TEXT_ARCHIVE_BYTES = 1 << 20
"""Text of submissions up to this size is kept in the log; other files are there by size and hash of the whole."""

FILE_ARCHIVE_BYTES = 90 << 20
"""Submissions up to this size are kept under `-T archive=DIR` (Inspect reads files of at most 100 MiB)."""


def used_s(ledger: Ledger) -> float:
    """Return the attempt's working time so far, in seconds."""
    return max(0.0, sample_limits().working.usage - ledger.origin_s)


async def measure(kind: Kind, source: str) -> Scoring:
    """Run one scoring and enter it into the ledger.

    Args:
        kind: What the scoring is for.
        source: Which files are measured: `starting`, `agent`, `kept` (the best so far) or `pending`.

    Returns:
        The record; a fault is an outcome of it, not an exception.
    """
    ledger = store_as(Ledger)
    environment = environments.environment(ledger.environment)
    scale = environment.scale(ledger.scale)
    waiting_since = time.monotonic()
    async with (
        concurrency(f"rebench-attempt-{ledger.attempt['id']}", 1, visible=False),
        concurrency(f"rebench-timing-{scale.hardware}", 1, visible=False),
    ):
        scoring = _begin(ledger, kind, queue_s=time.monotonic() - waiting_since)
        with _charge(ledger, kind):
            await _complete(ledger, scoring, environment, scale, source)
    return scoring


async def complete_pending(ledger: Ledger) -> None:
    """Finish the scorings that a limit cut off, on the copy that the scorer had taken."""
    environment = environments.environment(ledger.environment)
    where = await sandbox.locate(environment, is_protected(ledger))
    for scoring in ledger.scorings:
        if scoring.outcome == "pending":
            source = "pending" if await sandbox.has_pending(where) else "agent"
            await _complete(ledger, scoring, environment, environment.scale(ledger.scale), source)


def is_protected(ledger: Ledger) -> bool:
    """Say whether the attempt's sandbox keeps agent, submitted code and scorer apart."""
    return ledger.attempt["protection"] == "uids"


def _begin(ledger: Ledger, kind: Kind, queue_s: float) -> Scoring:
    limits = sample_limits()
    scoring = Scoring(
        index=len(ledger.scorings),
        kind=kind,
        at_s=0.0 if kind == "starting" else used_s(ledger),
        queue_s=queue_s,
        tokens=int(limits.token.usage),
        cost=limits.cost.usage or None,
    )
    if kind != "verified":
        ledger.scorings.append(scoring)
    return scoring


def _charge(ledger: Ledger, kind: Kind) -> AbstractContextManager[None]:
    charged = kind == "attempt" and ledger.attempt["scoring_counts"]
    return nullcontext() if charged else suspend_working_limit()


async def _complete(ledger: Ledger, scoring: Scoring, environment: Environment, scale: Scale, source: str) -> None:
    start = time.monotonic()
    try:
        await _attempt_twice(ledger, scoring, environment, scale, source)
    except ScorerFault as fault:
        scoring.outcome, scoring.message = "scorer_fault", fault.message
    except MachineFault as fault:
        scoring.outcome, scoring.message = "machine_fault", fault.message
    scoring.scoring_s = time.monotonic() - start


async def _attempt_twice(ledger: Ledger, scoring: Scoring, environment: Environment, scale: Scale, source: str) -> None:
    where = await sandbox.locate(environment, is_protected(ledger))
    job = _job(ledger, scoring, environment, scale, where, source)
    known = {earlier.sha256 for earlier in ledger.scorings if earlier.sha256 and earlier.kind == "attempt"}
    try:
        scored = await sandbox.score(where, environment, scale, job, known)
    except (ScorerFault, MachineFault) as fault:
        transcript().info({"fault": fault.message, "repeated": True}, source="rebench")
        scored = await sandbox.score(where, environment, scale, job, known)
    verdict = scored.verdict
    scoring.outcome, scoring.reason, scoring.message = verdict.outcome, verdict.reason, verdict.message
    scoring.raw, scoring.raw_se = verdict.raw_score, verdict.raw_se
    scoring.score = ledger.normalise(verdict.raw_score)
    scoring.sha256 = verdict.measurements.get("submission", {}).get("sha256")
    scoring.flags = [{"code": flag.code, "evidence": flag.evidence} for flag in verdict.flags]
    scoring.measurements, scoring.fingerprint = verdict.measurements, verdict.fingerprint
    _archive(ledger, scoring, scored.submission)


def _job(
    ledger: Ledger, scoring: Scoring, environment: Environment, scale: Scale, where: SandboxPaths, source: str
) -> dict[str, Any]:
    best = ledger.best(environment)
    return {
        **bundle.job(environment, scale, where),
        "index": scoring.index,
        "source": source,
        "best_raw": best.raw if best else None,
        "archive_bytes": FILE_ARCHIVE_BYTES if ledger.attempt["archive"] else TEXT_ARCHIVE_BYTES,
    }


def _archive(ledger: Ledger, scoring: Scoring, submission: bytes | None) -> None:
    """Keep a submission once by its hash: its text in the log, all of it as a file where the evaluator wants one."""
    if submission is None or scoring.kind != "attempt":
        return
    with tarfile.open(fileobj=io.BytesIO(submission), mode="r:gz") as tar:
        contents = {member.name: _content(tar, member) for member in tar.getmembers() if member.isfile()}
    files: dict[str, JsonValue] = dict(texts(contents))
    if files:
        transcript().info({"sha256": scoring.sha256, "files": files}, source="rebench-submission")
    if ledger.attempt["archive"]:
        target = Path(ledger.attempt["archive"], ledger.attempt["id"], f"{scoring.index}-{scoring.sha256}.tar.gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(submission)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    content = tar.extractfile(member)
    return content.read() if content else b""


def texts(contents: Mapping[str, bytes], limit: int = TEXT_ARCHIVE_BYTES) -> dict[str, str]:
    """Return the files of a submission that go into the log: text, small ones first, `limit` bytes in all."""
    chosen: dict[str, str] = {}
    for name, content in sorted(contents.items(), key=lambda item: len(item[1])):
        limit -= len(content)
        if limit >= 0 and b"\0" not in content:
            chosen[name] = content.decode("utf-8", errors="replace")
    return chosen
