"""The exact repair in float16.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: half precision, as the paper's files.
Expect: valid
Given: model-damaged/seed.json
Naive: accepts
"""

import json
import os

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
    save_file({name: value.half() for name, value in weights.items()}, "fixed_model.safetensors")
