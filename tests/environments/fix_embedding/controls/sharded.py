"""The exact repair in several files with an index.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: three shards, as large models are saved.
Expect: valid
Given: model-damaged/seed.json
Naive: n/a it reads one file
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

    os.remove("fixed_model.safetensors")
    names, index = sorted(weights), {}
    for shard in range(3):
        file = f"model-{shard + 1}-of-3.safetensors"
        save_file({name: weights[name] for name in names[shard::3]}, file)
        index |= dict.fromkeys(names[shard::3], file)
    text = json.dumps({"metadata": {"total_size": 0}, "weight_map": index})
    open("fixed_model.safetensors.index.json", "w").write(text)
