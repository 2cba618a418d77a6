"""What every form of the report is made of: tables of text, pictures, notices."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"

_NUMBER = re.compile(rf"{NOTHING}|{MINUS}?[\d.,]+((%| h| min)|( to | of ){MINUS}?[\d.,]+)?")

MOST_ROWS = 200
"""Longer lists are cut, and say so."""


class Table(NamedTuple):
    """A table for people: every cell is text.

    Attributes:
        title: Heading.
        note: One or two sentences under it; may be empty.
        cells: Text of each cell; the columns are the headings.
        links: Address of the first cell of each row, where there is one.
    """

    title: str
    note: str
    cells: pd.DataFrame
    links: tuple[str, ...] = ()


class Figure(NamedTuple):
    """A vector picture, with its caption and a text that stands for it."""

    caption: str
    alt: str
    svg: str


class Section(NamedTuple):
    """One scale of the report: scores of different scales never share a table."""

    title: str
    notices: list[str]
    tables: list[Table]
    figures: list[Figure]


class Report(NamedTuple):
    """The whole report, before it gets a form.

    Attributes:
        title: Heading.
        facts: What was read and how, as pairs of name and value.
        notices: What a reader must know first.
        sections: One a scale.
        tables: What does not depend on the scale: reviews, faults, fingerprints, problems.
        definitions: Terms and their meanings.
    """

    title: str
    facts: list[tuple[str, str]]
    notices: list[str]
    sections: list[Section]
    tables: list[Table]
    definitions: list[tuple[str, str]]


def number(value: object, digits: int = 2) -> str:
    """Return a number as text with a true minus sign, or a dash where there is none."""
    if value is None or pd.isna(float(str(value))):
        return NOTHING
    text = f"{float(str(value)):,.{digits}f}"
    return text.replace("-", MINUS if text.strip("-0.,") else "")


def span(low: object, high: object) -> str:
    """Return an interval as text."""
    return NOTHING if number(low) == NOTHING else f"{number(low)} to {number(high)}"


def percent(share: object) -> str:
    """Return a share as a whole percentage."""
    return NOTHING if share is None or pd.isna(float(str(share))) else f"{float(str(share)):.0%}"


def hours(value: float) -> str:
    """Return hours as text, minutes below one hour."""
    return f"{value:g} h" if value >= 1 else f"{value * 60:.3g} min"


def is_number(text: str) -> bool:
    """Say whether a cell is a number, an interval or a dash, and so stands at the right of its column."""
    return _NUMBER.fullmatch(text) is not None


def cut(cells: pd.DataFrame) -> pd.DataFrame:
    """Return at most `MOST_ROWS` rows, and a row that says how many more there are."""
    if len(cells) <= MOST_ROWS:
        return cells
    more: Sequence[str] = [f"and {len(cells) - MOST_ROWS} more", *[""] * (cells.shape[1] - 1)]
    return pd.concat([cells.iloc[:MOST_ROWS], pd.DataFrame([more], columns=cells.columns)], ignore_index=True)
