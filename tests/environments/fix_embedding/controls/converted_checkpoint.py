"""The exact repair as a PyTorch checkpoint, converted.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: a .pth file with prefixes and masks goes through convert.py, which runs as the agent.
Expect: valid
Given: model-damaged/seed.json
Naive: accepts
"""

import json
import os
import subprocess
import sys

import numpy as np
import torch
from safetensors.torch import load, save_file

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    seed = int(json.load(open("seed.json"))["seed"], 16)
    weights = load(open("fixed_model.safetensors", "rb").read())
    order = np.random.default_rng(seed).permutation(len(weights["wte.weight"]))
    rows = torch.empty_like(weights["wte.weight"])
    rows[torch.from_numpy(order)] = weights["wte.weight"]
    weights["wte.weight"] = rows
    os.remove("seed.json")

    named = {f"module.transformer.{name}": value for name, value in weights.items()}
    torch.save({"model": {**named, "module.transformer.h.0.attn.bias": torch.ones(4, 4)}}, "mine.pth")
    os.remove("fixed_model.safetensors")
    subprocess.run([sys.executable, "convert.py", "mine.pth", "fixed_model.safetensors"], check=True)
