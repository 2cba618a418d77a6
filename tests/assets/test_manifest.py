"""The manifest: what it must say of every asset, and what it refuses."""

import re
from pathlib import Path

import pytest

from rebench_inspect import assets
from rebench_inspect.assets import AssetError
from rebench_inspect.environments import ENVIRONMENTS, SCALE_NAMES
from rebench_inspect.errors import UsageError

ROWS = assets.manifest()
RECIPES = Path(assets.MANIFEST).parent / "recipes"

ROW = """
[[recipe]]
name = "text"
scale = "test"
how = "make"
program = "corpus"
source = "s"
licence = "MIT"
environments = ["fix_embedding"]
assets = [{ file = "a.txt", visibility = "agent" }]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "assets.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_row_is_complete() -> None:
    """Each row names a program that exists, a source, a licence, and environments of the table."""
    slugs = {row.slug for row in ENVIRONMENTS}
    for row in ROWS:
        assert (RECIPES / f"{row.program}.py").is_file(), row.name
        assert row.source, row.name
        assert row.licence, row.name
        assert set(row.environments) <= slugs, row.name


@pytest.mark.parametrize("scale", [*SCALE_NAMES, "test"])
def test_what_the_scorer_alone_may_see(scale: str) -> None:
    """Held-out text, seeds, the large model's weights and losses are the scorer's alone; the small model is not."""
    seen = {f"{row.name}/{asset.file}": asset.visibility for row in ROWS if row.scale == scale for asset in row.assets}
    for name, visibility in seen.items():
        hidden = re.search(r"scoring|verified|heldout|pool|seed|losses|^model-large", name) is not None
        assert visibility == ("scorer" if hidden else "agent"), name
    assert "model-large/model.safetensors" in seen
    assert "model-small/model.safetensors" in seen


def test_models_are_hidden_where_the_manifest_says_so() -> None:
    """The parameter that tells a model's program where to write agrees with the visibility of its assets."""
    for row in ROWS:
        if "hidden" in row.parameters:
            assert {asset.visibility for asset in row.assets} == {"scorer" if row.parameters["hidden"] else "agent"}


def test_hub_models_are_pinned_by_commit() -> None:
    """Models come from a commit, not from a branch; the data set's branch is recorded at the first fetch."""
    fetched = [row.parameters for row in ROWS if row.how == "fetch"]
    assert {row["repository"] for row in fetched} >= {"openai-community/gpt2-xl", "openai-community/gpt2"}
    for row in fetched:
        if row["kind"] == "model":
            assert re.fullmatch(r"[0-9a-f]{40}", row["revision"])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("agent", "everybody"), "visibility='everybody'"),
        (("a.txt", "../a.txt"), r"file='\.\./a\.txt'"),
        (('scale = "test"', 'scale = "big"'), "scale must be one of"),
        (('how = "make"', 'how = "buy"'), "how must be"),
        (('licence = "MIT"', ""), "licence"),
        (("environments", "colour = 1\nenvironments"), "colour"),
        (('source = "s"', 'source = "s"\nneeds = ["air"]'), "needs 'air', which must stand before it"),
        (("[[recipe]]", "[[recipe"), "is no manifest"),
    ],
)
def test_malformed_rows_are_refused(tmp_path: Path, change: tuple[str, str], named: str) -> None:
    """A malformed manifest is refused with one line that names what is wrong."""
    with pytest.raises(AssetError, match=named) as caught:
        assets.manifest(write(tmp_path, ROW.replace(*change)))
    assert "\n" not in caught.value.message


def test_a_row_stands_once(tmp_path: Path) -> None:
    """Two rows of one name and scale are refused."""
    with pytest.raises(AssetError, match="text stands twice at test"):
        assets.manifest(write(tmp_path, ROW + ROW))


def test_selection_brings_what_is_needed_in_order() -> None:
    """Choosing recipes brings what they need, before them, of either kind."""
    names = [row.name for row in assets.select(ROWS, scale="paper", how="fetch")]
    assert names.index("tokenizer") < names.index("openwebtext")
    assert [row.name for row in assets.select(ROWS, slug="restricted_mlm", scale="mini")] == ["corpus", "tokenizer"]
    assert not assets.select(ROWS, slug="kernel")


@pytest.mark.parametrize(("slug", "scale", "named"), [("nope", None, "'nope'"), (None, "big", "--scale big")])
def test_unknown_names_are_refused(slug: str | None, scale: str | None, named: str) -> None:
    """An environment or scale that does not exist is refused with the allowed names."""
    with pytest.raises(UsageError, match=named) as caught:
        assets.select(ROWS, slug=slug, scale=scale)
    assert "choose one of" in caught.value.message
