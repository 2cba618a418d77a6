"""The same training in plain torch: rows of a batch packed without padding, logits of trained positions alone.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

It imports torch and nothing that takes long. Rows meet in the attention only, which is computed row by row.
"""

import json
import math
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
import yaml
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

Weights = dict[str, Tensor]


class Batch(NamedTuple):
    """Rows one behind the other; `at` are positions whose next token is trained, `targets` those tokens."""

    tokens: Tensor
    positions: Tensor
    lengths: list[int]
    at: Tensor
    targets: Tensor


def samples(data: Path, model: Path, options: dict[str, Any]) -> list[tuple[list[int], int]]:
    """Return (token ids with end of text, length of the prompt) of every row, in training order, cut to the context."""
    rows = [json.loads(line) for line in (data / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    random.Random(options["seed"]).shuffle(rows)  # noqa: S311 - an order, no secret
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    end, limit = tokenizer.token_to_id("<|endoftext|>"), options["max_seq_len"]
    prompts, responses = (
        [each.ids for each in tokenizer.encode_batch([row[name] for row in rows])] for name in ("prompt", "response")
    )
    found = zip(prompts, responses, strict=True)
    return [((prompt + response + [end])[:limit], len(prompt)) for prompt, response in found if len(prompt) < limit]


def steps_of(options: dict[str, Any]) -> int:
    """Return the number of steps; a length in another unit than batches is refused."""
    duration = str(options["max_duration"])
    if not duration.endswith("ba"):
        raise ValueError(f"max_duration {duration} is not in batches")
    return int(duration[:-2])


def packed(rows: list[tuple[list[int], int]]) -> Batch:
    """Put the rows of a batch one behind the other."""
    lengths = [len(ids) for ids, _ in rows]
    at: list[int] = []
    begin = 0
    for ids, start in rows:
        at += range(begin + max(start, 1) - 1, begin + len(ids) - 1)
        begin += len(ids)
    tokens = torch.tensor([token for ids, _ in rows for token in ids])
    chosen = torch.tensor(at)
    positions = torch.cat([torch.arange(length) for length in lengths])
    return Batch(tokens, positions, lengths, chosen, tokens[chosen + 1])


def attention(mixed: Tensor, lengths: list[int], heads: int) -> Tensor:
    """Map (total, 3 * width) to (total, width), causal within each row."""
    width = mixed.shape[1] // 3
    parts: list[Tensor] = []
    for row in mixed.split(lengths):
        query, key, value = row.view(len(row), 3, heads, width // heads).permute(1, 2, 0, 3)
        out = functional.scaled_dot_product_attention(query[None], key[None], value[None], is_causal=True)
        parts.append(out[0].transpose(0, 1).reshape(len(row), width))
    return torch.cat(parts)


def loss_of(weights: Weights, batch: Batch, heads: int) -> Tensor:
    """Return the mean loss of the trained positions."""
    embedding = weights["transformer.wte.weight"]
    width = (embedding.shape[1],)
    x = functional.embedding(batch.tokens, embedding)
    x = x + functional.embedding(batch.positions, weights["transformer.wpe.weight"])
    block = 0
    while (name := f"transformer.blocks.{block}.") + "norm_1.weight" in weights:
        inner = functional.layer_norm(x, width, weights[name + "norm_1.weight"])
        mixed = attention(functional.linear(inner, weights[name + "attn.Wqkv.weight"]), batch.lengths, heads)
        x = x + functional.linear(mixed, weights[name + "attn.out_proj.weight"])
        inner = functional.layer_norm(x, width, weights[name + "norm_2.weight"])
        inner = functional.gelu(functional.linear(inner, weights[name + "ffn.up_proj.weight"]))
        x = x + functional.linear(inner, weights[name + "ffn.down_proj.weight"])
        block += 1
    last = functional.layer_norm(x[batch.at], width, weights["transformer.norm_f.weight"])
    return functional.cross_entropy(functional.linear(last, embedding), batch.targets)


def rate(step: int, steps: int, options: dict[str, Any]) -> float:
    """Return the learning rate of a step as Composer's cosine with warm-up has it."""
    schedule, peak = options["scheduler"], options["optimizer"]["lr"]
    if schedule["name"] != "cosine_with_warmup":
        raise ValueError(f"the schedule {schedule['name']} is not known")
    warmup = int(str(schedule["t_warmup"]).removesuffix("ba"))
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (steps - warmup)
    floor = schedule["alpha_f"]
    return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * done)))


def train(weights: Weights, rows: list[tuple[list[int], int]], options: dict[str, Any], heads: int) -> None:
    """Train the weights in place."""
    steps, size, chosen = steps_of(options), options["global_train_batch_size"], options["optimizer"]
    usable = len(rows) // size * size
    parameters = list(weights.values())
    optimizer = torch.optim.AdamW(
        parameters,
        lr=chosen["lr"],
        betas=tuple(chosen["betas"]),
        eps=float(chosen["eps"]),
        weight_decay=chosen["weight_decay"] / chosen["lr"],  # decoupled from the rate, as Composer's is
        fused=True,
    )
    limit = options.get("algorithms", {}).get("gradient_clipping", {}).get("clipping_threshold")
    for step in range(steps):
        first = step * size % usable
        loss = loss_of(weights, packed(rows[first : first + size]), heads)
        loss.backward()
        if limit:
            torch.nn.utils.clip_grad_norm_(parameters, limit)
        optimizer.param_groups[0]["lr"] = rate(max(step - 1, 0), steps, options)  # Composer's schedule lags a step
        optimizer.step()
        optimizer.zero_grad()


def main(config: str, data: str, model: str, output: str) -> None:
    """Run the whole fine-tuning."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    options, folder = yaml.safe_load(Path(config).read_text(encoding="utf-8")), Path(model)
    options["optimizer"]["lr"] = float(options["optimizer"]["lr"])
    heads = json.loads((folder / "config.json").read_text(encoding="utf-8"))["n_heads"]
    weights = {name: tensor.requires_grad_() for name, tensor in load_file(folder / "model.safetensors").items()}
    train(weights, samples(Path(data), folder, options), options, heads)
    Path(output).mkdir(parents=True, exist_ok=True)
    saved = {name: tensor.detach() for name, tensor in weights.items()}
    save_file(saved, Path(output, "model.safetensors"), metadata={"format": "pt"})
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / name, output)


if __name__ == "__main__":
    main(*sys.argv[1:])
