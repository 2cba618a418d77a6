"""The report: complete, self-contained, the same numbers in every form, made also from incomplete logs."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from rebench_inspect.analysis import FULL_DAY_MINUTES, commands, expert_curve, experts, read_logs
from rebench_inspect.analysis.html import render_html
from rebench_inspect.analysis.read import Reading
from rebench_inspect.analysis.report import Choices, build_report
from rebench_inspect.analysis.table import hours, number, percent, span
from rebench_inspect.analysis.text import render_markdown
from tests.analysis import synthetic
from tests.analysis.logs import LIMITED, SUBMITTED, WITHOUT_VALID, changed, evals


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    for log in (SUBMITTED, WITHOUT_VALID, LIMITED):
        shutil.copy(log, folder / log.name)
    return folder


def run(command: click.Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


class _Page(HTMLParser):
    """Collects addresses and ids, and checks that elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "path", "use", "link"):
            self.open.append(tag)
        fields = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.addresses += [str(fields[name]) for name in ("src", "href", "xlink:href") if fields.get(name)]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "use"):
            assert self.open.pop() == tag


def _parsed(html: str) -> _Page:
    page = _Page()
    page.feed(html)
    page.close()
    return page


def test_html_is_whole_and_self_contained(logs: Path):
    """One well-formed page without scripts or addresses but links to Inspect View; ids on it are unique."""
    html = render_html(build_report(read_logs(logs), Choices()).report)
    page = _parsed(html)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(address.startswith(("#", "http://127.0.0.1:7575/")) for address in page.addresses)
    assert "<script" not in html
    assert not re.search(r"url\((?!#)", html)
    assert html.count("<svg") == 3
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html
    assert "@media print" in html


def test_whole_suite():
    """Seven environments and two models: complete suite scores beside the experts, a picture for each environment."""
    results = build_report(synthetic.reading(attempts=4), Choices(resamples=50))
    suite = results.estimates["paper"].suite
    assert suite["complete"].all()
    assert suite[suite["total_hours"] == 8]["experts"].notna().all()
    assert (suite["low"] <= suite["high"]).all()
    html = render_html(results.report)
    assert html.count("<svg") == 2 + 7
    assert len(_parsed(html).ids) == len(set(_parsed(html).ids))


def test_experts_beside_a_part_of_the_suite():
    """Beside a model that has two environments stand the experts of these two, at the same total budget."""
    whole = synthetic.reading(attempts=4)
    part = (whole.attempts["model"] == "example/model-a") & ~whole.attempts["environment"].isin(["kernel", "gpt2_qa"])
    found = build_report(whole._replace(attempts=whole.attempts[~part]), Choices(resamples=20), pictures=False)
    suite = found.estimates["paper"].suite.set_index(["model", "total_hours"])
    two = experts(minutes=FULL_DAY_MINUTES).query("environment in ('kernel', 'gpt2_qa')")
    of_two = expert_curve(two, [8.0])["score"].item()
    of_all = expert_curve(experts(minutes=FULL_DAY_MINUTES), [8.0])["score"].item()
    assert suite.loc[("example/model-a", 8.0), "experts"] == pytest.approx(of_two)
    assert suite.loc[("example/model-b", 8.0), "experts"] == pytest.approx(of_all)


def test_text_of_logs_is_no_markup(tmp_path: Path):
    """A model's name or an error cannot put markup into any form of the report."""
    evil = "<img src=x onerror=alert(1)>|[x](http://y)"
    log = changed(SUBMITTED, tmp_path / "a.eval", header=evals(model=evil))
    report = build_report(read_logs(log), Choices()).report
    assert "<img" not in render_html(report)
    assert "<img" not in render_markdown(report).replace("\\<", "")
    assert not re.search(r"(?<!\\)\]\(http://y", render_markdown(report))


def test_numbers_agree_in_every_form(logs: Path, tmp_path: Path):
    """The suite score of the JSON is the one that stands in HTML and Markdown."""
    result = run(commands.report, logs, "-o", tmp_path / "r.html", "--json", tmp_path / "r.json")
    assert result.exit_code == 0, result.output
    assert run(commands.report, logs, "-o", tmp_path / "r.md").exit_code == 0
    suite = json.loads((tmp_path / "r.json").read_text())["scales"]["test"]["suite"]
    scores = [number(row["score"]) for row in suite if row["score"] is not None]
    assert scores
    for name in ("r.html", "r.md"):
        text = (tmp_path / name).read_text()
        assert all(score in text for score in scores)


def test_terminal(logs: Path):
    """Without a file the tables are printed."""
    result = run(commands.report, logs)
    assert result.exit_code == 0, result.output
    for title in ("Suite score", "Environments", "Tokens, money, hours", "What is missing", "Fingerprints"):
        assert title in result.output


def test_files(logs: Path, tmp_path: Path):
    """Parquet and CSV hold the frames as they were read."""
    run(commands.report, logs, "--parquet", tmp_path / "p", "--csv", tmp_path / "c")
    reading = read_logs(logs)
    for name in ("attempts", "scorings"):
        frame = getattr(reading, name)
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "p" / f"{name}.parquet"), frame)
        assert len(pd.read_csv(tmp_path / "c" / f"{name}.csv")) == len(frame)


def test_exit_status_three_when_something_is_left_out(logs: Path, tmp_path: Path):
    """A cut-off log costs itself: the report is made, a line names the file, the status is 3."""
    (logs / "cut.eval").write_bytes(SUBMITTED.read_bytes()[:-200])
    result = run(commands.report, logs, "-o", tmp_path / "r.html")
    assert result.exit_code == 3
    assert re.search(r"cut\.eval: no readable Inspect log .*; the file was left out", result.stderr)
    assert "cut.eval" in (tmp_path / "r.html").read_text()


def test_fail_on_faults(logs: Path):
    """Faults change the status only when asked to."""

    def fault(sample: dict[str, Any]) -> None:
        sample["uuid"] += "f"
        sample["store"]["Ledger:scorings"][1].update(outcome="machine_fault", message="the GPU is lost", raw=None)

    changed(
        SUBMITTED,
        logs / "faulty.eval",
        fault,
        evals(task_id="f", eval_id="f"),
    )
    assert run(commands.report, logs).exit_code == 0
    result = run(commands.report, logs, "--fail-on", "faults")
    assert result.exit_code == 4
    assert "the GPU is lost" in result.output


@pytest.mark.parametrize("attempts", [0, 1])
def test_few_attempts(tmp_path: Path, attempts: int):
    """No attempt, or a single one, still gives every form of the report."""
    source = read_logs(WITHOUT_VALID) if attempts else read_logs(tmp_path)
    report = build_report(source, Choices()).report
    assert _parsed(render_html(report)).open == []
    assert "No attempt was found." in render_markdown(report) or attempts


def test_attempts_without_any_score(tmp_path: Path):
    """Attempts whose anchors are unknown are named as being in no mean, and the report is made."""

    def forget(sample: dict[str, Any]) -> None:
        sample["store"]["Ledger:anchors"] = {}

    report = build_report(read_logs(changed(SUBMITTED, tmp_path / "a.eval", forget)), Choices()).report
    assert "2 attempts have no score by own anchors" in render_html(report)


def test_rows_that_are_not_comparable_are_warned_of(logs: Path):
    """Attempts under different rules in one table carry a warning with their keys."""

    def other(sample: dict[str, Any]) -> None:
        sample["store"]["Ledger:attempt"]["internet"] = True
        sample["uuid"] += "i"

    changed(SUBMITTED, logs / "other.eval", other, evals(task_id="o", eval_id="o"))
    assert "do not compare their scores" in run(commands.report, logs, "--format", "md").output


def test_flag_and_unflag(logs: Path):
    """The commands store verdicts, and reports show what leaving flagged attempts out changes."""
    log = next(logs.glob("*submitted.eval"))
    assert "flagged: attempt" in run(commands.flag, log, "kernel-1", "--reason", "copied the reference").output
    shown = run(commands.report, logs, "--format", "md").output
    assert "copied the reference" in shown
    assert "#/logs/" in shown
    assert "/samples/sample/kernel-1/1" in shown
    assert "of which 1 flagged (drop)" in run(commands.report, logs, "--format", "md", "--with-flagged", "drop").output
    assert "cleared: attempt" in run(commands.unflag, log, "kernel-1").output
    assert "of which 0 flagged" in run(commands.report, logs, "--format", "md").output


def test_export(logs: Path, tmp_path: Path):
    """METR's lines and the frame for inspect_viz come out of one command each."""
    result = run(commands.export, logs, "--all-scales")
    assert len(result.stdout.splitlines()) == 4
    none = run(commands.export, logs)
    assert none.stdout.strip() == ""
    assert "4 attempts are not at the scale paper" in none.stderr
    assert run(commands.export, logs, "--to", "viz", "-o", tmp_path / "viz.parquet").exit_code == 0
    assert len(pd.read_parquet(tmp_path / "viz.parquet")) == 1


def test_wrong_arguments(logs: Path):
    """What does not exist is refused in one line with the status 2."""
    assert run(commands.report, logs / "none").exit_code == 2
    result = run(commands.report, logs, "--anchors", logs / "kernel-mini.json")
    assert result.exit_code == 2
    assert "holds no anchors" in result.output


def test_same_seed_same_report(logs: Path):
    """Two reports of the same logs with the same seed differ in nothing but their time."""
    reading = read_logs(logs)
    pages = [render_html(build_report(reading, Choices(seed=7)).report) for _ in range(2)]
    first, second = (re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", page) for page in pages)
    assert first == second


def test_inputs_are_not_changed(logs: Path):
    """Building a report leaves the frames as they were."""
    reading = read_logs(logs)
    before = Reading(reading.attempts.copy(deep=True), reading.scorings.copy(deep=True), list(reading.problems))
    build_report(reading, Choices(flagged="as_start", anchors="published"))
    pd.testing.assert_frame_equal(reading.attempts, before.attempts)
    pd.testing.assert_frame_equal(reading.scorings, before.scorings)


def test_text_of_numbers():
    """Numbers have a true minus, gaps are dashes, short budgets are minutes."""
    assert number(-1234.5) == "\N{MINUS SIGN}1,234.50"
    assert [number(-0.001), number(-0.006), number(0)] == ["0.00", "\N{MINUS SIGN}0.01", "0.00"]
    assert [number(np.nan), span(None, None), percent(np.nan)] == ["\N{EN DASH}"] * 3
    assert [hours(0.5), hours(8), hours(0.05)] == ["30 min", "8 h", "3 min"]
