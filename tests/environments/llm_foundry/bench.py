"""A container in which the real scorer judges folders, without Inspect: for tests, cheats and measurements.

The image needs what `sandboxes/base` makes. `REBENCH_FOUNDRY_IMAGE` names another image,
`REBENCH_FOUNDRY_PACKAGES` a host's site-packages of the same Python that stand in for the image's own.
"""

import io
import json
import os
import subprocess
import tarfile
import uuid
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[3]
STARTING = CHECKOUT / "tasks" / "llm_foundry" / "workspace"
IMAGE = os.environ.get("REBENCH_FOUNDRY_IMAGE", "rebench-inspect-llm-foundry:test")
PACKAGES = os.environ.get("REBENCH_FOUNDRY_PACKAGES")
SOLUTION = "/home/agent/solution"
PARAMETERS: dict[str, Any] = {
    "variants": 2,
    "run_timeout_s": 240,
    "whole_tolerance": 0.0003,
    "tensor_tolerance": 0.002,
    "loss_tolerance": 0.001,
    "tokens": 10_000,
    "peak_flops_per_s": 4e11,
}
_OPTIONS = [
    "--detach", "--init", "--network=none", "--cap-drop=ALL", "--security-opt=no-new-privileges:true", "--shm-size=1g",
    "--pids-limit=2048", "--memory=8g", "--cpus=2", "--user=root", "--workdir=/",
]  # fmt: skip
_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by relative name."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def packed(content: dict[str, bytes]) -> bytes:
    """Return a tar of the files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for folder in sorted({str(parent) for name in content for parent in Path(name).parents} - {".", "trusted"}):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for name, text in sorted(content.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text), 0o644
            tar.addfile(entry, io.BytesIO(text))
    return buffer.getvalue()


class Bench:
    """One container; `close` removes it."""

    def __init__(self, assets: Path | None, parameters: dict[str, Any]) -> None:
        """Start it, with the assets of the image, or with a folder that has `public/` and `private/` of the recipe."""
        self.parameters, self.index = parameters, 0
        mounts = [f"--volume={PACKAGES}:/opt/work/lib/python3.11/site-packages:ro"] if PACKAGES else []
        options = [*_OPTIONS, *(f"--cap-add={name}" for name in _CAPABILITIES), *mounts]
        started = self._docker(["run", *options, IMAGE, "sleep", "infinity"])
        self.container = started.decode().strip()
        if assets:
            self.shell("root", "mkdir -p /opt/assets/foundry /opt/rebench/private/foundry; chmod 0755 /opt/assets")
            self.unpack("root", "/opt/assets/foundry", files(assets / "public"))
            self.unpack("root", "/opt/rebench/private/foundry", files(assets / "private"))

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
        self._docker(arguments, packed(content))

    def install(self, content: dict[str, bytes]) -> None:
        """Replace the agent's folder."""
        self.shell("agent", f"rm -rf {SOLUTION}; mkdir -p {SOLUTION}; ln -s /opt/assets {SOLUTION}/assets")
        self.unpack("agent", SOLUTION, content)

    def score(self, source: str = "agent") -> dict[str, Any]:
        """Score what lies in the agent's folder and return the verdict."""
        self.index += 1
        folder = f"/opt/rebench/scorings/{uuid.uuid4().hex}"
        job = {
            "index": self.index, "source": source, "hardware": "cpu", "solution": SOLUTION,
            "deliverable": "finetune.sh", "root": "/opt/rebench", "assets": "/opt/assets",
            "work_python": "/opt/work/bin/python", "agent_uid": 10001, "solver_uid": 10002,
            "lower_is_better": True, "best_raw": None, "keep_last": False, "archive_bytes": 1 << 20,
            "timeout_s": 1500.0, "memory_gib": 8, "parameters": self.parameters, "max_bytes": 20 << 20,
        }  # fmt: skip
        scorers = CHECKOUT / "scorers"
        content = {**files(scorers / "common"), **files(scorers / "llm_foundry")}
        sent = {name if name.startswith("shim/") else f"trusted/{name}": text for name, text in content.items()}
        sent |= {f"trusted/starting/{name}": text for name, text in files(STARTING).items()}
        sent["trusted/job.json"] = json.dumps(job).encode()
        first = (scorers / "common" / "bootstrap.py").read_text(encoding="utf-8")
        python = ["/opt/rebench/trusted/bin/python", "-I", "-B", "-c", first, folder]
        self._docker(["exec", "-i", "--user", "root", self.container, *python], packed(sent))
        verdict = json.loads(self.shell("root", f"cat {folder}/trusted/verdict.json"))
        self.shell("root", f"rm -rf {folder}")
        return verdict

    def close(self) -> None:
        """Remove the container."""
        self._docker(["rm", "--force", self.container])
