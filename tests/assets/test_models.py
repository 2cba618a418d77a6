"""The small GPTs: the model file, training that goes on, and the whole `test` scale."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rebench_inspect import asset_making, asset_store, assets

Inside = Callable[..., Any]
RECIPES = {row.name: row for row in assets.manifest() if row.scale == "test"}


def test_model_is_gpt2(inside: Inside, tmp_path: Path) -> None:
    """A file as the hub has it (prefix, masks, copied head) loads; logits are GPT-2's; no token sees a later one."""
    code = """
import json, math, torch
from pathlib import Path
from safetensors.torch import load_file, save_file
from recipes import gpt
torch.manual_seed(0)
folder, config = Path(given["folder"]), gpt.Config(50, 16, 24, 2, 3)
gpt.save(gpt.GPT(config), folder)
weights = load_file(folder / "model.safetensors")
result = {"keys": sorted(weights), "shape": list(weights["h.0.attn.c_attn.weight"].shape)}
w = {name: value.clone() for name, value in weights.items()}
hub = {f"transformer.{name}": value for name, value in weights.items()}
hub |= {"transformer.h.0.attn.bias": torch.ones(1, 1, 16, 16), "lm_head.weight": w["wte.weight"].clone()}
save_file(hub, folder / "model.safetensors")
described = json.loads((folder / "config.json").read_text()) | {"n_ctx": 16, "vocab_file": "x"}
(folder / "config.json").write_text(json.dumps(described))
model = gpt.load(folder)
tokens = torch.randint(0, 50, (2, 16))
def norm(x, name):
    scaled = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()
    return scaled * w[name + ".weight"] + w[name + ".bias"]
def linear(x, name):
    return x @ w[name + ".weight"] + w[name + ".bias"]
def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
x = w["wte.weight"][tokens] + w["wpe.weight"]
for at in ("h.0", "h.1"):
    parts = linear(norm(x, at + ".ln_1"), at + ".attn.c_attn").split(24, -1)
    q, k, v = (part.view(2, 16, 3, 8).transpose(1, 2) for part in parts)
    scores = (q @ k.transpose(-1, -2) / math.sqrt(8)).masked_fill(torch.ones(16, 16).triu(1).bool(), -math.inf)
    x = x + linear((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 16, 24), at + ".attn.c_proj")
    x = x + linear(gelu(linear(norm(x, at + ".ln_2"), at + ".mlp.c_fc")), at + ".mlp.c_proj")
expected = norm(x, "ln_f") @ w["wte.weight"].t()
logits = model(tokens)
result["difference"] = float((logits - expected).abs().max())
changed = tokens.clone(); changed[:, 10:] = 7
result["leak"] = float((model(changed)[:, :10] - logits[:, :10]).abs().max())
"""
    found = inside(code, folder=str(tmp_path))
    assert found["keys"][:3] == ["h.0.attn.c_attn.bias", "h.0.attn.c_attn.weight", "h.0.attn.c_proj.bias"]
    assert "wte.weight" in found["keys"]
    assert "lm_head.weight" not in found["keys"]
    assert found["shape"] == [24, 72]
    assert found["difference"] < 1e-5
    assert found["leak"] < 1e-6


def test_rows_have_the_stated_sizes(inside: Inside) -> None:
    """Rows count their parameters as the model has them, near the sizes that the environments state."""
    code = """
import torch
from recipes.gpt import GPT, Config
from recipes.rows import rows
def count(row):
    with torch.device("meta"):
        model = GPT(Config(row.vocabulary, row.context, row.width, row.layers, row.heads))
    return sum(weight.numel() for weight in model.parameters())
result = {name: [row.parameters, count(row)] for name, row in rows().items()}
"""
    found = inside(code)
    assert all(stated == counted for stated, counted in found.values())
    stated = {"mini-large": 3e6, "mini-small": 0.85e6, "single-large": 124e6, "single-small": 30e6}
    for name, size in stated.items():
        assert found[name][0] == pytest.approx(size, rel=0.05)


def test_training_goes_on_as_if_it_had_not_stopped(inside: Inside, made: Path) -> None:
    """Stopped at a third and continued by another process's object, training ends with the very same weights."""
    code = """
import tempfile
from pathlib import Path
import torch
from recipes.rows import rows
from recipes.training import Data, Trainer, open_tokens
torch.set_num_threads(1)
tokens = Path(given["tokens"])
data, row = Data(open_tokens(tokens / "train.bin"), open_tokens(tokens / "dev.bin")), rows()["test-small"]
one, two = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
whole = Trainer(row, one, 3, "cpu"); whole.run(data)
Trainer(row, two, 3, "cpu").run(data, until=20)
rest = Trainer(row, two, 3, "cpu")
began = rest.step
rest.run(data)
same = all(torch.equal(a, b) for a, b in zip(whole.model.state_dict().values(), rest.model.state_dict().values()))
other = Trainer(row, Path(tempfile.mkdtemp()), 4, "cpu"); other.run(data)
result = [began, same, [p["dev_loss"] for p in whole.curve] == [p["dev_loss"] for p in rest.curve], len(rest.curve),
          abs(whole.curve[-1]["dev_loss"] - other.curve[-1]["dev_loss"])]
"""
    began, same, curve, points, spread = inside(code, tokens=str(made / "rebench-inspect/assets/test/public/tokenizer"))
    assert (began, same, curve) == (20, True, True)
    assert points >= 10
    assert 0 < spread < 0.5


def figures(made: Path, name: str) -> dict[str, Any]:
    path = made / "rebench-inspect" / "assets" / "test" / "records" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["figures"]


def test_models_learn_and_the_large_one_more(made: Path) -> None:
    """Both models beat guessing by frequency, the large one beats the small one, and both held-out losses agree."""
    large, small = figures(made, "model-large")["loss"], figures(made, "model-small")["loss"]
    unigram = figures(made, "tokenizer")["unigram_loss_dev"]
    assert large["dev"] < small["dev"] < unigram - 1
    assert large["scoring"] == pytest.approx(large["verified"], abs=0.1)
    assert [point["step"] for point in figures(made, "model-large")["curve"]][-1] == 60


def test_what_was_made_is_what_the_manifest_promises(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All assets verify; nothing of the scorer's lies in the public folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(made))
    public, private = asset_store.prepared("fix_embedding", "test")
    names = {path.name for path in public.rglob("*") if path.is_file()}
    assert names == {
        "train.txt",
        "dev.txt",
        "train.bin",
        "dev.bin",
        "tokenizer.json",
        "model.safetensors",
        "config.json",
        "tokenizer_config.json",
        "train.jsonl",
        "eval.jsonl",
    }
    assert not (public / "model-large" / "model.safetensors").exists()
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in private.rglob("*") if path.is_file())


def test_every_machine_draws_its_own_held_out_text(made: Path, settings: Path) -> None:
    """Made again elsewhere, train and dev are the same bytes, and seed and held-out text are others."""
    asset_making.make([RECIPES["corpus"]], print)
    parts = {}
    for cache in (made, settings):
        folder = cache / "rebench-inspect" / "assets" / "test"
        parts[cache] = {path.name: path.read_bytes() for path in folder.glob("p*/corpus/*")}
    one, two = parts.values()
    assert {name for name in one if one[name] == two[name]} == {"train.txt", "dev.txt"}
    held = set((one["scoring.txt"] + one["verified.txt"]).split(b"\n\n")) - {b"", b"\n"}
    assert not held & set(one["train.txt"].split(b"\n\n"))


def test_a_gpus_model_is_not_trained_for_days_on_a_cpu(inside: Callable[..., Any]) -> None:
    """The recipes of `single` refuse at once where there is no GPU, and say what to do."""
    code = """
import os
os.environ["CUDA_VISIBLE_DEVICES"] = ""
from pathlib import Path
from types import SimpleNamespace
from recipes import job, model
try:
    model.prepare(Path(), Path(), Path(), SimpleNamespace(parameters=given["parameters"]))
except job.RecipeError as error:
    result = str(error)
"""
    large = next(recipe for recipe in assets.select(assets.manifest(), scale="single") if recipe.name == "model-large")
    assert "on a GPU machine" in inside(code, parameters=dict(large.parameters))
