"""What the agent reads after a scoring, and the log of its scorings (pure)."""

from rebench_inspect.environments import Environment
from rebench_inspect.ledger import Ledger, Scoring


def clock(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    whole = max(0, round(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def time_line(ledger: Ledger, used_s: float) -> str:
    """Return the line of time used and left."""
    return f"Time used {clock(used_s)} of {clock(ledger.budget_s)}, left {clock(ledger.budget_s - used_s)}."


def after_scoring(environment: Environment, ledger: Ledger, scoring: Scoring, used_s: float) -> str:
    """Return the whole message after one scoring."""
    lines = [outcome_line(environment, scoring, bool(ledger.attempt.get("show_score", True)))]
    best = ledger.best(environment)
    if ledger.attempt.get("show_score", True) and best is not None:
        lines.append(f"Best so far: scoring {best.index}, {_numbers(environment, best)}.")
    return "\n".join([*lines, time_line(ledger, used_s)])


def outcome_line(environment: Environment, scoring: Scoring, show_score: bool) -> str:
    """Return what became of one scoring."""
    head = f"Scoring {scoring.index}: "
    match scoring.outcome:
        case "scored":
            return head + (f"valid, {scoring.message}; {_numbers(environment, scoring)}." if show_score else "valid.")
        case "invalid":
            return head + f"invalid ({scoring.reason}). {scoring.message}"
        case "pending":
            return head + "cut off."
        case _:
            return head + "the scoring failed through no fault of yours and does not count. You may score again."


def score_log(environment: Environment, ledger: Ledger, used_s: float) -> str:
    """Return all scorings of the attempt, a line each, first the starting solution."""
    shown = bool(ledger.attempt.get("show_score", True))
    lines = [f"{clock(scoring.at_s)}  {_first_line(environment, scoring, shown)}" for scoring in ledger.scorings]
    return "\n".join([*lines, time_line(ledger, used_s)])


def _first_line(environment: Environment, scoring: Scoring, shown: bool) -> str:
    line = outcome_line(environment, scoring, shown or scoring.kind == "starting").splitlines()[0]
    return f"(starting solution) {line}" if scoring.kind == "starting" else line


def _numbers(environment: Environment, scoring: Scoring) -> str:
    normalised = "" if scoring.score is None else f", score {scoring.score:.3f}"
    return f"raw {scoring.raw:.4f} {environment.raw_unit}{normalised}"
