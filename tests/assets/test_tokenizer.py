"""Tokenizers: from ranks and trained."""

import base64
from collections.abc import Callable
from typing import Any

Inside = Callable[..., Any]


def test_ranks_become_a_tokenizer(inside: Inside) -> None:
    """A rank file gives the tokenizer that merges in the order of its ranks; only we write the end of text."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"he", b"ll", b"hell", b"hello", b" h", b" he"]
    ranks = "\n".join(f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens))
    code = """
from recipes import tokenizer
made = tokenizer.from_ranks(given["ranks"].encode())
texts = ["hello", "hello he", "h\\u00e9", "a<|endoftext|>"]
result = [list(map(int, tokens)) for text in texts for tokens in tokenizer.encoded(made, [text])]
result.append(made.decode(result[1]))
"""
    hello, pair, bytes_, end, text = inside(code, ranks=ranks)
    assert hello == [259, 262]
    assert pair == [259, 261, 262]
    assert bytes_ == [ord("h"), 0xC3, 0xA9, 262]
    assert end.count(262) == 1
    assert text.startswith("hello he")


def test_trained_tokenizer_is_reproducible_and_loses_nothing(inside: Inside) -> None:
    """Two trainings on the same text are the same; any text comes back from its tokens."""
    code = """
import tempfile
from pathlib import Path
from recipes import collect, sentences, tokenizer
path = Path(tempfile.mkdtemp()) / "train.txt"
path.write_bytes(b"".join(map(collect.rendered, sentences.documents(2000))))
one, two = tokenizer.trained(path, 400), tokenizer.trained(path, 400)
text = "The farmer, na\\u00efve \\u2014 and 42 \\U0001f600 others\\n\\n  spaced"
result = [one.to_str() == two.to_str(), one.decode(one.encode(text).ids) == text, one.get_vocab_size()]
"""
    assert inside(code) == [True, True, 400]
