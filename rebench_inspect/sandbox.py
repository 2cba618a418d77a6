"""The only module that talks to an Inspect sandbox: installs solutions, runs scorings, ends leftovers."""

import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxUnavailableError, sandbox

from rebench_inspect import bundle, paths
from rebench_inspect.asset_store import Prepared
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.errors import MachineFault, ScorerFault
from rebench_inspect.paths import SandboxPaths
from rebench_inspect.verdict import Verdict, VerdictError, parse

_SHORT_S = 60
_MACHINE_FAULT_STATUS = 75
_INSTALL = """
set -e
solution=$1 uid=$2 assets=$3; shift 3
rm -rf "$solution"; mkdir -p "$solution"; tar -x -C "$solution"
if [ -d "$assets" ]; then ln -s "$assets" "$solution/assets"; fi
while [ "$#" -gt 0 ]; do cp "$assets/$2" "$solution/$1"; shift 2; done
if [ -n "$uid" ]; then chown -R -h "$uid:$uid" "$solution"; fi
"""
_LINK = 'set -e; mkdir -p "$3"; ln -sfn "$1" "$4"; ln -sfn "$2" "$3/private"'


class Scored(NamedTuple):
    """What a scoring brought back.

    Attributes:
        verdict: The checked verdict.
        submission: The snapshot that was measured, without its large files, as a gzipped tar; None where none is new.
    """

    verdict: Verdict
    submission: bytes | None


def available() -> bool:
    """Say whether a sandbox runs (none does while a log is scored again)."""
    try:
        sandbox()
    except (ProcessLookupError, ValueError):
        return False
    return True


async def locate(environment: Environment, protected: bool) -> SandboxPaths:
    """Return the layout of the running sandbox."""
    if protected:
        return paths.image_paths((await _run(["uname", "-n"])).stdout.strip())
    folder = (await _run(["pwd"])).stdout.strip()
    return paths.local_paths(folder, environment.slug)


async def link_assets(where: SandboxPaths, held: Prepared) -> None:
    """Let an unprotected sandbox see assets where a protected one has them in its image."""
    folders = [str(held.public), str(held.private), where.root, where.assets]
    result = await _run(["/bin/sh", "-c", _LINK, "sh", *folders])
    if not result.success:
        raise MachineFault(f"the sandbox does not take the assets: {_end(result.stderr)}")


async def install(where: SandboxPaths, files: dict[str, bytes], given: Mapping[str, str] | None = None) -> None:
    """Replace the agent's solution folder by these files and copies of assets; where there are assets, link to them.

    Args:
        where: The sandbox's layout.
        files: Contents by relative name.
        given: Assets that the folder begins with, by name (`Environment.given`).

    Raises:
        MachineFault: The sandbox does not take them.
    """
    uid = "" if where.agent_uid is None else str(where.agent_uid)
    copies = [word for pair in (given or {}).items() for word in pair]
    command = ["/bin/sh", "-c", _INSTALL, "sh", where.solution, uid, where.assets, *copies]
    result = await _run(command, stdin=bundle.archive(files))
    if not result.success:
        raise MachineFault(f"the sandbox does not take the solution's files: {_end(result.stderr)}")


async def run_as_agent(where: SandboxPaths, argv: list[str], timeout_s: int) -> ExecResult[str]:
    """Run a command as the agent would, in the solution folder."""
    environment = {} if where.agent is None else {"HOME": f"/home/{where.agent}"}
    return await sandbox().exec(
        argv, cwd=where.solution, env=environment, user=where.agent, timeout=timeout_s, timeout_retry=False
    )


async def end_agent(where: SandboxPaths) -> None:
    """Kill whatever the agent, submitted code, or a scoring that was cut off left running."""
    users = [str(uid) for uid in (where.agent_uid, where.solver_uid) if uid is not None]
    # The first character in brackets: else the pattern matches the command lines that carry it, `timeout`'s for one.
    await _run(["pkill", "-KILL", "-f", f"[{where.scorings[0]}]{where.scorings[1:]}/"])
    if users:
        ending = ["pkill", "-KILL", "-u", ",".join(users)]
        if (await _run(ending)).returncode > 1:  # no process is left to the `timeout` around it: 1 is nobody to end
            await _run(ending, timeout_s=None)


async def reset(where: SandboxPaths) -> None:
    """Make the sandbox that of a new attempt, between the cases of a check: processes, home, temporary folders."""
    await end_agent(where)
    await _run(["rm", "-rf", f"{where.root}/attempt"])
    if where.agent is not None:
        await _run(["find", f"/home/{where.agent}", "/tmp", "/var/tmp", "-mindepth", "1", "-delete"])  # noqa: S108


async def has_pending(where: SandboxPaths) -> bool:
    """Say whether a scoring that was cut off had already taken its copy."""
    return (await _run(["test", "-d", f"{where.root}/kept/pending"])).success


async def score(
    where: SandboxPaths, environment: Environment, scale: Scale, job: dict[str, Any], known: Collection[str]
) -> Scored:
    """Run one scoring in a fresh folder of root's and return its verdict.

    Args:
        where: The sandbox's layout.
        environment: Whose scorer is run.
        scale: Its starting files; its wall-clock limit, before which the scorer's own watchdog ends.
        job: See `scorers/common/job.py`.
        known: Hashes of submissions that need not be brought back.

    Raises:
        ScorerFault: No verdict, or none that passes its schema.
        MachineFault: The container or its hardware failed.
    """
    folder = f"{where.scorings}/{uuid.uuid4().hex}"
    timeout_s = scale.scoring_timeout_s
    archive = bundle.scoring_archive(environment.slug, scale, {**job, "timeout_s": timeout_s - 20})
    program = (paths.scorer_folder("common") / "bootstrap.py").read_text(encoding="utf-8")
    try:
        result = await _run([where.trusted_python, "-I", "-B", "-c", program, folder], archive, timeout_s)
        await _check_health(where, result)
        verdict = parse(await sandbox().read_file(f"{folder}/trusted/verdict.json"))
        return Scored(verdict, await _submission(folder, verdict, known))
    except TimeoutError as error:
        await _check_health(where, None)
        raise ScorerFault(f"the scorer did not end within {timeout_s} s") from error
    except (FileNotFoundError, VerdictError, OutputLimitExceededError) as error:
        raise ScorerFault(f"the scorer left no valid verdict: {error}") from error
    finally:
        with suppress(TimeoutError):  # submitted code may have left millions of files; nobody but root sees them
            await _run(["rm", "-rf", folder])


async def _submission(folder: str, verdict: Verdict, known: Collection[str]) -> bytes | None:
    submission: dict[str, Any] = verdict.measurements.get("submission", {})
    if not submission.get("packed") or submission["sha256"] in known:
        return None
    return await sandbox().read_file(f"{folder}/trusted/submission.tar.gz", text=False)


async def _check_health(where: SandboxPaths, result: ExecResult[str] | None) -> None:
    """Tell the machine's fault from the scorer's after something went wrong; thaw the agent if the scorer could not."""
    if result is not None and result.success:
        return
    if result is not None and result.returncode == _MACHINE_FAULT_STATUS:
        raise MachineFault(_end(result.stderr))
    if not (await _run(["true"])).success:
        raise MachineFault("the sandbox's container does not answer")
    if where.agent_uid is not None:
        await _run(["pkill", "-CONT", "-u", str(where.agent_uid)])
    if result is not None:
        raise ScorerFault(f"the scorer ended with status {result.returncode}: {_end(result.stderr)}")


async def _run(argv: list[str], stdin: bytes | None = None, timeout_s: int | None = _SHORT_S) -> ExecResult[str]:
    # No retry: a scoring is not idempotent. No slot of the subprocess pool: a long scoring would starve other attempts.
    try:
        return await sandbox().exec(argv, input=stdin, timeout=timeout_s, timeout_retry=False, concurrency=False)
    except SandboxUnavailableError as error:
        raise MachineFault(f"the sandbox is gone: {error}") from error


def _end(text: str, characters: int = 800) -> str:
    return text.strip()[-characters:]
