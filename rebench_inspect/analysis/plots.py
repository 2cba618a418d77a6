"""The pictures of the report: vector graphics whose ink follows the page, so that light and dark both work."""

# Matplotlib annotates its methods in part: that they are known in part is its matter, not ours.
# pyright: reportUnknownMemberType=false

import io
import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from rebench_inspect.analysis.estimates import Estimates
from rebench_inspect.analysis.table import Figure, hours
from rebench_inspect.environments import ENVIRONMENTS, environment

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's colours: told apart with every kind of colour vision, and on white and black alike."""

MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))


class Look(NamedTuple):
    """How one group looks in every picture of a scale; colour is never the only difference."""

    colour: str
    marker: str
    dashes: Any


Looks = Mapping[str, Look]
_LOOKS = [Look(*parts) for parts in zip(PALETTE, MARKERS, DASHES, strict=True)]
THIN_LINES = 30
"""Up to so many attempts each gets its own line; above, a band holds the middle 80 percent."""

_INK, _GRID = "#010203", "#040506"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "rebench-inspect",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": _GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
}
_WIDTH_INCHES = 5.2


def groups(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the groups of a frame in the order of their names, each with its label."""
    labels = frame["model"].astype(str) + ", " + frame["agent"].astype(str)
    return [(label, frame[labels == label]) for label in sorted(labels.unique())]


def figures(attempts: pd.DataFrame, scorings: pd.DataFrame, found: Estimates, table: pd.DataFrame) -> list[Figure]:
    """Return the pictures of one scale.

    Args:
        attempts: Attempts of the scale.
        scorings: Scorings, of other attempts too.
        found: Estimates of the scale.
        table: Experts.
    """
    looks = {label: look for (label, _), look in zip(groups(attempts), cycle(_LOOKS), strict=False)}
    progress = [progress_figure(scorings, attempts, slug, looks) for slug in _ordered(attempts)]
    return [budget_figure(found, looks), strip_figure(attempts, table, looks), *progress]


def budget_figure(found: Estimates, looks: Looks) -> Figure:
    """Draw the suite score against the total budget, with intervals and the experts' curve."""
    with mpl.rc_context(_STYLE):
        canvas, axes = _canvas(3.4)
        for label, rows in groups(found.suite[found.suite["score"].notna()]):
            _curve(axes, looks[label], label, _of_most_environments(rows))
        experts = _of_most_environments(found.experts)
        if not experts.empty:
            axes.plot(experts["total_hours"], experts["score"], color=_INK, marker="x", lw=1.2, label="human experts")
        _budget_axis(axes, found.budgets)
        axes.set_ylabel("normalised score")
        axes.set_ylim(bottom=0)
        _legend(canvas, axes)
        alt = "Suite score against total time budget; the same numbers are in the table of the suite score."
        return Figure(
            "Score against total time budget (best-of-k), 95 % intervals", alt, _svg(canvas, f"budget-{found.scale}")
        )


def strip_figure(attempts: pd.DataFrame, table: pd.DataFrame, looks: Looks) -> Figure:
    """Draw every attempt of every environment as a dot, experts above."""
    slugs = _ordered(attempts)
    with mpl.rc_context(_STYLE):
        canvas, axes = _canvas(1.1 + 0.55 * len(slugs) * (1 + 0.25 * len(groups(attempts))))
        for row, slug in enumerate(slugs):
            _strip(axes, row, attempts[attempts["environment"] == slug], table[table["environment"] == slug], looks)
        axes.set_yticks(range(len(slugs)), [environment(slug).title for slug in slugs])
        axes.set_ylim(len(slugs) - 0.5, -0.55)
        for row in range(len(slugs) - 1):
            axes.axhline(row + 0.5, color=_GRID, lw=0.8)
        axes.axvline(0, color=_INK, lw=0.8)
        axes.axvline(1, color=_INK, lw=0.8, ls=":")
        axes.set_xlabel("normalised score (0 start, 1 reference)")
        axes.grid(visible=False, axis="y")
        _legend(canvas, axes)
        alt = "Each attempt's best score by environment, with the experts' scores above."
        return Figure("Attempts and experts (hollow: flagged)", alt, _svg(canvas, f"strip-{attempts['scale'].iloc[0]}"))


def progress_figure(scorings: pd.DataFrame, attempts: pd.DataFrame, slug: str, looks: Looks) -> Figure:
    """Draw the best score so far of the attempts of one environment against working time, by their own anchors."""
    chosen = attempts[attempts["environment"] == slug]
    steps = dict(iter(scorings[scorings["environment"] == slug].groupby("attempt_id")))
    end = float(max(chosen["budget_hours"].max(), 1e-6))
    grid = np.linspace(0, end, 121)
    with mpl.rc_context(_STYLE):
        canvas, axes = _canvas(2.9)
        for label, rows in groups(chosen):
            curves = [_steps(steps[key], grid) for key in rows["attempt_id"] if key in steps]
            _progress(
                axes, looks[label], label, grid, np.asarray([curve for curve in curves if np.isfinite(curve).all()])
            )
        axes.set_xlabel("working time (hours)")
        axes.set_ylabel("best so far (own anchors)")
        axes.set_xlim(0, end)
        _legend(canvas, axes)
        title, scale = environment(slug).title, chosen["scale"].iloc[0]
        alt = f"Best normalised score so far against working time in {title}; thick lines are medians."
        return Figure(
            f"{title}: best score so far (thick: median)",
            alt,
            _svg(canvas, f"progress-{scale}-{slug}"),
        )


def _ordered(attempts: pd.DataFrame) -> list[str]:
    have = set(attempts["environment"])
    return [row.slug for row in ENVIRONMENTS if row.slug in have]


def _canvas(height_inches: float) -> tuple[Canvas, Axes]:
    canvas = Canvas(figsize=(_WIDTH_INCHES, height_inches), layout="constrained")
    return canvas, canvas.add_subplot()


def _curve(axes: Axes, look: Look, label: str, rows: pd.DataFrame) -> None:
    axes.plot(
        rows["total_hours"], rows["score"], color=look.colour, marker=look.marker, ms=5, ls=look.dashes, label=label
    )
    axes.fill_between(rows["total_hours"], rows["low"], rows["high"], color=look.colour, alpha=0.18, lw=0)


def _budget_axis(axes: Axes, budgets: Sequence[float]) -> None:
    axes.set_xscale("log")
    shown = list(budgets)[:: max(1, len(budgets) // 6)]
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(_tick))
    axes.set_xlabel("total time budget")


def _tick(value: float, _: int | None) -> str:
    return hours(round(value, 6))


def _strip(axes: Axes, row: int, attempts: pd.DataFrame, table: pd.DataFrame, looks: Looks) -> None:
    places = dict(zip(looks, np.linspace(-0.28, 0.28, len(looks) + 1)[1:], strict=True))
    experts = table["normalised"].clip(lower=0)
    height = np.full(len(experts), row - 0.28)
    axes.scatter(experts, height, marker="x", s=22, color=_INK, lw=0.9, label="human experts")
    for label, rows in groups(attempts):
        look = looks[label]
        for flagged, part in rows.groupby("flagged"):
            axes.scatter(
                part["best"].clip(lower=0),
                np.full(len(part), places[label]) + row,
                s=24,
                alpha=0.75,
                marker=look.marker,
                facecolors="none" if flagged else look.colour,
                edgecolors=look.colour,
                label=label,
            )


def _of_most_environments(scores: pd.DataFrame) -> pd.DataFrame:
    """Keep the budgets whose mean is over the same, largest number of environments: a curve has one meaning."""
    kept = scores["score"].notna() & (scores["n_environments"] == scores["n_environments"].max())
    return scores.iloc[np.flatnonzero(kept)]


def _steps(scorings: pd.DataFrame, grid: np.ndarray) -> np.ndarray:
    starts = scorings["at_s"].to_numpy(dtype=float) / 3600
    scores = scorings["best_so_far"].clip(lower=0.0).to_numpy(dtype=float)
    where = np.searchsorted(starts, grid, side="right") - 1
    return np.where(where < 0, 0.0, scores[np.maximum(where, 0)])


def _progress(axes: Axes, look: Look, label: str, grid: np.ndarray, curves: np.ndarray) -> None:
    if not len(curves):
        return
    if len(curves) <= THIN_LINES:
        axes.step(grid, curves.T, where="post", color=look.colour, lw=0.8, alpha=0.45)
    else:
        low, high = np.quantile(curves, (0.1, 0.9), axis=0)
        axes.fill_between(grid, low, high, step="post", color=look.colour, alpha=0.18, lw=0)
    median = np.median(curves, axis=0)
    axes.step(grid, median, where="post", color=look.colour, lw=2.2, ls=look.dashes, label=label)


def _legend(canvas: Canvas, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    named = dict(zip(reversed(labels), reversed(handles), strict=True))
    if named:
        columns = 1 if max(map(len, named)) > 30 else 2
        canvas.legend(list(named.values())[::-1], list(named)[::-1], loc="outside upper left", ncols=columns)


def _svg(canvas: Canvas, name: str) -> str:
    """Return the picture as one SVG element: ink follows the page's colour, ids are unique on the page."""
    out = io.StringIO()
    canvas.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(_INK, "currentColor").replace(_GRID, "var(--grid)")
    for number, colour in enumerate(PALETTE):
        text = text.replace(colour, f"var(--c{number})")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(
        r'^<svg ([^>]*?)width="[^"]*"', r"<svg \1", re.sub(r'(<svg [^>]*?)height="[^"]*" ?', r"\1", text, count=1)
    )
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", text)
