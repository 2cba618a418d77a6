"""A header nested without end.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: a million brackets, for a parser that recurses.
Expect: invalid
Reason: not_safetensors
Naive: rejects
"""

import os

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    text = b"[" * 1_000_000
    open("fixed_model.safetensors", "wb").write(len(text).to_bytes(8, "little") + text)
