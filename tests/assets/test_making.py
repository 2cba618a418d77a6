"""Making, hashing and verifying, with a recipe program that takes no time: a stand-in for the recipes' Python."""

import shlex
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rebench_inspect import asset_commands, asset_making, asset_store, assets
from rebench_inspect.assets import Asset, AssetError, Recipe

PROGRAM = """
import json, pathlib, sys
job = json.load(open(sys.argv[-1]))
raw, public, private = (pathlib.Path(job[name]) for name in ("raw", "public", "private"))
runs = raw / "runs"
runs.write_text(str(int(runs.read_text()) + 1 if runs.exists() else 1))
print("working")
if job["parameters"].get("fails"):
    sys.exit("no luck; try again")
(public / "seen.txt").write_text(job["parameters"].get("text", "text"))
(private / "hidden.txt").write_text("secret")
(raw / "figures.json").write_text(json.dumps({"runs": int(runs.read_text()), "needs": job["needs"]}))
"""


@pytest.fixture(autouse=True)
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the program above instead of recipes, with an empty cache."""
    program, python = tmp_path / "program.py", tmp_path / "python"
    program.write_text(PROGRAM, encoding="utf-8")
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(program))} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv(asset_making.PYTHON_VARIABLE, str(python))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def recipe(name: str = "text", how: assets.How = "make", sha256: str = "", needs: tuple[str, ...] = (), **parameters):
    files = (Asset("seen.txt", "agent", sha256), Asset("hidden.txt", "scorer"))
    return Recipe(name, "test", how, "p", "here", "MIT", ("fix_embedding",), files, needs, parameters)


def make(*recipes: Recipe, force: bool = False) -> list[str]:
    lines: list[str] = []
    asset_making.make(recipes, lines.append, force=force)
    return lines


def runs(row: Recipe) -> int:
    record = asset_store.read(row)
    assert record is not None
    return record.figures["runs"]


def test_made_once_and_then_up_to_date() -> None:
    """The first call makes and shows the program's progress, the second finds everything up to date."""
    assert "  working" in make(recipe())
    assert make(recipe()) == ["test text: up to date"]
    assert not asset_store.problems(recipe())


def test_only_the_owner_reads_the_private_folder() -> None:
    """The agent's files and the scorer's lie in two folders; of the second, others can open neither folder nor file."""
    make(recipe())
    public, private = asset_store.prepared("fix_embedding", "test", (recipe(),))
    assert [path.name for path in (public / "text").iterdir()] == ["seen.txt"]
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert stat.S_IMODE((private / "text" / "hidden.txt").stat().st_mode) == 0o600
    assert stat.S_IMODE((public / "text" / "seen.txt").stat().st_mode) == 0o644


def test_an_altered_asset_is_found_refused_and_made_again() -> None:
    """A changed byte is reported by verify, stops every use, and the named command mends it."""
    row = recipe()
    make(row)
    path = asset_store.file_path(row, row.assets[0])
    path.write_text("tExt")
    assert [problem.file for problem in asset_store.problems(row)] == ["seen.txt"]
    with pytest.raises(AssetError, match=r"text/seen\.txt at test: sha256 .* run: rebench-inspect assets make"):
        asset_store.prepared("fix_embedding", "test", (row,))
    make(row)
    assert path.read_text() == "text"


def test_a_missing_asset_is_refused_with_the_command() -> None:
    """What was never made is refused at use with the command that makes it."""
    with pytest.raises(AssetError, match="not made; run: rebench-inspect assets make --scale test"):
        asset_store.prepared("fix_embedding", "test", (recipe(),))


def test_changed_parameters_make_stale_also_what_builds_on_them() -> None:
    """Other parameters, or other contents of what is needed, make an asset stale; the same contents do not."""
    user = recipe("user", needs=("text",))
    make(recipe(), user)
    with pytest.raises(AssetError, match="text at test is stale"):
        asset_store.prepared("fix_embedding", "test", (recipe(text="other"), user))
    assert make(recipe(text="other"), user)[-1].startswith("test user: done")
    assert make(recipe(text="other"), user) == ["test text: up to date", "test user: up to date"]


def test_work_goes_on_but_never_from_other_inputs() -> None:
    """The raw folder is kept over a failure, and emptied when the inputs change or all is to be made again."""
    make(recipe())
    asset_store.file_path(recipe(), recipe().assets[0]).unlink()
    make(recipe())
    assert runs(recipe()) == 2
    make(recipe(text="other"))
    assert runs(recipe(text="other")) == 1
    make(recipe(text="other"), force=True)
    assert runs(recipe(text="other")) == 1


def test_a_failure_is_one_line_and_leaves_nothing_made() -> None:
    """A recipe that fails gives its last line and the command; the asset counts as not made."""
    with pytest.raises(AssetError, match=r"text at test failed: no luck; try again .again: rebench-inspect assets"):
        make(recipe(fails=True))
    assert asset_store.read(recipe(fails=True)) is None


def test_a_fetched_asset_keeps_its_first_hash() -> None:
    """What a hub delivers later under the same revision must be what it delivered first."""
    row = recipe(how="fetch")
    make(row)
    record = asset_store.read(row)
    assert record is not None
    changed = asset_store.Record(record.key, record.made_at, record.figures, record.files | {"seen.txt": "0" * 64}, {})
    asset_store.write(row, changed)
    for _ in range(2):  # the first hash survives a refusal
        with pytest.raises(AssetError, match="expected 000000000000: the source has changed; pin its revision"):
            make(row)


def test_published_hashes() -> None:
    """A published hash binds what is fetched; of what is made, a difference is noted (packages move)."""
    with pytest.raises(AssetError, match="expected abcabcabcabc"):
        make(recipe(how="fetch", sha256="abc" * 21 + "a"))
    assert any("note: text/seen.txt" in line for line in make(recipe(sha256="abc" * 21 + "a")))


def test_a_python_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong interpreter is refused by its value."""
    monkeypatch.setenv(asset_making.PYTHON_VARIABLE, "/nowhere/python")
    with pytest.raises(AssetError, match="REBENCH_ASSETS_PYTHON=/nowhere/python is no file"):
        make(recipe())


def test_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """List, make and verify work from the command line; verify exits 1 and names what to do where a file is missing."""
    monkeypatch.setattr(asset_commands, "manifest", lambda: (recipe(),))
    call = CliRunner().invoke
    listed = call(asset_commands.assets, ["list", "--scale", "test"])
    assert "seen.txt" in listed.output
    assert "not here: rebench-inspect assets make --scale test" in listed.output
    assert call(asset_commands.assets, ["verify", "--scale", "test"]).exit_code == 1
    assert "nothing to fetch at test" in call(asset_commands.assets, ["fetch", "--scale", "test"]).output
    assert call(asset_commands.assets, ["make", "fix_embedding", "--scale", "test"]).exit_code == 0
    assert "made" in call(asset_commands.assets, ["list", "--scale", "test"]).output
    verified = call(asset_commands.assets, ["verify", "--scale", "test"])
    assert (verified.exit_code, verified.output) == (0, "2 assets verified, 0 wrong\n")
    assert call(asset_commands.assets, ["make", "nope"]).exit_code == 2
