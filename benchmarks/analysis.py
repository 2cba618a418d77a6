"""How fast logs become frames, beside Inspect's own dataframes in the same run; writes docs/measurements/analysis.

The logs are made from one real log of the kernel environment: its scorings repeated to 60, its other events to 2,000.
The peer reads a share of the logs (all would take it very long); both are compared per log.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import zipfile_zstd  # noqa: F401 - teaches zipfile Inspect's compression

ROOT = Path(__file__).resolve().parent.parent
REAL = ROOT / "tests" / "analysis" / "data"
PAGE = ROOT / "docs" / "measurements" / "analysis"
NOTES = """`speedup` compares seconds per log of the fastest way of each: one process of ours on all logs, the better of
one and two processes of the peer on its share. `peer_peak_mib` is the peer's peak on its share with one process (with
two, the larger of them is a figure of its own); `peak_mib_on_peer_logs` is ours on the same logs with one process,
`peak_mib` ours on all. A process of ours begins at about 108 MiB,
which is what importing pandas takes. The peer runs in a thread, because its readers are ten times slower in the main
thread of Python 3.11 and 3.12. The machine did other work at the same time."""

SCORINGS, EVENTS, ZSTANDARD = 60, 2000, 93
EVAL_ID, TASK_ID, SAMPLE_UUID = "EVALIDEVALIDEVALIDEVAL", "TASKIDTASKIDTASKIDTASK", "SAMPLESAMPLESAMPLESAMP"


def template() -> tuple[str, str]:
    """Return header and sample of the real log, enlarged, with marks where ids go."""
    real = next(path for path in sorted(REAL.glob("*.eval")) if _scorings(path) > 2)
    with zipfile.ZipFile(real) as archive:
        header = json.loads(archive.read("header.json"))
        name = next(name for name in archive.namelist() if name.startswith("samples/"))
        sample = json.loads(archive.read(name))
    header["eval"] |= {"eval_id": EVAL_ID, "task_id": TASK_ID}
    own = sample["store"]["Ledger:scorings"]
    later = [
        own[1 + number % (len(own) - 1)] | {"index": number + 1, "at_s": 20.0 * number} for number in range(SCORINGS)
    ]
    sample["store"]["Ledger:scorings"] = [own[0], *later]
    scores = [event for event in sample["events"] if event["event"] == "score" and event.get("intermediate")]
    others = [event for event in sample["events"] if event["event"] != "score"]
    events = [others[number % len(others)] for number in range(EVENTS)]
    events += [scores[number % len(scores)] for number in range(SCORINGS)]
    sample["events"] = [event | {"uuid": f"{SAMPLE_UUID}{number}"} for number, event in enumerate(events)]
    return compact(header), compact(sample | {"uuid": SAMPLE_UUID})


def compact(content: object) -> str:
    """Return JSON as Inspect writes it, without spaces."""
    return json.dumps(content, separators=(",", ":"))


def _scorings(path: Path) -> int:
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.startswith("samples/"))
        return len(json.loads(archive.read(name))["store"].get("Ledger:scorings") or [])


def write_log(file: Path, number: int, header: str, sample: str, samples: int = 1) -> None:
    """Write one log of `samples` attempts, with ids of its own."""
    ids = [f"kernel-{position + 1}" for position in range(samples)]
    original = json.loads(sample)["id"]
    summaries: list[dict[str, object]] = []
    with zipfile.ZipFile(file, "w", ZSTANDARD) as archive:
        for name in ids:
            text = sample.replace(SAMPLE_UUID, f"{number:011d}{name:>11}".replace(" ", "x"))
            text = text.replace(f'"id":"{original}"', f'"id":"{name}"', 1)
            archive.writestr(f"samples/{name}_epoch_1.json", text)
            fields = json.loads(text) if not summaries else {**summaries[0], "id": name}
            kept = ("id", "epoch", "input", "target", "scores", "model_usage", "total_time", "working_time", "uuid")
            summaries.append({key: fields[key] for key in kept} | {"completed": True})
        archive.writestr("summaries.json", compact(summaries))
        archive.writestr("header.json", header.replace(EVAL_ID, f"{number:022d}").replace(TASK_ID, f"{number:022d}"))


def ours(folder: str, processes: int) -> dict[str, float]:
    """Read with our reader, then build the report."""
    from rebench_inspect.analysis import read_logs

    start = time.perf_counter()
    reading = read_logs(folder, processes=processes)
    read_s = time.perf_counter() - start
    peak = peak_mib()
    from rebench_inspect.analysis.html import render_html
    from rebench_inspect.analysis.report import Choices, build_report

    start = time.perf_counter()
    render_html(build_report(reading, Choices()).report)
    return {
        "read_s": read_s,
        "report_s": time.perf_counter() - start,
        "peak_mib": peak,
        "attempts": len(reading.attempts),
        "scorings": len(reading.scorings),
        "best": float(reading.attempts["best"].sum()),
    }


def is_score(event: object) -> bool:
    """Say whether an event of Inspect's is a score."""
    return getattr(event, "event", "") == "score"


def peer(folder: str, processes: int) -> dict[str, float]:
    """Read with Inspect's dataframes: the ledger as a column of the samples, the intermediate scores as events."""
    from inspect_ai.analysis import EventColumn, EventInfo, SampleColumn, SampleSummary, events_df, samples_df

    found: dict[str, float] = {}

    def read() -> None:
        start = time.perf_counter()
        ledger = [SampleColumn("scorings", path="store['Ledger:scorings']", full=True)]
        samples = samples_df(
            folder, columns=[*SampleSummary, *ledger], quiet=True, parallel=processes > 1 and processes
        )
        columns = [*EventInfo, EventColumn("value", path="score.value"), EventColumn("details", path="score.metadata")]
        events = events_df(
            folder,
            columns=columns,
            filter=is_score,
            quiet=True,
            parallel=processes > 1 and processes,
        )
        found.update(read_s=time.perf_counter() - start, attempts=len(samples), scorings=len(events))

    # In the main thread of Python 3.11 and 3.12 these readers are ten times slower: a thread is their best way.
    reader = threading.Thread(target=read)
    reader.start()
    reader.join()
    return found | {"peak_mib": peak_mib()}


def peak_mib() -> float:
    """Return the peak memory of this process, or of its largest child where that is more."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


def measured(who: str, folder: Path, processes: int) -> dict[str, float]:
    """Run one reader in a process of its own and return what it measured."""
    command = [sys.executable, __file__, "--as", who, "--folder", str(folder), "--processes", str(processes)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


def run(logs: int, peer_logs: int) -> dict[str, object]:
    """Make the logs, measure both readers, and return the figures."""
    header, sample = template()
    with tempfile.TemporaryDirectory() as temporary:
        every, share, tenth, large = (Path(temporary, name) for name in ("every", "share", "tenth", "large"))
        for folder, count in ((every, logs), (share, peer_logs), (tenth, logs // 10)):
            folder.mkdir()
            for number in range(count):
                write_log(folder / f"2026-01-01T00-00-00_{number:04d}.eval", number, header, sample)
        large.mkdir()
        write_log(large / "2026-01-01T00-00-00_large.eval", 0, header, sample, samples=logs)
        bytes_per_log = sum(file.stat().st_size for file in every.iterdir()) / logs
        alone, parallel = (measured("ours", every, processes) for processes in (1, 2))
        few, some, one = measured("ours", tenth, 1), measured("ours", share, 1), measured("ours", large, 1)
        peers = [measured("peer", share, processes) for processes in (1, 2)]
    if (alone["attempts"], alone["scorings"]) != (logs, logs * (SCORINGS + 1)):
        raise SystemExit(f"not all was read: {alone}")
    if any((figures["attempts"], figures["scorings"]) != (peer_logs, peer_logs * SCORINGS) for figures in peers):
        raise SystemExit(f"the peer did not read all: {peers}")
    best_peer = min(peers, key=lambda figures: figures["read_s"])
    per_log, peer_per_log = alone["read_s"] / logs, best_peer["read_s"] / peer_logs
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, 2 cores shared with other work, Python {platform.python_version()}",
        "logs": logs,
        "log_kib": round(bytes_per_log / 1024, 1),
        "scorings_per_log": SCORINGS,
        "other_events_per_log": EVENTS,
        "read_s": round(alone["read_s"], 2),
        "read_two_processes_s": round(parallel["read_s"], 2),
        "read_tenth_s": round(few["read_s"], 2),
        "read_one_log_of_all_samples_s": round(one["read_s"], 2),
        "peak_mib": round(alone["peak_mib"], 1),
        "report_s": round(alone["report_s"], 2),
        "peer_logs": peer_logs,
        "peer_read_s": round(peers[0]["read_s"], 2),
        "peer_read_two_processes_s": round(peers[1]["read_s"], 2),
        "peer_read_s_per_log": round(peer_per_log, 3),
        "read_s_on_peer_logs": round(some["read_s"], 3),
        "speedup": round(peer_per_log / per_log, 1),
        "peer_peak_mib": round(peers[0]["peak_mib"], 1),
        "peer_two_processes_peak_of_the_larger_mib": round(peers[1]["peak_mib"], 1),
        "peak_mib_on_peer_logs": round(some["peak_mib"], 1),
    }


def page(figures: dict[str, object]) -> str:
    """Return the page of the figures."""
    lines = ["# Reading logs: measured", "", "Written by `benchmarks/analysis.py` from `analysis.json`.", ""]
    lines += [(__doc__ or "").split("\n\n", 1)[1].strip(), "", NOTES, "", "| figure | value |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {value} |" for name, value in figures.items()), ""])


def main() -> None:
    """Measure, or be one of the measured processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--peer-logs", type=int, default=60)
    parser.add_argument("--as", dest="who", choices=["ours", "peer"])
    parser.add_argument("--folder", default="")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.who:
        warnings.simplefilter("ignore")
        print(json.dumps({"ours": ours, "peer": peer}[arguments.who](arguments.folder, arguments.processes)))
        return
    figures = run(arguments.logs, arguments.peer_logs)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    PAGE.with_suffix(".md").write_text(page(figures), encoding="utf-8")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
