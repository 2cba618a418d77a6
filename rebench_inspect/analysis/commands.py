"""The commands `report`, `export`, `flag` and `unflag`; the command line's group takes them as they are."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.progress import Progress as Bar

from rebench_inspect.analysis.files import json_lines, write_csv, write_json, write_parquet
from rebench_inspect.analysis.html import render_html
from rebench_inspect.analysis.metr import metr_runs, viz_frame
from rebench_inspect.analysis.normalize import Flagged, Source, with_anchors, with_flagged
from rebench_inspect.analysis.read import Progress, Reading, read_logs
from rebench_inspect.analysis.report import VIEW_URL, Choices, Results, build_report
from rebench_inspect.analysis.sources import find_logs
from rebench_inspect.analysis.text import print_report, render_markdown
from rebench_inspect.analysis.verdicts import add_verdict

LEFT_OUT_STATUS = 3
"""Exit status when something that was there is not in the results."""

FAULTS_STATUS = 4
"""Exit status of `--fail-on faults` when there is a fault."""

MANY_LOGS = 1000
"""From so many logs on, starting processes pays."""

_LOCAL_FILE = click.Path(dir_okay=False, path_type=Path)
_LOCAL_FOLDER = click.Path(file_okay=False, path_type=Path)
_LOGS = click.argument("logs", nargs=-1, required=True)
_FLAGGED = click.option(
    "--with-flagged",
    "flagged",
    type=click.Choice(["keep", "drop", "as_start"]),
    default="keep",
    show_default=True,
    help="What happens to flagged attempts.",
)
_ANCHORS = click.option(
    "--anchors",
    default="own",
    show_default=True,
    help="own (each attempt's), published, local, or a file or folder of local anchors.",
)


@click.command()
@_LOGS
@click.option("-o", "--output", type=_LOCAL_FILE, help="Write the report here; tables in the terminal without it.")
@click.option(
    "--format", "form", type=click.Choice(["html", "md"]), help="Form of the report; from the file's name by default."
)
@click.option("--parquet", type=_LOCAL_FOLDER, help="Write attempts and scorings as Parquet into this folder.")
@click.option("--csv", type=_LOCAL_FOLDER, help="Write attempts and scorings as CSV into this folder.")
@click.option("--json", "json_file", type=_LOCAL_FILE, help="Write the numbers of the report as JSON.")
@click.option("--fail-on", type=click.Choice(["faults"]), help="Exit with status 4 when a scoring is a fault.")
@_ANCHORS
@_FLAGGED
@click.option("--replacement", is_flag=True, help="Best-of-k as in the paper; unbiased by default.")
@click.option(
    "--experts", "experts_table", type=_LOCAL_FILE, help="CSV of your own experts (environment, raw, minutes, source)."
)
@click.option("--resamples", default=1000, show_default=True, type=click.IntRange(1), help="Resamples of an interval.")
@click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
@click.option("--view-url", default=VIEW_URL, show_default=True, help="Address of Inspect View, for links.")
def report(
    logs: tuple[str, ...],
    output: Path | None,
    form: str | None,
    parquet: Path | None,
    csv: Path | None,
    json_file: Path | None,
    fail_on: str | None,
    **options: object,
) -> None:
    """Report the results in LOGS: files, folders or URLs of Inspect logs.

    Exit status 3 says that something was left out; each is named.
    """
    source, anchors_file = _anchors(str(options.pop("anchors")))
    options["experts_table"] = str(options["experts_table"]) if options["experts_table"] else None
    choices = Choices(anchors=source, **options)  # pyright: ignore[reportArgumentType] - click has checked the types
    reading = _read(logs, anchors_file)
    form = form or _form(output)
    results = build_report(reading, choices, pictures=form == "html")
    _show(results, output, form)
    if parquet:
        write_parquet(reading, parquet)
    if csv:
        write_csv(reading, csv)
    if json_file:
        write_json(reading, results, choices, json_file)
    _exit(reading, fail_on)


@click.command()
@_LOGS
@click.option(
    "--to",
    type=click.Choice(["metr", "viz"]),
    default="metr",
    show_default=True,
    help="METR's columns, or a frame for inspect_viz.",
)
@click.option(
    "-o",
    "--output",
    type=_LOCAL_FILE,
    help="File (.jsonl, or .parquet for viz); JSON lines on standard output without it.",
)
@click.option("--all-scales", is_flag=True, help="METR: also attempts at other scales than the experts'.")
@_ANCHORS
@_FLAGGED
def export(
    logs: tuple[str, ...], to: str, output: Path | None, all_scales: bool, anchors: str, flagged: Flagged
) -> None:
    """Export the attempts in LOGS in the columns of METR's run files, or for inspect_viz."""
    source, anchors_file = _anchors(anchors)
    reading = _read(logs, anchors_file)
    attempts = with_flagged(with_anchors(reading.attempts, source), flagged)
    frame = viz_frame(attempts) if to == "viz" else metr_runs(attempts, all_scales=all_scales)
    elsewhere = int((attempts["scale"] != "paper").sum())
    if to == "metr" and elsewhere and not all_scales:
        click.echo(
            f"{elsewhere} attempts are not at the scale paper and were left out; --all-scales takes them", err=True
        )
    if output is None:
        click.echo(json_lines(frame), nl=False)
    elif output.suffix == ".parquet":
        frame.to_parquet(output, index=False)
    else:
        output.write_text(json_lines(frame), encoding="utf-8")
    _exit(reading, None)


@click.command()
@click.argument("log")
@click.argument("sample")
@click.option("--reason", required=True, help="Why; every report shows it.")
@click.option("--epoch", type=int, help="Needed where the log has several epochs of the sample.")
def flag(log: str, sample: str, reason: str, epoch: int | None) -> None:
    """Flag the attempt SAMPLE of LOG: a person's verdict, stored beside the log and used by every analysis."""
    _decide(log, sample, "flagged", reason, epoch)


@click.command()
@click.argument("log")
@click.argument("sample")
@click.option("--reason", default="looked at and cleared", show_default=True, help="Why.")
@click.option("--epoch", type=int, help="Needed where the log has several epochs of the sample.")
def unflag(log: str, sample: str, reason: str, epoch: int | None) -> None:
    """Clear the attempt SAMPLE of LOG, whether a person or the scorer flagged it."""
    _decide(log, sample, "cleared", reason, epoch)


def _decide(log: str, sample: str, decision: Literal["flagged", "cleared"], reason: str, epoch: int | None) -> None:
    verdict = add_verdict(log, sample, decision, reason, epoch)
    click.echo(f"{verdict.decision}: attempt {verdict.attempt_id} of {verdict.log} ({verdict.reason})")


def _anchors(text: str) -> tuple[Source, Path | None]:
    if text in ("own", "published", "local"):
        return text, None
    return "local", Path(text)


def _read(logs: tuple[str, ...], anchors: Path | None) -> Reading:
    with _bar() as progress:
        reading = read_logs(logs, anchors=anchors, processes=_processes(logs), progress=progress)
    for problem in reading.problems:
        click.echo(str(problem), err=True)
    return reading


def _processes(logs: tuple[str, ...]) -> int:
    return min(os.cpu_count() or 1, 8) if len(find_logs(logs)) >= MANY_LOGS else 1


@contextmanager
def _bar() -> Generator[Progress | None]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task("reading logs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _form(output: Path | None) -> str | None:
    if output is None:
        return None
    return "md" if output.suffix == ".md" else "html"


def _show(results: Results, output: Path | None, form: str | None) -> None:
    if form is None:
        print_report(results.report, Console())
        return
    text = render_markdown(results.report) if form == "md" else render_html(results.report)
    if output is None:
        click.echo(text)
    else:
        output.write_text(text, encoding="utf-8")
        click.echo(f"wrote {output}")


def _exit(reading: Reading, fail_on: str | None) -> None:
    if fail_on == "faults" and (reading.scorings["fault"] != "").any():
        sys.exit(FAULTS_STATUS)
    if any(problem.left_out for problem in reading.problems):
        sys.exit(LEFT_OUT_STATUS)
