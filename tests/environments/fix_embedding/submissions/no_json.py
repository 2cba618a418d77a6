"""A header that is no JSON.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: bytes.
Expect: invalid
Reason: not_safetensors
Naive: rejects
"""

import os

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    open("fixed_model.safetensors", "wb").write((64).to_bytes(8, "little") + b"\xff" * 64)
