"""The experts' table: what it holds, how it is checked, how it is compared with."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rebench_inspect.analysis.best_of_k import best_of_k, expected_best
from rebench_inspect.analysis.experts import (
    COLUMNS,
    FULL_DAY_MINUTES,
    expert_curve,
    experts,
    experts_as_attempts,
    experts_from_attempts,
    share_of_experts_beaten,
    source_table,
)
from rebench_inspect.environments import ENVIRONMENTS
from rebench_inspect.errors import UsageError
from tests.analysis.frames import attempts


def test_the_table_is_whole():
    """87 attempts in all seven environments, each with its source, and the six columns in order."""
    table = experts()
    assert list(table.columns) == COLUMNS
    assert len(table) == 87
    assert set(table["environment"]) == {row.slug for row in ENVIRONMENTS}
    assert (table["source"].str.len() > 20).all()


def test_marks():
    """Attempts far from 480 minutes are kept and marked; a range of minutes leaves them out."""
    table = experts()
    assert sorted(table[table["marked"]]["minutes"]) == [239, 239, 239, 239, 1317, 1439, 2865, 5220, 8191]
    assert not experts(minutes=FULL_DAY_MINUTES)["marked"].any()
    assert len(experts("kernel")) == 9


def test_normalised_column_agrees_with_its_source():
    """Recomputed from raw scores, all agree with the source to its 4 digits but restricted_mlm.

    There the source used a start of 1.81417 where the published anchor is 1.81.
    """
    table = source_table()
    apart = (table["normalised"].clip(lower=0) - table["normalised_in_source"]).abs()
    differs = table[apart > 6e-5]
    assert set(differs["environment"]) == {"restricted_mlm"}
    implied = (differs["raw"] - 1.81417) / (1.13 - 1.81417)
    assert np.allclose(implied, differs["normalised_in_source"], atol=6e-5)


def test_clipped_rows_are_worth_nothing():
    """Rows whose raw score the source clipped at the start have no raw score and are worth 0."""
    unknown = experts()[experts()["raw"].isna()]
    assert len(unknown) == 5
    assert (unknown["normalised"] == 0).all()


def test_unknown_environment_and_bad_tables(tmp_path: Path):
    """A wrong name lists the allowed ones; a table without a column names the column."""
    with pytest.raises(UsageError, match="choose one of: kernel"):
        experts("no_such")
    table = tmp_path / "mine.csv"
    table.write_text("environment,raw,minutes\nkernel,1,480\n")
    with pytest.raises(UsageError, match="lacks the columns source"):
        experts(table=table)
    with pytest.raises(UsageError, match="no table of experts"):
        experts(table=tmp_path / "absent.csv")


def test_own_table(tmp_path: Path):
    """A table of one's own comes out with the same columns and our normalisation."""
    table = tmp_path / "mine.csv"
    table.write_text("environment,raw,minutes,source\nkernel,0.4700036292457356,300,lab\nkernel,,480,lab\n")
    found = experts(table=table)
    assert found["normalised"].tolist() == pytest.approx([1.0, 0.0])
    assert found["marked"].tolist() == [True, False]


def test_own_human_attempts():
    """Attempts through Inspect's human agent become rows of the experts' table, others do not."""
    frame = attempts([0.7, 0.2]).assign(
        agent=["human_cli", "react"], best_raw=[0.8, 1.3], working_hours=8.0, log="a.eval"
    )
    found = experts_from_attempts(frame)
    assert list(found.columns) == COLUMNS
    assert found.iloc[0].to_dict() == {
        "environment": "kernel",
        "raw": 0.8,
        "normalised": 0.7,
        "minutes": 480.0,
        "source": "a.eval",
        "marked": False,
    }


def test_share_beaten():
    """Strictly lower experts are beaten; equals are not; no experts, no number."""
    table = pd.DataFrame({"environment": "kernel", "normalised": [0.0, 0.0, 0.5, 1.0]})
    scores = pd.DataFrame({"environment": ["kernel"] * 4 + ["gpt2_qa"], "best": [0.0, 0.5, 2.0, np.nan, 1.0]})
    shares = share_of_experts_beaten(scores, table)["experts_beaten"]
    assert shares.tolist()[:3] == [0.0, 0.5, 1.0]
    assert shares.isna().tolist()[3:] == [True, True]


def test_same_estimator():
    """The experts' best-of-k is the one of attempts."""
    kernel = experts("kernel", FULL_DAY_MINUTES)
    found = best_of_k(experts_as_attempts(kernel), 4)
    assert found["score"].item() == pytest.approx(expected_best(kernel["normalised"].clip(lower=0), 4))


def test_curve():
    """The curve rises with the budget and says which environments have too few experts."""
    curve = expert_curve(experts(minutes=FULL_DAY_MINUTES), [4, 8, 16, 64, 128])
    assert np.isnan(curve["score"].iloc[0])
    assert curve["score"].iloc[1:4].is_monotonic_increasing
    assert curve["complete"].tolist() == [False, True, True, True, False]
    assert expert_curve(experts(), []).empty
