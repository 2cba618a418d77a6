"""Recipe `llm_foundry` of the paper: a Llama from the hub with float32 weights, and rows of prompts and responses."""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from recipes import hub
from recipes.foundry_rows import Marks, write_data
from recipes.job import Job, RecipeError

_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json")
_BUFFER = "rotary_emb.inv_freq"
"""Older files hold the speeds of the rotary positions, which are no weights: the configuration says them."""


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Make `model/`, `train.jsonl`, `eval.jsonl` (public), `pool.jsonl` and `heldout.json` (private).

    Parameters of the job: `repository`, `kind`, `revision`; `weights` (the file of them: PyTorch's format or
    safetensors), `context`, and those of `foundry_rows.write_data`.

    Returns:
        The commit, the number of parameters, rows and their mean length in tokens.

    Raises:
        RecipeError: It cannot be fetched, or is no Llama.
    """
    names = [*_FILES, job.parameters["weights"]]
    folder, commit = hub.fetched(raw, job.parameters, names)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise RecipeError(
            f"{job.parameters['repository']} at {commit[:12]} has no {missing[0]}; mend the manifest's row"
        )
    model = public / "model"
    model.mkdir(exist_ok=True)
    _write_config(folder, model)
    count = _write_weights(folder / job.parameters["weights"], model)
    for name in _FILES[1:]:
        shutil.copyfile(folder / name, model / name)
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    rows = write_data(public, private, job, tokenizer, marks(model, tokenizer))
    shutil.rmtree(folder)
    return {"repository": job.parameters["repository"], "commit": commit, "parameters": count, **rows}


def _write_config(folder: Path, model: Path) -> None:
    """Copy the configuration; of the weights' type it says what is written here."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "llama":
        raise RecipeError(f"the model is a {config.get('model_type')}, not a Llama; mend the manifest's row")
    text = json.dumps({**config, "torch_dtype": "float32"}, indent=1)
    (model / "config.json").write_text(text + "\n", encoding="utf-8")


def _write_weights(source: Path, model: Path) -> int:
    """Write the weights as float32 and return their number."""
    if source.suffix == ".safetensors":
        found = load_file(source)
    else:
        found: dict[str, Tensor] = torch.load(source, map_location="cpu", weights_only=True, mmap=True)
    kept = {name: tensor.float().contiguous() for name, tensor in found.items() if not name.endswith(_BUFFER)}
    save_file(kept, model / "model.safetensors", metadata={"format": "pt"})
    return sum(tensor.numel() for tensor in kept.values())


def marks(model: Path, tokenizer: Tokenizer) -> Marks:
    """Return what the hub's loader adds by the tokenizer's settings."""
    settings = json.loads((model / "tokenizer_config.json").read_text(encoding="utf-8"))
    begins = settings.get("add_bos_token", str(settings.get("tokenizer_class")).startswith("Llama"))
    begin, end = (_content(settings[f"{kind}_token"]) for kind in ("bos", "eos"))
    return Marks([tokenizer.token_to_id(begin)] if begins else [], [tokenizer.token_to_id(end)])


def _content(token: Any) -> str:  # noqa: ANN401 - a text, or an object that has it
    return token["content"] if isinstance(token, dict) else token
