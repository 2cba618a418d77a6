"""The image that every other starts from: an official Python image, or a local one where no registry can be reached."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from rebench_inspect.build_inputs import apt_sources
from rebench_inspect.errors import ImageError

DEFAULT = "python:3.11-slim-bookworm"
LOCAL = "rebench-inspect-base:bookworm"
_RELEASE = "bookworm"
_PACKAGES = "python3,python3-venv,python3-dev,ca-certificates"
_REGISTRY_TIMEOUT_S = 15
# What differs between machines (name server, host name, mirror) and what only apt needs.
_REMOVED = ("etc/resolv.conf", "etc/hostname", "etc/apt/sources.list", "var/cache/apt", "var/lib/apt/lists", "var/log")


def choose(asked: str | None, report: Callable[[str], None]) -> str:
    """Return the base image to build on, making the local one where nothing else is possible.

    Args:
        asked: The evaluator's choice; the environment variable REBENCH_BASE_IMAGE comes next.
        report: Receives progress, one line a call.
    """
    chosen = asked or os.environ.get("REBENCH_BASE_IMAGE")
    if chosen:
        return chosen
    trouble = "" if _exists(DEFAULT) else registry_trouble(DEFAULT)
    if not trouble:
        return DEFAULT
    if not _exists(LOCAL):
        report(f"No registry offers {DEFAULT} ({trouble}): making {LOCAL} here with debootstrap, about a minute.")
        make_local(report)
    return LOCAL


def _exists(image: str) -> bool:
    command = ["docker", "image", "inspect", "--format", "{{.Id}}", image]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def registry_trouble(image: str) -> str:
    """Return why the registry does not offer `image`; empty where it does."""
    command = ["docker", "buildx", "imagetools", "inspect", image]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_REGISTRY_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"no answer in {_REGISTRY_TIMEOUT_S} s"
    words = asked.stderr.strip().splitlines() or ["no reason given"]
    return "" if asked.returncode == 0 else words[-1].rpartition(": ")[2]


def make_local(report: Callable[[str], None]) -> None:
    """Make the local base image from the Debian mirror that this machine's apt is configured with.

    Raises:
        ImageError: A tool, the right or the mirror is missing; the message says which and what to type.
    """
    options, mirror = ["--variant=minbase", f"--include={_PACKAGES}"], _mirror()
    # Not /tmp, which is often mounted without devices.
    with tempfile.TemporaryDirectory(prefix="rebench-base-", dir="/var/tmp") as folder:
        root = Path(folder) / "root"
        run_visibly(["debootstrap", *options, _RELEASE, str(root), mirror], report)
        for name in _REMOVED:
            _empty(root / name)
        _import(root)


def _mirror() -> str:
    advice = "or name a base image: REBENCH_BASE_IMAGE=... or --base-image"
    if shutil.which("debootstrap") is None:
        raise ImageError(f"debootstrap is missing; install it: apt-get install debootstrap; {advice}")
    if os.geteuid() != 0:
        raise ImageError(f"debootstrap needs root; run the same command with sudo; {advice}")
    for line in apt_sources("$(RELEASE) $(COMPONENT) $(SITE)").splitlines():
        release, component, site = line.split()
        if (release, component) == (_RELEASE, "main"):
            return site
    raise ImageError(f"this machine's apt has no source of Debian {_RELEASE} main to make a base image from; {advice}")


def _empty(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        path.mkdir()
    else:
        path.unlink(missing_ok=True)


def _import(root: Path) -> None:
    pack = ["tar", "-C", str(root), "-c", "--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "."]
    take = ["docker", "import", "--change", 'CMD ["/bin/bash"]', "-", LOCAL]
    with subprocess.Popen(pack, stdout=subprocess.PIPE) as packer:
        taken = subprocess.run(take, stdin=packer.stdout, capture_output=True, text=True, check=False)
    if packer.returncode or taken.returncode:
        raise ImageError(f"docker import of the base image failed: {taken.stderr.strip() or 'tar failed'}")


def run_visibly(command: list[str], report: Callable[[str], None]) -> None:
    """Run a program of a build, handing each line that it prints to `report`.

    Raises:
        ImageError: The program failed; its last lines are in the message.
    """
    lines = [""]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
        for line in program.stdout or ():
            lines = [*lines, line.rstrip()][-3:]
            report(line.rstrip())
    if program.returncode:
        raise ImageError(f"{' '.join(command[:3])} failed with exit status {program.returncode}: {' | '.join(lines)}")
