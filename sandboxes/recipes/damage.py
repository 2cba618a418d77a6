"""Recipe `model-damaged`: a model whose token embedding was damaged with a secret seed, fresh on every machine.

The damage is a random permutation of the rows. Who knows the seed undoes it exactly, so it never leaves `private`.
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any

import numpy as np
import torch

from recipes import gpt
from recipes.job import Job, say
from recipes.training import evaluate, open_tokens


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:  # noqa: ARG001 - every recipe's arguments
    """Make the damaged `model.safetensors` and `config.json` (public), `seed.json` and `losses.json` (private).

    Parameters of the job: `text` (the recipe of the tokens), `windows` (sequences of a measurement).

    Returns:
        Losses in nats of the model before and after the damage, on dev and on both held-out parts.
    """
    model = gpt.load(job.needs_private["model-large"], "cuda" if torch.cuda.is_available() else "cpu")
    text = job.parameters["text"]
    parts = {"dev": job.needs[text] / "dev.bin"}
    parts |= {name: job.needs_private[text] / f"{name}.bin" for name in ("scoring", "verified")}
    before = _losses(model, parts, job.parameters["windows"])
    order = torch.from_numpy(permutation(_secret(private), model.config.vocab_size)).to(model.wte.weight.device)
    model.wte.weight.data = model.wte.weight.data[order]
    after = _losses(model, parts, job.parameters["windows"])
    gpt.save(model, public)
    figures = {"original": before, "damaged": after}
    (private / "losses.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    say(f"loss on dev {before['dev']:.3f}, damaged {after['dev']:.3f}")
    return {"loss": figures}


def _losses(model: gpt.GPT, parts: dict[str, Path], windows: int) -> dict[str, float]:
    return {name: evaluate(model, open_tokens(path), sequences=windows, group=2) for name, path in parts.items()}


def _secret(private: Path) -> int:
    seed = secrets.randbits(128)
    with os.fdopen(os.open(private / "seed.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump({"what": "damages the embedding of this machine's model", "seed": f"{seed:x}"}, file)
    return seed


def permutation(seed: int, vocabulary: int) -> np.ndarray:
    """Return the damage: row i of the damaged embedding is row `permutation[i]` of the original; int64."""
    return np.random.default_rng(seed).permutation(vocabulary)
