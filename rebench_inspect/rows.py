"""What a row of the table of environments is: anchors, scales, environments (standard library alone)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Aggregate = Literal["best", "last"]
Hardware = Literal["cpu", "cuda"]
ScaleName = Literal["paper", "single", "mini", "test"]


@dataclass(frozen=True, slots=True)
class Anchors:
    """The pair of raw scores that defines the normalised scale: 0 at `starting`, 1 at `reference`."""

    starting: float
    reference: float
    source: str

    def __post_init__(self) -> None:
        """Refuse anchors that define no scale."""
        if not (math.isfinite(self.starting) and math.isfinite(self.reference)) or self.starting == self.reference:
            raise ValueError(f"anchors must be two different finite numbers, got {self.starting} and {self.reference}")

    def normalise(self, raw: float) -> float:
        """Return the normalised score of `raw`: one formula for both directions, not clipped."""
        return (raw - self.starting) / (self.reference - self.starting)


@dataclass(frozen=True, slots=True)
class Scale:
    """One size of an environment: hardware that it needs, its budget, and the parameters of its scorer.

    Attributes:
        name: `paper`, `single`, `mini`, or the private `test`.
        hardware: `cpu` or `cuda`; chooses the image and the scorer's device.
        gpus: Number of GPUs that an attempt needs.
        gpu_memory_gib: Least memory of each GPU.
        cpus: CPU cores that the container may use at most.
        memory_gib: Memory of the container.
        budget_hours: Default working-time budget of one attempt.
        scoring_timeout_s: Wall-clock limit of one scoring; the scorer's own watchdog ends before it.
        parameters: What the scorer and the instructions are told about the size.
        shipped_anchors: Anchors measured by the project, for machines that were not calibrated.
        gain_tolerance: A cheat gains when it beats its honest twin by more than this share (noise of the hardware).
        submission_mib, submission_files: Most that a submission may have.
        making_timeout_s: Wall-clock limit of a known solution's program, where known solutions are programs.
        lacks: Known solutions that do not serve this scale.
        deviates: In what the scale differs from the paper's task, so that its anchors hold roughly: a flag then.
    """

    name: ScaleName
    hardware: Hardware
    cpus: int
    memory_gib: int
    budget_hours: float
    scoring_timeout_s: int
    gpus: int = 0
    gpu_memory_gib: int = 0
    parameters: Mapping[str, int | float | str] = field(default_factory=lambda: MappingProxyType({}))
    shipped_anchors: Anchors | None = None
    gain_tolerance: float = 0.10
    submission_mib: int = 16
    submission_files: int = 256
    making_timeout_s: int = 60
    lacks: tuple[str, ...] = ()
    deviates: str = ""


@dataclass(frozen=True, slots=True)
class Environment:
    """One of the seven environments.

    Attributes:
        slug: Name in every zone: folders, task, image, docs page.
        title: Name for people.
        version: `N-X` as in Inspect's conventions: N changes when scores stop being comparable, X with the interface.
        raw_unit: What the raw score is.
        higher_is_better: Direction of the raw score.
        aggregate: Which valid scoring of an attempt counts.
        shows_score: Whether the agent sees numbers.
        deliverable: File that the agent hands in, relative to its solution folder.
        alternative: File that may stand in the deliverable's place; empty for none.
        published: Anchors of the paper.
        paper_hardware: Hardware of the paper, for people.
        scales: The scales that can be run; empty while the environment is published facts alone.
        image_groups: Dependency group of pyproject by hardware: what the image's `/opt/work` holds.
        image_assets: Recipes whose assets the image holds, where the scale has them; such an image is one scale's.
        given: Files of the starting solution that are assets, by name: paths below the sandbox's folder of assets.
        program: What known solutions are, where the deliverable is made: a program that the agent's user runs, laid
            over the starting solution; empty where they are the deliverable itself.
    """

    slug: str
    title: str
    raw_unit: str
    higher_is_better: bool
    published: Anchors
    paper_hardware: str
    version: str = "1-A"
    aggregate: Aggregate = "best"
    shows_score: bool = True
    deliverable: str = ""
    alternative: str = ""
    scales: tuple[Scale, ...] = ()
    image_groups: Mapping[Hardware, str] = field(default_factory=lambda: MappingProxyType({}))
    image_assets: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    program: str = ""

    def is_better(self, raw: float, than: float) -> bool:
        """Say whether `raw` beats `than` in this environment's direction."""
        return raw > than if self.higher_is_better else raw < than

    def readable(self, raw: float | None) -> str:
        """Return a raw score for people: a logarithm as the quantity itself, with its unit."""
        if raw is None:
            return "none"
        if not self.raw_unit.startswith("ln("):
            return f"{raw:.4g}"
        inner, _, offset = self.raw_unit.removeprefix("ln(").removesuffix(")").partition(" - ")
        unit = inner.replace("milliseconds", "ms").replace("seconds", "s")
        return f"{math.exp(raw) + float(offset or 0):.4g} {unit}"

    def scale(self, name: str) -> Scale:
        """Return the scale called `name`.

        Raises:
            KeyError: No such scale; the message lists the allowed names.
        """
        for scale in self.scales:
            if scale.name == name:
                return scale
        allowed = ", ".join(scale.name for scale in self.scales if scale.name != "test")
        raise KeyError(f"scale={name!r} is not a scale of {self.slug}; choose one of: {allowed}")
