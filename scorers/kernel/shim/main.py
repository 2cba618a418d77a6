"""The worker: imports the submission and calls it when the scorer says so. It runs as `solver` and is believed nothing.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Arguments: SUBMISSION CONTROL_FD ARENA_FD DEVICE SLOTS SLOT_BYTES. A submission of `-` makes the trusted worker that
does nothing.
"""

import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

sys.path.append(str(Path(__file__).parent))
import words as w


class Buffers(Protocol):
    """The calls' inputs and outputs on one kind of device."""

    def arm(self, table: list[tuple[int, int]]) -> None: ...
    def pair(self, slot: int, elements: int) -> tuple[Any, Any]: ...
    def settle(self) -> None: ...
    def idle(self) -> None: ...


class Refused(Exception):
    """The submission cannot be called; `args[0]` is the status word."""


def load(folder: str) -> Callable[[Any, Any], None]:
    """Import the submission's function."""
    sys.path.insert(0, folder)
    try:
        import solution
    except SyntaxError:
        traceback.print_exc()
        raise Refused(w.SYNTAX_ERROR) from None
    function = getattr(solution, "prefix_sum", None)
    if not callable(function):
        raise Refused(w.NO_FUNCTION)
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        traceback.print_exc()
        raise Refused(w.WRONG_SIGNATURE) from None
    except ValueError:
        pass  # a compiled function without a signature: the first call tells
    return function


def nothing(x: Any, out: Any) -> None:
    """Stand in for the submission in the trusted worker."""


def obey(words: w.Words, buffers: Buffers, folder: str, loaded: list[Callable[[Any, Any], None]]) -> int:
    """Do what the words ask for and return a status; `loaded` holds the submission's function after its import."""
    try:
        if words[w.CALLS] == w.IMPORT_CALLS:
            loaded.append(load(folder) if folder != "-" else nothing)
            return w.OK
        if words[w.CALLS] & w.ARM:
            buffers.arm(words.table() if folder != "-" else [])
            return w.OK
        if folder == "-":
            buffers.idle()
            return w.OK
        return call(words, buffers, loaded[0])
    except Refused as refused:
        return refused.args[0]
    except MemoryError:
        return w.MEMORY
    except Exception as error:
        traceback.print_exc()
        if not loaded:
            return w.IMPORT_FAILED
        return w.MEMORY if "allocate" in str(error) else w.EXCEPTION


def serve(words: w.Words, buffers: Buffers, folder: str) -> None:
    """Obey the scorer's words for ever; a submission that exits ends this process, and the scorer sees that."""
    loaded: list[Callable[[Any, Any], None]] = []
    sequence, armed = 0, False
    while True:
        while words[w.COMMAND] == sequence:
            if not armed:  # an armed worker spins: being woken up takes longer than a fast call
                words.wait(w.COMMAND, sequence, 60.0)
        sequence, armed = words[w.COMMAND], bool(words[w.CALLS] & w.ARM)
        status = obey(words, buffers, folder, loaded)
        sys.stdout.flush()
        sys.stderr.flush()
        words[w.STATUS] = status
        words[w.DONE] = sequence
        words.wake(w.DONE)


def call(words: w.Words, buffers: Buffers, function: Callable[[Any, Any], None]) -> int:
    """Make the calls of one window; return a status that only words the message of an error."""
    for slot, elements in words.table():
        x, out = buffers.pair(slot, elements)
        given = out.data_ptr(), out.dtype, out.shape
        function(x, out)
        if given != (out.data_ptr(), out.dtype, out.shape):
            return w.OUT_REPLACED
    buffers.settle()
    return w.OK


def main() -> None:
    """Map the buffers and serve."""
    folder, control, arena, device, slots, slot_bytes = sys.argv[1:7]
    if device == "cuda":
        from cuda_buffers import CudaBuffers as Chosen
    else:
        from cpu_buffers import CpuBuffers as Chosen
    serve(w.Words(int(control)), Chosen(int(arena), int(slots), int(slot_bytes)), folder)


main()
