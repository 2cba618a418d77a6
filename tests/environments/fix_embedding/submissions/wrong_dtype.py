"""Weights in double precision.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: float64.
Expect: invalid
Reason: wrong_dtype
Naive: n/a it takes any type
"""

import os

from safetensors.torch import load, save_file

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    weights = {name: value.double() for name, value in load(open("fixed_model.safetensors", "rb").read()).items()}
    save_file(weights, "fixed_model.safetensors")
