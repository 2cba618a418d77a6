"""Assets on a machine that has torch and a checkout but not the host package."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from rebench_inspect import paths

RECIPES = ("corpus", "tokenizer", "model-large", "model-small", "model-damaged")


@pytest.fixture(scope="module")
def made(recipe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the assets of fix_embedding at the `test` scale and return their folder."""
    folder = tmp_path_factory.mktemp("assets")
    settings = {**os.environ, "PYTHONPATH": str(paths.DATA / "sandboxes"), "OMP_NUM_THREADS": "1"}
    command = [str(recipe_python), "-B", "-m", "recipes.bare", "test", str(folder), "--only", *RECIPES]
    subprocess.run(command, env=settings, check=True, capture_output=True, timeout=300)
    return folder


def test_the_agent_may_read_what_is_public_and_nothing_else(made: Path) -> None:
    """Public files are open whatever wrote them; private ones and checkpoints are behind a closed folder."""
    public = [path for path in (made / "public").rglob("*") if path.is_file()]
    assert {"model.safetensors", "train.bin"} <= {path.name for path in public}
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in public)
    for side in ("private", "raw"):
        assert stat.S_IMODE((made / side).stat().st_mode) == 0o700


def test_the_damage_is_far_above_a_guess_by_frequency(made: Path) -> None:
    """The damaged model is worse than no context at all, and the original is not."""
    losses = json.loads((made / "private" / "model-damaged" / "losses.json").read_text(encoding="utf-8"))
    unigram = json.loads((made / "raw" / "tokenizer" / "figures.json").read_text(encoding="utf-8"))["unigram_loss_dev"]
    for part in ("dev", "scoring", "verified"):
        assert losses["original"][part] < unigram < losses["damaged"][part]


def test_the_damage_is_another_one_each_time(made: Path) -> None:
    """The permutation follows from 128 bits of the system's randomness, of which only the scorer has a record."""
    seed = json.loads((made / "private" / "model-damaged" / "seed.json").read_text(encoding="utf-8"))["seed"]
    assert int(seed, 16) > 1 << 64
    assert seed not in (made / "public" / "model-damaged" / "config.json").read_text(encoding="utf-8")
