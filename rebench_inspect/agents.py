"""Who works on an attempt: the default agent, or the replay of a known solution; and the setup of both."""

import asyncio
from pathlib import Path

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, react
from inspect_ai.log import transcript
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, bash, python
from inspect_ai.util import sample_limits, store_as, suspend_working_limit
from jinja2 import StrictUndefined, Template

from rebench_inspect import anchors, asset_store, bundle, environments, images, messages, paths, sandbox
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.errors import MachineFault, RebenchError, ScorerFault, UsageError
from rebench_inspect.ledger import Ledger
from rebench_inspect.measuring import is_protected, measure, used_s
from rebench_inspect.paths import SandboxPaths
from rebench_inspect.scoring import score_log_tool, score_tool

COMMAND_TIMEOUT_S = 30 * 60
SOLUTIONS = ("starting", "reference", "frontier")
_REMINDERS = (0.5, 0.75, 0.9, 0.95)
_PROMPTS = Path(__file__).parent / "prompts"


def render(path: Path, **values: object) -> str:
    """Fill a prompt; a variable without a value is an error, not an empty string."""
    template = Template(path.read_text(encoding="utf-8"), undefined=StrictUndefined, trim_blocks=True)
    return template.render(**values)


@solver
def begin(environment: str, scale: str, options: dict[str, object]) -> Solver:
    """Set an attempt up: the starting files, the ledger, scoring 0 and the anchors. None of it is charged.

    Args:
        environment: Slug.
        scale: Name of the scale.
        options: `budget_s`, `anchors`, and the facts that go into the ledger's `attempt`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        with suspend_working_limit():
            await _prepare(state, environment, scale, options)
        store_as(Ledger).origin_s = sample_limits().working.usage
        return state

    return solve


async def _prepare(state: TaskState, slug: str, scale_name: str, options: dict[str, object]) -> None:
    environment = environments.environment(slug)
    scale = environment.scale(scale_name)
    ledger = store_as(Ledger)
    ledger.environment, ledger.scale, ledger.version = slug, scale_name, environment.version
    ledger.budget_s = float(str(options["budget_s"]))
    ledger.attempt = {
        **{name: value for name, value in options.items() if name not in ("budget_s", "anchors")},
        "id": state.uuid,
        "scorer": bundle.scorer_hash(slug),
    }
    if options["protection"] == "uids":
        ledger.attempt["image"] = await asyncio.to_thread(images.image_id, environment, scale)
    where = await sandbox.locate(environment, options["protection"] == "uids")
    if environment.image_assets and where.agent is None:
        await sandbox.link_assets(where, await asyncio.to_thread(asset_store.prepared, slug, scale_name))
    await sandbox.install(where, bundle.workspace_files(slug, scale), environment.given)
    start = await measure("starting", "starting")
    if start.outcome != "scored":
        fault = MachineFault if start.outcome == "machine_fault" else ScorerFault
        raise fault(f"the starting solution of {slug} could not be scored: {start.message}")
    chosen = anchors.choose(environment, scale, str(options["anchors"]), start.raw)
    ledger.anchors = {
        "starting": chosen.anchors.starting,
        "reference": chosen.anchors.reference,
        "source": chosen.anchors.source,
    }
    ledger.flags = [*ledger.flags, *chosen.flags]
    start.score = ledger.normalise(start.raw)


def default_agent(user: str | None, budget_s: float) -> Agent:
    """Return Inspect's `react` with the tools of every environment, working until the budget ends or it submits."""
    return react(
        prompt=AgentPrompt(system_prompt(budget_s), assistant_prompt=None, submit_prompt=None),
        tools=tools(user),
        submit=AgentSubmit(answer_only=False, keep_in_messages=True),
        on_continue=_on_continue(),
    )


def system_prompt(budget_s: float) -> str:
    """Return what the default agent is told about its work, whatever the environment."""
    minutes = COMMAND_TIMEOUT_S // 60
    return render(_PROMPTS / "agent.md", budget=messages.clock(budget_s), command_timeout_minutes=minutes)


def tools(user: str | None) -> list[Tool]:
    """Return the agent's tools, each running as the agent's user."""
    return [bash(COMMAND_TIMEOUT_S, user), python(COMMAND_TIMEOUT_S, user), score_tool(), score_log_tool()]


def _on_continue():  # noqa: ANN202 - Inspect's protocol is a coroutine function
    reminded = 0

    async def on_continue(state: AgentState) -> bool | str:
        """Remind of the time when a share of the budget is gone, or when the model stops calling tools."""
        nonlocal reminded
        ledger = store_as(Ledger)
        passed = sum(used_s(ledger) > share * ledger.budget_s for share in _REMINDERS)
        if passed <= reminded and state.output.message.tool_calls:
            return True
        reminded = passed
        return render(_PROMPTS / "continue.md", time_line=messages.time_line(ledger, used_s(ledger)))

    return on_continue


@agent
def replay(solution: str) -> Agent:
    """Install a known solution and score it once: `starting`, `reference`, `frontier`, or a folder or file."""

    async def execute(state: AgentState) -> AgentState:
        ledger = store_as(Ledger)
        environment = environments.environment(ledger.environment)
        where = await sandbox.locate(environment, is_protected(ledger))
        scale = environment.scale(ledger.scale)
        files = known_solution(environment.slug, scale, solution)
        await lay_known(where, environment, scale, files)
        await score_tool()()
        return state

    return execute


async def lay_known(where: SandboxPaths, environment: Environment, scale: Scale, files: dict[str, bytes]) -> None:
    """Put a known solution into the agent's folder; where it is a program, run it there as the agent.

    Raises:
        RebenchError: The program failed; the message is the end of what it printed.
    """
    whole = bundle.known_files(environment, scale, files)
    await sandbox.install(where, whole, environment.given)
    if environment.program not in whole:
        return
    made = await sandbox.run_as_agent(where, [where.work_python, environment.program], scale.making_timeout_s)
    transcript().info({"program": environment.program, "printed": made.stdout[-4000:]}, source="rebench")
    if not made.success:
        raise RebenchError(f"{environment.program} of the solution failed: {made.stderr.strip()[-800:]}")


def known_solution(slug: str, scale: Scale, solution: str) -> dict[str, bytes]:
    """Return the files of a known solution, or of the given folder or file.

    Raises:
        UsageError: There is none; from a wheel, references are not there by design.
    """
    if solution == "starting":
        return bundle.workspace_files(slug, scale)
    if solution in SOLUTIONS:
        if paths.CHECKOUT is None:
            raise UsageError(
                f"solution={solution}: references exist in a checkout of the project alone; name a folder: "
                "-T solution=/path/to/folder"
            )
        return bundle.solution_files(paths.CHECKOUT / "references" / slug / solution)
    if not Path(solution).exists():
        raise UsageError(f"solution={solution}: choose one of {', '.join(SOLUTIONS)}, or an existing folder or file")
    return bundle.solution_files(Path(solution))
