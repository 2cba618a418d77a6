"""A scripted model: real Inspect evals whose model outputs are written beforehand, each with its own usage."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessageAssistant, Model, ModelOutput, ModelUsage, get_model

Call = tuple[str, dict[str, Any]]
USAGE = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)


def model(turns: Sequence[Call]) -> Model:
    """Return a model that makes these tool calls, one a turn; the last one again and again after that."""

    def answer(messages: list[Any], *_: object) -> ModelOutput:
        at = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        name, arguments = turns[min(at, len(turns) - 1)]
        output = ModelOutput.for_tool_call("mockllm/model", name, arguments)
        output.usage = USAGE
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def write(text: str) -> Call:
    """Return the call that writes a solution through the agent's shell."""
    return "bash", {"command": f"cat > /home/agent/solution/solution.py <<'EOF'\n{text}\nEOF"}


SCORE: Call = ("score", {})
SUBMIT: Call = ("submit", {"answer": "done"})
FASTER = """
import numba
import numpy as np

@numba.njit
def scan(x, out):
    total, odd = np.int32(0), np.int32(0)
    for i in range(x.size):
        total = np.int32(total + x[i] * odd)
        out[i] = total
        odd ^= np.int32(x[i] > 0)

def prefix_sum(x, out):
    scan(x.numpy(), out.numpy())
"""
SLOWER = """
import torch

def prefix_sum(x, out):
    positive = (x > 0).to(torch.int64)
    before = torch.cumsum(positive, 0) - positive
    for _ in range(2):
        out.copy_(torch.cumsum(torch.where(before % 2 == 1, x, 0), 0))
"""
WRONG = """
def prefix_sum(x, out):
    out.copy_(x)
"""
