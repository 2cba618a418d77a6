"""Measure a model file on the dev text: `python evaluate.py [FILE]`. The scorer uses other text, and its own code.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import math
import sys
from pathlib import Path

import data
import gpt
import numpy as np
import torch

HERE = Path(__file__).resolve().parent


@torch.no_grad()
def dev_loss(model: gpt.GPT, windows: int = 256, group: int = 4) -> float:
    """Return the mean loss in nats, fp32, over the first `windows` windows of the dev text."""
    dev, context, device = data.tokens("dev"), model.config.n_positions, model.wte.weight.device
    starts = np.arange(min(windows, (len(dev) - 1) // context)) * context
    parts = [starts[at : at + group] for at in range(0, len(starts), group)]
    return sum(float(model.loss(data.batch(dev, part, context).to(device))) * len(part) for part in parts) / len(starts)


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "fixed_model.safetensors"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loss = dev_loss(gpt.load(data.DAMAGED / "config.json", file, device))
    raw = f"{math.log(loss - 1.5):.4f}" if loss > 1.5 else "none"
    print(f"dev loss {loss:.4f} nats, raw score {raw}")
