"""A sandbox in which the real scorer judges folders, without Inspect: for the many cases of a test."""

import json
import subprocess
import uuid
from typing import Any

from rebench_inspect import bundle, compose, paths
from rebench_inspect.environments import LLM_FOUNDRY

SCALE = LLM_FOUNDRY.scale("test")
PARAMETERS = dict(SCALE.parameters)
LAYOUT = paths.IMAGE_PATHS
SOLUTION = LAYOUT.solution


class Bench:
    """One container; `close` removes it."""

    def __init__(self, **parameters: float) -> None:
        """Start it; `parameters` are others than the scale's."""
        self.job = bundle.job(LLM_FOUNDRY, SCALE, LAYOUT) | {"timeout_s": 1500.0, "archive_bytes": 1 << 20}
        self.job["parameters"] |= parameters
        self.scale = SCALE
        self.changed: dict[str, bytes] = {}
        """Files of a scoring, by name, in place of the usual ones."""
        file, project = compose.compose_file(LLM_FOUNDRY, SCALE, internet=False), f"rebench-{uuid.uuid4().hex}"
        run = ["compose", "--project-name", project, "--file", str(file), "run", "--detach", "--rm", "default"]
        self.container = self._docker(run).decode().split()[-1]

    def _docker(self, arguments: list[str], stdin: bytes = b"") -> bytes:
        done = subprocess.run(["docker", *arguments], input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, (done.stderr + done.stdout[-2000:]).decode(errors="replace")
        return done.stdout

    def shell(self, user: str, script: str, limit_s: float = 300.0) -> str:
        """Run a script in the container and return what it printed."""
        command = ["exec", "--user", user, self.container, "timeout", str(limit_s), "/bin/bash", "-c", script]
        return self._docker(command).decode()

    def unpack(self, user: str, folder: str, content: dict[str, bytes]) -> None:
        """Write files into a folder of the container."""
        arguments = ["exec", "-i", "--user", user, self.container, "tar", "-x", "-C", folder, "--no-same-owner"]
        self._docker(arguments, bundle.archive(content))

    def install(self, content: dict[str, bytes]) -> None:
        """Replace the agent's folder."""
        self.shell("agent", f"rm -rf {SOLUTION}; mkdir -p {SOLUTION}; ln -s {LAYOUT.assets} {SOLUTION}/assets")
        self.unpack("agent", SOLUTION, content)

    def score(self, source: str = "agent", *, remembers: bool = False) -> dict[str, Any]:
        """Score what lies in the agent's folder and return the verdict; as a new attempt, unless it `remembers`."""
        self.job |= {"index": self.job["index"] + 1, "source": source}
        folder = f"{LAYOUT.scorings}/{uuid.uuid4().hex}"
        first = (paths.scorer_folder("common") / "bootstrap.py").read_text(encoding="utf-8")
        python = [LAYOUT.trusted_python, "-I", "-B", "-c", first, folder]
        archive = bundle.scoring_archive(LLM_FOUNDRY.slug, self.scale, self.job, self.changed)
        self._docker(["exec", "-i", "--user", "root", self.container, *python], archive)
        verdict = json.loads(self.shell("root", f"cat {folder}/trusted/verdict.json"))
        self.shell("root", f"rm -rf {folder}" + ("" if remembers else f" {LAYOUT.root}/attempt"))
        return verdict

    def close(self) -> None:
        """Remove the container."""
        self._docker(["rm", "--force", self.container])
