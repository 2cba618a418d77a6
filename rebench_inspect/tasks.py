"""The tasks: one `@task` an environment, all built the same way from its row in the table."""

from pathlib import Path
from typing import Any, TypedDict, Unpack

from inspect_ai import Task, task
from inspect_ai.agent import as_solver
from inspect_ai.dataset import Sample
from inspect_ai.util import SandboxEnvironmentSpec
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesView, ViewerConfig

from rebench_inspect import anchors, compose, environments, images, local_sandbox, paths
from rebench_inspect.agents import SOLUTIONS, begin, default_agent, known_solution, render, replay
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.errors import UsageError
from rebench_inspect.scoring import rebench

PROMPT_VARIANTS = ("standard", "no_rules")
"""`no_rules` leaves out the paragraph that cheating disqualifies, for studies of its effect."""


class Options(TypedDict, total=False):
    """Task arguments (`-T name=value`) that every environment takes.

    Attributes:
        budget_hours: Working-time budget; default 8 at `paper`, 2 at `single`, 0.5 at `mini`.
        attempts: Number of attempts, one sample each.
        anchors: `auto`, `published`, `local`, or an anchors file.
        archive: Folder that receives every submission.
        sandbox: `docker`, or `local` (CPU scales alone; unprotected).
        solution: Replay `starting`, `reference`, `frontier` or a folder instead of running an agent.
        internet: Whether the sandbox has network.
        show_score: Whether the agent sees numbers.
        scoring_counts: Whether scorings are charged to the budget.
        prompt_variant: `standard` or `no_rules`.
    """

    budget_hours: float
    attempts: int
    anchors: str
    archive: str
    sandbox: str
    solution: str
    internet: bool
    show_score: bool
    scoring_counts: bool
    prompt_variant: str


@task
def kernel(scale: str = "paper", **options: Unpack[Options]) -> Task:
    """Optimize a Kernel: make a conditional prefix sum fast."""
    return build_task("kernel", scale, options)


@task
def fix_embedding(scale: str = "paper", **options: Unpack[Options]) -> Task:
    """Fix Embedding: repair a language model that has lost its token embedding."""
    return build_task("fix_embedding", scale, options)


@task
def llm_foundry(scale: str = "paper", **options: Unpack[Options]) -> Task:
    """Optimize LLM Foundry: make a fine-tuning script fast without changing what it trains."""
    return build_task("llm_foundry", scale, options)


TASKS = {"fix_embedding": fix_embedding, "kernel": kernel, "llm_foundry": llm_foundry}
"""The task of each environment, by slug."""


def build_task(slug: str, scale_name: str, options: Options) -> Task:
    """Build the Inspect task of an environment at a scale.

    Raises:
        UsageError: An argument is unknown or out of its range; one line with the allowed values.
        ImageError: The sandbox image is missing or stale; the line ends with the command that builds it.
    """
    environment = environments.environment(slug)
    scale = _scale(environment, scale_name)
    chosen = checked(environment, scale, options)
    budget_s = float(chosen["budget_hours"]) * 3600
    protected = chosen["sandbox"] == "docker"
    user = paths.IMAGE_PATHS.agent if protected else None
    solver = as_solver(replay(chosen["solution"]) if chosen["solution"] else default_agent(user, budget_s))
    return Task(
        dataset=samples(environment, scale, chosen),
        setup=begin(slug, scale.name, _attempt_options(chosen, budget_s)),
        solver=solver,
        scorer=rebench(),
        sandbox=_sandbox(environment, scale, chosen),
        working_limit=round(budget_s),
        version=environment.version,
        display_name=f"{environment.title} ({scale.name})",
        metadata={"environment": slug, "scale": scale.name},
        viewer=_viewer(),
        headline_metric="rebench.score",
        score_on_error=True,
    )


def _scale(environment: Environment, name: str) -> Scale:
    try:
        return environment.scale(name)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None


def checked(environment: Environment, scale: Scale, options: Options) -> dict[str, Any]:
    """Return all task arguments with their defaults; raises `UsageError` for one that is unknown or out of range."""
    chosen: dict[str, Any] = {
        "budget_hours": scale.budget_hours,
        "attempts": 1,
        "anchors": "auto",
        "archive": "",
        "sandbox": "docker",
        "solution": "",
        "internet": False,
        "show_score": environment.shows_score,
        "scoring_counts": True,
        "prompt_variant": PROMPT_VARIANTS[0],
    }
    unknown = sorted(set(options) - set(chosen))
    if unknown:
        raise UsageError(f"unknown task argument {unknown[0]!r}; choose from: scale, {', '.join(chosen)}")
    chosen.update(options)
    _check_ranges(chosen)
    if chosen["sandbox"] == "local" and scale.hardware != "cpu":
        raise UsageError(f"sandbox=local runs CPU scales alone, not {scale.name}; choose: -T scale=mini")
    if chosen["anchors"] not in ("auto", "published", "local"):
        anchors.read(Path(str(chosen["anchors"])))
    if chosen["solution"]:
        chosen["solution"] = _solution(environment, scale, str(chosen["solution"]))
    return chosen


def _solution(environment: Environment, scale: Scale, solution: str) -> str:
    known_solution(environment.slug, scale, solution)  # complains before the attempt begins
    return solution if solution in SOLUTIONS else str(Path(solution).resolve())


def _check_ranges(chosen: dict[str, Any]) -> None:
    allowed = {"sandbox": ("docker", "local"), "prompt_variant": PROMPT_VARIANTS}
    for name, values in allowed.items():
        if chosen[name] not in values:
            raise UsageError(f"{name}={chosen[name]!r} is not allowed; choose one of: {', '.join(values)}")
    for name in ("internet", "show_score", "scoring_counts"):
        if not isinstance(chosen[name], bool):
            raise UsageError(f"{name}={chosen[name]!r} is not allowed; choose one of: true, false")
    hours, attempts = chosen["budget_hours"], chosen["attempts"]
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 < hours <= 1000:
        raise UsageError(f"budget_hours={hours!r} is not allowed; choose a number above 0 and at most 1000")
    if isinstance(attempts, bool) or not isinstance(attempts, int) or not 1 <= attempts <= 1000:
        raise UsageError(f"attempts={attempts!r} is not allowed; choose a whole number from 1 to 1000")


def samples(environment: Environment, scale: Scale, chosen: dict[str, Any]) -> list[Sample]:
    """Return one sample per attempt, with the instructions filled from the environment's row."""
    layout = paths.IMAGE_PATHS if chosen["sandbox"] == "docker" else paths.local_paths(".", environment.slug)
    instructions = render(
        paths.tasks_folder(environment.slug) / "instructions.md",
        solution=layout.solution,
        assets=layout.assets,
        work_python=layout.work_python,
        hardware=scale.hardware,
        cpus=scale.cpus,
        gpus=scale.gpus,
        submission_mib=scale.submission_mib,
        internet=chosen["internet"],
        variant=chosen["prompt_variant"],
        budget_hours=f"{chosen['budget_hours']:g}",
        **scale.parameters,
    )
    metadata = {"environment": environment.slug, "scale": scale.name}
    ids = range(1, int(chosen["attempts"]) + 1)
    return [Sample(input=instructions, id=f"{environment.slug}-{number}", metadata=metadata) for number in ids]


def _attempt_options(chosen: dict[str, Any], budget_s: float) -> dict[str, object]:
    kept = ("anchors", "archive", "internet", "show_score", "scoring_counts", "prompt_variant", "solution")
    return {
        **{name: chosen[name] for name in kept},
        "budget_s": budget_s,
        "protection": "uids" if chosen["sandbox"] == "docker" else "none",
    }


def _sandbox(environment: Environment, scale: Scale, chosen: dict[str, Any]) -> SandboxEnvironmentSpec:
    if chosen["sandbox"] == "local":
        local_sandbox.require(environment, scale)
        return SandboxEnvironmentSpec("local")
    images.require(environment, scale)
    return SandboxEnvironmentSpec("docker", str(compose.compose_file(environment, scale, internet=chosen["internet"])))


def _viewer() -> ViewerConfig:
    columns = [TaskSamplesColumn(id="sampleId"), TaskSamplesColumn(id="epoch")]
    columns += [TaskSamplesColumn.score("rebench", key) for key in ("score", "raw", "verified")]
    columns += [TaskSamplesColumn(id="limit"), TaskSamplesColumn(id="error")]
    return ViewerConfig(task_samples_view=TaskSamplesView(name="Attempts", columns=columns))
