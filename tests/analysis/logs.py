"""Real logs of the kernel environment, and copies of them with one thing changed."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zipfile_zstd  # noqa: F401 - teaches zipfile Inspect's compression

DATA = Path(__file__).parent / "data"
SUBMITTED = next(DATA.glob("*_submitted.eval"))
"""Two attempts with four scorings each: unchanged start, wrong, faster, slower."""

WITHOUT_VALID = next(DATA.glob("*_without-valid.eval"))
"""One attempt whose only scoring is invalid."""

LIMITED = next(DATA.glob("*_limited.json"))
"""One attempt that the working limit ended, as `.json`."""

Change = Callable[[dict[str, Any]], object]


def _nothing(_: dict[str, Any]) -> None:
    return None


def changed(
    log: Path, out: Path, sample: Change = _nothing, header: Change = _nothing, *, running: bool = False
) -> Path:
    """Copy a log with its samples and its header changed in place; `running` leaves the header out."""
    with zipfile.ZipFile(log) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = json.loads(source.read(name))
            if name.startswith("samples/"):
                sample(content)
            elif name == "header.json" and running:
                continue
            elif name in ("header.json", "_journal/start.json"):
                header(content)
            target.writestr(name, json.dumps(content))
    return out


def renamed(suffix: str) -> Change:
    """Return the change that makes samples other attempts of the same task."""

    def change(sample: dict[str, Any]) -> None:
        sample["uuid"] += suffix

    return change


def evals(**fields: str) -> Change:
    """Return the change that sets fields of a header's eval."""

    def change(header: dict[str, Any]) -> None:
        header["eval"].update(fields)

    return change
