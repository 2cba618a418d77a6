"""Says whether this machine's GPU can be measured on: shares memory with another user, sees it written, ends.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: driver, compiler, sharing across users, a window of the protocol. Not covered: whether times are right.
Trusts: what a scoring trusts. Run it in place of a scoring; the exit status is 0 where all of that works.
"""

import json
import sys

from job import load
from outcome import Invalid, MachineTrouble


def main() -> None:
    """Run one small window with the trusted worker."""
    try:
        from gpu import Cuda
        from windows import Calls

        device = Cuda(load(), None, 1 << 20, 2)
        calls = Calls([1 << 20] * 2, [0, 1])
        worker = device.worker(submitted=False)
        try:
            device.prepare(calls)
            seconds = device.window_s(worker, calls, 60.0)
        finally:
            worker.close()
        if not (device.first_error(calls) or "").startswith("wrong_output"):
            sys.exit("the comparison does not see that a copy is no prefix sum")
    except (ImportError, Invalid, MachineTrouble, OSError, RuntimeError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    print(json.dumps({"window_us": 1e6 * seconds, **device.describe()}))


main()
