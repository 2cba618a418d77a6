"""Background work of the agent's own: programs that start programs.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: the starting composition, while the agent's shell runs a build: processes that start short programs without end. They are halted
in the middle of it, and whoever waits for a child in vfork cannot be halted before the child has gone on.
Expect: valid
Naive: accepts
"""

import os
import subprocess
import time

import torch


def prefix_sum(x, out):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    torch.cumsum(x * (before & 1), 0, dtype=torch.int32, out=out)


if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    end = time.time() + 30
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            null = os.open("/dev/null", os.O_RDWR)
            for at in (0, 1, 2):
                os.dup2(null, at)
            while time.time() < end:
                subprocess.run(["true"], check=True)
            os._exit(0)
