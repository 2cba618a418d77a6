"""What of the GPU device needs no GPU: table of cards, memory, cores, and the worker's side of a window."""

import ctypes
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

import cores
import pytest
import words as w

SHIM = Path(__file__).resolve().parents[2] / "scorers"
FAKE_TORCH = """
int32 = "int32"
class Tensor:
    def __init__(self, offset, count): self.offset, self.dtype, self.shape = offset, int32, (count,)
    def data_ptr(self): return self.offset
def frombuffer(arena, dtype, count, offset): return Tensor(offset, count)
"""
SUBMISSION = """
import os, time
def prefix_sum(x, out):
    with open(os.environ["CALLS"], "a") as file: file.write(f"{x.offset >> 21} {x.shape[0]}\\n")
    time.sleep(float(os.environ["SLOW"]))
"""


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The device's module without CUDA packages."""
    for name in ("pynvml", "cuda", "cuda.bindings", "cuda.bindings.driver", "cuda.bindings.nvrtc"):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    for name in ("gpu", "card", "driver", "slots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import gpu

    return gpu


@pytest.mark.parametrize(
    ("name", "peak"),
    [
        ("Tesla T4", 320),
        ("NVIDIA L4", 300),
        ("NVIDIA A10G", 600),
        ("NVIDIA A100-SXM4-80GB", 2039),
        ("NVIDIA A100-PCIE-40GB", 1555),
        ("NVIDIA H100 80GB HBM3", 3352),
        ("NVIDIA H100 PCIe", 2039),
        ("NVIDIA H200", 4917),
        ("NVIDIA B200", 8000),
        ("NVIDIA GH200 480GB", None),
        ("NVIDIA L40S", None),
    ],
)
def test_cards_are_told_apart(gpu: ModuleType, name: str, peak: int | None) -> None:
    """A card is found by its own name alone: a wrong peak would call honest work impossible."""
    assert gpu.card.peak_gb_s(name) == peak


@pytest.mark.parametrize(("whole_gib", "slots"), [(139, 32), (79, 32), (39, 25), (22, 13), (15, 7)])
def test_slots_adapt_to_the_card(gpu: ModuleType, whole_gib: int, slots: int) -> None:
    """Submitted code keeps a quarter of the card and at least 6 GiB; small cards get fewer calls in a window."""
    size = 400 << 20
    assert gpu._affordable(whole_gib << 30, size, 32) == pytest.approx(slots, abs=1)
    assert (3 * gpu._affordable(whole_gib << 30, size, 32) + 1) * size <= (whole_gib << 30) * 0.75


def test_too_small_a_card_is_the_machines_fault(gpu: ModuleType) -> None:
    """Not the agent's."""
    with pytest.raises(gpu.MachineTrouble):
        gpu._affordable(7 << 30, 400 << 20, 32)


def test_one_core_is_kept_where_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock's thread gets a core that the worker does not start on; few cores are shared."""
    moved: list[set[int]] = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, cpus: moved.append(set(cpus)))
    monkeypatch.setattr(cores, "_siblings", lambda core: {core, core ^ 8})
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(16)))
    others = cores.keep_one(random.Random(1))  # noqa: S311
    assert len(others) == 14
    assert len(moved) == 1
    assert not moved[0] & others
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    assert cores.keep_one(random.Random(1)) == frozenset()  # noqa: S311
    assert len(moved) == 1


PYTHON = "/usr/bin/python3"
HOLDER = """
import ctypes, os, sys, threading, time
held = open(sys.argv[1])
if sys.argv[2] == "hidden":
    ctypes.CDLL(None).prctl(4, 0)
print(flush=True)
if sys.argv[2] == "hidden":
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).pthread_exit(None)
time.sleep(60)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="runs processes of another user")
@pytest.mark.parametrize("how", ["plain", "hidden", "none"])
def test_who_holds_the_card_is_found(gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """A user's process that has the driver's files open is seen, also one that hides them; one without them is not."""
    device, uid = Path("/var/tmp/rebench-test-nvidia0"), 10077
    device.touch()
    monkeypatch.setattr(gpu.card, "_LOOK", gpu.card._LOOK.replace("/dev/nvidia", str(device)))
    opened = "/dev/null" if how == "none" else str(device)
    argv = [PYTHON, "-c", HOLDER, opened, how]
    with subprocess.Popen(argv, user=uid, group=uid, extra_groups=[], stdout=subprocess.PIPE, cwd="/") as holder:
        try:
            assert holder.stdout
            assert holder.stdout.readline()
            time.sleep(0.3)
            assert gpu.card.is_held_by(uid, PYTHON) is (how != "none")
        finally:
            subprocess.run(["pkill", "-KILL", "-U", str(uid)], check=False)
            device.unlink()


class Shim:
    """A real worker process under the test's command, with a stand-in for PyTorch."""

    def __init__(self, folder: Path, slow_s: float = 0.0) -> None:
        self.calls = folder / "calls.txt"
        (folder / "torch.py").write_text(FAKE_TORCH, encoding="utf-8")
        (folder / "solution.py").write_text(SUBMISSION, encoding="utf-8")
        shim = folder / "shim"
        shim.mkdir()
        for part in ("common", "kernel"):
            for path in (SHIM / part / "shim").glob("*.py"):
                (shim / path.name).write_bytes(path.read_bytes())
        control, arena = (os.memfd_create(name) for name in ("control", "arena"))
        os.ftruncate(control, w.PAGE_BYTES)
        os.ftruncate(arena, 8 << 21)
        self.words, self.sequence = w.Words(control), 0
        argv = [sys.executable, "-I", "-B", shim / "main.py", folder, control, arena, "cpu", 4, 1 << 21]
        environment = {"CALLS": str(self.calls), "SLOW": str(slow_s)}
        self.process = subprocess.Popen(list(map(str, argv)), pass_fds=[control, arena], env=environment)

    def tell(self, calls: int, table: list[tuple[int, int]], wake: bool) -> int:
        """Give a command and return the status of its answer."""
        self.sequence += 1
        self.words[w.CALLS] = calls
        for at, (slot, elements) in enumerate(table):
            self.words[w.TABLE + 2 * at], self.words[w.TABLE + 2 * at + 1] = slot, elements
        self.words[w.COMMAND] = self.sequence
        if wake:
            self.words.wake(w.COMMAND)
        deadline = time.monotonic() + 20
        while self.words[w.DONE] != self.sequence and time.monotonic() < deadline:
            time.sleep(0.001)
        assert self.words[w.DONE] == self.sequence
        return self.words[w.STATUS]

    def made(self) -> list[str]:
        """Return the calls that were made since the last look."""
        text = self.calls.read_text(encoding="utf-8") if self.calls.exists() else ""
        self.calls.unlink(missing_ok=True)
        return text.splitlines()


TABLE = [(0, 100), (1, 101), (2, 102)]


def test_an_armed_worker_rehearses_then_obeys_without_being_woken(tmp_path: Path) -> None:
    """Arming runs the window's calls once; the start itself is a plain write that a spinning worker sees."""
    shim = Shim(tmp_path)
    try:
        assert shim.tell(w.IMPORT_CALLS, [], wake=True) == w.OK
        assert shim.tell(len(TABLE) | w.ARM, TABLE, wake=True) == w.OK
        assert shim.made() == ["0 100", "0 100", "1 101", "2 102"]
        assert shim.tell(len(TABLE), TABLE, wake=False) == w.OK
        assert shim.made() == ["0 100", "1 101", "2 102"]
    finally:
        shim.process.kill()
        shim.process.wait()


def test_a_slow_solution_rehearses_one_call(tmp_path: Path) -> None:
    """A rehearsal would only take time there."""
    shim = Shim(tmp_path, slow_s=0.05)
    try:
        assert shim.tell(w.IMPORT_CALLS, [], wake=True) == w.OK
        assert shim.tell(len(TABLE) | w.ARM, TABLE, wake=True) == w.OK
        assert shim.made() == ["0 100"]
    finally:
        shim.process.kill()
        shim.process.wait()


def test_words_hold_the_largest_window() -> None:
    """A table of 64 calls fits into the page, and its length survives the bit that arms."""
    descriptor = os.memfd_create("control")
    os.ftruncate(descriptor, w.PAGE_BYTES)
    words = w.Words(descriptor)
    words[w.CALLS] = 64 | w.ARM
    assert len(words.table()) == 64
    assert (w.TABLE + 2 * 64) * ctypes.sizeof(ctypes.c_uint32) < w.PAGE_BYTES
    assert w.IMPORT_CALLS < w.ARM
