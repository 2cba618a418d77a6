"""Attempts that stand in several logs: copies of a log, retries of an eval, shards of a merged one."""

from collections.abc import Callable, Hashable

from rebench_inspect.analysis.archive import Json
from rebench_inspect.analysis.extract import Extracted, Problem


def without_repeats(found: list[Extracted]) -> tuple[list[Extracted], list[Problem]]:
    """Return every attempt once, and a problem for each log from which attempts were dropped.

    The same attempt id is the same attempt. The same task, sample and epoch under another id is a retry: Inspect keeps
    the task's id when an eval is retried. The youngest log has it.

    Args:
        found: In the order of the files.
    """
    dropped: dict[str, tuple[int, str]] = {}
    kept = found
    for key, reason in ((_same_attempt, "copies of attempts in {other}"), (_same_task, "retried in {other}")):
        kept = _unique(kept, key, reason, dropped)
    problems = [
        Problem(log, "", f"{count} attempts are {reason}", "they are counted once", left_out=False)
        for log, (count, reason) in dropped.items()
    ]
    return kept, problems


def _same_attempt(attempt: Json) -> Hashable:
    return attempt["attempt_id"]


def _same_task(attempt: Json) -> Hashable:
    return attempt["task_id"] or attempt["eval_id"], attempt["sample_id"], attempt["epoch"]


def _unique(
    found: list[Extracted], key: Callable[[Json], Hashable], reason: str, dropped: dict[str, tuple[int, str]]
) -> list[Extracted]:
    youngest: dict[Hashable, Json] = {}
    for item in found:
        if item.attempt is not None:
            rival = youngest.get(key(item.attempt))
            if rival is None or (item.attempt["created"] or "") > (rival["created"] or ""):
                youngest[key(item.attempt)] = item.attempt
    kept: list[Extracted] = []
    for item in found:
        winner = youngest[key(item.attempt)] if item.attempt is not None else None
        if winner is item.attempt:
            kept.append(item)
        elif item.attempt is not None and winner is not None:
            count, _ = dropped.get(item.attempt["log"], (0, ""))
            dropped[item.attempt["log"]] = count + 1, reason.format(other=winner["log"])
    return kept
