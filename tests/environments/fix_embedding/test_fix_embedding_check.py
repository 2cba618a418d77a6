"""Every known solution, broken file, control and cheat of fix_embedding, through the real scorer; and its promises."""

import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from rebench_inspect import asset_store, cases, check, paths
from rebench_inspect.environments import FIX_EMBEDDING

CASES = cases.load(FIX_EMBEDDING, FIX_EMBEDDING.scale("test"))
EXACT = ["exact_rows", "half", "brain_float", "sharded", "copied_head", "converted_checkpoint"]
Results = dict[tuple[str, str], check.Result]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("check")


@pytest.fixture(scope="module")
def results(fix_embedding_image: str, folder: Path) -> Results:
    """Run all cases once, at the private test scale, in one sandbox made from the real image."""
    assert fix_embedding_image
    ran = check.run(FIX_EMBEDDING, FIX_EMBEDDING.scale("test"), "", str(folder))
    return {(case.kind, case.name): (case, measured, wrong) for case, measured, wrong in ran}


@pytest.fixture(scope="module")
def rows(results: Results, folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the log keeps of each case."""
    assert results
    sample = (read_eval_log(str(next(folder.glob("*.eval")))).samples or [])[0]
    return {row["name"]: row for row in sample.store["check"]}


@pytest.mark.docker
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.name}")
def test_case(case: cases.Case, results: Results) -> None:
    """A known or honest solution scores, a broken one gets its own reason, a cheat is invalid or gains nothing."""
    _, measured, wrong = results[case.kind, case.name]
    assert wrong is None, f"{wrong}: {measured}"


@pytest.mark.docker
def test_reference_and_frontier_close_the_gap(results: Results) -> None:
    """In loss, the reference closes 80 % of the way to the exact repair, the frontier 97 %."""
    raws = {name: measured.raw for (_, name), (_, measured, _) in results.items() if measured.raw is not None}
    loss = {name: 1.5 + math.exp(raw) for name, raw in raws.items()}
    gap = loss["starting"] - loss["exact_rows"]
    assert (loss["starting"] - loss["reference"]) / gap >= 0.80
    assert (loss["starting"] - loss["frontier"]) / gap >= 0.97


@pytest.mark.docker
@pytest.mark.parametrize("name", EXACT)
def test_the_exact_repair_is_not_flagged(name: str, rows: dict[str, dict[str, Any]]) -> None:
    """Rows that equal the original's bit for bit are what an honest agent finds: no remark."""
    assert rows[name]["flags"] == []


@pytest.mark.docker
def test_formats_of_the_exact_repair_score_alike(results: Results) -> None:
    """float16, shards, a copied head and a converted checkpoint score as the float32 file does, within rounding."""
    exact = results["control", "exact_rows"][1].raw
    assert exact is not None
    for name, tolerance in (("sharded", 0.0), ("copied_head", 0.0), ("converted_checkpoint", 0.0), ("half", 1e-3)):
        assert results["control", name][1].raw == pytest.approx(exact, abs=tolerance + 1e-5)
    assert results["control", "brain_float"][1].raw == pytest.approx(exact, abs=1e-2)


@pytest.mark.docker
def test_better_than_the_original_is_better(results: Results) -> None:
    """The control that goes beyond the exact repair is what its name says, and counts."""
    better, exact = (results["control", name][1].raw for name in ("better_than_the_original", "exact_rows"))
    assert better is not None
    assert exact is not None
    assert better < exact


def test_every_file_is_a_case() -> None:
    """No cheat, control or broken submission lies in its folder without being run on some hardware."""
    root = Path(__file__).parent
    for kind, place in {"cheat": "cheats", "control": "controls", "broken": "submissions"}.items():
        found = {path.stem for path in (root / place).iterdir() if path.name != "__pycache__"}
        assert found == {case.name for case in CASES if case.kind == kind}


@pytest.mark.docker
def test_the_same_scorer_without_docker_and_inspect(fix_embedding_image: str) -> None:
    """`bare` runs known solutions and controls with the same outcome on a machine that has Python and torch alone."""
    assets = asset_store.scale_folder("test")
    mounts = [f"--volume={paths.CHECKOUT}:/repository:ro", f"--volume={assets}:/assets:ro", "--env=OMP_NUM_THREADS=1"]
    command = ["docker", "run", "--rm", "--init", "--network=none", "--env=PYTHONPATH=/repository", *mounts]
    command += [fix_embedding_image, "/opt/work/bin/python", "-B", "-m", "rebench_inspect.bare", "fix_embedding"]
    command += ["--scale", "test", "--assets", "/assets", "--only", "sharded,E09,P20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "4 cheats 0 won, 1 controls 0 rejected" in done.stdout
