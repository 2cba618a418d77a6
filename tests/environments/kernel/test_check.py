"""Every known solution, broken submission, control and cheat of the kernel environment, through the real scorer."""

from pathlib import Path

import pytest

from rebench_inspect import cases, check
from rebench_inspect.environments import KERNEL

CASES = cases.load(KERNEL, KERNEL.scale("test"))


@pytest.fixture(scope="module")
def results(kernel_image: str, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], check.Result]:
    """Run all cases once, at the private test scale, in one sandbox made from the real image."""
    assert kernel_image
    folder = tmp_path_factory.mktemp("check")
    ran = check.run(KERNEL, KERNEL.scale("test"), "", str(folder))
    return {(case.kind, case.name): (case, measured, wrong) for case, measured, wrong in ran}


@pytest.mark.docker
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.name}")
def test_case(case: cases.Case, results: dict[tuple[str, str], check.Result]) -> None:
    """A known or honest solution scores, a broken one gets its own reason, a cheat is invalid or gains nothing."""
    _, measured, wrong = results[case.kind, case.name]
    assert wrong is None, f"{wrong}: {measured}"


def test_every_file_is_a_case() -> None:
    """No cheat, control or broken submission lies in its folder without being run on some hardware."""
    root = Path(__file__).parent
    folders = {"cheat": "cheats", "control": "controls", "broken": "submissions"}
    both = [*CASES, *cases.load(KERNEL, KERNEL.scale("single"))]
    for kind, folder in folders.items():
        found = {path.stem for path in (root / folder).iterdir() if path.name != "__pycache__"}
        assert found == {case.name for case in both if case.kind == kind}
