"""What Inspect finds through the entry point `inspect_ai`."""

from rebench_inspect.agents import begin, replay
from rebench_inspect.scoring import mean_measured, rebench, score_log_tool, score_tool
from rebench_inspect.tasks import fix_embedding, kernel, llm_foundry

__all__ = [
    "begin",
    "fix_embedding",
    "kernel",
    "llm_foundry",
    "mean_measured",
    "rebench",
    "replay",
    "score_log_tool",
    "score_tool",
]
