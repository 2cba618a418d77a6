"""Turn a PyTorch checkpoint into the file to hand in: `python convert.py MODEL.pth fixed_model.safetensors`.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

The scorer reads safetensors alone. A checkpoint is a state dict, or a dict that holds one under `model` or
`state_dict`; prefixes of compiled or wrapped models and causal masks are taken off.
"""

import json
import sys

import data
import gpt
import torch
from safetensors.torch import save_file

PREFIXES = ("_orig_mod.", "module.", "transformer.")


def plain(name: str) -> str:
    """Return a weight's name without the prefixes of wrappers."""
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return name


def converted(checkpoint: dict) -> dict[str, torch.Tensor]:
    """Return the weights of a checkpoint under the names that the scorer expects."""
    weights = checkpoint.get("model", checkpoint.get("state_dict", checkpoint))
    named = {plain(name): value for name, value in weights.items()}
    described = json.loads((data.DAMAGED / "config.json").read_text(encoding="utf-8"))
    with torch.device("meta"):
        expected = gpt.GPT(gpt.Config(**{key: described[key] for key in gpt.Config.__dataclass_fields__ if key in described}))
    return {name: named[name].detach().cpu().contiguous() for name in expected.state_dict()}


if __name__ == "__main__":
    save_file(converted(torch.load(sys.argv[1], map_location="cpu", weights_only=True)), sys.argv[2])
