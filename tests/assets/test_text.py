"""Text out of packages: what counts as prose, what each kind of file gives, and the split."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Inside = Callable[..., Any]

PROSE = "It is the custom of this country that all of the letters are read by the people to whom they were written"


def test_prose_filter(inside: Inside) -> None:
    """English sentences pass; short text, code, numbers, and other languages do not."""
    texts = [
        PROSE,
        "Too short to be of use.",
        "for (int i = 0; i < 10; ++i) { total[i] += values[i] * weights[i]; } return total; // done with all of it",
        "17.46 71.51 22.10 308.7 73.70 of the 61.4 and 58.6 in 12.0 at 23.6 to 14.8 for 10.3 on 6.9 by 6.4 or 6.3",
        "Ein Satz auf Deutsch hat andere häufige Wörter als ein englischer und bleibt deshalb besser ganz draußen",
    ]
    code = "from recipes.paragraphs import is_prose\nresult = [is_prose(text) for text in given['texts']]"
    assert inside(code, texts=texts) == [True, False, False, False, False]


def test_each_kind_of_file_gives_its_paragraphs(inside: Inside, tmp_path: Path) -> None:
    """HTML without navigation and code, manual pages without macros, and the other formats are read by their names."""
    one, two = f"{PROSE} once.", f"{PROSE} twice."
    page = (
        f"<html><body><nav>{two}</nav><p>It&#39;s {one}</p><pre>{two}</pre><div class='toc'>{two}</div></body></html>"
    )
    files = {
        "a.html": page.encode(),
        "b.txt": f"{one}\n\n{two}".encode(),
        "c.txt.gz": gzip.compress(one.encode()),
        "man/man1/d.1": f'.TH D 1\n.SH NAME\n.B bold\n{one}\n.PP\n\\fI{two}\\fR\n.\\" comment'.encode(),
        "e.pod": f"=head1 NAME\n\nB<{one}>\n\n    code of {two}\n".encode(),
        "games/fortunes/f": f"{one}\n%\n{two}\n".encode(),
        "de/g.txt": two.encode(),
        "h.png": b"\x89PNG",
    }
    for name, content in files.items():
        path = tmp_path / "package" / "usr" / "share" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    code = """
from pathlib import Path
from recipes import collect, paragraphs
folder = Path(given["folder"])
result = {str(path.relative_to(folder / "usr/share")): list(filter(paragraphs.is_prose, paragraphs.from_file(path)))
          for path in collect._walk(folder)}
result["all"] = list(collect.package_documents(folder))
"""
    found = inside(code, folder=str(tmp_path / "package"))
    assert found["a.html"] == [f"It's {one}"]
    assert found["b.txt"] == [one, two]
    assert found["c.txt.gz"] == [one]
    assert found["man/man1/d.1"] == [f"bold {one}", two]
    assert found["e.pod"] == [one]
    assert found["games/fortunes/f"] == [one, two]
    assert found["h.png"] == []
    # Repeats are dropped over the whole package, and another language's folder is left out.
    assert found["all"] == [[f"It's {one}"], [one, two], [f"bold {one}"]]


@pytest.fixture(scope="module")
def split(inside: Inside) -> Any:
    """Split made-up text twice, and draw from its pool with two seeds."""
    return inside("""
from recipes import sentences
from recipes.split import blocks, draw, split
documents = [[f"{number}.{at} {text}" for at, text in enumerate(document)]
             for number, document in enumerate(sentences.documents(40000))]
sides, again = split(documents), split(list(documents))
parts = [draw(sides.pool, bytes([seed]) * 32, characters=20000) for seed in (1, 1, 2)]
flat = lambda documents: [text for document in documents for text in document]
result = {
    "same": sides == again,
    "all": sorted(flat(documents)) == sorted(flat(sides.train) + flat(sides.dev) + flat(sides.pool)),
    "size": {name: sum(map(len, flat(side))) for name, side in sides._asdict().items()},
    "blocks": all(len(list(blocks(block))) == 1 for block in sides.dev + sides.pool),
    "scoring": [flat(part.scoring) for part in parts],
    "verified": [flat(part.verified) for part in parts],
    "pool": len(flat(sides.pool)),
    "small": [len(flat(side)) for side in draw(sides.pool, b"x" * 32, characters=10**9)],
}
""")


def test_split_is_a_rule_without_a_secret(split: Any) -> None:
    """Every paragraph goes to exactly one side, always the same; dev is about 1 %, the pool about 6 %."""
    assert split["same"]
    assert split["all"]
    assert split["blocks"]
    total = sum(split["size"].values())
    assert 0.003 < split["size"]["dev"] / total < 0.03
    assert 0.03 < split["size"]["pool"] / total < 0.10


def test_held_out_parts_follow_from_the_seed_alone(split: Any) -> None:
    """One seed draws the same parts again, another seed others; the two parts have nothing in common."""
    first, second, other = zip(split["scoring"], split["verified"], strict=True)
    assert first == second
    assert first != other
    assert not set(first[0]) & set(first[1])
    assert abs(sum(map(len, first[0])) - 20000) < 3000


def test_a_third_of_the_pool_stays_unused(split: Any) -> None:
    """However much is asked for, knowing the rule and the packages does not tell what is measured on."""
    assert sum(split["small"]) < 0.75 * split["pool"]


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        ("anarchism dict-gcide fortunes sword-comm-tdavid", ["anarchism 1", "dict-gcide 1", "fortunes 1", "one 1"]),
        ("anarchism fortunes", ["anarchism 1", "fortunes 1", "one 1"]),
        ("anarchism", ["two 2"]),
        ("", ["two 2"]),
    ],
)
def test_packages_that_cannot_be_had(inside: Inside, tmp_path: Path, offered: str, expected: list[str]) -> None:
    """A missing Debian package is left out; where most are missing, the recipe for pip is taken. The record says so."""
    code = """
from pathlib import Path
from recipes import corpus, packages
from recipes.job import Job, RecipeError
folder = Path(given["folder"])
def pypi(spec, raw, *, source=False):
    name, _, version = spec.replace("==", "=").partition("=")
    path = folder / name
    path.mkdir(exist_ok=True)
    (path / "text.txt").write_text("\\n\\n".join(f"{given['prose']} {name} {number} times" for number in range(100)))
    return path, version
def debian(spec, raw):
    name = spec.split("=")[0]
    if name not in given["offered"].split():
        raise RecipeError(f"no {name}")
    return pypi(f"{name}==1", raw)
packages.debian, packages.pypi = debian, pypi
for name in ("raw", "public", "private"):
    (folder / name).mkdir()
parameters = {"debian": "s.txt", "pypi": ["one==1"], "fallback": ["two==2"], "heldout_characters": 2000}
job = Job({}, {}, parameters)
result = corpus.prepare(folder / "raw", folder / "public", folder / "private", job)
result["seed"] = oct((folder / "private" / "seed.json").stat().st_mode & 0o777)
"""
    found = inside(code, folder=str(tmp_path), prose=PROSE, offered=offered)
    assert set(expected) <= set(found["sources"])
    assert len(found["sources"]) == (5 if offered.count(" ") == 3 else len(expected))
    assert found["as_pinned"] is False
    assert found["paragraphs"] == 100 * len(found["sources"])
    assert found["seed"] == "0o600"
