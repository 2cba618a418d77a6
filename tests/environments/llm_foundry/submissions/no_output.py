"""Nothing is written.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: none: a mistake.
Expect: invalid
Reason: no_output
Base: frontier
"""

import os
from pathlib import Path

if __name__ == "__main__":
    assert os.getuid() == 10001, "only in the sandbox"
    Path("finetune.sh").write_text("exit 0\n")
