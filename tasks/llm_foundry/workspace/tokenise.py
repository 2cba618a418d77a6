"""Tokenises the rows into shards, and turns an MPT's initial weights into a Composer checkpoint.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
from omegaconf import OmegaConf
from safetensors.torch import load_file
from streaming import MDSWriter
from transformers import AutoTokenizer, PreTrainedTokenizerBase

COLUMNS = {"input_ids": "ndarray", "labels": "ndarray"}


def rows(path: Path) -> list[dict[str, str]]:
    """Read rows of `prompt` and `response`."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(found: list[dict[str, str]], tokenizer: PreTrainedTokenizerBase, max_seq_len: int, folder: Path) -> None:
    """Write one shard folder; rows whose prompt alone fills the context are left out."""
    with MDSWriter(out=str(folder), columns=COLUMNS, compression=None) as writer:
        for row in found:
            prompt = tokenizer(row["prompt"])["input_ids"]
            # A response goes on where its prompt ends: no beginning of its own.
            response = tokenizer(row["response"], add_special_tokens=False)["input_ids"]
            if len(prompt) < max_seq_len:
                sample = {"input_ids": prompt, "labels": response}
                writer.write({name: np.array(ids, dtype=np.int64) for name, ids in sample.items()})


def main(config: str, data: str, model: str, work: str) -> None:
    """Write shards of both splits and, but for the hub's own classes, the checkpoint that training starts from."""
    options = OmegaConf.load(config)
    tokenizer = AutoTokenizer.from_pretrained(model)
    train, held = rows(Path(data, "train.jsonl")), rows(Path(data, "eval.jsonl"))
    random.Random(options.seed).shuffle(train)  # noqa: S311 - an order, no secret
    write(train, tokenizer, options.max_seq_len, Path(work, "shards", "train"))
    write(held, tokenizer, options.max_seq_len, Path(work, "shards", "eval"))
    if options.model.name == "mpt_causal_lm":
        weights = {f"model.{name}": tensor for name, tensor in load_file(Path(model, "model.safetensors")).items()}
        torch.save({"state": {"model": weights}}, Path(work, "initial.pt"))


if __name__ == "__main__":
    main(*sys.argv[1:])
