"""The course of every scoring, whatever the environment: freeze, snapshot, measure, keep, verdict, thaw.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the agent's processes stand still from before the copy until after the last measurement; they are thawed on
every way out that Python sees; a watchdog ends a scoring that hangs. Not covered: SIGKILL of the scorer (the host
thaws then).
Trusts: the environment's `measure`.
"""

import faulthandler
import signal
import sys
from collections.abc import Callable
from typing import Any

import outcome
import snapshot as snapshots
from isolation import active
from job import Job, load
from outcome import FULL, Invalid, MachineTrouble, Verdict
from processes import Processes, growth_ns

_TOLERATED_NS, _TOLERATED_NEW_NS = 1_000_000, 50_000_000
"""What processes of the agent may run: those that were halted, and with those that somebody started later."""

_MOST_THREADS = 1400
"""Of the agent, at a scoring: the container's limit (2048) must leave room for the scorer and submitted code."""

_LONGEST, _LONGEST_NAME = 6000, 200
"""Characters of a message and of a name in it: submissions decide what is in both, and every log keeps them."""

_AWAKE = "Processes of yours ran or ended while the solution was measured, although they were halted."
_STUBBORN = "Processes of yours cannot be halted."
_CROWD = f"Your own processes have more than {_MOST_THREADS} threads, which leaves none for the scoring."

Measure = Callable[[Job, snapshots.Snapshot], Verdict]


def run(measure: Measure) -> None:
    """Run one scoring from job file to verdict file; the exit status tells the machine's fault from the scorer's."""
    job = load()
    signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, job.timeout_s)
    try:
        faulthandler.dump_traceback_later(job.timeout_s + 5, exit=True)  # a call of the driver may not come back
    except RuntimeError:  # not even a thread can be started
        outcome.write(_disturbed(_CROWD))
        return
    try:
        outcome.write(_settled(job, measure))
    except (MachineTrouble, OSError) as trouble:
        if isinstance(trouble, OSError) and trouble.errno not in FULL:
            raise
        print(trouble, file=sys.stderr)
        sys.exit(outcome.MACHINE_FAULT_STATUS)


def _give_up(_signal: int, _frame: object) -> None:
    raise TimeoutError("the scorer's own watchdog ended this scoring")


def _settled(job: Job, measure: Measure) -> Verdict:
    """Keep or drop the snapshot by what the host will be told of it, nothing earlier."""
    raw = None
    try:
        verdict = _frozen(job, measure)
        raw = verdict.raw_score
        return verdict
    finally:
        snapshots.settle(job, raw)


def _frozen(job: Job, measure: Measure) -> Verdict:
    if job.agent_uid is None:
        return _verdict(job, measure)
    try:
        agent = Processes(job.agent_uid)
    except RuntimeError:  # not even a thread can be started
        return _disturbed(_CROWD)
    try:
        if not agent.stop():
            return _disturbed(_STUBBORN)
        ran_ns = agent.ran_ns()
        if len(ran_ns) > _MOST_THREADS:
            return _disturbed(_CROWD)
        agent.go_first(when_memory_runs_out=True)
        verdict = _verdict(job, measure)
        return _disturbed(_AWAKE, verdict.fingerprint) if _ran(ran_ns, agent.ran_ns()) else verdict
    finally:
        agent.go_first(when_memory_runs_out=False)
        agent.send(signal.SIGCONT)


def _ran(before: dict[str, int], after: dict[str, int]) -> bool:
    halted = {thread: ran for thread, ran in after.items() if thread in before}
    return growth_ns(before, halted) > _TOLERATED_NS or growth_ns(before, after) > _TOLERATED_NEW_NS


def _disturbed(message: str, fingerprint: dict[str, Any] | None = None) -> Verdict:
    message += " End them and score again."
    return Verdict("invalid", message, reason="background_processes", fingerprint=fingerprint or dict(active(True)))


def _verdict(job: Job, measure: Measure) -> Verdict:
    snapshot = None
    try:
        snapshot = snapshots.take(job)
        snapshots.pack(job, snapshot)
        verdict = measure(job, snapshot)
    except Invalid as error:
        message = error.message[:_LONGEST]
        verdict = Verdict("invalid", message, reason=error.reason, fingerprint=dict(active(job.protected)))
    if snapshot is not None:
        submission = {
            "sha256": snapshot.sha256,
            "files": snapshot.files,
            "skipped": [name[:_LONGEST_NAME] for name in snapshot.skipped[:50]],
            "packed": snapshot.packed,
        }
        verdict.measurements["submission"] = submission
    return verdict
