"""More memory than there is.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: allocate and touch 256 MiB at a time, without end; give up at 16 GiB.
Expect: invalid
Reason: out_of_memory
Hardware: cpu
Naive: n/a it would hurt the other submissions of the batch
"""

import os

assert os.getuid() == 10001 or os.environ.get("USER") == "solver", "only in the sandbox image"


def prefix_sum(x, out):
    kept = []
    for _ in range(64):
        kept.append(bytearray(b"x") * (256 << 20))
    raise MemoryError
