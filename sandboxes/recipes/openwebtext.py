"""Recipe of the paper's text: OpenWebText with the split and the token files of nanoGPT's preparation.

nanoGPT shuffles all documents with seed 2357 and puts 0.05 % aside for validation; `train_test_split` of the datasets
library is a numpy permutation whose first part is the test set. Its `val` serves as dev; the held-out parts are drawn
from the end of its order with a secret seed, as everywhere here, since the published validation text is known to all.
"""

import json
import math
import os
import secrets
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from tokenizers import Tokenizer

from recipes import hub, tokenizer
from recipes.job import Job, RecipeError, say

_SEED, _TEST_SHARE = 2357, 0.0005


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Make `train.bin`, `dev.bin` (public), `scoring.bin`, `verified.bin`, `seed.json` (private).

    Parameters of the job: `repository`, `kind`, `revision`, `patterns`, `documents` and `dev_tokens` (the known
    numbers of them), `heldout_documents` (in each held-out part).

    Raises:
        RecipeError: The text cannot be fetched, or is not complete.
    """
    folder, commit = hub.fetched(raw, job.parameters, job.parameters["patterns"])
    files = sorted(folder.rglob("*.parquet"))
    count, known = sum(pq.ParquetFile(file).metadata.num_rows for file in files), job.parameters["documents"]
    if count != known:
        raise RecipeError(f"{job.parameters['repository']} has {count:,} documents, not {known:,}: fetch it again")
    sides = assign(count, _secret(private), job.parameters["heldout_documents"])
    encoder = Tokenizer.from_file(str(job.needs["tokenizer"] / "tokenizer.json"))
    targets = [public / "train.bin", public / "dev.bin", private / "scoring.bin", private / "verified.bin"]
    tokens = _write(files, sides, encoder, targets)
    expected = job.parameters["dev_tokens"]
    if tokens["dev"] != expected:
        say(f"note: dev has {tokens['dev']:,} tokens, nanoGPT's has {expected:,}: the order of documents has changed")
    return {"commit": commit, "documents": count, "tokens": tokens, "as_nanogpt": tokens["dev"] == expected}


def _secret(private: Path) -> int:
    seed = secrets.randbits(128)
    with os.fdopen(os.open(private / "seed.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump({"what": "draws the held-out documents of this machine", "seed": f"{seed:x}"}, file)
    return seed


def assign(count: int, secret: int, heldout: int) -> np.ndarray:
    """Return each document's side: 0 train, 1 dev, 2 scoring, 3 verified; shape (count,), uint8.

    Args:
        count: Number of documents.
        secret: Seed of the held-out draw, from what nanoGPT trains on.
        heldout: Documents in each held-out part.
    """
    order = np.random.default_rng(_SEED).permutation(count)
    sides = np.zeros(count, np.uint8)
    sides[order[: math.ceil(_TEST_SHARE * count)]] = 1
    drawn = np.random.default_rng(secret).permutation(np.flatnonzero(sides == 0))
    sides[drawn[:heldout]], sides[drawn[heldout : 2 * heldout]] = 2, 3
    return sides


def _write(files: list[Path], sides: np.ndarray, encoder: Tokenizer, targets: list[Path]) -> dict[str, int]:
    """Write the token files, a batch of documents a time, in the order of the repository."""
    totals, place = dict.fromkeys((target.stem for target in targets), 0), 0
    opened = [target.open("wb") for target in targets]
    documents = _documents(files)
    while texts := list(islice(documents, 4096)):
        of = sides[place : place + len(texts)]
        for side, file in enumerate(opened):
            chosen = [text for text, where in zip(texts, of, strict=True) if where == side]
            for tokens in tokenizer.encoded(encoder, chosen):
                file.write(tokens.tobytes())
                totals[targets[side].stem] += len(tokens)
        place += len(texts)
        if place % (4096 * 64) == 0:
            say(f"{place:,} of {len(sides):,} documents")
    for file in opened:
        file.close()
    return totals


def _documents(files: list[Path]) -> Iterator[str]:
    for file in files:
        for group in pq.ParquetFile(file).iter_batches(batch_size=1024, columns=["text"]):
            yield from group.column(0).to_pylist()
