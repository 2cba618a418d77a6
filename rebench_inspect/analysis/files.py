"""Frames and estimates as files for other programs: Parquet, CSV, JSON, JSON lines."""

import json
from pathlib import Path
from typing import Any, cast

import pandas as pd

from rebench_inspect.analysis.read import Reading
from rebench_inspect.analysis.report import Choices, Results


def write_parquet(reading: Reading, folder: Path) -> None:
    """Write `attempts.parquet` and `scorings.parquet`."""
    folder.mkdir(parents=True, exist_ok=True)
    reading.attempts.to_parquet(folder / "attempts.parquet", index=False)
    reading.scorings.to_parquet(folder / "scorings.parquet", index=False)


def write_csv(reading: Reading, folder: Path) -> None:
    """Write `attempts.csv` and `scorings.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    reading.attempts.to_csv(folder / "attempts.csv", index=False)
    reading.scorings.to_csv(folder / "scorings.csv", index=False)


def write_json(reading: Reading, results: Results, choices: Choices, file: Path) -> None:
    """Write the numbers of the report: suite and environments at every total budget, by scale, and the problems."""
    content: dict[str, Any] = {
        "schema": 1,
        "choices": {
            name: getattr(choices, name) for name in ("anchors", "flagged", "replacement", "resamples", "seed")
        },
        "attempts": len(reading.attempts),
        "scorings": len(reading.scorings),
        "scales": {
            scale: {"suite": records(found.suite), "environments": records(found.environments)}
            for scale, found in results.estimates.items()
        },
        "problems": [problem._asdict() for problem in reading.problems],
    }
    file.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as JSON objects; what is not a number is null."""
    return cast("list[dict[str, Any]]", json.loads(json_lines(frame, lines=False)))


def json_lines(frame: pd.DataFrame, *, lines: bool = True) -> str:
    """Return a frame as JSON text, one object a line."""
    return frame.to_json(orient="records", lines=lines, double_precision=15, force_ascii=False)
