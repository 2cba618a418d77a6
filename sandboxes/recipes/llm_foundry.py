"""Recipe `llm_foundry`: a small MPT base model with its tokenizer, and rows of prompts and responses.

Key names, shapes and options are those of llm-foundry's MPT, so that its own code loads the folder; the model is
trained here with plain torch (no biases, learned positions, tied embedding).
"""

import json
import math
import random
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from recipes.foundry_rows import Marks, write_data
from recipes.job import Job, RecipeError, say
from recipes.training import open_tokens

END_OF_TEXT = "<|endoftext|>"


def prepare(_raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Make `model/`, `train.jsonl`, `eval.jsonl` (public), `pool.jsonl` and `heldout.json` (private).

    Parameters of the job: `vocabulary`, `context`, `width`, `layers`, `heads`, `steps`, `sequences`, `rate`, `rows`,
    `eval_rows`, `seed`; `heldout_rows` (as `eval_rows` where it is left out), `joined` (most paragraphs of a row, 1
    where it is left out), `gpu` (true: a CPU would take hours).

    Returns:
        Parameters, the base model's last loss, rows and their mean length in tokens.

    Raises:
        RecipeError: The model is one for a GPU, and there is none.
    """
    sizes = job.parameters
    if sizes.get("gpu") and not torch.cuda.is_available():
        raise RecipeError(
            "this base model is trained on a GPU, and torch sees none here; make it on a GPU machine (docs/assets.md "
            "says how), or take another scale: --scale mini"
        )
    (public / "model").mkdir(exist_ok=True)
    tokenizer = write_tokenizer(job.needs["tokenizer"] / "tokenizer.json", public / "model", sizes["context"])
    weights = initial(sizes, torch.Generator().manual_seed(sizes["seed"]))
    loss = pretrain(weights, sizes, job.needs["tokenizer"] / "train.bin")
    save_file(weights, public / "model" / "model.safetensors", metadata={"format": "pt"})
    (public / "model" / "config.json").write_text(json.dumps(config(sizes), indent=1) + "\n", encoding="utf-8")
    marks = Marks((), [tokenizer.token_to_id(END_OF_TEXT)])
    return {
        "parameters": sum(tensor.numel() for tensor in weights.values()),
        "loss": round(loss, 4),
        **write_data(public, private, job, tokenizer, marks),
    }


def config(sizes: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of the manifest
    """Return the model's configuration as llm-foundry and the hub write it."""
    return {
        "architectures": ["MPTForCausalLM"],
        "model_type": "mpt",
        "d_model": sizes["width"],
        "n_heads": sizes["heads"],
        "n_layers": sizes["layers"],
        "expansion_ratio": 4,
        "max_seq_len": sizes["context"],
        "vocab_size": sizes["vocabulary"],
        "no_bias": True,
        "learned_pos_emb": True,
        "tie_word_embeddings": True,
        "torch_dtype": "float32",
    }


def write_tokenizer(source: Path, folder: Path, context: int) -> Tokenizer:
    """Copy a tokenizer with what the hub's loader wants beside it."""
    shutil.copyfile(source, folder / "tokenizer.json")
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context,
        "padding_side": "right",
        **{f"{kind}_token": END_OF_TEXT for kind in ("bos", "eos", "pad", "unk")},
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    return Tokenizer.from_file(str(source))


def initial(sizes: Any, draw: torch.Generator) -> dict[str, Tensor]:  # noqa: ANN401 - a row of the manifest
    """Return untrained weights by MPT's key names."""
    width, residual = sizes["width"], 0.02 / math.sqrt(2 * sizes["layers"])
    weights = {
        "transformer.wte.weight": torch.randn(sizes["vocabulary"], width, generator=draw) * 0.02,
        "transformer.wpe.weight": torch.randn(sizes["context"], width, generator=draw) * 0.01,
    }
    for block in range(sizes["layers"]):
        name = f"transformer.blocks.{block}."
        weights |= {
            f"{name}norm_1.weight": torch.ones(width),
            f"{name}attn.Wqkv.weight": torch.randn(3 * width, width, generator=draw) * 0.02,
            f"{name}attn.out_proj.weight": torch.randn(width, width, generator=draw) * residual,
            f"{name}norm_2.weight": torch.ones(width),
            f"{name}ffn.up_proj.weight": torch.randn(4 * width, width, generator=draw) * 0.02,
            f"{name}ffn.down_proj.weight": torch.randn(width, 4 * width, generator=draw) * residual,
        }
    return {**weights, "transformer.norm_f.weight": torch.ones(width)}


def logits(weights: dict[str, Tensor], tokens: Tensor, heads: int) -> Tensor:
    """Return the model's logits for (batch, time) tokens."""
    batch, time = tokens.shape
    width = weights["transformer.wte.weight"].shape[1]
    x = weights["transformer.wte.weight"][tokens] + weights["transformer.wpe.weight"][:time]
    block = 0
    while (name := f"transformer.blocks.{block}.") + "norm_1.weight" in weights:
        inner = functional.layer_norm(x, (width,), weights[name + "norm_1.weight"])
        split = (inner @ weights[name + "attn.Wqkv.weight"].T).view(batch, time, 3, heads, width // heads)
        mixed = functional.scaled_dot_product_attention(*split.permute(2, 0, 3, 1, 4), is_causal=True)
        x = x + mixed.transpose(1, 2).reshape(batch, time, width) @ weights[name + "attn.out_proj.weight"].T
        inner = functional.layer_norm(x, (width,), weights[name + "norm_2.weight"])
        inner = functional.gelu(inner @ weights[name + "ffn.up_proj.weight"].T)
        x = x + inner @ weights[name + "ffn.down_proj.weight"].T
        block += 1
    x = functional.layer_norm(x, (width,), weights["transformer.norm_f.weight"])
    return x @ weights["transformer.wte.weight"].T


def pretrain(weights: dict[str, Tensor], sizes: Any, tokens: Path) -> float:  # noqa: ANN401 - a row of the manifest
    """Train the weights in place on a file of tokens; return the last batch's loss."""
    data, draw = open_tokens(tokens), random.Random(sizes["seed"])  # noqa: S311 - the same model for a seed
    device = "cuda" if torch.cuda.is_available() else "cpu"
    moved = {name: tensor.to(device).requires_grad_() for name, tensor in weights.items()}
    optimizer = torch.optim.AdamW(moved.values(), lr=sizes["rate"], betas=(0.9, 0.95), weight_decay=0.0)
    loss = torch.zeros(())
    for step in range(sizes["steps"]):
        starts = [draw.randrange(len(data) - sizes["context"] - 1) for _ in range(sizes["sequences"])]
        batch = torch.stack([torch.as_tensor(data[at : at + sizes["context"] + 1].astype("int64")) for at in starts])
        batch = batch.to(device)
        for group in optimizer.param_groups:
            group["lr"] = sizes["rate"] * min(1.0, (step + 1) / 20, (sizes["steps"] - step) / (0.3 * sizes["steps"]))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = functional.cross_entropy(
                logits(moved, batch[:, :-1], sizes["heads"]).flatten(0, 1).float(), batch[:, 1:].flatten()
            )
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 50 == 0:
            say(f"step {step} of {sizes['steps']}: loss {loss.item():.3f}")
    weights |= {name: tensor.detach().cpu() for name, tensor in moved.items()}
    return loss.item()
