"""The machine of the fingerprint.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the processor's name and the cores that may be used. Not covered: GPUs. Trusts: the kernel.
"""

import os
from pathlib import Path


def describe() -> dict[str, str | int]:
    """Return the processor's name and the number of usable cores."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = (line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    return {"cpu": next(names, "unknown"), "cores": len(os.sched_getaffinity(0))}
