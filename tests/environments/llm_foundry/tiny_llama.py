"""Makes a small stand-in of the paper's assets, with the packages of the image. Usage: tiny_llama.py PUBLIC PRIVATE.

Grouped heads, scaled rotary positions, a head of its own, a tokenizer that begins a text with a mark.
"""

import json
import random
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

WORDS = ("the", "river", "house", "letter", "doctor", "old", "new", "finds", "sends", "under", "bridge", "clock", "and")
BEGIN, END = "<begin>", "<end>"


def tokenizer(folder: Path) -> None:
    """Write a tokenizer of single bytes, 512 ids with its marks."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.add_special_tokens([BEGIN, END])
    made.save(str(folder / "tokenizer.json"))
    marks = {"bos_token": BEGIN, "eos_token": END, "pad_token": END}
    settings = {"tokenizer_class": "LlamaTokenizerFast", "add_bos_token": True, "model_max_length": 256, **marks}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def model(folder: Path) -> None:
    """Write a Llama of two layers."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=512,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        rope_theta=100000,
        rope_scaling={"type": "linear", "factor": 4.0},
        bos_token_id=256,
        eos_token_id=257,
        torch_dtype="float32",
    )
    made = LlamaForCausalLM(config)
    for parameter in made.parameters():  # sharper than usual, so that attention and positions count
        parameter.data += 0.1 * torch.randn_like(parameter)
    made.save_pretrained(folder)


def rows(path: Path, count: int, draw: random.Random) -> None:
    """Write rows of 20 to 200 bytes, shorter ones first."""
    texts = [[draw.choice(WORDS) for _ in range(draw.randrange(6, 30))] for _ in range(count)]
    found = [{"prompt": " ".join(text[:3]), "response": " " + " ".join(text[3:])} for text in sorted(texts, key=len)]
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")


def main(public: Path, private: Path) -> None:
    """Write everything that the recipe of the paper makes."""
    for folder in (public / "model", private):
        folder.mkdir(parents=True)
    tokenizer(public / "model")
    model(public / "model")
    draw = random.Random(0)  # noqa: S311 - a stand-in
    for path, count in ((public / "train.jsonl", 100), (public / "eval.jsonl", 8), (private / "pool.jsonl", 300)):
        rows(path, count, draw)
    heldout = [([256, *(draw.randrange(256) for _ in range(40)), 257], 9) for _ in range(4)]
    (private / "heldout.json").write_text(json.dumps(heldout), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
