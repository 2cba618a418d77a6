"""The Python environment that stands in for an image where no Docker runs (CPU scales; unprotected)."""

import subprocess
import sys
from collections.abc import Callable

from rebench_inspect import asset_making, build_inputs, paths
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.errors import ImageError


def command(environment: Environment, scale: Scale) -> str:
    """Return the command that makes it."""
    return f"rebench-inspect build {environment.slug} --scale {scale.name} --sandbox local"


def require(environment: Environment, scale: Scale) -> None:
    """Check that the environment is there with the pins of today.

    Raises:
        ImageError: It is not; the line ends with the command that makes it.
    """
    if not _is_fresh(environment, scale):
        raise ImageError(
            f"the local Python environment of {environment.slug} is missing or stale; make it: "
            f"{command(environment, scale)}"
        )


def build(environment: Environment, scale: Scale, report: Callable[[str], None]) -> None:
    """Make the environment with the pins that the image would have; pip's progress is shown.

    Raises:
        ImageError: venv or pip failed.
    """
    folder = paths.local_environment(environment.slug)
    if environment.image_assets:
        asset_making.ensure(environment.slug, scale.name, report)
    if _is_fresh(environment, scale):
        report(f"{folder} is up to date.")
        return
    report(f"Making {folder} (unprotected stand-in for the image)...")
    pins = _pins(environment, scale)
    for argv in ([sys.executable, "-m", "venv", "--clear", str(folder)], [str(folder / "bin/pip"), "install", *pins]):
        if subprocess.run(argv, check=False).returncode:
            raise ImageError(
                f"{' '.join(argv[:4])} failed; mend what it says and run again: {command(environment, scale)}"
            )
    (folder / "pins.txt").write_text("\n".join(pins), encoding="utf-8")


def _pins(environment: Environment, scale: Scale) -> list[str]:
    return build_inputs.pins(environment, scale)["work.txt"].split()


def _is_fresh(environment: Environment, scale: Scale) -> bool:
    stamp = paths.local_environment(environment.slug) / "pins.txt"
    return stamp.is_file() and stamp.read_text(encoding="utf-8").split() == _pins(environment, scale)
