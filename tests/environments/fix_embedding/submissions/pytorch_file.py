"""A checkpoint under the other format's name.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: torch.save, not converted.
Expect: invalid
Reason: not_safetensors
Naive: n/a it unpickles
"""

import os

import torch
from safetensors.torch import load

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    torch.save(load(open("fixed_model.safetensors", "rb").read()), "fixed_model.safetensors")
