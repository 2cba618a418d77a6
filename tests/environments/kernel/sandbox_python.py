"""Runs a program in the interpreter that agents have, for tests on a host without torch.

`REBENCH_WORK_PYTHON` names an interpreter to use instead of the sandbox image's.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

IMAGE = os.environ.get("REBENCH_KERNEL_IMAGE", "rebench-inspect-kernel:cpu")
WORK_PYTHON = "/opt/work/bin/python"


def run(arguments: list[str], folders: dict[str, Path], limit_s: float, image_only: bool = False) -> bytes:
    """Run python with these arguments and return its stdout.

    Args:
        arguments: Arguments of python; `{name}` in one becomes the folder of that name.
        folders: Folders that the program may read.
        limit_s: Wall-clock limit.
        image_only: Refuse another interpreter: the program would do harm outside a container.
    """
    local = os.environ.get("REBENCH_WORK_PYTHON")
    if local and not image_only:
        # Cheats overwrite what their user may write: as root, the machine's interpreter and loader.
        assert os.getuid() != 0, "REBENCH_WORK_PYTHON is refused for root: cheats run in the container alone"
        command, seen = [local, "-B"], {name: str(path) for name, path in folders.items()}
    else:
        _require_image()
        seen = {name: f"/x/{name}" for name in folders}
        mounts = [f"--volume={path}:/x/{name}:ro" for name, path in folders.items()]
        options = ["--rm", "--init", "--network=none", "--user=agent", *mounts]
        command = ["docker", "run", *options, IMAGE, WORK_PYTHON, "-B"]
    command += [argument.format(**seen) for argument in arguments]
    done = subprocess.run(command, capture_output=True, timeout=limit_s, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:]
    return done.stdout


def _require_image() -> None:
    if shutil.which("docker"):
        found = subprocess.run(["docker", "image", "inspect", IMAGE], capture_output=True, check=False)
        if found.returncode == 0:
            return
    message = f"needs Docker and the image {IMAGE} (rebench-inspect build kernel --scale mini), or REBENCH_WORK_PYTHON"
    if os.environ.get("REBENCH_REQUIRE_DOCKER") == "1":
        pytest.fail(message)
    pytest.skip(message)
