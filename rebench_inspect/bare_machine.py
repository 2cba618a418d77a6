"""A machine with root and a GPU but without Docker, laid out like a sandbox: for `bare` (standard library alone).

Users are numbers; no user database is needed or changed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple

from rebench_inspect import bundle, paths, verdict
from rebench_inspect.cases import Case, Measured
from rebench_inspect.environments import Environment, Scale

_ROOT, _HOME, _WORK = Path("/opt/rebench-bare"), Path("/home/agent"), Path("/opt/work")
_MACHINE_FAULT_STATUS = 75
_INHERITED = (
    "LD_LIBRARY_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "NCCL_NVLS_ENABLE",  # hosts whose GPUs others share switch multicast off
    "TORCH_SYMM_MEM_DISABLE_MULTICAST",
    "NVSHMEM_DISABLE_NVLS",
)


class Scored(NamedTuple):
    """One scoring: what became of it, what it cost, and the operator's details."""

    measured: Measured
    seconds: float
    measurements: dict[str, Any]
    fingerprint: dict[str, Any]
    message: str


class Ended(NamedTuple):
    """A scorer program that ended."""

    folder: Path
    status: int
    output: str
    error: str
    seconds: float


class Machine:
    """This machine laid out like a sandbox: two users by number, root's folder, the agent's home.

    Args:
        environment: The environment.
        scale: Its scale.
        assets: Folder that `recipes.bare` made, for environments that use assets; the agent must be able to enter it.
        wheels: Folder of packages that submitted code needs and this Python lacks.
    """

    def __init__(
        self, environment: Environment, scale: Scale, assets: Path | None = None, wheels: Path | None = None
    ) -> None:
        self.environment, self.scale = environment, scale
        self.private = (assets or _ROOT) / "private"
        self.layout = paths.IMAGE_PATHS._replace(
            root=str(_ROOT),
            solution=str(_HOME / "solution"),
            trusted_python=sys.executable,
            work_python=work_python(wheels, environment.slug) if wheels else sys.executable,
            assets=str(assets / "public") if assets else paths.IMAGE_PATHS.assets,
        )
        for folder, mode in ((_ROOT, 0o711), (_ROOT / "scorings", 0o711), (_ROOT / "kept", 0o700), (_HOME, 0o700)):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(mode)
        if assets:
            (_ROOT / "private").unlink(missing_ok=True)
            (_ROOT / "private").symlink_to(self.private)
        self._own(_HOME)

    def _own(self, path: Path) -> None:
        uid = self.layout.agent_uid or 0
        os.chown(path, uid, uid, follow_symlinks=False)

    def job(self) -> dict[str, Any]:
        """Return the job of one scoring."""
        return {**bundle.job(self.environment, self.scale, self.layout), "index": 1}

    def end_users(self) -> None:
        """Kill the processes of both users and remove what they left in folders that everyone can write to."""
        users = {self.layout.agent_uid, self.layout.solver_uid}
        for process in (path for path in Path("/proc").iterdir() if path.name.isdigit()):
            with contextlib.suppress(OSError, IndexError):
                status = (process / "status").read_text(encoding="utf-8", errors="replace")
                if int(status.partition("\nUid:")[2].split()[0]) in users:
                    os.kill(int(process.name), signal.SIGKILL)
        for entry in (entry for place in ("/tmp", "/var/tmp", "/dev/shm") for entry in os.scandir(place)):  # noqa: S108
            if entry.stat(follow_symlinks=False).st_uid in users:
                _remove(Path(entry.path))

    def install(self, files: dict[str, bytes]) -> None:
        """Empty the agent's home and put a solution there, with the assets that it begins with."""
        for path in _HOME.iterdir():
            _remove(path)
        solution = Path(self.layout.solution)
        for name, content in files.items():
            (solution / name).parent.mkdir(parents=True, exist_ok=True)
            (solution / name).write_bytes(content)
        solution.mkdir(exist_ok=True)
        for name, asset in self.environment.given.items():
            shutil.copyfile(Path(self.layout.assets, asset), solution / name)
        if self.environment.image_assets:
            (solution / "assets").symlink_to(self.layout.assets)
        for path in (solution, *solution.rglob("*")):
            self._own(path)

    def prepare(self) -> str:
        """Run the solution once as the agent: a program that makes the deliverable, or a cheat that sets a trap.

        Returns:
            Empty where it ended well, else the end of what it complained of.
        """
        uid = self.layout.agent_uid
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        # Files: a pipe would stay open as long as what the program leaves running.
        (_ROOT / "made.log").touch(mode=0o600)  # what a reference says of its work is no submission's business
        log = (_ROOT / "made.log").open("ab")
        with log, tempfile.TemporaryFile() as errors, contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                [self.layout.work_python, self.environment.program or bundle.CASE_FILE],
                cwd=self.layout.solution,
                env={"HOME": str(_HOME), "USER": "agent", "PATH": "/usr/bin:/bin", **inherited},
                user=uid,
                group=uid,
                extra_groups=[],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=errors,
                timeout=self.scale.making_timeout_s,
                check=False,
            )
            errors.seek(0)
            return "" if done.returncode == 0 else errors.read()[-400:].decode(errors="replace") or "no message"
        return "it took too long"

    def start(
        self,
        main: bytes | None = None,
        extra: dict[str, bytes] | None = None,
        parameters: dict[str, float] | None = None,
    ) -> "Ended":
        """Run the scorer, or another main program in its place, from a fresh folder of root's, as the sandbox does."""
        folder = _ROOT / "scorings" / uuid.uuid4().hex
        changed = {**(extra or {}), **({} if main is None else {"trusted/__main__.py": main})}
        job = self.job()
        job["parameters"] |= parameters or {}
        archive = bundle.scoring_archive(self.environment.slug, self.scale, job, changed)
        bootstrap = (paths.scorer_folder("common") / "bootstrap.py").read_text(encoding="utf-8")
        environment = {"PATH": "/usr/bin:/bin"} | {name: os.environ[name] for name in _INHERITED if name in os.environ}
        argv = [self.layout.trusted_python, "-I", "-B", "-c", bootstrap, str(folder)]
        limit_s, start = self.scale.scoring_timeout_s + 20, time.monotonic()
        done = subprocess.run(
            argv, cwd="/", env=environment, input=archive, capture_output=True, timeout=limit_s, check=False
        )
        output, error = (stream.decode(errors="replace").strip() for stream in (done.stdout, done.stderr))
        return Ended(folder, done.returncode, output, error, time.monotonic() - start)

    def score(self, case: Case) -> Scored:
        """Score one case from a clean state."""
        self.end_users()
        _remove(_ROOT / "attempt")
        given = {Path(name).name: (self.private / name).read_bytes() for name in case.given}
        self.install({**case.files, **given})
        start = time.monotonic()
        complaint = self.prepare() if case.prepares else ""
        made = {"made_s": time.monotonic() - start} if case.prepares else {}
        if complaint and self.environment.program:
            text = f"{self.environment.program} of {case.name} failed: {complaint}"
            return Scored(Measured("scorer_fault", None, None, None), 0.0, {}, {}, text)
        ended = self.start()
        try:
            if ended.status:
                fault = "machine_fault" if ended.status == _MACHINE_FAULT_STATUS else "scorer_fault"
                return Scored(Measured(fault, None, None, None), ended.seconds, {}, {}, ended.error[-800:])
            found = verdict.parse((ended.folder / "trusted" / "verdict.json").read_text(encoding="utf-8"))
            measured = Measured(found.outcome, found.reason, found.raw_score, found.raw_se)
            return Scored(measured, ended.seconds, found.measurements | made, found.fingerprint, found.message)
        except (OSError, verdict.VerdictError) as error:
            return Scored(Measured("scorer_fault", None, None, None), ended.seconds, {}, {}, str(error))
        finally:
            shutil.rmtree(ended.folder, ignore_errors=True)


def work_python(wheels: Path, slug: str) -> str:
    """Return an interpreter that has this one's packages and, before them, those of a folder of wheels; made once.

    `-I` and other users' environments drop PYTHONPATH: only an environment of its own has them everywhere.
    """
    python, names = _WORK / "bin" / "python", sorted(path.name for path in wheels.glob("*.whl"))
    stamp, text = _WORK / "wheels.txt", "\n".join(names)
    held = stamp.read_text(encoding="utf-8") if stamp.is_file() else ""
    if held and (held == text or not names):  # a later command need not bring the wheels again
        return str(python)
    if _WORK.exists() and not stamp.is_file():
        raise FileExistsError(f"{_WORK} is not this program's; move it away and run the same command again")
    _remove(_WORK)
    _WORK.mkdir(mode=0o755, parents=True)
    stamp.write_text("", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", _WORK], check=True)
    (packages,) = _WORK.glob("lib/python3*/site-packages")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--root-user-action=ignore"]
    offline = ["--no-index", "--no-deps", "--no-compile", "--no-cache-dir", "--target", str(packages)]
    subprocess.run([*pip, *offline, *(str(wheels / name) for name in names)], check=True)
    borrowed = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (packages / "zz-borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    for path in (paths.DATA / "sandboxes" / slug).glob("*.p[yt]*"):  # what the image has beside its packages
        shutil.copy(path, packages)
    subprocess.run([python, "-m", "compileall", "-q", "-j", "0", packages], check=False, capture_output=True)
    stamp.write_text(text, encoding="utf-8")
    return str(python)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
