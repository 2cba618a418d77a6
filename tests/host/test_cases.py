"""What `check` lays out for a case: alone, over the starting solution, or over a known solution."""

import dataclasses

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


@pytest.mark.parametrize(
    ("raws", "expected"),
    [
        ([1.0, 1.1, 1.2, 1.3, 9.0], True),  # one that the machine disturbed
        ([1.0, 1.1, 1.2, 9.0, 9.0], False),
        ([1.0, 1.1, 1.2, 2.0, 9.0], False),  # as good as the best start is no lead
        ([1.0, 1.1, 1.2, 1.3, None], False),
    ],
)
def test_a_lead_is_more_than_one_lucky_scoring(raws: list[float | None], expected: bool) -> None:
    """All scorings but the worst have to beat every one of the start's, in the environment's direction."""
    assert cases.leads(environments.KERNEL, raws, [2.0, 2.5, 3.0, 2.2, 8.0]) is expected
    higher = dataclasses.replace(environments.KERNEL, higher_is_better=True)
    turned = [None if raw is None else -raw for raw in raws]
    assert cases.leads(higher, turned, [-2.0, -2.5, -3.0, -2.2, -8.0]) is expected
