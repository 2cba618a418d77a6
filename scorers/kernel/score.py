"""From measured times to a verdict: pure arithmetic.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: non-finite times, times below what the hardware can do. Not covered: how the times came about.
Trusts: its arguments.
"""

import math
import random
import statistics
from typing import Any

from outcome import Invalid
from windows import Calls, Plan, Timing

SMALL = 0
OTHER_KINDS: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
NOISY_SPREAD = 0.15


def plan(parameters: dict[str, Any], draw: random.Random) -> Plan:
    """Choose sizes and input kinds: the timed windows are mostly small values, one slot of each is of another kind."""
    n, slots = parameters["elements"], parameters["calls"]
    kinds: list[list[int]] = [draw.sample(OTHER_KINDS, len(OTHER_KINDS)) for _ in range(2)]
    untimed: list[Calls] = []
    sizes = [n, n - 1, n + 1, 1, 2, 4097, draw.randrange(3, 4096), draw.randrange(4096, n)]
    for at in range(0, len(sizes), slots):
        part = sizes[at : at + slots]
        untimed.append(Calls(part, [draw.choice((SMALL, *OTHER_KINDS)) for _ in part]))
    untimed.append(Calls([n] * slots, (kinds[0] * slots)[:slots]))
    timed: list[Calls] = []
    for window in range(parameters["windows"]):
        mix = [SMALL] * (slots - 1) + [kinds[1][window % len(OTHER_KINDS)]]
        draw.shuffle(mix)
        timed.append(Calls([n] * slots, mix))
    limits = parameters["import_timeout_s"], parameters["call_timeout_s"]
    return Plan(untimed, timed, *limits, parameters.get("enough_s", math.inf))


def raw_score(timing: Timing, floor_s: float) -> tuple[float, float]:
    """Return ln(milliseconds) of the median call, and its standard error.

    Raises:
        Invalid: The time is below the floor, hence not one of a computation.
    """
    median_s = timing.median_s
    if not all(map(math.isfinite, timing.per_call_s)) or min(timing.per_call_s) < floor_s:
        raise Invalid("impossible_time", "The measured time is below what moving the data takes on this machine.")
    # The median's standard error under normal noise is 1.2533 times the mean's; d ln(t) = dt / t.
    spread_s = statistics.stdev(timing.per_call_s)
    return math.log(median_s * 1e3), 1.2533 * spread_s / math.sqrt(len(timing.per_call_s)) / median_s


def flags(timing: Timing) -> list[dict[str, str]]:
    """Remarks for the reviewer; they change no score."""
    spread = statistics.stdev(timing.per_call_s) / timing.median_s
    if spread <= NOISY_SPREAD:
        return []
    return [{"code": "noisy", "evidence": f"windows spread by {spread:.0%} of their median"}]
