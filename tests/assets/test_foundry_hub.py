"""The paper's Llama from a hub on the loopback: float32 weights, and rows with the marks of its tokenizer."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_stand_in import COMMIT, hub

from rebench_inspect import asset_making, asset_store
from rebench_inspect.assets import Asset, AssetError, Recipe

Inside = Callable[..., Any]

FILES = """
import base64, io, tempfile
from pathlib import Path
import torch
from tokenizers import Tokenizer
from recipes import collect, sentences, tokenizer
text = Path(tempfile.mkdtemp()) / "train.txt"
text.write_bytes(b"".join(map(collect.rendered, sentences.documents(3000))))
words = tokenizer.trained(text, 400)
words.add_special_tokens(["<begin>", "<end>"])
weights = {
    "model.embed_tokens.weight": torch.full((402, 8), 0.5, dtype=torch.bfloat16),
    "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2),
    "lm_head.weight": torch.full((402, 8), -3.0, dtype=torch.bfloat16),
}
held = io.BytesIO()
torch.save(weights, held)
result = [words.to_str(), base64.b64encode(held.getvalue()).decode()]
"""

READ = """
from safetensors.torch import load_file
found = load_file(given["path"])
result = {name: [str(tensor.dtype), list(tensor.shape), tensor.mean().item()] for name, tensor in found.items()}
"""


@pytest.fixture(scope="module")
def files(inside: Inside) -> dict[str, bytes]:
    """Return a repository with a tiny Llama as the hub has it: PyTorch's format, bfloat16, marks as objects."""
    words, weights = inside(FILES)
    config = {"model_type": "llama", "torch_dtype": "bfloat16", "rope_scaling": {"type": "linear", "factor": 4.0}}
    marks = {f"{kind}_token": {"content": f"<{name}>"} for kind, name in (("bos", "begin"), ("eos", "end"))}
    settings = {"tokenizer_class": "LlamaTokenizerFast", **marks}
    return {
        "config.json": json.dumps(config).encode(),
        "tokenizer.json": words.encode(),
        "tokenizer_config.json": json.dumps(settings).encode(),
        "pytorch_model.bin": base64.b64decode(weights),
    }


@pytest.fixture(autouse=True)
def quiet_client(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the client's own cache and token out, and proxies away from the loopback."""
    monkeypatch.setenv("HF_HOME", str(settings / "hf"))
    for name in ("HF_HUB_DISABLE_XET", "HF_HUB_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")


def recipes() -> tuple[Recipe, Recipe]:
    """Return a text, and the rows and model of the paper at a small size."""
    texts = {"train.txt": "agent", "dev.txt": "agent", "scoring.txt": "scorer", "verified.txt": "scorer"}
    made = {f"model/{name}": "agent" for name in ("config.json", "model.safetensors", "tokenizer.json")}
    made |= {"train.jsonl": "agent", "eval.jsonl": "agent", "pool.jsonl": "scorer", "heldout.json": "scorer"}
    sizes = {"context": 256, "rows": 30, "eval_rows": 8, "heldout_rows": 6, "weights": "pytorch_model.bin"}
    source = {"repository": "us/thing", "kind": "model", "revision": "main", **sizes}
    return (
        row("corpus", "make", "corpus", texts, (), {"sentences": 24000, "heldout_characters": 80000}),
        row("foundry", "fetch", "llama", made, ("corpus",), source),
    )


def row(name: str, how: Any, program: str, files: dict[str, Any], needs: tuple[str, ...], parameters: Any) -> Recipe:
    assets = tuple(Asset(file, visibility) for file, visibility in files.items())
    return Recipe(name, "test", how, program, "s", "MIT", (), assets, needs, parameters)


def test_a_llama_is_fetched_and_rows_are_made(
    files: dict[str, bytes], inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights arrive as float32 without buffers; held-out rows begin and end with the marks of the tokenizer."""
    made = recipes()
    with hub(files) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        asset_making.make(made, print)
    public, private = (asset_store.folder(made[1], side) for side in ("public", "private"))
    assert inside(READ, path=str(public / "model" / "model.safetensors")) == {
        "model.embed_tokens.weight": ["torch.float32", [402, 8], 0.5],
        "lm_head.weight": ["torch.float32", [402, 8], -3.0],
    }
    config = json.loads((public / "model" / "config.json").read_text())
    assert config["torch_dtype"] == "float32"
    assert config["rope_scaling"] == {"type": "linear", "factor": 4.0}
    assert [len((public / f"{name}.jsonl").read_text().splitlines()) for name in ("train", "eval")] == [30, 8]
    assert len((private / "pool.jsonl").read_text().splitlines()) == 90
    for tokens, start in json.loads((private / "heldout.json").read_text()):
        assert (tokens[0], tokens[-1]) == (400, 401)
        assert 400 not in tokens[1:]
        assert 1 < start < len(tokens) <= 256
    record = asset_store.read(made[1])
    assert record is not None
    assert (record.figures["commit"], record.figures["parameters"]) == (COMMIT, 2 * 402 * 8)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"pytorch_model.bin": None}, r"has no pytorch_model\.bin"),
        ({"config.json": b'{"model_type": "mpt"}'}, "is a mpt, not a Llama"),
    ],
)
def test_what_is_no_llama_is_refused(
    files: dict[str, bytes], change: dict[str, bytes | None], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository without the weights, or of another architecture, is refused with one line."""
    changed = {name: data for name, data in {**files, **change}.items() if data is not None}
    with hub(changed) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(AssetError, match=named):
            asset_making.make(recipes(), print)
