"""The last step of the solution beside it.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch


def finish(kept, out):
    torch.cumsum(kept, 0, dtype=torch.int32, out=out)
