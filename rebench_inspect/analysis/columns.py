"""Names of the columns that frames share, and the check that a frame has the ones a function needs."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd

from rebench_inspect.errors import UsageError

GROUP = ("model", "agent", "scale")
"""Attempts are compared between groups: one model, one agent, one scale."""

IDENTITY = ("log", "eval_id", "task", "environment", "scale", "model", "agent", "sample_id", "epoch", "attempt_id")
"""What names an attempt; both frames begin with these columns."""

Kind = Literal["text", "number", "whole", "truth"]
Types = Mapping[str, Kind]

_IDENTITY_TYPES: Types = {name: "whole" if name == "epoch" else "text" for name in IDENTITY}

SCORING_TYPES: Types = MappingProxyType(
    {
        **_IDENTITY_TYPES,
        "budget_hours": "number",
        "index": "whole",
        "kind": "text",
        "at_s": "number",
        "scoring_s": "number",
        "queue_s": "number",
        "outcome": "text",
        "reason": "text",
        "raw": "number",
        "raw_se": "number",
        "normalised": "number",
        "best_raw_so_far": "number",
        "best_so_far": "number",
        "flags": "text",
        "fault": "text",
        "cpu": "text",
        "gpu": "text",
        "fingerprint": "text",
        "tokens": "whole",
        "cost": "number",
    }
)
"""Columns of the frame of scorings; `fingerprint` is JSON text."""

ATTEMPT_TYPES: Types = MappingProxyType(
    {
        **_IDENTITY_TYPES,
        "task_id": "text",
        "version": "text",
        "created": "text",
        "started_at": "text",
        "completed_at": "text",
        "budget_hours": "number",
        "working_hours": "number",
        "ended": "text",
        "error": "text",
        "starting_raw": "number",
        "best_raw": "number",
        "best": "number",
        "best_index": "whole",
        "best_at_s": "number",
        "verified_raw": "number",
        "verified": "number",
        "n_scorings": "whole",
        "n_valid": "whole",
        "n_invalid": "whole",
        "n_faults": "whole",
        "flags": "text",
        "flagged": "truth",
        "verdict": "text",
        "tokens_input": "whole",
        "tokens_output": "whole",
        "tokens_cache_read": "whole",
        "tokens_cache_write": "whole",
        "tokens_reasoning": "whole",
        "tokens": "whole",
        "cost": "number",
        "gpu_hours": "number",
        "hardware": "text",
        "comparability": "text",
        "anchors_source": "text",
        "anchors_starting": "number",
        "anchors_reference": "number",
    }
)
"""Columns of the frame of attempts, before those of the other anchors are added."""

_DTYPES = {"text": "str", "number": "float64", "whole": "int64", "truth": "bool"}
_ABSENT: Mapping[Kind, Any] = {"text": "", "number": float("nan"), "whole": 0, "truth": False}


def pack(row: Mapping[str, Any], types: Types) -> tuple[Any, ...]:
    """Return the values of a row in the order of `types`: a fifth of the memory of a dictionary."""
    return tuple(_ABSENT[kind] if (value := row.get(name)) is None else value for name, kind in types.items())


def to_frame(packed: Sequence[tuple[Any, ...]], types: Types) -> pd.DataFrame:
    """Return packed rows as a frame with exactly the columns of `types`, also when there are none."""
    values = zip(*packed, strict=True) if packed else [()] * len(types)
    named = zip(types.items(), values, strict=True)
    return pd.DataFrame({name: pd.Series(column, dtype=_DTYPES[kind]) for (name, kind), column in named})


def require(frame: pd.DataFrame, *names: str) -> None:
    """Check that `frame` has the columns `names`.

    Raises:
        UsageError: A column is missing; the message names all that are.
    """
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise UsageError(
            f"the frame lacks the columns {', '.join(missing)}; it has {', '.join(map(str, frame.columns))}"
        )
