"""A tensor too many.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: an optimizer's step count was saved too.
Expect: invalid
Reason: unexpected_tensor
Naive: n/a it is not strict
"""

import os

from safetensors.torch import load, save_file

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    weights = load(open("fixed_model.safetensors", "rb").read())
    weights["step"] = weights["ln_f.bias"][:1].clone()
    save_file(weights, "fixed_model.safetensors")
