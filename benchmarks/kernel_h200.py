"""Writes docs/measurements/kernel-h200.{json,md} from figures that `python3 -m rebench_inspect.bare … --json` wrote.

Usage: python benchmarks/kernel_h200.py [FIGURES.json ...]   (later files win; none: the page again from its JSON)
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

from rebench_inspect.environments import KERNEL

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measurements" / "kernel-h200.json"
TARGETS = {
    "reference_ms": "at most 0.60",
    "frontier_over_copy": "at most 1.30",
    "event_agreement_copy_pct": "within 3",
    "event_agreement_reference_pct": "within 3",
    "event_agreement_frontier_pct": "within 3",
    "cv_reference_pct": "at most 1",
    "cv_frontier_pct": "at most 1",
    "max_cheat_gain_pct": "below 2",
    "scoring_s": "at most 6",
    "cheats_won": "0",
    "controls_rejected": "0",
}
MEANINGS = {
    "starting_ms": "starting solution, a call",
    "reference_ms": "reference, a call",
    "frontier_ms": "frontier, a call",
    "copy_ms": "copy of the same bytes on the card",
    "frontier_over_copy": "frontier in copies of the same bytes",
    "event_agreement_copy_pct": "scorer against CUDA events in an honest loop: copy",
    "event_agreement_reference_pct": "the same: reference",
    "event_agreement_frontier_pct": "the same: frontier",
    "cv_reference_pct": "spread over scorings of the reference",
    "cv_frontier_pct": "spread over scorings of the frontier",
    "max_cheat_gain_pct": "largest gain of a scored cheat over its honest twin",
    "scoring_s": "longest scoring of a known solution, its import and compilation excluded",
    "import_s": "import and compilation of the submission with its untimed calls (median)",
    "scorer_gpu_memory_gib": "memory of the card that the scorer's buffers take",
    "normalised_frontier_local": "frontier, normalised by this machine's start and reference",
    "normalised_start_published": "start, normalised by the published anchors (another card: a labelled extra)",
    "normalised_reference_published": "reference, likewise",
    "normalised_frontier_published": "frontier, likewise",
}


def derived(figures: dict[str, Any]) -> dict[str, float]:
    """Return what follows from other figures, where those were measured."""
    raws = {
        name: math.log(figures[f"{name}_ms"])
        for name in ("starting", "reference", "frontier")
        if f"{name}_ms" in figures
    }
    found = {
        f"normalised_{name.replace('starting', 'start')}_published": KERNEL.published.normalise(raw)
        for name, raw in raws.items()
    }
    if len(raws) == 3:
        found["normalised_frontier_local"] = (raws["frontier"] - raws["starting"]) / (
            raws["reference"] - raws["starting"]
        )
    if "frontier_ms" in figures and "copy_ms" in figures:
        found["frontier_over_copy"] = figures["frontier_ms"] / figures["copy_ms"]
    return found


def page(figures: dict[str, Any]) -> str:
    """Return the page: known figures with meaning and target, then the others, then the machine."""
    machine = {
        name.removeprefix("fingerprint_"): value for name, value in figures.items() if name.startswith("fingerprint_")
    }
    shown = [name for name in MEANINGS if name in figures]
    others = [name for name in sorted(figures) if name not in MEANINGS and not name.startswith("fingerprint_")]
    lines = [
        "# kernel at single, on an H200",
        "",
        f"Written by `benchmarks/{Path(__file__).name}` from `{PAGE.name}`; measured by `rebench_inspect.bare`.",
        f"Machine: {', '.join(f'{name} {value}' for name, value in machine.items())}.",
        "",
        "| figure | value | target | what |",
        "|---|---|---|---|",
        *(
            f"| `{name}` | {figures[name]} | {TARGETS.get(name, '')} | {MEANINGS.get(name, '')} |"
            for name in shown + others
        ),
        "",
    ]
    return "\n".join(lines)


def main(sources: list[str]) -> None:
    """Merge, derive, write."""
    figures: dict[str, Any] = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for source in sources:
        figures |= json.loads(Path(source).read_text(encoding="utf-8"))
    figures |= derived(figures)
    rounded = {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
    PAGE.write_text(json.dumps(rounded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.with_suffix(".md").write_text(page(rounded), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
