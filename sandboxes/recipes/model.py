"""Recipes `model-large` and `model-small`: a GPT trained on the corpus (`rows.py` says how)."""

from pathlib import Path
from typing import Any

import torch

from recipes import gpt
from recipes.job import Job, RecipeError, say
from recipes.rows import row as row_of
from recipes.training import Data, Trainer, evaluate, open_tokens


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Train a model into `public`, or into `private` where only the scorer may see it.

    Parameters of the job: those of `rows.Row`, `seed`, `hidden` (true: the weights are the scorer's alone), `gpu`
    (true: a CPU would take days).

    Returns:
        Parameters, tokens, seconds, losses on train, dev and both held-out parts, and the loss curve.

    Raises:
        RecipeError: The model is one for a GPU, and there is none.
    """
    row, hidden = row_of(job.parameters), job.parameters["hidden"]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if job.parameters.get("gpu") and device == "cpu":
        raise RecipeError(
            f"a model of {row.parameters / 1e6:.0f} M parameters is trained on a GPU, and torch sees none here; make "
            "it on a GPU machine (docs/assets.md says how), or take another scale: --scale mini"
        )
    tokens, secret = job.needs["tokenizer"], job.needs_private["tokenizer"]
    say(f"{row.parameters / 1e6:.2f} M parameters, {row.tokens / 1e6:.1f} M tokens, {device}")
    trainer = Trainer(row, raw, job.parameters["seed"], device)
    trainer.run(Data(open_tokens(tokens / "train.bin"), open_tokens(tokens / "dev.bin")))
    gpt.save(trainer.model, private if hidden else public)
    parts = {"dev": tokens / "dev.bin", **{name: secret / f"{name}.bin" for name in ("scoring", "verified")}}
    losses = {name: round(evaluate(trainer.model, open_tokens(path)), 4) for name, path in parts.items()}
    last = trainer.curve[-1]
    return {
        "parameters": row.parameters,
        "tokens": row.tokens,
        "training_s": last["seconds"],
        "device": device,
        "loss": {"train": last["train_loss"], **losses},
        "curve": trainer.curve,
    }
