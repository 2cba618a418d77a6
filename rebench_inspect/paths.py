"""Where the project's files are: one rule for a wheel and a checkout (standard library alone)."""

import os
import zlib
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).resolve().parent
CHECKOUT: Path | None = _PACKAGE.parent if (_PACKAGE.parent / "references").is_dir() else None
"""The repository, or None where only the wheel is installed (references and cheats exist in a checkout alone)."""

DATA = _PACKAGE / "_data" if (_PACKAGE / "_data").is_dir() else _PACKAGE.parent
"""The folder that holds `tasks/`, `sandboxes/`, `scorers/` and `pyproject.toml`."""

CANARY_TEXT = "benchmark data, keep out of training corpora"


def tasks_folder(slug: str) -> Path:
    """Return the agent's folder of an environment."""
    return DATA / "tasks" / slug


def scorer_folder(slug: str) -> Path:
    """Return the trusted folder of an environment, or of `common`."""
    return DATA / "scorers" / slug


def cache_folder() -> Path:
    """Return the user's cache folder for this suite; XDG_CACHE_HOME is honoured."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rebench-inspect"


def made_folder(slug: str, scale_name: str) -> Path:
    """Return the folder of what an environment's scorer made on this machine, absolute; it need not exist."""
    return cache_folder().resolve() / "made" / f"{slug}-{scale_name}"


def state_folder() -> Path:
    """Return the folder of what was measured on this machine (anchors); XDG_STATE_HOME is honoured."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "rebench-inspect"


class SandboxPaths(NamedTuple):
    """Absolute paths inside a sandbox, told to the scorer and used by the host.

    Attributes:
        solution: The agent's folder that is handed in.
        root: Root's folder for scorings and kept submissions.
        trusted_python: Interpreter of the scorer; the agent cannot open it.
        work_python: Interpreter of the agent and of submitted code.
        agent: User of the agent's shell, None where the sandbox has one user only (then nothing is protected).
        agent_uid, solver_uid: Ids of the agent's user and of the user that runs submitted code.
        assets: Folder of the assets that the agent may see; the scorer's own lie in `root`/private.
    """

    solution: str
    root: str
    trusted_python: str
    work_python: str
    agent: str | None
    agent_uid: int | None
    solver_uid: int | None
    assets: str

    @property
    def scorings(self) -> str:
        """The folder in which each scoring gets a folder of its own."""
        return f"{self.root}/scorings"


IMAGE_PATHS = SandboxPaths(
    solution="/home/agent/solution",
    root="/opt/rebench",
    trusted_python="/opt/rebench/trusted/bin/python",
    work_python="/opt/work/bin/python",
    agent="agent",
    agent_uid=10001,
    solver_uid=10002,
    assets="/opt/assets",
)
"""The layout of every image; a container's own is `image_paths`."""

_SOLVERS = range(20_000, 59_000)
"""Below 65,536, since Docker may give containers no more users; the scorer's own are above."""


def image_paths(container: str) -> SandboxPaths:
    """Return the layout of a container by its host name: submitted code runs as a user of that container alone.

    The kernel counts a user's threads over all containers of a machine: with one user for all, many attempts at once,
    or one that floods, would leave the others none.
    """
    return IMAGE_PATHS._replace(solver_uid=_SOLVERS[zlib.crc32(container.encode()) % len(_SOLVERS)])


def local_paths(folder: str, slug: str) -> SandboxPaths:
    """Return the layout of Inspect's `local` sandbox, whose working folder is `folder`: one user, no protection."""
    python = str(local_environment(slug) / "bin" / "python")
    return SandboxPaths(f"{folder}/solution", f"{folder}/rebench", python, python, None, None, None, f"{folder}/assets")


def local_environment(slug: str) -> Path:
    """Return the Python environment that stands in for an image in the `local` sandbox."""
    return cache_folder() / "local" / slug
