"""Small frames for the tests of the statistics."""

from collections.abc import Sequence

import pandas as pd


def attempts(
    best: Sequence[float],
    environment: str = "kernel",
    budget_hours: float = 0.5,
    model: str = "m",
    scale: str = "paper",
) -> pd.DataFrame:
    """Attempts of one group in one environment with the given normalised scores."""
    return pd.DataFrame(
        {
            "model": model,
            "agent": "react",
            "scale": scale,
            "environment": environment,
            "budget_hours": budget_hours,
            "best": pd.Series(best, dtype=float),
            "verified": pd.Series(best, dtype=float),
            "flagged": False,
        }
    )
