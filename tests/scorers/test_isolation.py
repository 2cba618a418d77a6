"""What submitted code may do, and whether all of its processes can be stopped: real processes, real kernel."""

import os
import subprocess
import sys
import time
from pathlib import Path

import isolation
import processes
import pytest

LIMITS = isolation.Limits(file_bytes=1 << 20, processes=64)
SYSTEM = ["/usr", "/lib", "/lib64", "/bin", "/etc", sys.base_prefix, sys.prefix]


def run(code: str, writable: list[str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-I", "-B", "-c", code],
        preexec_fn=isolation.entry(None, LIMITS, SYSTEM, writable or []),
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )


def test_honest_code_runs() -> None:
    """Imports, threads and children work."""
    code = "import threading, subprocess; threading.Thread(target=print).start(); subprocess.run(['true'], check=True)"
    assert run(code).returncode == 0


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import ctypes; assert ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0) == 0",
        "import ctypes; assert ctypes.CDLL(None).syscall(425, 1, 0) >= 0",
        "import os, signal; os.kill(os.getpid(), signal.SIGCONT)",
        "import ctypes; assert ctypes.CDLL(None).timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0",
        "import fcntl, os; fcntl.fcntl(os.pipe()[0], 10, 18)",
        "import ctypes; assert ctypes.CDLL(None).prctl(1, 18) == 0",
        "open('/var/tmp/left-behind', 'w')",
        "open('/root/.bashrc').read()",
    ],
    ids=["socket", "ptrace", "io_uring", "wake", "timer", "wake-by-io", "wake-by-exit", "write", "read"],
)
def test_closed_doors(code: str) -> None:
    """No sockets, no tracing, no asynchronous I/O, no writing and no reading outside what was opened."""
    if "open(" in code and not isolation.landlock_abi():
        pytest.skip("this kernel has no Landlock")
    assert run(code).returncode != 0


def test_a_worker_stays_on_its_cores() -> None:
    """Where the scorer's clock has a core of its own, submitted code cannot move there; elsewhere it may choose."""
    code, core = "import os; os.sched_setaffinity(0, os.sched_getaffinity(0))", min(os.sched_getaffinity(0))
    kept = isolation.entry(None, LIMITS._replace(cores=frozenset({core})), SYSTEM, [])
    argv = [sys.executable, "-I", "-B", "-c", code]
    assert run(code).returncode == 0
    refused = subprocess.run(argv, preexec_fn=kept, capture_output=True, text=True, check=False, cwd="/")
    assert "PermissionError" in refused.stderr


def test_honest_signals_work() -> None:
    """Ending a child, a death signal, alarms and process pools are not in the filter's way."""
    code = """
import ctypes, multiprocessing, signal, subprocess
child = subprocess.Popen(["sleep", "60"]); child.terminate(); child.wait()
assert ctypes.CDLL(None).prctl(1, signal.SIGINT) == 0
signal.setitimer(signal.ITIMER_REAL, 60)
process = multiprocessing.get_context("fork").Process(target=print); process.start(); process.join()
assert process.exitcode == 0
"""
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_its_own_folder_is_writable(tmp_path: object) -> None:
    """A worker writes into its own folder."""
    assert run(f"open('{tmp_path}/mine', 'w').write('x')", [str(tmp_path)]).returncode == 0


def test_files_are_capped(tmp_path: object) -> None:
    """A file of more than the limit fails in the worker, not on the disk."""
    done = run(f"open('{tmp_path}/big', 'wb').write(b'x' * (2 << 20))", [str(tmp_path)])
    assert done.returncode != 0


HIDING = """
import ctypes, os, threading, time
ctypes.CDLL(None).prctl(4, 0)  # not dumpable: /proc/PID then belongs to root
if os.fork() == 0:
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
    ctypes.CDLL(None).pthread_exit(None)  # the leader becomes a zombie while its thread runs on
while True:
    pass
"""


def test_every_thread_stops_and_goes() -> None:
    """Undumpable children and threads behind a zombie leader are stopped, continued and killed with the rest."""
    worker = subprocess.Popen([sys.executable, "-c", HIDING], start_new_session=True)
    group = processes.Processes(None, worker.pid)
    deadline = time.monotonic() + 10
    while len(group.pids()) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert group.stop()
    used = [cpu_ticks(pid) for pid in group.pids()]
    time.sleep(0.3)
    assert [cpu_ticks(pid) for pid in group.pids()] == used
    assert len(used) == 2
    assert group.end()
    worker.wait()


def cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


HOPPING = """
import os, sys
for _ in range(20000):
    if os.fork():
        os._exit(0)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become another user")
def test_a_process_that_hops_is_caught() -> None:
    """A chain of processes that fork and exit faster than /proc can be read is stopped whole, and ended whole."""
    group = processes.Processes(59_998)
    subprocess.run(["/usr/bin/python3", "-c", HOPPING], user=59_998, check=False, cwd="/", start_new_session=True)
    assert group.stop()
    ran = group.ran_ns()
    time.sleep(0.2)
    assert processes.growth_ns(ran, group.ran_ns()) == 0
    assert group.end()
    ran = group.ran_ns()
    time.sleep(0.1)
    assert processes.growth_ns(ran, group.ran_ns()) == 0


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become another user")
def test_signalling_keeps_the_scorer_itself() -> None:
    """The thread that signals takes on the target's user; the scorer's other threads stay who they are."""
    group = processes.Processes(59_997)
    group.send(9)
    assert os.geteuid() == 0


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become another user")
def test_another_user_cannot_come_back() -> None:
    """The worker's user has no way back to root, and no signal reaches the scorer."""
    code = f"import os\nos.kill({os.getpid()}, 0)"
    done = subprocess.run(
        ["/usr/bin/python3", "-c", code],
        preexec_fn=isolation.entry(65534, LIMITS, SYSTEM, []),
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert "PermissionError" in done.stderr


def test_the_gpu_driver_may_make_unix_sockets_and_no_others() -> None:
    """CUDA does not start without one; it can still reach nobody, and the network stays closed."""
    code = (
        "import socket; own = socket.socket(socket.AF_UNIX); own.bind(b'\\0rebench-test')\n"
        "for attempt in (lambda: own.connect(b'\\0x'), lambda: own.accept(), lambda: socket.socket(socket.AF_INET),\n"
        "                lambda: socket.socket(socket.AF_INET6), lambda: socket.socket(socket.AF_NETLINK)):\n"
        "    try: attempt()\n"
        "    except PermissionError: continue\n"
        "    raise SystemExit('a door is open')\n"
    )
    entered = isolation.entry(None, LIMITS._replace(sockets="driver"), SYSTEM, [])
    done = subprocess.run([sys.executable, "-I", "-B", "-c", code], preexec_fn=entered, check=False, cwd="/")
    assert done.returncode == 0


def test_process_groups_may_use_sockets_and_nothing_else() -> None:
    """Training programs talk over the loopback; no look into other processes comes with that."""
    code = (
        "import ctypes, socket\n"
        "server = socket.create_server(('127.0.0.1', 0)); client = socket.create_connection(server.getsockname())\n"
        "server.accept()\n"
        "assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == -1\n"
    )
    entered = isolation.entry(None, LIMITS._replace(sockets="all"), SYSTEM, [])
    done = subprocess.run([sys.executable, "-I", "-B", "-c", code], preexec_fn=entered, check=False, cwd="/")
    assert done.returncode == 0


def test_files_move_between_the_workers_own_folders(tmp_path: Path) -> None:
    """Triton's cache moves what it compiled; where the kernel's Landlock cannot allow that, it refuses."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "file").write_text("x", encoding="utf-8")
    moved = run(
        f"import os; os.replace({str(tmp_path / 'a' / 'file')!r}, {str(tmp_path / 'b' / 'file')!r})", [str(tmp_path)]
    )
    assert (moved.returncode == 0) == (isolation.landlock_abi() != 1)


def test_a_thread_that_ended_has_run() -> None:
    """Who computes while halted cannot hide it by ending before the next look."""
    assert processes.growth_ns({"1": 5, "2": 7}, {"2": 7}) == float("inf")
    assert processes.growth_ns({"2": 7}, {"2": 9, "3": 4}) == 6
