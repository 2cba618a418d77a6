"""Compares two folders of weights as the scoring does. Usage: compare.py YOURS REFERENCE INITIAL.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import math
import sys
from pathlib import Path

from safetensors import safe_open
from torch import Tensor


def weights(folder: str) -> dict[str, Tensor]:
    """Read all tensors of a folder, sharded or not."""
    found: dict[str, Tensor] = {}
    for path in sorted(Path(folder).glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            found |= {name: file.get_tensor(name).double() for name in file.keys()}  # noqa: SIM118 - no mapping
    return found


def main(yours: str, reference: str, initial: str) -> None:
    """Print the relative distance of each tensor and of all, and by how much the movement is longer."""
    found, wanted, start = weights(yours), weights(reference), weights(initial)
    if found.keys() != wanted.keys():
        sys.exit(f"keys differ: {sorted(found.keys() ^ wanted.keys())}")
    off = {name: (found[name] - wanted[name]).norm().item() for name in wanted}
    moved = {name: (wanted[name] - start[name]).norm().item() for name in wanted}
    total = math.hypot(*moved.values())
    length = math.hypot(*((found[name] - start[name]).norm().item() for name in wanted)) / total - 1
    each = total / math.sqrt(sum(tensor.numel() for tensor in wanted.values()))
    for name, tensor in wanted.items():
        print(f"{off[name] / max(moved[name], 0.1 * each * math.sqrt(tensor.numel())):.6f}  {name}")  # noqa: T201
    print(f"{math.hypot(*off.values()) / total:.6f}  all tensors together")  # noqa: T201
    print(f"{length:+.6f}  length of the movement")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
