"""What `check` lays out for a case: alone, over the starting solution, or over a known solution."""

import pytest

from rebench_inspect import bundle, cases, environments
from rebench_inspect.cases import Case


def loaded(slug: str) -> dict[str, Case]:
    environment = environments.environment(slug)
    return {case.name: case for case in cases.load(environment, environment.scale("test"))}


@pytest.mark.parametrize("row", [row for row in environments.ENVIRONMENTS if row.scales], ids=lambda row: row.slug)
def test_the_program_of_every_prepared_case_is_there(row: environments.Environment) -> None:
    """What the agent's user runs before a scoring is a Python file of the case: else nothing of it would happen."""
    for case in cases.load(row, row.scale("test")):
        if case.prepares:
            compile(case.files[row.program or bundle.CASE_FILE], case.name, "exec")


def test_a_case_with_a_base_lies_over_it_and_over_the_start() -> None:
    """A fine-tuning script's case has its base's script, the start's other files, and its own program."""
    found = loaded("llm_foundry")
    case, base = found["F01_copy_development"], found["frontier"]
    assert case.files["finetune.sh"] == base.files["finetune.sh"]
    assert case.files["finetune.yaml"] == found["starting"].files["finetune.yaml"]
    assert case.files[bundle.CASE_FILE] != base.files.get(bundle.CASE_FILE)
    assert case.prepares


def test_a_case_without_a_base_stands_alone() -> None:
    """A kernel's case is the submission itself."""
    assert set(loaded("kernel")["P06_walk_frames"].files) == {"solution.py"}
