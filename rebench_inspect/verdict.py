"""Parses and checks the one JSON file that a scoring returns (pure, standard library alone)."""

import json
import math
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast

SCHEMA = 1

Outcome = Literal["scored", "invalid"]


class VerdictError(ValueError):
    """The text is no verdict: the scorer's fault."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A remark for the reviewer with its evidence; it changes no score."""

    code: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a scoring returned.

    Attributes:
        outcome: `scored`, or `invalid` (the agent's fault).
        raw_score: In the environment's own unit; set exactly when scored.
        raw_se: Standard error of the raw score, where it is known.
        reason: Code of what was wrong; set exactly when invalid.
        message: Text for the agent.
        measurements: For operators alone.
        flags: Remarks for the reviewer.
        fingerprint: Machine and versions as the scorer saw them.
    """

    outcome: Outcome
    raw_score: float | None
    raw_se: float | None
    reason: str | None
    message: str
    measurements: dict[str, Any]
    flags: tuple[Flag, ...]
    fingerprint: dict[str, Any]


_FIELDS = {"schema", "outcome", "raw_score", "raw_se", "reason", "message", "measurements", "flags", "fingerprint"}


def parse(text: str) -> Verdict:
    """Return the verdict in `text`.

    Raises:
        VerdictError: Not JSON, another schema, a field too many or too few, or fields that contradict each other.
    """
    try:
        data: Any = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise VerdictError(f"the verdict is not JSON: {error}") from error
    _check(isinstance(data, dict), "the verdict is no object")
    fields = cast("dict[str, Any]", data)
    _check(set(fields) == _FIELDS, f"the verdict's fields are {sorted(fields)}, expected {sorted(_FIELDS)}")
    _check(fields["schema"] == SCHEMA, f"the verdict's schema is {fields['schema']!r}, expected {SCHEMA}")
    verdict = Verdict(
        outcome=fields["outcome"],
        raw_score=_number(fields, "raw_score"),
        raw_se=_number(fields, "raw_se"),
        reason=_text(fields, "reason"),
        message=_text(fields, "message") or "",
        measurements=_object(fields, "measurements"),
        flags=_flags(fields["flags"]),
        fingerprint=_object(fields, "fingerprint"),
    )
    _check_consistency(verdict)
    return verdict


def _check_consistency(verdict: Verdict) -> None:
    _check(verdict.outcome in ("scored", "invalid"), f"the outcome is {verdict.outcome!r}")
    scored = verdict.outcome == "scored"
    _check((verdict.raw_score is not None) == scored, f"a {verdict.outcome} verdict has raw_score {verdict.raw_score}")
    _check((verdict.reason is None) == scored, f"a {verdict.outcome} verdict has reason {verdict.reason!r}")


def _check(holds: bool, complaint: str) -> None:
    if not holds:
        raise VerdictError(complaint)


def _refuse_constant(name: str) -> NoReturn:
    raise VerdictError(f"the verdict holds {name}")


def _number(fields: dict[str, Any], name: str) -> float | None:
    value = fields[name]
    if value is None:
        return None
    _check(isinstance(value, int | float) and not isinstance(value, bool), f"{name} is {value!r}, expected a number")
    _check(math.isfinite(value), f"{name} is {value!r}, expected a finite number")
    return float(value)


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields[name]
    _check(value is None or isinstance(value, str), f"{name} is {value!r}, expected text")
    return value


def _object(fields: dict[str, Any], name: str) -> dict[str, Any]:
    _check(isinstance(fields[name], dict), f"{name} is no object")
    return fields[name]


def _flags(value: object) -> tuple[Flag, ...]:
    _check(isinstance(value, list), "flags is no list")
    flags: list[Flag] = []
    for item in cast("list[Any]", value):
        flag = cast("dict[str, str]", item)
        _check(isinstance(item, dict) and flag.keys() == {"code", "evidence"}, "a flag needs a code and evidence")
        flags.append(Flag(str(flag["code"]), str(flag["evidence"])))
    return tuple(flags)
