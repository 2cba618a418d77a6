"""What a scorer makes once on each machine, such as the weights that an unmodified script trains: for all sandboxes.

An environment has such things where its scorer has a program `prepare.py`, which runs in a sandbox of its own. They lie
in the cache folder, readable by the container's root alone; every other sandbox sees them, read-only, and makes its own
where they are missing. The scorer finds what it may use by a hash of all that determines it.
"""

import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

from rebench_inspect import bundle, compose, images, paths
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.errors import RebenchError

_LIMIT_S = 4 * 3600


def make(environment: Environment, scale: Scale, report: Callable[[str], None]) -> None:
    """Make what is missing; quick where nothing is. An interrupted run goes on with the next one.

    Raises:
        ImageError: No Docker, or no fresh image.
        RebenchError: The scorer's program failed; its last words are in the message.
    """
    program = paths.scorer_folder(environment.slug) / "prepare.py"
    if not program.is_file():
        return
    images.require(environment, scale)
    held = paths.made_folder(environment.slug, scale.name)
    held.mkdir(parents=True, exist_ok=True)
    report(f"{environment.slug} {scale.name}: making what is made once on each machine, in {held} ...")
    archive, command = _archive(environment, scale, program), _command(environment, scale)
    done = subprocess.run(command, input=archive, capture_output=True, check=False)
    output, errors = (stream.decode(errors="replace").strip() for stream in (done.stdout, done.stderr))
    report(output)
    if done.returncode:
        raise RebenchError(f"{environment.slug}'s scorer could not make what it needs at {scale.name}: {errors[-800:]}")


def _archive(environment: Environment, scale: Scale, program: Path) -> bytes:
    job = bundle.job(environment, scale, paths.IMAGE_PATHS)
    # As for a re-measurement, which needs all of it.
    job |= {"source": "kept", "timeout_s": _LIMIT_S, "parameters": {**job["parameters"], "prepare_s": _LIMIT_S}}
    return bundle.scoring_archive(environment.slug, scale, job, {"trusted/__main__.py": program.read_bytes()})


def _command(environment: Environment, scale: Scale) -> list[str]:
    layout, name = paths.IMAGE_PATHS, uuid.uuid4().hex
    file = compose.compose_file(environment, scale, internet=False, makes=True)
    bootstrap = (paths.scorer_folder("common") / "bootstrap.py").read_text(encoding="utf-8")
    inside = [layout.trusted_python, "-I", "-B", "-c", bootstrap, f"{layout.scorings}/{name}"]
    project = ["docker", "compose", "--project-name", f"rebench-{name}", "--file", str(file)]
    return [*project, "run", "--rm", "--no-TTY", "default", *inside]
