"""The tables that do not belong to a scale: flagged attempts, faults, fingerprints, problems."""

import pandas as pd

from rebench_inspect.analysis.normalize import with_flagged
from rebench_inspect.analysis.read import Reading
from rebench_inspect.analysis.table import Table, cut, number
from rebench_inspect.environments import environment


def appendix(reading: Reading, root: str, view_url: str) -> list[Table]:
    """Return the tables that do not belong to a scale: flagged attempts, faults, fingerprints, problems."""
    return [
        _flagged(reading.attempts, root, view_url),
        _faults(reading.scorings, root, view_url),
        _keys(reading.attempts),
        _problems(reading),
    ]


def _flagged(attempts: pd.DataFrame, root: str, view_url: str) -> Table:
    rows = attempts[attempts["flagged"]]
    cells = pd.DataFrame(
        {
            "Sample": _samples(rows),
            "Log": [log.rpartition("/")[2] for log in rows["log"]],
            "Environment": rows["environment"].to_list(),
            "Model": rows["model"].to_list(),
            "Best": [number(score) for score in rows["best"]],
            "Scorer's flags": rows["flags"].to_list(),
            "Verdict": rows["verdict"].to_list(),
        }
    )
    note = "Every one stays in the logs; --with-flagged chooses keep, drop or as_start."
    if not rows.empty:
        means = [
            number(with_flagged(attempts, how)["best"].clip(lower=0).mean()) for how in ("keep", "drop", "as_start")
        ]
        note += " Mean of all attempts: {} with them, {} without, {} as starts.".format(*means)
    return Table("Flagged attempts", note, cut(cells), _links(rows, root, view_url))


def _faults(scorings: pd.DataFrame, root: str, view_url: str) -> Table:
    rows = scorings[scorings["fault"] != ""]
    cells = pd.DataFrame(
        {
            "Sample": _samples(rows),
            "Log": [log.rpartition("/")[2] for log in rows["log"]],
            "Scoring": [str(index) for index in rows["index"]],
            "Fault": rows["outcome"].str.replace("_", " ").to_list(),
            "What": rows["fault"].to_list(),
        }
    )
    note = "Faults are the scorer's or the machine's; they never count as a score."
    return Table("Faults", note, cut(cells), _links(rows, root, view_url))


def _keys(attempts: pd.DataFrame) -> Table:
    by = ["comparability", "environment", "scale", "version", "hardware", "anchors_source"]
    counts = attempts.groupby(by, sort=True).size().reset_index(name="attempts").astype({"attempts": str})
    headings = ["Key", "Environment", "Scale", "Version", "Hardware", "Anchors", "Attempts"]
    note = "Attempts with the same key had the same scorer, prompt, rules and hardware."
    return Table("Fingerprints", note, cut(counts.set_axis(headings, axis="columns")))


def _problems(reading: Reading) -> Table:
    rows = [
        {
            "Log": problem.log.rpartition("/")[2],
            "Sample": problem.sample,
            "What": problem.what,
            "What was done": problem.done,
        }
        for problem in reading.problems
    ]
    return Table("Problems", "", cut(pd.DataFrame(rows, columns=["Log", "Sample", "What", "What was done"])))


def _samples(rows: pd.DataFrame) -> list[str]:
    return [f"{sample}, epoch {epoch}" for sample, epoch in zip(rows["sample_id"], rows["epoch"], strict=True)]


def _links(rows: pd.DataFrame, root: str, view_url: str) -> tuple[str, ...]:
    triples = zip(rows["log"], rows["sample_id"], rows["epoch"], strict=True)
    return tuple(
        f"{view_url.rstrip('/')}/#/logs/{log.removeprefix(root).lstrip('/')}/samples/sample/{sample}/{epoch}"
        for log, sample, epoch in triples
    )


def comparability_notices(attempts: pd.DataFrame) -> list[str]:
    """Return a notice for each environment whose attempts are not all comparable."""
    notices: list[str] = []
    for slug, rows in attempts.groupby("environment"):
        keys = rows["comparability"].unique()
        if len(keys) > 1:
            notices.append(
                f"{environment(str(slug)).title}: scorer, prompt, rules or hardware differ between attempts "
                f"(comparability keys {', '.join(sorted(keys))}); do not compare their scores. See Fingerprints."
            )
    return notices
