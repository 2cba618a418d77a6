"""Compiles the C files beside this one, once per scoring, into the folder that the worker may read.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the compiler's environment is empty and its temporary files are root's. Not covered: what the code computes.
Trusts: the image's compiler.
"""

import ctypes
import subprocess
from pathlib import Path

from job import FOLDER


def library(name: str, folder: str) -> ctypes.CDLL:
    """Return a C file as a library, made for this very processor, in `trusted` or `shim`."""
    target = FOLDER / folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    command = ["/usr/bin/gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(target), str(source)]
    subprocess.run(command, check=True, env={"PATH": "/usr/bin:/bin", "TMPDIR": str(FOLDER / "trusted")})
    target.chmod(0o755)
    return ctypes.CDLL(str(target))
