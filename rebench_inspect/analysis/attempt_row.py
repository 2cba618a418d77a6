"""The row of one attempt: what its scorings, its ledger and Inspect's own record of the sample say about it."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rebench_inspect.analysis.archive import Json, part, parts
from rebench_inspect.environments import Anchors, environment

REMARKS = frozenset({"noisy", "hardware_differs", "anchors_shipped", "anchors_approximate"})
"""Codes of flags that describe a measurement; any other code makes the attempt a flagged one."""

_COMPARED = ("scorer", "prompt_variant", "internet", "show_score", "scoring_counts", "protection")
_TOKENS = {
    "tokens_input": "input_tokens",
    "tokens_output": "output_tokens",
    "tokens_cache_read": "input_tokens_cache_read",
    "tokens_cache_write": "input_tokens_cache_write",
    "tokens_reasoning": "reasoning_tokens",
    "tokens": "total_tokens",
}


def normalised(anchors: Anchors | None, raw: float | None) -> float | None:
    """Return the normalised score of `raw`, None where raw score or anchors are unknown."""
    return None if anchors is None or raw is None else anchors.normalise(raw)


def codes(flags: Sequence[Mapping[str, str]]) -> str:
    """Return the codes of flags, sorted, each once, separated by commas."""
    return ",".join(sorted({flag["code"] for flag in flags}))


def attempt_row(
    identity: Json, header: Json, sample: Json, ledger: Json, scorings: list[Json], anchors: Anchors | None
) -> Json:
    """Return the values of an attempt by column.

    Args:
        identity: Values of the identity columns.
        header: Header of the log.
        sample: The sample.
        ledger: The ledger's fields.
        scorings: Rows of its scorings, at least one.
        anchors: The attempt's own anchors, None where they are unknown.
    """
    own = [scoring for scoring in scorings if scoring["kind"] == "attempt"]
    verified = part(ledger, "verified")
    flags = {
        code for text in (codes(parts(ledger, "flags")), *(s["flags"] for s in own)) for code in text.split(",") if code
    }
    return identity | {
        **_best(scorings),
        **_times(header, sample),
        **_spent(sample, scorings),
        **_counts(own),
        "version": ledger["version"],
        "starting_raw": next((s["raw"] for s in scorings if s["kind"] == "starting"), None),
        "verified_raw": verified.get("raw"),
        "verified": normalised(anchors, verified.get("raw")) if any(s["outcome"] == "scored" for s in own) else 0.0,
        "flags": ",".join(sorted(flags)),
        "flagged": bool(flags - REMARKS),
        "gpu_hours": _gpus(identity) * float(sample.get("working_time") or 0.0) / 3600,
        "hardware": _hardware(scorings),
        "comparability": _comparability(identity, ledger, scorings),
        "anchors_source": anchors.source if anchors else "unknown",
        "anchors_starting": anchors.starting if anchors else None,
        "anchors_reference": anchors.reference if anchors else None,
    }


def _best(scorings: list[Json]) -> Json:
    last = scorings[-1]
    raw = last["best_raw_so_far"]
    first = next((s for s in scorings if raw is not None and s["raw"] == raw and s["outcome"] == "scored"), None)
    return {
        "best_raw": raw,
        "best": last["best_so_far"],
        "best_index": first["index"] if first else 0,
        "best_at_s": first["at_s"] if first else 0.0,
    }


def _counts(own: list[Json]) -> dict[str, int]:
    outcomes = [scoring["outcome"] for scoring in own]
    valid, invalid = outcomes.count("scored"), outcomes.count("invalid")
    return {"n_scorings": len(own), "n_valid": valid, "n_invalid": invalid, "n_faults": len(own) - valid - invalid}


def _times(header: Json, sample: Json) -> Json:
    return {
        "task_id": header["eval"].get("task_id"),
        "created": header["eval"].get("created"),
        "started_at": sample.get("started_at"),
        "completed_at": sample.get("completed_at"),
        "working_hours": (sample.get("working_time") or 0.0) / 3600,
        "ended": _ended(sample),
        "error": str(part(sample, "error").get("message") or ""),
    }


def _ended(sample: Json) -> str:
    if sample.get("error"):
        return "error"
    limit = part(sample, "limit").get("type")
    if limit:
        return f"{limit} limit"
    return "submit" if sample.get("completed_at") else "unfinished"


def _spent(sample: Json, scorings: list[Json]) -> Json:
    usage = cast("list[dict[str, Any]]", list(part(sample, "model_usage").values()))
    costs = [cost for cost in (entry.get("total_cost") for entry in usage) if cost is not None]
    known = [scoring["cost"] for scoring in scorings if scoring["cost"] is not None]
    tokens = {name: sum(int(entry.get(key) or 0) for entry in usage) for name, key in _TOKENS.items()}
    return {**tokens, "cost": sum(costs) if costs else max(known, default=None)}


def _gpus(identity: Json) -> float:
    try:
        return float(environment(identity["environment"]).scale(identity["scale"]).gpus)
    except KeyError:
        return math.nan


def _hardware(scorings: list[Json]) -> str:
    return next((text for scoring in scorings for text in (scoring["gpu"], scoring["cpu"]) if text), "unknown")


def _comparability(identity: Json, ledger: Json, scorings: list[Json]) -> str:
    """Hash what must be equal for two scores to share a table; the version's part after the dash is interface alone."""
    facts = [part(ledger, "attempt").get(name) for name in _COMPARED]
    key = [
        identity["environment"],
        identity["scale"],
        str(ledger["version"]).split("-")[0],
        *facts,
        _hardware(scorings),
    ]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:12]
