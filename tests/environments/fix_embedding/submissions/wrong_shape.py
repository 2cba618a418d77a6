"""Weights of linear maps the other way round.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: (out, in) instead of (in, out).
Expect: invalid
Reason: wrong_shape
Naive: rejects
"""

import os

from safetensors.torch import load, save_file

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    weights = load(open("fixed_model.safetensors", "rb").read())
    weights["h.0.mlp.c_fc.weight"] = weights["h.0.mlp.c_fc.weight"].t().contiguous()
    save_file(weights, "fixed_model.safetensors")
