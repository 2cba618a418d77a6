"""The worker: imports the submission and calls it when the scorer says so. It runs as `solver` and is believed nothing.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Arguments: SUBMISSION CONTROL_FD ARENA_FD DEVICE SLOTS SLOT_BYTES. A submission of `-` makes the trusted worker that
does nothing.
"""

import inspect
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

sys.path.append(str(Path(__file__).parent))
import words as w

_SLOW_CALL_S = 0.02  # a call that takes longer is not measured better for a rehearsal


class Buffers(Protocol):
    """The calls' inputs and outputs on one kind of device."""

    def pairs(self, table: list[tuple[int, int]]) -> list[tuple[Any, Any]]: ...
    def settle(self, done: Any = None, sequence: int = 0) -> None: ...
    def known(self, table: list[tuple[int, int]], done: Any, sequence: int) -> int: ...


class Refused(Exception):
    """The submission cannot be called; `args[0]` is the status word."""


def report(error: BaseException) -> None:
    """Print what went wrong without the frames of this program: they are none of the agent's."""
    trace, own = error.__traceback__, str(Path(__file__).parent)
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith((own, "<frozen importlib")):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def load(folder: str) -> Callable[[Any, Any], None]:
    """Import the submission's function."""
    sys.path.insert(0, folder)
    try:
        import solution
    except SyntaxError as error:
        report(error)
        raise Refused(w.SYNTAX_ERROR) from None
    function = getattr(solution, "prefix_sum", None)
    if not callable(function):
        raise Refused(w.NO_FUNCTION)
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        report(error)
        raise Refused(w.WRONG_SIGNATURE) from None
    except ValueError:
        pass  # a compiled function without a signature: the first call tells
    return function


def flush() -> None:
    """Hand printed text to the log; the scorer shows its end to the agent when something went wrong."""
    sys.stdout.flush()
    sys.stderr.flush()


def nothing(x: Any, out: Any) -> None:
    """Stand in for a call while the worker spins."""


class Calls:
    """The calls of one window, ready to be made."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        self.pairs, self._given = pairs, self._places(pairs)

    @staticmethod
    def _places(pairs: list[tuple[Any, Any]]) -> list[Any]:
        return [(out.data_ptr(), out.dtype, out.shape) for _, out in pairs]

    def are_replaced(self) -> bool:
        """Say whether a call gave its output another place, type or shape."""
        return self._places(self.pairs) != self._given


class Server:
    """Does what the words ask for, for ever; a submission that exits ends this process, and the scorer sees that."""

    def __init__(self, words: w.Words, buffers: Buffers, folder: str) -> None:
        self.words, self.buffers, self.folder = words, buffers, folder
        self.function: Callable[[Any, Any], None] | None = None
        self.armed: Calls | None = None

    def serve(self) -> None:
        """Wait for a command, obey, answer."""
        sequence = 0
        while True:
            while self.words[w.COMMAND] == sequence:
                self.wait(sequence)
            sequence = self.words[w.COMMAND]
            self.words[w.STATUS] = w.OK  # calls on a GPU are answered below the interpreter
            self.words[w.STATUS] = self.obey(sequence)
            self.words[w.DONE] = sequence
            self.words.wake(w.DONE)

    def wait(self, sequence: int) -> None:
        """Sleep; or spin when armed, since being woken up takes longer than a fast call.

        Code that has not run for a millisecond is slow at first, so what follows is gone through meanwhile.
        """
        if self.armed is None:
            self.words.wait(w.COMMAND, sequence, 60.0)
        else:
            self.launch(self.armed, nothing)

    def obey(self, sequence: int) -> int:
        """Return a status that only words the message of an error."""
        done = self.words.address(w.DONE), sequence
        try:
            if self.words[w.CALLS] == w.IMPORT_CALLS:
                if self.folder != "-":
                    self.function = load(self.folder)
            elif self.words[w.CALLS] & w.ARM:
                self.arm()
            elif self.function is None:
                self.armed = None
                self.words[w.KNOWN_NS] = self.buffers.known(self.words.table(), *done)
            else:
                calls, self.armed = self.armed or self.calls(), None
                self.launch(calls, self.function)
                self.buffers.settle(*done)
        except Exception as error:
            return self.failed(error)
        return w.OK

    def failed(self, error: Exception) -> int:
        """Return the status of an error after printing it for the agent."""
        if isinstance(error, Refused):
            return error.args[0]
        report(error)
        flush()
        if self.function is None:
            return w.IMPORT_FAILED
        return w.MEMORY if isinstance(error, MemoryError) or "allocate" in str(error) else w.EXCEPTION

    def calls(self, most: int | None = None) -> Calls:
        """Make the tensors of the calls that are asked for."""
        return Calls(self.buffers.pairs(self.words.table()[:most]))

    def launch(self, calls: Calls, function: Callable[[Any, Any], None]) -> None:
        """Make the calls; what else there is to do is done while the device works."""
        for x, out in calls.pairs:
            function(x, out)
        if calls.are_replaced():
            raise Refused(w.OUT_REPLACED)
        flush()

    def arm(self) -> None:
        """Make the window's tensors, then rehearse its calls, so that code, caches and page tables are not cold.

        The inputs change once more before the clock starts, and with them every output.
        """
        if self.function is None:
            self.buffers.known(self.words.table(), None, 0)
            self.armed = Calls([])
            return
        start = time.perf_counter()
        for most in (1, None):
            if time.perf_counter() - start < _SLOW_CALL_S:
                self.launch(self.calls(most), self.function)
                self.buffers.settle()
        self.armed = self.calls()


def main() -> None:
    """Map the buffers and serve."""
    folder, control, arena, device, slots, slot_bytes = sys.argv[1:7]
    if device == "cuda":
        from cuda_buffers import CudaBuffers as Chosen
    else:
        from cpu_buffers import CpuBuffers as Chosen
    Server(w.Words(int(control)), Chosen(int(arena), int(slots), int(slot_bytes)), folder).serve()


if __name__ == "__main__":  # child processes that `multiprocessing` spawns import this file
    main()
