"""The ledger of an attempt: one record per scoring, kept in Inspect's store, so that it survives in the log."""

from typing import Any, Literal

from inspect_ai.util import StoreModel
from pydantic import BaseModel, Field

from rebench_inspect.environments import Anchors, Environment

Kind = Literal["starting", "attempt", "verified"]
RecordedOutcome = Literal["pending", "scored", "invalid", "scorer_fault", "machine_fault"]


class Scoring(BaseModel):
    """One scoring.

    Attributes:
        index: Number in the attempt; 0 is the starting solution.
        kind: `starting`, `attempt` (asked for by agent, human or operator) or `verified` (re-measured at the end).
        at_s: Working time of the attempt when the scoring began.
        scoring_s: How long it took; 0 while pending.
        queue_s: How long it waited for its turn on the hardware; not charged to the budget.
        outcome: `pending` while it runs or when it was cut off; the two faults are nobody's score.
        reason: Code of an invalid submission.
        message: What the agent was told about the submission.
        raw: Raw score.
        raw_se: Its standard error.
        score: Normalised score.
        sha256: Hash of the submission that was measured.
        flags: Remarks for the reviewer.
        measurements: For operators.
        fingerprint: Machine and versions.
        tokens: Tokens that the attempt had used.
        cost: Money (USD) that it had cost, where prices are known.
    """

    index: int
    kind: Kind
    at_s: float
    scoring_s: float = 0.0
    queue_s: float = 0.0
    outcome: RecordedOutcome = "pending"
    reason: str | None = None
    message: str = ""
    raw: float | None = None
    raw_se: float | None = None
    score: float | None = None
    sha256: str | None = None
    flags: list[dict[str, str]] = Field(default_factory=list[dict[str, str]])
    measurements: dict[str, Any] = Field(default_factory=dict)
    fingerprint: dict[str, Any] = Field(default_factory=dict)
    tokens: int = 0
    cost: float | None = None


class Ledger(StoreModel):
    """Everything that is known of an attempt's scorings.

    Attributes:
        environment, scale, version: What was attempted.
        budget_s: Working-time budget.
        origin_s: Working time that Inspect had counted when the attempt began.
        anchors: `starting`, `reference` and `source` of the normalised score.
        attempt: Facts of the attempt for its fingerprint (image, scorer, prompt variant, protection).
        flags: Remarks on the attempt as a whole.
        scorings: In the order in which they began.
        verified: The re-measurement of the best.
    """

    environment: str = ""
    scale: str = ""
    version: str = ""
    budget_s: float = 0.0
    origin_s: float = 0.0
    anchors: dict[str, Any] = Field(default_factory=dict)
    attempt: dict[str, Any] = Field(default_factory=dict)
    flags: list[dict[str, str]] = Field(default_factory=list[dict[str, str]])
    scorings: list[Scoring] = Field(default_factory=list[Scoring])
    verified: Scoring | None = None

    def normalise(self, raw: float | None) -> float | None:
        """Return the normalised score of a raw one by this attempt's anchors."""
        return Anchors(**self.anchors).normalise(raw) if raw is not None and self.anchors else None

    def best(self, environment: Environment) -> Scoring | None:
        """Return the scoring that counts so far: the best valid one, or the last; None before the first valid one."""
        valid = [scoring for scoring in self.scorings if scoring.kind == "attempt" and scoring.outcome == "scored"]
        if not valid:
            return None
        if environment.aggregate == "last":
            return valid[-1]
        return (max if environment.higher_is_better else min)(valid, key=lambda scoring: scoring.raw or 0.0)

    def counted(self, environment: Environment) -> Scoring | None:
        """Return the scoring that the attempt's score comes from: the best one, or the start where that is better."""
        best, start = self.best(environment), self.starting()
        if best is None or best.raw is None or environment.aggregate == "last" or start is None or start.raw is None:
            return best
        return start if environment.is_better(start.raw, best.raw) else best

    def starting(self) -> Scoring | None:
        """Return the scoring of the starting solution."""
        return next((scoring for scoring in self.scorings if scoring.kind == "starting"), None)
