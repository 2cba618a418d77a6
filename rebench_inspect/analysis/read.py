"""Logs to frames: one row per scoring, one row per attempt, and a line for everything that a reader must know."""

import multiprocessing
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from rebench_inspect.analysis.archive import Json, LogError, open_log
from rebench_inspect.analysis.columns import ATTEMPT_TYPES, SCORING_TYPES, pack, to_frame
from rebench_inspect.analysis.extract import Extracted, Problem, extract, holds_ledger
from rebench_inspect.analysis.normalize import AnchorTable, add_anchors, read_anchors
from rebench_inspect.analysis.repeats import without_repeats
from rebench_inspect.analysis.sources import Logs, find_logs
from rebench_inspect.analysis.verdicts import apply_verdicts

Progress = Callable[[int, int], None]
"""Called with the number of logs read and their total."""


class LogWarning(UserWarning):
    """Something in the logs is not as expected; the text says which file, what, and what was done."""


class Reading(NamedTuple):
    """What a set of logs holds: `attempts`, `scorings`, and `problems`, one for each irregularity."""

    attempts: pd.DataFrame
    scorings: pd.DataFrame
    problems: list[Problem]


def read_scorings(logs: Logs, *, processes: int = 1) -> pd.DataFrame:
    """Return one row per scoring; irregularities become `LogWarning`s.

    Args:
        logs: Files, folders or fsspec URLs.
        processes: How many processes read; more than one needs the usual `if __name__ == "__main__"` in scripts.
    """
    return _warned(read_logs(logs, processes=processes)).scorings


def read_attempts(logs: Logs, *, anchors: Path | str | None = None, processes: int = 1) -> pd.DataFrame:
    """Return one row per attempt; irregularities become `LogWarning`s.

    Args:
        logs: Files, folders or fsspec URLs.
        anchors: File or folder of local anchors, for the columns `best_local` and `verified_local`.
        processes: As for `read_scorings`.
    """
    return _warned(read_logs(logs, anchors=anchors, processes=processes)).attempts


def read_logs(
    logs: Logs, *, anchors: Path | str | None = None, processes: int = 1, progress: Progress | None = None
) -> Reading:
    """Read everything at once.

    Args:
        logs: Files, folders or fsspec URLs.
        anchors: File or folder of local anchors.
        processes: How many processes read.
        progress: Called after each log.

    Raises:
        UsageError: Something that was named does not exist.
    """
    paths = find_logs(logs)
    local: AnchorTable | None = read_anchors(anchors) if anchors is not None else None
    found: list[Extracted] = []
    for done, items in enumerate(_extracted(paths, processes), start=1):
        found.extend(items)
        if progress:
            progress(done, len(paths))
    return _assembled(found, local)


def extract_log(path: str) -> list[Extracted]:
    """Return the attempts of one log, each with its problems; a file without any yields a problem alone."""
    try:
        log = open_log(path)
        found = [_member(path, log.header, member.name, member.sample, member.error) for member in log.members]
    except LogError as error:
        return [_left_out(path, "", str(error), "the file was left out")]
    attempts = [item for item in found if item is not None]
    if attempts or not found:
        return attempts or _without_samples(path, log.header)
    what = f"no sample holds a ledger of rebench-inspect (task {log.header['eval'].get('task')})"
    return [_left_out(path, "", what, "the file was left out")]


def _member(path: str, header: Json, name: str, sample: Json, error: str) -> Extracted | None:
    if error:
        return _left_out(path, name, f"unreadable ({error})", "the attempt was left out")
    return extract(path, header, sample) if holds_ledger(sample) else None


def _without_samples(path: str, header: Json) -> list[Extracted]:
    problem = Problem(
        path, "", f"no attempt is in it yet (status {header.get('status')})", "nothing was read", left_out=False
    )
    return [Extracted(None, [], [problem])]


def _left_out(path: str, sample: str, what: str, done: str) -> Extracted:
    return Extracted(None, [], [Problem(path, sample, what, done)])


def _extracted(paths: list[str], processes: int) -> Iterator[list[Extracted]]:
    if processes <= 1 or len(paths) < 2:
        yield from map(extract_log, paths)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(paths)), mp_context=context) as pool:
        yield from pool.map(extract_log, paths, chunksize=max(1, min(16, len(paths) // (4 * processes))))


def _assembled(found: Iterable[Extracted], local: AnchorTable | None) -> Reading:
    kept, repeats = without_repeats(list(found))
    attempts = to_frame([pack(item.attempt, ATTEMPT_TYPES) for item in kept if item.attempt is not None], ATTEMPT_TYPES)
    scorings = to_frame([row for item in kept for row in item.scorings], SCORING_TYPES)
    attempts, silent = apply_verdicts(attempts)
    problems = [problem for item in kept for problem in item.problems]
    return Reading(add_anchors(attempts, local), scorings, [*problems, *repeats, *silent])


def _warned(reading: Reading) -> Reading:
    for problem in reading.problems:
        warnings.warn(str(problem), LogWarning, stacklevel=3)
    return reading
