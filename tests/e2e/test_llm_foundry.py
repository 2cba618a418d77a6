"""Whole attempts at llm_foundry: real `eval()`, real containers, the real LLM Foundry."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from script import SCORE, SUBMIT, Call, model

from rebench_inspect.tasks import llm_foundry

CHEAT = Path(__file__).parents[1] / "environments" / "llm_foundry" / "cheats" / "F01_copy_development.py"
COPYING = "bash", {"command": f"cd /home/agent/solution; python - <<'END'\n{CHEAT.read_text(encoding='utf-8')}\nEND"}
LOOKING = "bash", {"command": "ls /opt/rebench/made || cat /opt/rebench/made/*/*/draw.json"}
SECONDS = {"starting": 35.0, "reference": 12.0}
pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("llm_foundry_image"), pytest.mark.timeout(1500)]


def attempt(tmp_path: Path, turns: list[Call] | None = None, **options: Any) -> EvalSample:
    """Run one attempt at the private test scale and return its sample."""
    anchors = tmp_path / "anchors.json"
    anchors.write_text(json.dumps({name: math.log(seconds) for name, seconds in SECONDS.items()}), encoding="utf-8")
    task = llm_foundry(scale="test", anchors=str(anchors), **options)
    log = inspect_eval(task, model=model(turns or [SUBMIT]), log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0]


def test_a_copy_of_weights_is_invalid(tmp_path: Path) -> None:
    """Published weights copied by the script are another instance's: it is told so, and learns nothing more."""
    sample = attempt(tmp_path, [LOOKING, COPYING, SCORE, SUBMIT])
    start, copied = sample.store["Ledger:scorings"]
    assert start["outcome"] == "scored"
    assert start["measurements"]["prepared_s"] < 10.0  # the machine's own references were there
    assert (copied["outcome"], copied["reason"]) == ("invalid", "weights_differ")
    looked, _, told = [message.text for message in sample.messages if message.role == "tool"][:3]
    assert "Permission denied" in looked
    assert "/opt/rebench" not in told


@pytest.mark.slow
def test_replay_of_the_reference(tmp_path: Path) -> None:
    """`solution=reference` is faster than the start on an instance that it has never seen."""
    start, reference = attempt(tmp_path, solution="reference").store["Ledger:scorings"]
    assert reference["outcome"] == "scored", reference
    assert reference["raw"] < start["raw"] - 0.3
