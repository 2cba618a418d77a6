"""The report as Markdown, and as tables in a terminal; the pictures are in the HTML form alone."""

import re
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable

from rebench_inspect.analysis.table import Report, Table, is_number


def render_markdown(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown."""
    lines = [f"# {report.title}", "", *(f"- {name}: {_plain(text)}" for name, text in report.facts), ""]
    lines += [f"> {_plain(notice)}\n" for notice in report.notices]
    for section in report.sections:
        lines += [f"## {section.title}", "", *(f"> {_plain(notice)}\n" for notice in section.notices)]
        lines += [line for table in section.tables for line in _markdown(table)]
    lines += ["## Reviews, faults, fingerprints", "", *(line for table in report.tables for line in _markdown(table))]
    lines += ["## Definitions", "", *(f"- **{term}**: {_plain(text)}" for term, text in report.definitions), ""]
    return "\n".join(lines)


def print_report(report: Report, console: Console) -> None:
    """Print the tables; empty ones are left out."""
    console.print(escape(report.title), style="bold")
    for name, text in report.facts:
        console.print(f"{name}: {text}", markup=False, highlight=False)
    for notice in report.notices:
        console.print(notice, style="yellow", markup=False)
    for section in report.sections:
        console.rule(section.title)
        for notice in section.notices:
            console.print(notice, style="yellow", markup=False)
        for table in section.tables:
            _print(table, console)
    for table in report.tables:
        _print(table, console)


def _print(table: Table, console: Console) -> None:
    if table.cells.empty:
        return
    if _least_width(table) > console.width:
        _print_blocks(table, console)
        return
    grid = RichTable(title=table.title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name in table.cells.columns:
        grid.add_column(str(name), overflow="fold", justify="right" if is_number(table.cells[name].iloc[0]) else "left")
    for cells in table.cells.itertuples(index=False, name=None):
        grid.add_row(*(escape(str(cell)) for cell in cells))
    console.print(grid)


def _least_width(table: Table) -> int:
    """Return the width below which some word would break: the longest word of each column, and the gaps."""
    columns = [[str(name), *table.cells[name].astype(str)] for name in table.cells.columns]
    return sum(3 + max(len(word) for text in column for word in text.split() or [""]) for column in columns)


def _print_blocks(table: Table, console: Console) -> None:
    """Print each row as a block of named values, where the columns do not fit beside each other."""
    console.print(escape(table.title), style="bold")
    first, *others = (str(name) for name in table.cells.columns)
    for cells in table.cells.astype(str).to_dict("records"):
        console.print(f"  {cells[first]}", markup=False)
        values = [f"{name}: {cells[name]}" for name in others if cells[name]]
        console.print(Padding(escape("; ".join(values)), (0, 0, 0, 4)))
    console.print()


def _markdown(table: Table) -> Iterator[str]:
    yield from (f"### {table.title}", "")
    if table.note:
        yield from (_plain(table.note), "")
    if table.cells.empty:
        yield from ("None.", "")
        return
    names = [str(name) for name in table.cells.columns]
    yield _row(names)
    yield _row(["---"] * len(names))
    for number, cells in enumerate(table.cells.astype(str).itertuples(index=False, name=None)):
        first = f"[{_cell(cells[0])}]({table.links[number]})" if number < len(table.links) else _cell(cells[0])
        yield _row([first, *map(_cell, cells[1:])])
    yield ""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: object) -> str:
    return _plain(str(text)).replace("|", "\\|")


def _plain(text: str) -> str:
    """Keep text of logs from becoming markup: one line, and no character that Markdown or HTML would act on."""
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", " ".join(text.split()))
