"""Recipe `tokenizer`: `tokenizer.json` (GPT-2's ranks, or a small BPE trained on the corpus) and the corpus as tokens.

Token files are flat little-endian uint16, every document (and every cut in one) followed by the end-of-text token.
"""

import base64
import hashlib
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from recipes import collect, packages
from recipes.job import Job, RecipeError, say

END_OF_TEXT = "<|endoftext|>"
_GPT2_SOURCE, _GPT2_FILE = "openai-whisper==20250625", "whisper/assets/gpt2.tiktoken"
_GPT2_SHA256 = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
_GPT2_KNOWN = ("Hello world", [15496, 995])


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Make `tokenizer.json`, `train.bin`, `dev.bin` (public), `scoring.bin`, `verified.bin` (private).

    Parameters of the job: `vocabulary`, 50257 for GPT-2's own, else the size of one that is trained.

    Raises:
        RecipeError: The ranks cannot be had, or are not GPT-2's.
    """
    size = job.parameters["vocabulary"]
    tokenizer = gpt2(raw) if size == 50257 else trained(job.needs["corpus"] / "train.txt", size)
    tokenizer.save(str(public / "tokenizer.json"))
    figures: dict[str, Any] = {"vocabulary": tokenizer.get_vocab_size(), "tokens": {}}
    for name, source, target in (
        ("train", job.needs["corpus"], public),
        ("dev", job.needs["corpus"], public),
        ("scoring", job.needs_private["corpus"], private),
        ("verified", job.needs_private["corpus"], private),
    ):
        tokens = encode_file(tokenizer, source / f"{name}.txt", target / f"{name}.bin")
        say(f"{name}: {tokens:,} tokens")
        figures["tokens"][name] = tokens
    figures["unigram_loss_dev"] = round(unigram_loss(public / "train.bin", public / "dev.bin", size), 4)
    return figures


def unigram_loss(train: Path, held: Path, vocabulary: int) -> float:
    """Return the loss in nats on `held` of guessing by frequencies in `train`: what a model without context gets."""
    counts = [np.bincount(np.fromfile(path, "<u2"), minlength=vocabulary) for path in (train, held)]
    guessed, actual = ((count + extra) / (count + extra).sum() for count, extra in zip(counts, (1, 0), strict=True))
    return float(-(actual * np.log(guessed)).sum())


def trained(text: Path, size: int) -> Tokenizer:
    """Return a byte-level BPE with `size` entries, learned from a quarter of a text file."""
    tokenizer = _byte_level(Tokenizer(models.BPE()))
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_sample(text), trainer)
    return tokenizer


def _sample(text: Path, stride: int = 4) -> Iterator[str]:
    """Yield every `stride`-th paragraph of each document, so that each source has its share."""
    for document in collect.parsed(text.read_text(encoding="utf-8")):
        yield from document[::stride]


def gpt2(raw: Path) -> Tokenizer:
    """Return GPT-2's tokenizer, made from the ranks that the source archive of openai-whisper carries.

    Raises:
        RecipeError: The file is not the known one, or known text gives other tokens.
    """
    folder, _ = packages.pypi(_GPT2_SOURCE, raw, source=True)
    file = next(folder.glob(f"*/{_GPT2_FILE}"))
    if hashlib.sha256(file.read_bytes()).hexdigest() != _GPT2_SHA256:
        shutil.rmtree(folder)
        raise RecipeError(f"{_GPT2_FILE} of {_GPT2_SOURCE} has another SHA-256 than GPT-2's ranks; run it again")
    tokenizer = from_ranks(file.read_bytes())
    text, known = _GPT2_KNOWN
    found = tokenizer.encode(text).ids
    if found != known:
        raise RecipeError(f"the tokenizer gives {found} for {text!r}, GPT-2's gives {known}: do not use it")
    return tokenizer


def from_ranks(content: bytes) -> Tokenizer:
    """Return the tokenizer of a rank file: lines of a base64 token and its rank.

    Each token is the merge of the two parts into which lower ranks split it.
    """
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, content.splitlines())}
    letters = _letters()
    vocabulary = {_spelled(token, letters): rank for token, rank in ranks.items()}
    merges: list[tuple[str, str]] = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) > 1:
            left, right = _parts(token, rank, ranks)
            merges.append((_spelled(left, letters), _spelled(right, letters)))
    vocabulary[END_OF_TEXT] = len(vocabulary)
    tokenizer = _byte_level(Tokenizer(models.BPE(vocab=vocabulary, merges=merges)))
    tokenizer.add_special_tokens([END_OF_TEXT])
    return tokenizer


def _byte_level(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _parts(token: bytes, rank: int, ranks: dict[bytes, int]) -> list[bytes]:
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        pairs = ((ranks.get(parts[at] + parts[at + 1], rank), at) for at in range(len(parts) - 1))
        best, at = min(pairs)
        if best >= rank:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def _letters() -> dict[int, str]:
    """Return the printable character that byte-level BPE writes for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}


def _spelled(token: bytes, letters: dict[int, str]) -> str:
    return "".join(letters[byte] for byte in token)


def encode_file(tokenizer: Tokenizer, text: Path, target: Path) -> int:
    """Write a text file's tokens and return their number."""
    documents = ("\n\n".join(document) for document in collect.parsed(text.read_text(encoding="utf-8")))
    with target.open("wb") as file:
        return sum(_written(file, tokens) for tokens in encoded(tokenizer, documents))


def _written(file: Any, tokens: np.ndarray) -> int:  # noqa: ANN401 - any binary file
    file.write(tokens.tobytes())
    return len(tokens)


def encoded(tokenizer: Tokenizer, documents: Iterable[str], batch: int = 256) -> Iterator[np.ndarray]:
    """Yield the tokens of documents with their end of text, uint16, a batch of documents a time."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    waiting = iter(documents)
    while texts := list(islice(waiting, batch)):
        # Text that spells the end of text is text: as in nanoGPT, only we write the token.
        tokenizer.encode_special_tokens = True
        found = tokenizer.encode_batch_fast(texts)
        yield np.fromiter((token for each in found for token in (*each.ids, end)), dtype="<u2")
