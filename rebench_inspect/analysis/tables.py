"""The tables of the report: numbers of the frames as text for people."""

from collections.abc import Iterator

import pandas as pd

from rebench_inspect.analysis.columns import GROUP
from rebench_inspect.analysis.estimates import Estimates
from rebench_inspect.analysis.experts import EXPERT_HOURS
from rebench_inspect.analysis.plots import groups
from rebench_inspect.analysis.table import NOTHING, Table, cut, hours, number, percent, span
from rebench_inspect.environments import ENVIRONMENTS, environment


def suite(found: Estimates) -> Table:
    """Return the headline: suite score of each group at each total budget, beside the experts."""
    rows = [
        {
            "Model, agent": label,
            "Total budget": hours(row["total_hours"]),
            "Score": number(row["score"]),
            "95 % interval": span(row["low"], row["high"]),
            "Experts": number(row["experts"]),
            "Environments": f"{row['n_environments']} of {len(ENVIRONMENTS)}",
        }
        for label, chosen in groups(found.suite[found.suite["score"].notna()])
        for row in chosen.to_dict("records")
    ]
    columns = ["Model, agent", "Total budget", "Score", "95 % interval", "Experts", "Environments"]
    note = "Mean of the normalised scores over environments, best-of-k at equal total time."
    partial = found.suite[~found.suite["complete"].astype(bool)]
    if not partial.empty:
        note += " Means of fewer than seven environments are not the suite's score; the last column tells."
    return Table("Suite score", note, pd.DataFrame(rows, columns=columns))


def environments(attempts: pd.DataFrame, found: Estimates) -> Table:
    """Return one row per group and environment, from the start to the share of experts beaten."""
    rows = [_environment_row(label, slug, part, found) for slug, label, part in _parts(attempts)]
    units = ", ".join(f"{row.title} {row.raw_unit}" for row in ENVIRONMENTS if row.slug in set(attempts["environment"]))
    note = "Best of k: as many attempts as fill eight hours, or less; experts had eight hours."
    note += f" Raw units: {units}; all else is normalised."
    return Table("Environments", note, pd.DataFrame(rows))


def _parts(attempts: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the attempts of each group in each environment, in the order of the table of environments."""
    for row in ENVIRONMENTS:
        here = attempts[attempts["environment"] == row.slug]
        yield from ((row.slug, label, part) for label, part in groups(here))


def _environment_row(label: str, slug: str, rows: pd.DataFrame, found: Estimates) -> dict[str, str]:
    ranked = rows[rows["best"].notna()].sort_values("best")
    shown = _shown(found.environments, rows, slug)
    return {
        "Environment": environment(slug).title,
        "Model, agent": label,
        "Start (raw)": number(rows["starting_raw"].median(), 3),
        "Best": number(rows["best"].max()),
        "Verified": NOTHING if ranked.empty else number(ranked["verified"].iloc[-1]),
        "Mean": number(rows["best"].clip(lower=0).mean()),
        "Best of k": number(shown["score"]) if shown is not None else NOTHING,
        "95 % interval": span(shown["low"], shown["high"]) if shown is not None else NOTHING,
        "Experts beaten": percent(shown["experts_beaten"]) if shown is not None else NOTHING,
        "k": str(shown["k"]) if shown is not None else NOTHING,
        "Attempts": str(len(rows)),
    }


def _shown(estimates: pd.DataFrame, rows: pd.DataFrame, slug: str) -> "pd.Series | None":
    here = estimates[(estimates["environment"] == slug) & estimates["score"].notna()]
    same = (here[list(GROUP)] == rows[list(GROUP)].iloc[0]).all(axis=1)
    here = here[same]
    within = here[here["total_hours"] <= EXPERT_HOURS]
    chosen = (here if within.empty else within).sort_values("total_hours")
    return None if chosen.empty else chosen.iloc[-1]


def spent(attempts: pd.DataFrame) -> Table:
    """Return tokens, money and hours of each group and environment."""
    rows = [
        {
            "Environment": environment(slug).title,
            "Model, agent": label,
            "Tokens in": number(part["tokens_input"].sum(), 0),
            "Tokens out": number(part["tokens_output"].sum(), 0),
            "Cache read": number(part["tokens_cache_read"].sum(), 0),
            "Cost (USD)": number(part["cost"].sum()) if part["cost"].notna().any() else NOTHING,
            "Working hours": number(part["working_hours"].sum()),
            "GPU-hours": number(part["gpu_hours"].sum(min_count=1)),
        }
        for slug, label, part in _parts(attempts)
    ]
    return Table(
        "Tokens, money, hours",
        "Sums over attempts; a cost is there where prices were known to Inspect.",
        pd.DataFrame(rows),
    )


def missing(found: Estimates) -> Table:
    """Return what has no number, with the reason."""
    absent = found.environments[found.environments["score"].isna()]
    rows = [
        {"Model, agent": label, "What": f"{slug} at {hours(total)} in total", "Why": str(why)}
        for label, chosen in groups(absent)
        for slug, total, why in zip(chosen["environment"], chosen["total_hours"], chosen["missing"], strict=True)
    ]
    for label, chosen in groups(found.suite):
        names = str(chosen.sort_values("n_environments")["missing"].iloc[-1])
        if names:
            rows.append({"Model, agent": label, "What": names, "Why": "no attempt has a score"})
    return Table("What is missing", "", cut(pd.DataFrame(rows, columns=["Model, agent", "What", "Why"])))
