"""Fetching: the real client against a hub on this machine's loopback."""

import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_stand_in import COMMIT, hub

from rebench_inspect import asset_making, asset_store
from rebench_inspect.assets import Asset, AssetError, Recipe

FILES = {"model.safetensors": struct.pack("<Q", 2) + b"{}", "config.json": b'{"n_layer": 2}', "README.md": b"not this"}


def model(revision: str = "main", **more: Any) -> Recipe:
    parameters = {"repository": "us/thing", "kind": "model", "revision": revision, "hidden": True}
    parameters |= {"files": ["model.safetensors", "config.json"]} | more
    files = (Asset("model.safetensors", "scorer"), Asset("config.json", "scorer"))
    return Recipe("model", "test", "fetch", "hub", "hub: us/thing", "MIT", ("fix_embedding",), files, (), parameters)


@pytest.fixture(autouse=True)
def quiet_client(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the client's own cache and token out, and proxies away from the loopback."""
    monkeypatch.setenv("HF_HOME", str(settings / "hf"))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_fetch_takes_the_named_files_and_records_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The named files arrive byte for byte where the manifest says, and the commit of the branch is recorded."""
    with hub(dict(FILES)) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        asset_making.make([model()], print)
    record = asset_store.read(model())
    assert record is not None
    assert record.figures["commit"] == COMMIT
    folder = asset_store.folder(model(), "private")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: FILES[name] for name in ("model.safetensors", "config.json")
    }


def test_a_branch_that_moved_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content under the same revision is an error, not a silent change."""
    files = dict(FILES)
    with hub(files) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        asset_making.make([model()], print)
        files["config.json"] = b'{"n_layer": 3}'
        with pytest.raises(AssetError, match=r"config\.json at test has sha256 .* the source has changed"):
            asset_making.make([model()], print, force=True)


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the repository lacks is named."""
    with hub({"config.json": b"{}"}) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(AssetError, match=r"us/thing at 0123456789ab has no model\.safetensors"):
            asset_making.make([model()], print)


def test_without_network_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a hub, one line says what failed and that the other scales need none."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(
        AssetError, match=r"cannot fetch us/thing at main .* use --scale single or mini, .* HF_ENDPOINT"
    ) as caught:
        asset_making.make([model()], print)
    assert "\n" not in caught.value.message


def parquet(texts: list[str]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": texts}), sink)
    return sink.getvalue()


def test_openwebtext_is_split_as_nanogpt_does(inside: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Dev is the first 0.05 % of the seed-2357 permutation; held-out documents leave train, and each is in one side."""
    texts = [f"document {number}" for number in range(6000)]
    files = {"plain_text/0.parquet": parquet(texts[:2500]), "plain_text/1.parquet": parquet(texts[2500:])}
    text = openwebtext(documents=6000)
    with hub(files) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        asset_making.make([*before(), text], print)
        record = asset_store.read(text)
        seed = json.loads((asset_store.folder(text, "private") / "seed.json").read_text())["seed"]
        with pytest.raises(AssetError, match="has 6,000 documents, not 7,000"):
            asset_making.make([*before(), openwebtext(documents=7000)], print)
    code = """
import numpy as np
from recipes.openwebtext import assign
sides = assign(6000, 1, 20)
order = np.random.default_rng(2357).permutation(6000)
counts = [int((sides == side).sum()) for side in range(4)]
other = bool((assign(6000, 2, 20) != sides).any())
result = [sorted(map(int, order[:3])), np.flatnonzero(sides == 1).tolist(), counts, other]
"""
    expected, dev, counts, secret = inside(code)
    assert dev == expected
    assert counts == [5957, 3, 20, 20]
    assert secret
    assert record is not None
    assert record.figures["documents"] == 6000
    assert record.figures["tokens"]["scoring"] > 20
    assert len(seed) > 20


def before() -> list[Recipe]:
    """Return the recipes that OpenWebText's tokens need here: made-up text, and a tokenizer trained on it."""
    texts = {"train.txt": "agent", "scoring.txt": "scorer"}
    tokens = {"tokenizer.json": "agent"}
    return [
        row("corpus", "corpus", texts, (), {"sentences": 3000, "heldout_characters": 3000}),
        row("tokenizer", "tokenizer", tokens, ("corpus",), {"vocabulary": 400}),
    ]


def row(name: str, program: str, files: dict[str, Any], needs: tuple[str, ...], parameters: dict[str, Any]) -> Recipe:
    assets = tuple(Asset(file, visibility) for file, visibility in files.items())
    how = "fetch" if program == "openwebtext" else "make"
    return Recipe(name, "test", how, program, "s", "MIT", (), assets, needs, parameters)


def openwebtext(documents: int) -> Recipe:
    parameters = {
        "repository": "us/thing", "kind": "dataset", "revision": "main", "patterns": ["plain_text/*.parquet"],
        "documents": documents, "dev_tokens": 1, "heldout_documents": 20,
    }  # fmt: skip
    names = {"train.bin": "agent", "dev.bin": "agent", "scoring.bin": "scorer", "verified.bin": "scorer"}
    return row("openwebtext", "openwebtext", names, ("tokenizer",), parameters)
