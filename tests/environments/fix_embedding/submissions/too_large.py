"""A folder beyond the limit.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: a sparse terabyte beside the model.
Expect: invalid
Reason: too_large
Naive: n/a it has no limit
"""

import os

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    with open("log.bin", "wb") as file:
        file.truncate(1 << 40)
