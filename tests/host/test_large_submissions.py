"""Environments with large files: images of a scale, known solutions that are programs, what goes into the log."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rebench_inspect import asset_store, bundle, images
from rebench_inspect.assets import manifest
from rebench_inspect.environments import FIX_EMBEDDING, KERNEL
from rebench_inspect.measuring import texts

MINI = FIX_EMBEDDING.scale("mini")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put records and files of the image's assets at `mini` into an empty cache; return its assets folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for recipe in manifest():
        if recipe.scale == "mini" and recipe.name in (*FIX_EMBEDDING.image_assets, "model-large"):
            asset_store.open_folders(recipe)
            for asset in recipe.assets:
                asset_store.file_path(recipe, asset).write_text(asset.file, encoding="utf-8")
            files = {asset.file: asset_store.hashed(asset_store.file_path(recipe, asset)) for asset in recipe.assets}
            asset_store.write(recipe, asset_store.Record("key", "now", {}, files, dict.fromkeys(files, 1)))
    return tmp_path / "rebench-inspect" / "assets" / "mini"


def test_an_image_with_assets_belongs_to_a_scale() -> None:
    """Scales of one kind of hardware share an image only where it holds no assets of a scale."""
    assert images.image_name(KERNEL, KERNEL.scale("mini")) == images.image_name(KERNEL, KERNEL.scale("test"))
    assert images.image_name(FIX_EMBEDDING, MINI) == "rebench-inspect-fix-embedding:mini"
    assert images.build_command(FIX_EMBEDDING, MINI).endswith("build fix_embedding --scale mini")


def test_other_assets_make_an_image_stale(made: Path) -> None:
    """The content hash covers the recorded hash of every asset that the image holds."""
    before = images.content_hash(FIX_EMBEDDING, MINI)
    recipe = next(row for row in manifest() if (row.name, row.scale) == ("model-damaged", "mini"))
    record = asset_store.read(recipe)
    assert record
    changed: dict[str, Any] = {**asdict(record), "files": {**record.files, "model.safetensors": "other"}}
    asset_store.write(recipe, asset_store.Record(**changed))
    assert images.content_hash(FIX_EMBEDDING, MINI) != before
    assert made.is_dir()


def test_the_original_is_in_no_image(made: Path, tmp_path: Path) -> None:
    """What is laid out for the image has the damaged and the small model, secrets in `private` alone, no original."""
    assert made.is_dir()
    (tmp_path / "layout").mkdir()
    held = asset_store.lay_out(FIX_EMBEDDING, "mini", tmp_path / "layout")
    public = {str(path.relative_to(held.public)) for path in held.public.rglob("*") if path.is_file()}
    private = {str(path.relative_to(held.private)) for path in held.private.rglob("*") if path.is_file()}
    assert {"model-damaged/model.safetensors", "model-small/model.safetensors", "tokenizer/train.bin"} <= public
    assert private == {
        "model-damaged/losses.json",
        "model-damaged/seed.json",
        "tokenizer/scoring.bin",
        "tokenizer/verified.bin",
    }
    assert held.private.stat().st_mode & 0o777 == 0o700


def test_a_program_lies_over_the_starting_files() -> None:
    """A known solution that is a program has the agent's starting files around it; another is what it is."""
    files = bundle.known_files(FIX_EMBEDDING, FIX_EMBEDDING.scale("mini"), {"solution.py": b"x", "gpt.py": b"own"})
    assert files["solve.py"] == b"x"
    assert files["gpt.py"] == b"own"
    assert {"data.py", "evaluate.py"} <= set(files)
    assert bundle.known_files(KERNEL, KERNEL.scale("mini"), {"solution.py": b"x"}) == {"solution.py": b"x"}


def test_text_goes_into_the_log_and_weights_do_not() -> None:
    """Small text files first, up to the limit; whatever holds a null byte is no text."""
    contents = {"a.py": b"a" * 10, "b.py": b"b" * 30, "c.py": b"c" * 80, "w.bin": b"\0\1"}
    assert set(texts(contents, limit=50)) == {"a.py", "b.py"}


def test_raw_scores_with_an_offset_are_readable() -> None:
    """A logarithm of something less a constant is shown as that thing, in its unit."""
    assert FIX_EMBEDDING.readable(0.0) == "2.5 validation loss"
    assert KERNEL.readable(0.0) == "1 ms"
