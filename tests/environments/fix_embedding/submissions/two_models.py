"""A single file and shards at once.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: the index of shards beside the file as it was given.
Expect: invalid
Reason: two_models
Naive: n/a it reads one file
"""

import os

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    open("fixed_model.safetensors.index.json", "w").write("{}")
