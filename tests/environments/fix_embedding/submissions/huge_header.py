"""A header that claims to be larger than the file.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: a length of 2**60.
Expect: invalid
Reason: not_safetensors
Naive: rejects
"""

import os

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    with open("fixed_model.safetensors", "r+b") as file:
        file.write((1 << 60).to_bytes(8, "little"))
