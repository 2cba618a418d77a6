"""Recipe `tokenizer` of the paper: GPT-2's own `tokenizer.json`, without a corpus of ours."""

from pathlib import Path
from typing import Any

from recipes import tokenizer
from recipes.job import Job


def prepare(raw: Path, public: Path, _private: Path, _job: Job) -> dict[str, Any]:
    """Make `tokenizer.json` (public); raises as `tokenizer.gpt2`."""
    made = tokenizer.gpt2(raw)
    made.save(str(public / "tokenizer.json"))
    return {"vocabulary": made.get_vocab_size()}
