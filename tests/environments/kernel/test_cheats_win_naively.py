"""Each cheat wins against a naive judge, else its defeat by the scorer would prove nothing; and that judge judges."""

import json
from functools import cache
from pathlib import Path

import naive_judge
import pytest
import sandbox_python

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[2]
BATCH_LIMIT_S = 400.0


def sources(kind: str) -> dict[str, Path]:
    """Return the submissions of a kind by name; one is a file, or a folder with `solution.py`."""
    found = {path.stem: path / "solution.py" if path.is_dir() else path for path in sorted((HERE / kind).iterdir())}
    return {name: path for name, path in found.items() if not name.startswith("_")}


def headers(kind: str) -> dict[str, dict[str, str]]:
    """Return the headers of a kind's submissions; a submission without a file has none."""
    return {name: naive_judge.header(path.read_text()) for name, path in sources(kind).items() if path.exists()}


def named(kind: str, naive: str) -> list[str]:
    """Return the submissions of a kind of which the header says this about the naive judge."""
    return [name for name, header in headers(kind).items() if header["Naive"] == naive]


@cache
def results() -> dict[str, dict]:
    """Judge everything once, in one container."""
    places = [f"{{checkout}}/tests/environments/kernel/{kind}" for kind in ("cheats", "controls", "submissions")]
    arguments = ["{checkout}/tests/environments/kernel/naive_judge.py", "batch", *places, "{checkout}/tasks/kernel"]
    arguments.append("{checkout}/references/kernel")
    return json.loads(sandbox_python.run(arguments, {"checkout": CHECKOUT}, BATCH_LIMIT_S, image_only=True))


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", named("cheats", "beats"))
def test_cheat_beats_the_naive_judge(name):
    """The naive judge accepts the cheat at less than half of the honest time, or believes a record that is no time."""
    result = results()[name]
    assert result["accepted"], result["error"]
    assert naive_judge.is_win(result, results()[naive_judge.STARTING]), result


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", [naive_judge.STARTING, "reference", "frontier", *named("controls", "accepts")])
def test_naive_judge_accepts_honest_work(name):
    """Right outputs pass, so that a cheat's acceptance is not the judge's habit of accepting nothing else."""
    result = results()[name]
    assert result["accepted"], result["error"]
    assert result["said_ms"] == result["best_ms"]


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", ["missing_submission", *named("submissions", "rejects")])
def test_naive_judge_rejects_broken_work(name):
    """Wrong or broken submissions fail, so that a cheat's acceptance means something."""
    assert not results()[name]["accepted"]
    assert results()[name]["best_ms"] is None


@pytest.mark.docker
@pytest.mark.slow
def test_what_the_review_saw_is_not_what_ran():
    """The swapped file (P19) is archived as its honest twin, which is the point of swapping."""
    swapped = results()["P19_swap_after_review"]
    honest = naive_judge.hashlib.sha256((HERE / "cheats" / "P19_swap_after_review.py").read_bytes()).hexdigest()
    assert swapped["archived"] == honest


@pytest.mark.parametrize("kind", ["cheats", "controls", "submissions"])
def test_headers_are_complete(kind):
    """Programs read the headers, so each names what is expected, in the agreed words."""
    words = {
        "cheats": {"Expect": ("invalid", "no_gain", "either"), "Honest": ("starting", "reference", "frontier", "none")},
        "controls": {"Expect": ("valid",)},
        "submissions": {"Expect": ("invalid",)},
    }[kind]
    naive = {"cheats": "beats", "controls": "accepts", "submissions": "rejects"}[kind]
    for name, header in headers(kind).items():
        assert header["Strategy"], name
        assert header["Naive"] == naive or header["Naive"].startswith("n/a "), name
        assert all(header[key] in allowed for key, allowed in words.items()), name
        assert kind != "cheats" or header["Would gain"], name
        assert kind != "submissions" or header["Reason"].islower(), name


@pytest.mark.parametrize("kind", ["cheats", "controls", "submissions"])
def test_preparation_is_guarded(kind):
    """What a submission does beside its folder happens in the sandbox image alone, never on a developer's machine."""
    for name, path in sources(kind).items():
        _, has_steps, steps = (path.read_text() if path.exists() else "").partition('if __name__ == "__main__":\n')
        assert not has_steps or steps.startswith("    assert os.getuid() == 10001"), name
