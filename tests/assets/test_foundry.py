"""Rows of the fine-tuning: what agents see, and the pool out of which instances draw."""

from collections.abc import Callable
from typing import Any

Inside = Callable[..., Any]


def test_pool_has_neither_public_rows_nor_odd_neighbours(inside: Inside) -> None:
    """No row of the pool is public or there twice, and whichever of three neighbours is taken, tokens are as many."""
    code = """
import tempfile
from pathlib import Path
from recipes import collect, foundry_rows, sentences, tokenizer
path = Path(tempfile.mkdtemp()) / "train.txt"
path.write_bytes(b"".join(map(collect.rendered, sentences.documents(20000))))
words = tokenizer.trained(path, 400)
shown = foundry_rows.rows(path, 300, {"context": 256, "joined": 2}, words)
pool = foundry_rows.rows(path, 900, {"context": 256, "joined": 2}, words, besides=shown)
texts = [row.prompt + row.response for row in pool]
lengths = sorted(row.length for row in pool)
result = {
    "rows": [len(shown), len(pool), len(set(texts))],
    "common": len(set(texts) & {row.prompt + row.response for row in shown}),
    "sums": [sum(lengths[at::3]) for at in range(3)],
    "longest": lengths[-1],
}
"""
    found = inside(code)
    assert found["rows"] == [300, 900, 900]
    assert found["common"] == 0
    assert max(found["sums"]) < 1.01 * min(found["sums"])
    assert found["longest"] <= 256
