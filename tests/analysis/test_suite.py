"""The suite score and its intervals."""

import numpy as np
import pandas as pd
import pytest

from rebench_inspect.analysis.best_of_k import best_of_k
from rebench_inspect.analysis.normalize import with_flagged
from rebench_inspect.analysis.suite import bootstrap, interval, suite_score
from rebench_inspect.environments import ENVIRONMENTS
from rebench_inspect.errors import UsageError
from tests.analysis.frames import attempts


def _all(value: float) -> pd.DataFrame:
    return pd.concat([attempts([value, value], environment=row.slug) for row in ENVIRONMENTS], ignore_index=True)


def test_equal_weights():
    """Every environment weighs the same, however many attempts it has."""
    frame = pd.concat([attempts([1.0] * 9), attempts([0.0], environment="gpt2_qa")], ignore_index=True)
    assert suite_score(best_of_k(frame, 1))["score"].tolist() == [0.5]


def test_missing_environments_are_named():
    """The mean of fewer than seven says so and names the others; the mean of seven is complete."""
    part = suite_score(best_of_k(attempts([0.5]), 1)).iloc[0]
    assert not part["complete"]
    assert part["missing"] == "llm_foundry, fix_embedding, restricted_mlm, scaling_law, gpt2_qa, rust_codecontests"
    whole = suite_score(best_of_k(_all(0.7), 1)).iloc[0]
    assert (whole["complete"], whole["missing"], whole["n_environments"]) == (True, "", 7)
    assert whole["score"] == pytest.approx(0.7)


def test_nothing_to_average():
    """Where no environment has a score, the suite has none, and says which are missing: all."""
    row = suite_score(best_of_k(attempts([0.5]), 3)).iloc[0]
    assert np.isnan(row["score"])
    assert row["missing"].count(",") == 6
    assert suite_score(best_of_k(attempts([]), 1)).empty


def test_interval_covers_and_is_reproducible():
    """The interval holds the estimate, is the same for the same generator, and has no width for equal attempts."""
    frame = attempts([0.0, 0.1, 0.4, 0.8, 1.2])
    draws = [bootstrap(frame, np.random.default_rng(1), k=2) for _ in range(2)]
    pd.testing.assert_frame_equal(*draws)
    found = interval(draws[0]).iloc[0]
    assert found["low"] < best_of_k(frame, 2)["score"].item() < found["high"]
    equal = interval(suite_score(bootstrap(_all(0.5), np.random.default_rng(1), k=2))).iloc[0]
    assert (equal["low"], equal["high"]) == pytest.approx((0.5, 0.5))


def test_interval_of_the_mean_is_right():
    """For the mean of many attempts the interval agrees with the normal one within a tenth of its width."""
    values = np.random.default_rng(3).normal(1.0, 0.2, 400).clip(0)
    found = interval(bootstrap(attempts(list(values)), np.random.default_rng(5), k=1, resamples=4000)).iloc[0]
    half = 1.96 * values.std() / 20
    assert found["low"] == pytest.approx(values.mean() - half, abs=0.2 * half)
    assert found["high"] == pytest.approx(values.mean() + half, abs=0.2 * half)


def test_bootstrap_skips_what_does_not_exist():
    """A k above n has no resamples; neither has an empty frame."""
    generator = np.random.default_rng(0)
    assert bootstrap(attempts([0.1]), generator, k=2).empty
    assert interval(bootstrap(attempts([]), generator, total_hours=8)).empty
    with pytest.raises(UsageError, match="either k or total_hours"):
        bootstrap(attempts([0.1]), generator)


def test_flagged_attempts():
    """Flagged attempts can be kept, dropped, or count as the start; the frame given is not changed."""
    frame = attempts([0.2, 0.9]).assign(flagged=[False, True])
    before = frame.copy(deep=True)
    assert with_flagged(frame, "keep")["best"].tolist() == [0.2, 0.9]
    assert with_flagged(frame, "drop")["best"].tolist() == [0.2]
    assert with_flagged(frame, "as_start")["best"].tolist() == [0.2, 0.0]
    pd.testing.assert_frame_equal(frame, before)
    with pytest.raises(UsageError, match="keep, drop, as_start"):
        with_flagged(frame, "other")
