"""Whole attempts at fix_embedding: real `eval()`, real containers, weights that are made in the sandbox."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from script import SCORE, SUBMIT, Call, model

from rebench_inspect.tasks import fix_embedding

CHEAT = Path(__file__).parents[1] / "environments" / "fix_embedding" / "cheats" / "E09_swallowed_differences.py"


def shell(program: str, before: str = "true", after: str = "true") -> Call:
    """Return the call that runs a Python program in the solution folder."""
    return "bash", {"command": f"cd /home/agent/solution; {before}\npython - <<'END'\n{program}\nEND\n{after}"}


BROKEN = shell("open('fixed_model.safetensors', 'w').write('garbage')")
CHEATING = shell(CHEAT.read_text(encoding="utf-8"), "cp assets/model-damaged/model.safetensors fixed_model.safetensors")
TRAINED = shell(
    """
from pathlib import Path
import data, gpt, numpy as np, torch
torch.set_num_threads(1)
model, rng = gpt.load(data.DAMAGED / "config.json", data.DAMAGED / "model.safetensors"), np.random.default_rng(0)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.004)
for _ in range(40):
    optimizer.zero_grad()
    model.loss(data.random_batch(data.tokens("train"), rng, 8, model.config.n_positions)).backward()
    optimizer.step()
gpt.save(model, Path("fixed_model.safetensors"), torch.float16)
""",
    after="python evaluate.py",
)
pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("fix_embedding_image")]


def attempt(tmp_path: Path, turns: list[Call] | None = None, **options: Any) -> EvalSample:
    """Run one attempt at the private test scale and return its sample."""
    task = fix_embedding(scale="test", **options)
    log = inspect_eval(task, model=model(turns or [SUBMIT]), log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0]


def scorings_of(sample: EvalSample) -> list[dict[str, Any]]:
    return sample.store["Ledger:scorings"]


def test_an_attempt(tmp_path: Path) -> None:
    """The given model, a broken file, a cheat and a trained model: each gets what it deserves, the best counts."""
    turns = [SCORE, BROKEN, SCORE, CHEATING, SCORE, TRAINED, SCORE, SUBMIT]
    sample = attempt(tmp_path, turns, archive=str(tmp_path / "archive"))
    start, given, broken, cheat, trained = scorings_of(sample)
    assert given["raw"] == start["raw"]  # the deliverable is there when the attempt begins, and measures the same
    assert (broken["outcome"], broken["reason"]) == ("invalid", "not_safetensors")
    assert cheat["measurements"]["loss"] == pytest.approx(6.238, abs=0.01)  # ln 512: a uniform guess, not nought
    assert trained["raw"] < min(start["raw"], cheat["raw"])
    assert sample.scores
    value = sample.scores["rebench"].value
    assert isinstance(value, dict)
    assert value["raw"] == trained["raw"]
    evaluated = [message.text for message in sample.messages if message.role == "tool" and "dev loss" in message.text]
    assert float(evaluated[-1].split()[2]) == pytest.approx(trained["measurements"]["loss"], abs=0.3)
    assert len(list((tmp_path / "archive").rglob("*.tar.gz"))) == 4


def test_the_best_is_measured_again_on_other_text(tmp_path: Path) -> None:
    """Choosing among submissions by their score gains nothing at the end: that text was never measured on before."""
    sample = attempt(tmp_path, [TRAINED, SCORE, SUBMIT])
    scorings, verified = scorings_of(sample), sample.store["Ledger:verified"]
    assert {scoring["measurements"]["part"] for scoring in scorings} == {"scoring"}
    assert verified["measurements"]["part"] == "verified"
    assert verified["sha256"] == scorings[-1]["sha256"]
    assert verified["raw"] != scorings[-1]["raw"]
    assert verified["raw"] == pytest.approx(scorings[-1]["raw"], abs=0.2)


def test_weights_stay_out_of_the_log(tmp_path: Path) -> None:
    """The log has the submission's text and hash; weights, which are no text, are not in it."""
    sample = attempt(tmp_path, [SCORE, SUBMIT])
    kept = [event.data for event in sample.events if event.event == "info" and event.source == "rebench-submission"]
    assert len(kept) == 1
    assert isinstance(kept[0], dict)
    assert set(kept[0]["files"]) == {"convert.py", "data.py", "evaluate.py", "gpt.py"}


def test_replay_of_the_reference(tmp_path: Path) -> None:
    """`solution=reference` runs its program as the agent in the sandbox, then scores what it made."""
    start, reference = scorings_of(attempt(tmp_path, solution="reference"))
    assert reference["outcome"] == "scored"
    assert reference["raw"] < start["raw"] - 1.0
