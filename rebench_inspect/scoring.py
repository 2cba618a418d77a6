"""Scorings: the tools `score` and `score_log`, and the one Inspect scorer that everybody shares."""

from typing import Any

from inspect_ai.agent import AgentState
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.scorer import score as score_state
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, tool
from inspect_ai.util import store_as

from rebench_inspect import environments, messages, sandbox
from rebench_inspect.errors import MachineFault
from rebench_inspect.ledger import Ledger, Scoring
from rebench_inspect.measuring import complete_pending, is_protected, measure, used_s


@tool(name="score", parallel=False)
def score_tool() -> Tool:
    """The agent's way to have its solution scored; one scorer serves it, humans, operators and the end."""

    async def execute() -> str:
        """Score the solution as it is now in your solution folder. You may call this as often as you like."""
        before = len(store_as(Ledger).scorings)
        await score_state(AgentState(messages=[]))
        ledger = store_as(Ledger)
        environment = environments.environment(ledger.environment)
        return messages.after_scoring(environment, ledger, ledger.scorings[before], used_s(ledger))

    return execute


@tool(name="score_log", parallel=False)
def score_log_tool() -> Tool:
    """The agent's view of its scorings so far."""

    async def execute() -> str:
        """List all scorings of your solution so far, with the times at which they began."""
        ledger = store_as(Ledger)
        return messages.score_log(environments.environment(ledger.environment), ledger, used_s(ledger))

    return execute


@metric
def mean_measured() -> Metric:
    """Mean over the attempts that have a value: a fault leaves none, and none is not zero."""

    def compute(scores: list[SampleScore]) -> float:
        values = [float(sample.score.value) for sample in scores if isinstance(sample.score.value, int | float)]
        return sum(values) / len(values) if values else 0.0

    return compute


@scorer(
    metrics={"score": [mean_measured()], "raw": [mean_measured()], "verified": [mean_measured()]},
    name="rebench",
)
def rebench() -> Scorer:
    """Score what is there while an attempt runs; read the ledger and re-measure the best once when it has ended."""

    async def compute(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        if not state.completed:
            return intermediate(await measure("attempt", "agent"))
        ledger = state.store_as(Ledger)
        if sandbox.available() and ledger.verified is None:
            await _settle(ledger)
        return final(ledger)

    return compute


async def _settle(ledger: Ledger) -> None:
    environment = environments.environment(ledger.environment)
    try:
        await sandbox.end_agent(await sandbox.locate(environment, is_protected(ledger)))
    except MachineFault as fault:
        ledger.flags = [*ledger.flags, {"code": "machine_fault", "evidence": fault.message}]
        return
    await complete_pending(ledger)
    if ledger.best(environment) is not None:
        ledger.verified = await measure("verified", "kept")
        if ledger.verified.outcome != "scored":
            became = f"{ledger.verified.outcome} {ledger.verified.reason or ''}".strip()
            ledger.flags = [
                *ledger.flags,
                {"code": "not_verified", "evidence": f"the re-measurement ended as {became}"},
            ]


def intermediate(scoring: Scoring) -> Score:
    """Return the score event of one scoring; where numbers are hidden, its validity alone."""
    ledger = store_as(Ledger)
    environment = environments.environment(ledger.environment)
    shown = bool(ledger.attempt["show_score"])
    value: Any = "valid" if scoring.outcome == "scored" else "invalid" if scoring.outcome == "invalid" else "fault"
    if scoring.outcome == "scored" and shown:
        value = {"score": scoring.score, "raw": scoring.raw}
    return Score(
        value=value,
        answer=f"scoring {scoring.index}",
        explanation=messages.outcome_line(environment, scoring, shown),
        metadata={"event": "score_update", **scoring.model_dump()},
    )


def final(ledger: Ledger) -> Score:
    """Return the attempt's score from its ledger alone."""
    environment = environments.environment(ledger.environment)
    best, start, verified = ledger.counted(environment), ledger.starting(), ledger.verified
    chosen = best or start
    value = {
        "score": best.score if best else 0.0,
        "raw": chosen.raw if chosen else None,
        "verified": (verified.score if verified else None) if best else 0.0,
    }
    text = (
        f"best: {messages.outcome_line(environment, best, show_score=True)}"
        if best
        else "no valid scoring: counts as 0"
    )
    return Score(
        value=value,
        answer=None if chosen is None or chosen.raw is None else f"{chosen.raw:.4f} {environment.raw_unit}",
        explanation=text,
        metadata=_summary(ledger, best),
    )


def _summary(ledger: Ledger, best: Scoring | None) -> dict[str, Any]:
    own = [scoring for scoring in ledger.scorings if scoring.kind == "attempt"]
    counts = {name: sum(scoring.outcome == name for scoring in own) for name in ("scored", "invalid")}
    flagged = [ledger, *own, *([ledger.verified] if ledger.verified else [])]
    codes = {flag["code"] for holder in flagged for flag in holder.flags}
    return {
        "environment": ledger.environment,
        "scale": ledger.scale,
        "n_scorings": len(own),
        "n_valid": counts["scored"],
        "n_invalid": counts["invalid"],
        "n_faults": len(own) - sum(counts.values()),
        "best_index": best.index if best else None,
        "best_at_s": best.at_s if best else None,
        "anchors_source": ledger.anchors.get("source"),
        "flags": ",".join(sorted(codes)),
        "verified_raw": ledger.verified.raw if ledger.verified else None,
        "protection": ledger.attempt.get("protection"),
    }
