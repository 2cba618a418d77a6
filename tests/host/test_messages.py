"""What the agent reads after a scoring."""

import pytest

from rebench_inspect import messages
from rebench_inspect.environments import KERNEL
from rebench_inspect.ledger import Ledger, Scoring


def ledger(*scorings: Scoring, show_score: bool = True) -> Ledger:
    from inspect_ai.util import Store

    made = Ledger(store=Store())
    made.budget_s = 1800.0
    made.attempt = {"show_score": show_score}
    made.anchors = {"starting": 5.0, "reference": 4.0, "source": "test"}
    made.scorings = list(scorings)
    return made


START = Scoring(index=0, kind="starting", at_s=0, outcome="scored", raw=5.0, score=0.0, message="148 ms a call")
GOOD = Scoring(index=1, kind="attempt", at_s=60, outcome="scored", raw=4.5, score=0.5, message="90 ms a call")
WORSE = Scoring(index=2, kind="attempt", at_s=90, outcome="scored", raw=4.9, score=0.1, message="134 ms a call")
BAD = Scoring(index=3, kind="attempt", at_s=120, outcome="invalid", reason="crashed", message="It crashed.")
FAULT = Scoring(index=4, kind="attempt", at_s=130, outcome="machine_fault", message="disk full on /dev/sda")


def test_a_valid_scoring_shows_numbers_best_and_time() -> None:
    """Raw, normalised, best so far, time used and left are all there."""
    text = messages.after_scoring(KERNEL, ledger(START, GOOD, WORSE), WORSE, 95)
    assert "raw 4.9000 ln(milliseconds), score 0.100" in text
    assert "Best so far: scoring 1" in text
    assert "Time used 0:01:35 of 0:30:00, left 0:28:25." in text


def test_the_start_is_never_the_agents_best() -> None:
    """The starting solution's own scoring 0 is no valid scoring of the attempt."""
    assert ledger(START).best(KERNEL) is None


@pytest.mark.parametrize("scoring", [GOOD, BAD, FAULT])
def test_hidden_scores_stay_hidden(scoring: Scoring) -> None:
    """Without show_score, no message and no log line of the agent's own scorings holds a number of theirs."""
    hidden = ledger(START, GOOD, BAD, show_score=False)
    text = messages.after_scoring(KERNEL, hidden, scoring, 95) + messages.score_log(KERNEL, hidden, 95)
    assert "4.5" not in text
    assert "90 ms" not in text


def test_a_fault_reveals_nothing_of_the_operator() -> None:
    """The agent learns that it is not to blame, not what the machine's disk is called."""
    text = messages.after_scoring(KERNEL, ledger(START, FAULT), FAULT, 140)
    assert "no fault of yours" in text
    assert "sda" not in text


def test_invalid_scorings_say_what_was_wrong() -> None:
    """The reason code and the scorer's explanation are in the message."""
    assert "invalid (crashed). It crashed." in messages.after_scoring(KERNEL, ledger(START, BAD), BAD, 140)
