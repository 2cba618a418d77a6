"""The report as one HTML file: no network, light and dark, for screen, phone and paper."""

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rebench_inspect.analysis.definitions import TEMPLATES
from rebench_inspect.analysis.table import Report, Table, is_number


def render_html(report: Report) -> str:
    """Return the whole page; everything that came from logs is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    style = Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704 - our own file
    return environment.get_template("report.html.j2").render(
        report=report, style=style, is_number=is_number, rows=_rows, picture=Markup
    )


def _rows(table: Table) -> list[tuple[str, list[str]]]:
    links = [*table.links, *[""] * (len(table.cells) - len(table.links))]
    values: list[list[str]] = table.cells.astype(str).to_numpy().tolist()
    return list(zip(links[: len(values)], values, strict=True))
