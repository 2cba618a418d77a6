"""From one sample of a log to the rows of its attempt: facts only, nothing compared or averaged."""

import json
import math
import sys
from typing import Any, NamedTuple

from rebench_inspect.analysis.archive import Json, part, parts
from rebench_inspect.analysis.attempt_row import attempt_row, codes, normalised
from rebench_inspect.analysis.columns import SCORING_TYPES, pack
from rebench_inspect.environments import Anchors, Environment, environment

LEDGER = "Ledger:"
"""Prefix of the ledger's keys in a sample's store: the name of the store model."""

HUMAN_AGENT = "human_cli"
_FAULTS = ("scorer_fault", "machine_fault")
_SETUP = "begin"
NEEDED = frozenset({"environment", "scale", "version", "budget_s", "anchors", "attempt", "flags", "scorings"})
"""Fields of the ledger that an attempt must have."""


class Problem(NamedTuple):
    """Something that a reader of the results must know.

    Attributes:
        log: The file.
        sample: The sample in it; empty where the whole file is meant.
        what: What is the matter.
        done: What was done about it.
        left_out: Whether something that was there is not in the results.
    """

    log: str
    sample: str
    what: str
    done: str
    left_out: bool = True

    def __str__(self) -> str:
        """One line."""
        where = f"{self.log}: {self.sample}" if self.sample else self.log
        return f"{where}: {self.what}; {self.done}"


class Extracted(NamedTuple):
    """Rows of one attempt, None where it had to be left out; scorings are packed in the order of `SCORING_TYPES`."""

    attempt: Json | None
    scorings: list[tuple[Any, ...]]
    problems: list[Problem]


class _OldLedgerError(ValueError):
    """The ledger lacks what the present schema has."""


def holds_ledger(sample: Json) -> bool:
    """Say whether a sample is an attempt of this suite."""
    return bool(part(sample, "store").get(f"{LEDGER}environment"))


def extract(log: str, header: Json, sample: Json) -> Extracted:
    """Return the rows of one attempt.

    Args:
        log: Path or URL of the log.
        header: Its header.
        sample: A sample as `parse_sample` returns it; `holds_ledger` is true of it.

    Returns:
        The attempt, its scorings in the order in which they began, and what was the matter with them.
    """
    name = f"{sample.get('id')} (epoch {sample.get('epoch')})"
    try:
        return _extract(log, header, sample, name)
    except KeyError as error:
        what = str(error.args[0])
    except (TypeError, ValueError, AttributeError) as error:
        what = f"its ledger does not fit this version's schema ({error})"
    return Extracted(None, [], [Problem(log, name, what, "the attempt was left out")])


def _extract(log: str, header: Json, sample: Json, name: str) -> Extracted:
    ledger = {key.removeprefix(LEDGER): value for key, value in sample["store"].items() if key.startswith(LEDGER)}
    if NEEDED - set(ledger):
        raise _OldLedgerError(f"it has no {', '.join(sorted(NEEDED - set(ledger)))}")
    row = environment(ledger["environment"])
    anchors = _anchors(ledger)
    records = [_checked(scoring) for scoring in parts(ledger, "scorings")]
    if not records:
        return Extracted(None, [], [Problem(log, name, _never_began(sample), "the attempt was left out")])
    identity = _identity(log, header, sample, ledger)
    scorings = _scoring_rows(identity, records, anchors, row)
    problems = [Problem(log, name, what, done, left_out) for what, done, left_out in _remarks(records, anchors)]
    attempt = attempt_row(identity, header, sample, ledger, scorings, anchors)
    return Extracted(attempt, [pack(scoring, SCORING_TYPES) for scoring in scorings], problems)


def _never_began(sample: Json) -> str:
    message = str(part(sample, "error").get("message") or "no scoring of the starting solution")
    return f"the attempt never began ({message.splitlines()[0]})"


def _anchors(ledger: Json) -> Anchors | None:
    try:
        return Anchors(**ledger["anchors"])
    except (TypeError, ValueError):
        return None


def _checked(scoring: Json) -> Json:
    lacking = {"index", "kind", "at_s", "outcome"} - set(scoring)
    if lacking:
        raise _OldLedgerError(f"scoring {scoring.get('index')} has no {', '.join(sorted(lacking))}")
    raw = scoring.get("raw")
    if scoring["outcome"] == "scored" and not (isinstance(raw, int | float) and math.isfinite(raw)):
        return {**scoring, "outcome": "scorer_fault", "message": f"raw score {raw} is no number", "not_finite": True}
    return scoring


def _remarks(records: list[Json], anchors: Anchors | None) -> list[tuple[str, str, bool]]:
    remarks = [
        (f"scoring {scoring['index']} has {scoring['message']}", "it counts as a fault of the scorer", True)
        for scoring in records
        if scoring.get("not_finite")
    ]
    if anchors is None:
        remarks.append(("its anchors are unknown", "raw scores are kept; no normalised score, no mean has it", True))
    if any(scoring["outcome"] == "scored" and not scoring.get("fingerprint") for scoring in records):
        remarks.append(("a scoring has no fingerprint", "the hardware counts as unknown", False))
    return remarks


def _identity(log: str, header: Json, sample: Json, ledger: Json) -> Json:
    spec = header["eval"]
    agent = _agent(header, ledger)
    return {
        "log": log,
        "eval_id": spec.get("eval_id") or spec.get("run_id"),
        "task": spec["task"],
        "environment": ledger["environment"],
        "scale": ledger["scale"],
        "model": "human" if agent == HUMAN_AGENT else spec["model"],
        "agent": agent,
        "sample_id": str(sample["id"]),
        "epoch": sample["epoch"],
        "attempt_id": sample.get("uuid") or f"{spec.get('eval_id')}/{sample['id']}/{sample['epoch']}",
        "budget_hours": float(ledger["budget_s"]) / 3600,
    }


def _agent(header: Json, ledger: Json) -> str:
    solution = str(part(ledger, "attempt").get("solution") or "")
    if solution:
        return f"replay of {solution.rstrip('/').rsplit('/', maxsplit=1)[-1]}"
    steps = [str(step["solver"]) for step in parts(part(header, "plan"), "steps")]
    named = [step for step in (header["eval"].get("solver"), *reversed(steps)) if step]
    return next((step.rsplit("/", maxsplit=1)[-1] for step in named if not step.endswith(_SETUP)), "unknown")


def _scoring_rows(identity: Json, records: list[Json], anchors: Anchors | None, row: Environment) -> list[Json]:
    rows: list[Json] = []
    best: float | None = None
    own = False
    for scoring in records:
        raw = scoring.get("raw") if scoring["outcome"] == "scored" and scoring["kind"] != "verified" else None
        own = own or (raw is not None and scoring["kind"] == "attempt")
        if raw is not None and (best is None or row.aggregate == "last" or row.is_better(raw, best)):
            best = raw
        reached = 0.0 if not own else normalised(anchors, best)
        rows.append(identity | _scoring_row(scoring, anchors) | {"best_raw_so_far": best, "best_so_far": reached})
    return rows


def _scoring_row(scoring: Json, anchors: Anchors | None) -> Json:
    fingerprint = part(scoring, "fingerprint")
    copied = ("index", "kind", "at_s", "scoring_s", "queue_s", "outcome", "reason", "raw", "raw_se", "tokens", "cost")
    return {name: scoring.get(name) for name in copied} | {
        "normalised": normalised(anchors, scoring.get("raw")),
        "flags": codes(parts(scoring, "flags")),
        "fault": scoring.get("message") if scoring["outcome"] in _FAULTS else "",
        "cpu": fingerprint.get("cpu"),
        "gpu": fingerprint.get("gpu"),
        "fingerprint": sys.intern(json.dumps(fingerprint, sort_keys=True)) if fingerprint else "",
    }
