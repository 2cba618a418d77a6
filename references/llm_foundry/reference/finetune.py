"""Tokenises, trains and saves in one process: llm-foundry's model and optimizer, Composer's trainer, trimmed batches.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

What it leaves out of the starting script: two starts of Python, shards, loader processes, evaluation, checkpoints,
conversion, padding to the full length. What is computed stays the same. A model of the hub's own
classes is trained by one process a GPU (Composer's launcher starts them), each with its share of every batch.
"""

import json
import random
import shutil
import sys
from pathlib import Path

import torch
from composer import DataSpec, Trainer
from composer.algorithms import GradientClipping
from composer.models import ComposerModel
from composer.utils import dist, get_device, reproducibility
from llmfoundry.data.utils import get_tokens_per_batch_func
from llmfoundry.models.hf import ComposerHFCausalLM
from llmfoundry.models.mpt import ComposerMPTCausalLM
from llmfoundry.utils.builders import build_optimizer, build_scheduler
from omegaconf import DictConfig, OmegaConf
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader
from transformers import AutoTokenizer

SIZES = ("d_model", "n_heads", "n_layers", "expansion_ratio", "vocab_size", "no_bias", "learned_pos_emb", "max_seq_len")
IGNORED = -100
MOST_ROWS = 4
"""Rows of the large model that fit on a GPU at once, whatever their length; on a CPU, padding costs more than calls."""


def samples(data: Path, model: Path, options: DictConfig) -> list[tuple[list[int], int]]:
    """Return (token ids with end of text, length of the prompt) of every row, in training order."""
    rows = [json.loads(line) for line in (data / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    random.Random(options.seed).shuffle(rows)  # noqa: S311 - an order, no secret
    tokenizer = AutoTokenizer.from_pretrained(model)
    prompts = tokenizer([row["prompt"] for row in rows])["input_ids"]
    responses = tokenizer([row["response"] for row in rows], add_special_tokens=False)["input_ids"]
    found, end = zip(prompts, responses, strict=True), [tokenizer.eos_token_id]
    return [(prompt + response + end, len(prompt)) for prompt, response in found if len(prompt) < options.max_seq_len]


def collate(batch: list[tuple[list[int], int]], limit: int, masked: bool) -> dict[str, Tensor]:
    """Return a batch, shortest row first, padded to a multiple of 8; without a mask attention is plainly causal."""
    batch = sorted(batch, key=lambda row: len(row[0]))
    longest = min(max(len(ids) for ids, _ in batch), limit)
    width = min(-(-longest // 8) * 8, limit)
    tokens = torch.zeros(len(batch), width, dtype=torch.long)
    labels = torch.full((len(batch), width), IGNORED)
    mask = torch.zeros(len(batch), width, dtype=torch.bool)
    for at, (ids, start) in enumerate(batch):
        row = torch.tensor(ids[:limit])
        tokens[at, : len(row)], mask[at, : len(row)] = row, True
        labels[at, start : len(row)] = row[start:]
    return {"input_ids": tokens, "labels": labels} | ({"attention_mask": mask} if masked else {})


def split(batch: dict[str, Tensor], size: int) -> list[dict[str, Tensor]]:
    """Return microbatches of at most `size` rows, each as long as its longest row, a multiple of 8."""
    widths = enumerate(map(width_of, batch["labels"].split(size)))
    return [{name: each[at * size : (at + 1) * size, :width] for name, each in batch.items()} for at, width in widths]


def width_of(labels: Tensor) -> int:
    """Return how many columns hold all that is trained, a multiple of 8."""
    return -(-int((labels != IGNORED).any(0).nonzero().max() + 1) // 8) * 8


def attend(self, x: Tensor, **_: object):
    """Causal attention without the matrix of weights; padding is on the right, where no label looks at it."""
    batch, time, width = x.shape
    query, key, value = self.Wqkv(x).view(batch, time, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
    mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    return self.out_proj(mixed.transpose(1, 2).reshape(batch, time, width)), None, None


def build(options: DictConfig, model: Path) -> ComposerModel:
    """Return llm-foundry's model with the given weights."""
    if options.model.name == "hf_causal_lm":
        settings = {"attn_implementation": "sdpa", "use_train_metrics": False}
        return ComposerHFCausalLM(tokenizer=None, pretrained_model_name_or_path=str(model), **settings)
    sizes = json.loads((model / "config.json").read_text(encoding="utf-8"))
    built = ComposerMPTCausalLM(
        **{name: sizes[name] for name in SIZES},
        init_config={"name": "baseline_", "init_std": 0.02},
        attn_config={"attn_impl": "torch"},
        loss_fn=options.model.loss_fn,
        use_train_metrics=False,
    )
    built.model.load_state_dict(load_file(model / "model.safetensors"))
    for block in built.model.transformer.blocks:
        block.attn.forward = attend.__get__(block.attn, nn.Module)
    return built


def batches(rows: list[tuple[list[int], int]], options: DictConfig, size: int) -> DataSpec:
    """Return what this process trains on: of every batch, each row whose number is its own modulo their count."""
    masked = options.model.name != "hf_causal_lm"
    loader = DataLoader(
        rows,
        batch_size=size,
        drop_last=True,
        sampler=dist.get_sampler(rows, shuffle=False),
        collate_fn=lambda batch: collate(batch, options.max_seq_len, masked),
    )
    # Every token has the same weight, whichever process has it.
    return DataSpec(loader, split_batch=split, get_num_tokens_in_batch=get_tokens_per_batch_func())


def write(built: ComposerModel, model: Path, output: Path) -> None:
    """Write the weights out of memory, with what belongs to them."""
    output.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().contiguous() for name, tensor in built.model.state_dict().items()}
    save_file(weights, output / "model.safetensors", metadata={"format": "pt"})
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(model / name, output)


def main(config: str, data: str, model: str, output: str) -> None:
    """Run the whole fine-tuning."""
    options, folder = OmegaConf.load(config), Path(model)
    if dist.get_world_size() > 1:
        dist.initialize_dist(get_device(None))
    reproducibility.seed_all(options.seed)
    built = build(options, folder)
    size = options.global_train_batch_size // dist.get_world_size()
    small = options.model.name != "hf_causal_lm"
    plain = OmegaConf.to_container(options, resolve=True)
    optimizer = build_optimizer(built, plain["optimizer"].pop("name"), plain["optimizer"])
    scheduler = build_scheduler(plain["scheduler"].pop("name"), plain["scheduler"])
    clipping = [GradientClipping(**plain["algorithms"]["gradient_clipping"])] if "algorithms" in plain else []
    trainer = Trainer(
        model=built,
        train_dataloader=batches(samples(Path(data), folder, options), options, size),
        optimizers=optimizer,
        schedulers=scheduler,
        max_duration=options.max_duration,
        algorithms=clipping,
        device_train_microbatch_size=size if small and torch.cuda.is_available() else min(size, MOST_ROWS),
        accumulate_train_batch_on_tokens=True,
        precision=options.precision,
        seed=options.seed,
        progress_bar=False,
    )
    trainer.fit()
    if dist.get_global_rank() == 0:
        write(built, folder, Path(output))


if __name__ == "__main__":
    main(*sys.argv[1:])
