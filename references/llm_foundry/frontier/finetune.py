"""The same training in plain torch: rows of a batch packed without padding, logits of trained positions alone.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

It imports torch and nothing that takes long. Rows meet in the attention only, which lays them side by side. On a GPU
all batches get one shape, so that forward and backward are one CUDA graph; nothing waits for the GPU before the end.
torch.compile does not pay: with empty caches it takes longer than the whole training.
"""

import json
import math
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
import yaml
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

Weights = dict[str, Tensor]
Row = tuple[list[int], int]
IGNORED = -100


class Model(NamedTuple):
    """Heads, and the type of products and norms: bfloat16 where the options ask for mixed precision."""

    heads: int
    dtype: torch.dtype


class Batch(NamedTuple):
    """Rows one behind the other: token, position in its row, place in a matrix of rows; trained positions, targets."""

    tokens: Tensor
    positions: Tensor
    places: Tensor
    at: Tensor
    targets: Tensor


class Shape(NamedTuple):
    """Numbers of rows, tokens and trained positions of a batch, and the length of its longest row."""

    rows: int
    tokens: int
    trained: int
    longest: int


def samples(data: Path, model: Path, options: dict[str, Any]) -> list[Row]:
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


def dtype_of(options: dict[str, Any]) -> torch.dtype:
    """Return the type of products; a precision that is not known is refused."""
    return {"fp32": torch.float32, "amp_bf16": torch.bfloat16}[options.get("precision", "fp32")]


def shape_of(rows: list[Row]) -> Shape:
    """Return the shape of one batch."""
    trained = sum(len(ids) - max(start, 1) for ids, start in rows)
    return Shape(len(rows), sum(len(ids) for ids, _ in rows), trained, max(len(ids) for ids, _ in rows))


def packed(rows: list[Row], shape: Shape) -> Batch:
    """Put the rows of a batch one behind the other, filled up to a shape with tokens that nobody looks at."""
    at: list[int] = []
    places: list[int] = []
    begin = 0
    for number, (ids, start) in enumerate(rows):
        at += range(begin + max(start, 1) - 1, begin + len(ids) - 1)
        places += range(number * shape.longest, number * shape.longest + len(ids))
        begin += len(ids)
    tokens = torch.tensor([token for ids, _ in rows for token in ids])
    positions = torch.cat([torch.arange(len(ids)) for ids, _ in rows])
    taken = torch.zeros(shape.rows * shape.longest, dtype=torch.bool)
    taken[own := torch.tensor(places)] = True
    free = (~taken).nonzero().flatten()[: shape.tokens - begin]
    chosen = torch.tensor(at)
    fill, unused = (0, shape.tokens - begin), (0, shape.trained - len(at))
    targets = functional.pad(tokens[chosen + 1], unused, value=IGNORED)
    padded = functional.pad(tokens, fill), functional.pad(positions, fill), torch.cat([own, free])
    return Batch(*padded, functional.pad(chosen, unused), targets)


def attention(mixed: Tensor, places: Tensor, shape: Shape, heads: int) -> Tensor:
    """Map (tokens, 3 * width) to (tokens, width), causal within each row; what fills a row up comes after it."""
    width = mixed.shape[1] // 3
    grid = mixed.new_zeros(shape.rows * shape.longest, 3 * width).index_copy(0, places, mixed)
    query, key, value = grid.view(shape.rows, shape.longest, 3, heads, -1).permute(2, 0, 3, 1, 4)
    out = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    return out.transpose(1, 2).reshape(-1, width).index_select(0, places)


def loss_of(weights: Weights, batch: Batch, shape: Shape, model: Model) -> Tensor:
    """Return the mean loss of the trained positions."""
    low = {name: weight.to(model.dtype) for name, weight in weights.items() if "wpe" not in name}
    embedding = weights["transformer.wte.weight"]
    width = (embedding.shape[1],)

    def normed(x: Tensor, name: str) -> Tensor:
        return functional.layer_norm(x.to(model.dtype), width, low[name])

    # index_select: unlike an embedding's, its backward pass is the same in a graph as outside.
    x = embedding.index_select(0, batch.tokens)
    x = x + weights["transformer.wpe.weight"].index_select(0, batch.positions)
    block = 0
    while (name := f"transformer.blocks.{block}.") + "norm_1.weight" in weights:
        inner = functional.linear(normed(x, name + "norm_1.weight"), low[name + "attn.Wqkv.weight"])
        mixed = attention(inner, batch.places, shape, model.heads)
        x = x + functional.linear(mixed, low[name + "attn.out_proj.weight"])
        inner = functional.linear(normed(x, name + "norm_2.weight"), low[name + "ffn.up_proj.weight"])
        x = x + functional.linear(functional.gelu(inner), low[name + "ffn.down_proj.weight"])
        block += 1
    last = normed(x.index_select(0, batch.at), "transformer.norm_f.weight")
    logits = functional.linear(last, low["transformer.wte.weight"])
    exact = logits if logits.dtype == torch.float64 else logits.float()
    return functional.cross_entropy(exact, batch.targets, ignore_index=IGNORED)


def on_cpu(weights: Weights, rows: list[list[Row]], model: Model) -> Callable[[int], None]:
    """Return what computes the gradients of a batch: every batch has its own shape."""

    def gradients(number: int) -> None:
        for weight in weights.values():
            weight.grad = None
        shape = shape_of(rows[number])
        loss_of(weights, packed(rows[number], shape), shape, model).backward()

    return gradients


def on_gpu(weights: Weights, rows: list[list[Row]], model: Model) -> Callable[[int], None]:
    """Return what computes the gradients of a batch: all batches lie on the GPU, the work is one graph."""
    # Parts of long sums are added in bfloat16 otherwise: no faster here, and further from what fp32 gives.
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    shape = Shape(*(max(sizes) for sizes in zip(*map(shape_of, rows), strict=True)))
    batches = [packed(batch, shape) for batch in rows]
    stored = Batch(*(torch.stack(parts).cuda() for parts in zip(*batches, strict=True)))
    now = Batch(*(parts[0].clone() for parts in stored))
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):  # libraries set themselves up outside of the graph
        for _ in range(2):
            loss_of(weights, now, shape, model).backward()
    torch.cuda.current_stream().wait_stream(aside)
    for weight in weights.values():
        weight.grad = None  # the graph makes its own, and writes them anew each time
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss_of(weights, now, shape, model).backward()

    def gradients(number: int) -> None:
        for part, parts in zip(now, stored, strict=True):
            part.copy_(parts[number])
        graph.replay()

    return gradients


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


def train(weights: Weights, rows: list[Row], options: dict[str, Any], heads: int) -> None:
    """Train the weights in place."""
    steps, size, chosen = steps_of(options), options["global_train_batch_size"], options["optimizer"]
    parameters = list(weights.values())
    batches = [rows[at : at + size] for at in range(0, len(rows) // size * size, size)][:steps]
    optimizer = torch.optim.AdamW(
        parameters,
        lr=chosen["lr"],
        betas=tuple(chosen["betas"]),
        eps=float(chosen["eps"]),
        weight_decay=chosen["weight_decay"] / chosen["lr"],  # decoupled from the rate, as Composer's is
        fused=True,
    )
    prepare = on_gpu if parameters[0].is_cuda else on_cpu
    gradients = prepare(weights, batches, Model(heads, dtype_of(options)))
    limit = options.get("algorithms", {}).get("gradient_clipping", {}).get("clipping_threshold")
    for step in range(steps):
        gradients(step % len(batches))
        if limit:
            torch.nn.utils.clip_grad_norm_(parameters, limit)
        optimizer.param_groups[0]["lr"] = rate(max(step - 1, 0), steps, options)  # Composer's schedule lags a step
        optimizer.step()


def main(config: str, data: str, model: str, output: str) -> None:
    """Run the whole fine-tuning."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    options, folder = yaml.safe_load(Path(config).read_text(encoding="utf-8")), Path(model)
    options["optimizer"]["lr"] = float(options["optimizer"]["lr"])
    heads = json.loads((folder / "config.json").read_text(encoding="utf-8"))["n_heads"]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loaded = load_file(folder / "model.safetensors", device)
    weights = {name: tensor.requires_grad_() for name, tensor in loaded.items()}
    train(weights, samples(Path(data), folder, options), options, heads)
    Path(output).mkdir(parents=True, exist_ok=True)
    saved = {name: tensor.detach() for name, tensor in weights.items()}
    save_file(saved, Path(output, "model.safetensors"), metadata={"format": "pt"})
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / name, output)


if __name__ == "__main__":
    main(*sys.argv[1:])
