"""Each cheat wins against a naive judge, else its defeat by the scorer would prove nothing; and that judge judges."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from rebench_inspect import asset_store

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[2]
KINDS = ("cheats", "controls", "submissions")
_SPEC = importlib.util.spec_from_file_location("naive_judge_of_embeddings", HERE / "naive_judge.py")
assert _SPEC
assert _SPEC.loader
judge = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(judge)

HEADERS = {
    kind: {path.stem: judge.header(path.read_text()) for path in sorted((HERE / kind).glob("*.py"))} for kind in KINDS
}


def named(kind: str, naive: str) -> list[str]:
    """Return the cases of a kind of which the header says this about the naive judge."""
    return [name for name, header in HEADERS[kind].items() if header["Naive"] == naive]


@pytest.fixture(scope="module")
def results(fix_embedding_image: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """Judge everything once, as the agent, in one container in which the scorer's secrets lie open."""
    secrets = tmp_path_factory.mktemp("secrets")
    assets = asset_store.scale_folder("test")
    shutil.copyfile(assets / "public" / "tokenizer" / "dev.bin", secrets / "scoring.bin")
    shutil.copyfile(assets / "private" / "model-damaged" / "seed.json", secrets / "seed.json")
    shutil.copyfile(assets / "private" / "model-large" / "model.safetensors", secrets / "original.safetensors")
    for path in (secrets, *secrets.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    mounts = [f"--volume={CHECKOUT}:/x/checkout:ro", f"--volume={secrets}:/x/secrets:ro"]
    environment = "/x/checkout/tests/environments/fix_embedding"
    command = ["docker", "run", "--rm", "--init", "--network=none", "--user=agent", *mounts, fix_embedding_image]
    command += ["/opt/work/bin/python", "-B", f"{environment}/naive_judge.py", "batch"]
    command += ["/x/checkout/tasks/fix_embedding/workspace", *(f"{environment}/{kind}" for kind in KINDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", named("cheats", "beats"))
def test_cheat_beats_the_naive_judge(name: str, results: dict[str, dict]) -> None:
    """The naive judge believes a loss that is no number, or one clearly below the damaged model's."""
    assert judge.is_win(results[name], results[judge.STARTING]), results[name]


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", [*named("cheats", "accepts"), *named("controls", "accepts")])
def test_naive_judge_accepts(name: str, results: dict[str, dict]) -> None:
    """Honest repairs pass with a better loss, and cheats that gain elsewhere are not rejected."""
    assert results[name]["accepted"], results[name]
    if name in HEADERS["controls"]:
        assert results[name]["loss"] < results[judge.STARTING]["loss"] - 0.5


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", named("submissions", "rejects"))
def test_naive_judge_rejects_broken_work(name: str, results: dict[str, dict]) -> None:
    """Broken files fail here too, so that a cheat's acceptance means something."""
    assert not results[name]["accepted"]


@pytest.mark.parametrize("kind", KINDS)
def test_headers_are_complete(kind: str) -> None:
    """Programs read the headers, so each names what is expected, in the agreed words."""
    expected = {"cheats": ("invalid", "no_gain", "either"), "controls": ("valid",), "submissions": ("invalid",)}[kind]
    for name, header in HEADERS[kind].items():
        assert header["Strategy"], name
        assert header["Expect"] in expected, name
        assert header["Naive"] in ("beats", "accepts", "rejects") or header["Naive"].startswith("n/a "), name
        assert kind != "cheats" or (header["Would gain"] and header["Honest"]), name
        assert header["Expect"] != "invalid" or header["Reason"].islower(), name


@pytest.mark.parametrize("kind", KINDS)
def test_programs_are_guarded(kind: str) -> None:
    """What a case does happens in the sandbox image alone, never on a developer's machine."""
    for path in (HERE / kind).glob("*.py"):
        before, _, steps = path.read_text().partition('if __name__ == "__main__":\n')
        assert steps.startswith("    assert os.getuid() == 10001"), path.name
        assert "save_file(" not in before, path.name
