"""Best-of-k against numbers worked out by hand, against enumeration, and against what must hold for any scores."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebench_inspect.analysis.best_of_k import (
    at_total_budget,
    attempts_in,
    best_at,
    best_of_k,
    expected_best,
    order_weights,
)
from rebench_inspect.analysis.columns import IDENTITY
from rebench_inspect.environments import ENVIRONMENTS
from rebench_inspect.errors import UsageError
from tests.analysis.frames import attempts

FIVE = [0.4, 0.0, 1.2, 0.1, 0.8]
"""Ascending: 0, 0.1, 0.4, 0.8, 1.2."""

scores = st.lists(st.floats(-3, 3), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 0.5),  # (0 + .1 + .4 + .8 + 1.2) / 5
        (2, 0.81),  # (1*.1 + 2*.4 + 3*.8 + 4*1.2) / 10
        (3, 1.0),  # (1*.4 + 3*.8 + 6*1.2) / 10
        (4, 1.12),  # (1*.8 + 4*1.2) / 5
        (5, 1.2),
    ],
)
def test_five_scores_without_replacement(k: int, expected: float):
    """Every k of five scores gives the number that was worked out by hand from C(i-1, k-1) / C(n, k)."""
    assert expected_best(FIVE, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 0.5),
        (2, (3 * 0.1 + 5 * 0.4 + 7 * 0.8 + 9 * 1.2) / 25),  # squares 0 1 4 9 16 25 differ by 1 3 5 7 9
        (3, (7 * 0.1 + 19 * 0.4 + 37 * 0.8 + 61 * 1.2) / 125),  # cubes differ by 1 7 19 37 61
        (4, (15 * 0.1 + 65 * 0.4 + 175 * 0.8 + 369 * 1.2) / 625),
        (5, (31 * 0.1 + 211 * 0.4 + 781 * 0.8 + 2101 * 1.2) / 3125),
    ],
)
def test_five_scores_with_replacement(k: int, expected: float):
    """The paper's variant gives the numbers worked out by hand from (i/n)^k - ((i-1)/n)^k."""
    assert expected_best(FIVE, k, replacement=True) == pytest.approx(expected)


@given(scores, st.data())
def test_equals_enumeration(values: list[float], data: st.DataObject):
    """Up to eight scores, both variants equal the mean over all subsets, or over all sequences."""
    k = data.draw(st.integers(1, min(len(values), 4)))
    subsets = [max(chosen) for chosen in itertools.combinations(values, k)]
    sequences = [max(chosen) for chosen in itertools.product(values, repeat=k)] if len(values) ** k <= 4096 else None
    assert expected_best(values, k) == pytest.approx(np.mean(subsets), abs=1e-9)
    if sequences:
        assert expected_best(values, k, replacement=True) == pytest.approx(np.mean(sequences), abs=1e-9)


@given(scores, st.booleans())
def test_best_of_one_is_the_mean(values: list[float], replacement: bool):
    """One attempt is worth the mean of all."""
    assert expected_best(values, 1, replacement=replacement) == pytest.approx(np.mean(values), abs=1e-9)


@given(scores, st.booleans())
def test_more_attempts_are_never_worse(values: list[float], replacement: bool):
    """The expected best rises with k, and never above the best score that was seen."""
    found = [expected_best(values, k, replacement=replacement) for k in range(1, len(values) + 1)]
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(found))
    assert found[-1] <= max(values) + 1e-9


@given(scores, st.randoms(), st.booleans())
def test_order_is_irrelevant(values: list[float], shuffler, replacement: bool):
    """Attempts have no order."""
    shuffled = list(values)
    shuffler.shuffle(shuffled)
    k = len(values)
    assert expected_best(values, k, replacement=replacement) == expected_best(shuffled, k, replacement=replacement)


@given(scores, st.floats(0.1, 10), st.floats(-5, 5), st.booleans())
def test_affine_invariance(values: list[float], scale: float, shift: float, replacement: bool):
    """A change of unit changes the expected best by the same unit."""
    k = (len(values) + 1) // 2
    plain = expected_best(values, k, replacement=replacement)
    changed = expected_best([scale * value + shift for value in values], k, replacement=replacement)
    assert changed == pytest.approx(scale * plain + shift, abs=1e-7)


@given(st.integers(1, 300), st.data(), st.booleans())
def test_weights_are_a_distribution(n: int, data: st.DataObject, replacement: bool):
    """The weights of the order statistics are not negative and sum to 1, for hundreds of attempts too."""
    weights = order_weights(n, data.draw(st.integers(1, n)), replacement=replacement)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(("n", "k"), [(3, 4), (3, 0), (0, 1)])
def test_impossible_k_is_refused(n: int, k: int):
    """A k that no subset has is an error, not a number."""
    with pytest.raises(UsageError, match="does not exist"):
        order_weights(n, k)


@pytest.mark.parametrize("row", ENVIRONMENTS, ids=lambda row: row.slug)
def test_start_is_zero_and_reference_is_one(row):
    """In every environment, in both directions, the start is worth 0 and the reference 1."""
    assert row.published.normalise(row.published.starting) == 0.0
    assert row.published.normalise(row.published.reference) == pytest.approx(1.0)


def test_hidden_scores_give_the_mean():
    """Where the agent cannot choose among its attempts (`last`), k attempts are worth the mean."""
    frame = best_of_k(attempts([0.0, 1.0], environment="scaling_law"), 2)
    assert frame["score"].tolist() == [0.5]


def test_scores_below_the_start_count_as_zero():
    """Means use the clipped variant."""
    assert best_of_k(attempts([-5.0, 1.0]), 1)["score"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("total", "length", "k"), [(8, 0.5, 16), (32, 0.1, 320), (0.4, 0.5, 0), (7.9, 2, 3), (8, 8, 1)]
)
def test_attempts_in_a_budget(total: float, length: float, k: int):
    """The number of attempts is the whole part of the quotient, and rounding of floats does not lose an attempt."""
    assert attempts_in(total, length) == k


def test_budgets_are_never_extrapolated():
    """More attempts than there are, or less than one, are missing, with the reason in words."""
    frame = attempts([0.2, 0.4])
    assert at_total_budget(frame, 1.0)["score"].tolist() == [0.4]
    too_many = at_total_budget(frame, 8.0).iloc[0]
    assert math.isnan(too_many["score"])
    assert too_many["missing"] == "16 attempts are needed, 2 are there"
    assert at_total_budget(frame, 0.25).iloc[0]["missing"] == "one attempt takes longer than this budget"


def test_empty_frame_gives_an_empty_frame():
    """No attempts are no error."""
    assert best_of_k(attempts([]), 1).empty
    assert at_total_budget(attempts([]), 8).empty


def test_missing_columns_are_named():
    """A frame that lacks columns is refused by their names."""
    with pytest.raises(UsageError, match="lacks the columns model, agent"):
        best_of_k(pd.DataFrame({"environment": []}), 1)


def test_frames_are_not_changed():
    """The frame that was given is the same afterwards."""
    frame = attempts([-1.0, 0.5])
    before = frame.copy(deep=True)
    best_of_k(frame, 1)
    at_total_budget(frame, 1)
    pd.testing.assert_frame_equal(frame, before)


def _scorings(rows: list[tuple[str, float, float, float]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["attempt_id", "at_s", "best_so_far", "best_raw_so_far"])
    return frame.assign(budget_hours=2.0, **{name: "x" for name in IDENTITY if name != "attempt_id"})


def test_best_at_a_time():
    """A scoring belongs to the time when it began; before the first the attempt is worth exactly 0."""
    scorings = _scorings([("a", 0, 0.0, 1.5), ("a", 1800, 0.3, 1.2), ("a", 3601, 0.9, 0.6), ("b", 7000, 0.5, 1.0)])
    found = best_at(scorings, 1.0).set_index("attempt_id")
    assert found["best"].to_dict() == {"a": 0.3, "b": 0.0}
    assert found["budget_hours"].to_dict() == {"a": 1.0, "b": 1.0}
    assert best_at(scorings, 9.0).set_index("attempt_id")["budget_hours"].to_dict() == {"a": 2.0, "b": 2.0}


@given(
    st.lists(st.tuples(st.floats(0, 7200), st.floats(0, 2)), min_size=1, max_size=20), st.floats(0, 2), st.floats(0, 2)
)
def test_best_at_rises_with_time(steps: list[tuple[float, float]], first: float, second: float):
    """Later is never worse, where the best counts."""
    best = np.maximum.accumulate([score for _, score in sorted(steps)])
    rows = [("a", at, float(score), 0.0) for (at, _), score in zip(sorted(steps), best, strict=True)]
    early, late = sorted((first, second))
    assert best_at(_scorings(rows), early)["best"].item() <= best_at(_scorings(rows), late)["best"].item()
