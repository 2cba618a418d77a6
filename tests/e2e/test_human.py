"""People work on the same task with the same scorer, through Inspect's human agent."""

import subprocess
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import human_cli
from inspect_ai.event import ScoreEvent

from rebench_inspect.tasks import kernel

HANDS = """
for _ in $(seq 300); do
    c=$(docker ps -q --filter name=inspect-kernel | head -n 1)
    if [ -n "$c" ] && docker exec -u agent "$c" test -x /opt/human_agent/task.py 2>/dev/null; then break; fi
    sleep 0.2
done
type() { docker exec -i -u agent -e HOME=/home/agent "$c" python3 /opt/human_agent/task.py "$@"; }
for _ in $(seq 60); do type start && break; sleep 0.5; done  # the commands come before what they import
type score; echo y | type submit
"""


@pytest.mark.docker
@pytest.mark.usefixtures("kernel_image")
def test_task_score_is_the_same_scorer(tmp_path: Path) -> None:
    """`task score` enters the ledger like the agent's tool, and the attempt ends with a verified score."""
    hands = subprocess.Popen(["/bin/sh", "-c", HANDS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    solver = human_cli(answer=False, intermediate_scoring=True, record_session=False, user="agent")
    log = inspect_eval(
        kernel(scale="test"), solver=solver, model="none/none", log_dir=str(tmp_path), display="none", time_limit=120
    )[0]
    printed = hands.communicate(timeout=60)[0]
    assert log.samples, printed
    sample = log.samples[0]
    assert [scoring["outcome"] for scoring in sample.store["Ledger:scorings"]] == ["scored", "scored"], printed
    assert sum(isinstance(event, ScoreEvent) and bool(event.intermediate) for event in sample.events) == 1
    assert sample.scores
    assert sample.store["Ledger:verified"]["outcome"] == "scored"
