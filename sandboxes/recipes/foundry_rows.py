"""Rows of prompts and responses for a fine-tuning, and the pool out of which instances draw theirs."""

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from recipes import collect
from recipes.job import Job

CHOICES = 3
"""Rows of the pool for every row that an instance has."""


class Row(NamedTuple):
    """A prompt, its response, and the tokens of both with one end of text and one to spare."""

    prompt: str
    response: str
    length: int


class Marks(NamedTuple):
    """Token ids that a tokenizer puts before a prompt and after a response."""

    begin: Sequence[int]
    end: Sequence[int]


def write_data(public: Path, private: Path, job: Job, tokenizer: Tokenizer, marks: Marks) -> dict[str, Any]:
    """Write all that is made of rows; return their number and mean length in tokens.

    Args:
        public: The recipe's folder for what agents see.
        private: Its folder for what only the scorer sees.
        job: Of its parameters those about rows, and `context`; it needs the recipe `corpus`.
        tokenizer: The model's.
        marks: What the model's tokenizer adds.
    """
    sizes, texts = job.parameters, (job.needs["corpus"], job.needs["corpus"], job.needs_private["corpus"])
    counts = sizes["rows"], sizes["eval_rows"], sizes.get("heldout_rows", sizes["eval_rows"])
    shown, seen, hidden = (
        rows(source / f"{name}.txt", count, sizes, tokenizer)
        for source, name, count in zip(texts, ("train", "dev", "scoring"), counts, strict=True)
    )
    pool = rows(texts[0] / "train.txt", CHOICES * counts[0], sizes, tokenizer, besides=shown)
    for target, found in ((public / "train.jsonl", shown), (public / "eval.jsonl", seen)):
        write_rows(found, target)
    # Neighbours are of nearly the same length: whichever is taken of every few, the tokens are as many.
    write_rows(sorted(pool, key=lambda row: row.length), private / "pool.jsonl")
    write_tokens(hidden, private / "heldout.json", tokenizer, marks)
    return {
        "rows": counts[0],
        "mean_tokens": round(sum(row.length for row in shown) / counts[0], 1),
        "pool_mean_tokens": round(sum(row.length for row in pool) / len(pool), 1),
    }


def rows(
    text: Path,
    count: int,
    sizes: Any,  # noqa: ANN401 - a row of the manifest
    tokenizer: Tokenizer,
    besides: Collection[Row] = (),
) -> list[Row]:
    """Return rows that continue a text's beginning, from all over the text and none of `besides`.

    Most are much shorter than the context, a few as long, as real rows are.
    """
    documents = collect.parsed(text.read_text(encoding="utf-8"))
    paragraphs = [each for document in documents for each in joined(document, sizes.get("joined", 1))]
    known = {row.prompt + row.response for row in besides}
    paragraphs = [paragraph for paragraph in dict.fromkeys(paragraphs) if paragraph not in known]
    found: list[Row] = []
    for paragraph in paragraphs[:: max(1, len(paragraphs) // (2 * count))]:
        words = paragraph.split(" ")
        cut = max(1, min(12, len(words) // 3))
        length = len(tokenizer.encode(paragraph).ids) + 2
        if len(words) >= 4 and length <= sizes["context"] and len(found) < count:
            found.append(Row(" ".join(words[:cut]), " " + " ".join(words[cut:]), length))
    if len(found) < count:
        raise ValueError(f"{text} gives {len(found)} rows, {count} are wanted")
    return found


def write_rows(found: Iterable[Row], target: Path) -> None:
    """Write rows as lines of JSON."""
    lines = (json.dumps({"prompt": row.prompt, "response": row.response}) + "\n" for row in found)
    target.write_text("".join(lines), encoding="utf-8")


def joined(paragraphs: list[str], most: int) -> list[str]:
    """Join 1, 2, ... `most` neighbouring paragraphs in turn."""
    found: list[str] = []
    at = 0
    while at < len(paragraphs):
        size = len(found) % most + 1
        found.append(" ".join(paragraphs[at : at + size]))
        at += size
    return found


def write_tokens(found: Iterable[Row], target: Path, tokenizer: Tokenizer, marks: Marks) -> None:
    """Write rows as [token ids with end of text, length of the prompt]: the scorer has no tokenizer."""
    encoded: list[tuple[list[int], int]] = []
    for row in found:
        texts = row.prompt, row.response
        prompt, response = (tokenizer.encode(text, add_special_tokens=False).ids for text in texts)
        encoded.append(([*marks.begin, *prompt, *response, *marks.end], len(marks.begin) + len(prompt)))
    target.write_text(json.dumps(encoded) + "\n", encoding="utf-8")
