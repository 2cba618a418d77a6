"""The measurement: windows of calls on fresh inputs, timed by the scorer, every output compared.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: early acknowledgement, skipped work, stale or constant outputs, knowledge of inputs, dispatch on sizes and
distributions, work that is done between windows, inflated calibration (it is a trusted worker's own).
Not covered: a device that lies. Trusts: the device's clock and comparison, never the worker.
"""

import math
import statistics
from typing import NamedTuple, Protocol

from outcome import Invalid, MachineTrouble
from worker import Command, RanOn, Worker

_FEWEST_WINDOWS = 3


class Calls(NamedTuple):
    """One window: `elements` and input `kinds` of the call in each slot."""

    elements: list[int]
    kinds: list[int]


class Device(Protocol):
    """Where buffers live and what stops the clock."""

    slots: int
    calibrations: int
    """How many windows of it are measured each time."""

    def rehearse(self, calls: Calls) -> None:
        """Bring the device into the state in which a window finds it, for the calibration."""
        ...

    def prepare(self, calls: Calls) -> None:
        """Write fresh inputs, compute the expected outputs privately, poison the outputs."""
        ...

    def window_s(self, worker: Worker, calls: Calls, timeout_s: float) -> float:
        """Let the worker make the calls; return the seconds until its work has provably ended."""
        ...

    def first_error(self, calls: Calls) -> str | None:
        """Compare every output; return a description of what is wrong, or None."""
        ...

    def worker(self, submitted: bool) -> Worker:
        """Start a worker on the device's buffers: the submission's, or the trusted one that does nothing."""
        ...


class Timing(NamedTuple):
    """What was measured, in seconds.

    Attributes:
        per_call_s: Time of one call in each window, calibration subtracted.
        calibration_s: Constant of a window, before and after.
        import_s: Import of the submission with its first untimed calls.
    """

    per_call_s: list[float]
    calibration_s: tuple[float, float]
    import_s: float

    @property
    def median_s(self) -> float:
        """Median over the windows."""
        return statistics.median(self.per_call_s)


class Plan(NamedTuple):
    """Which calls are made.

    Attributes:
        untimed: Windows that are only checked.
        timed: Windows that are checked and timed.
        import_timeout_s, call_timeout_s: Limits on the worker.
        enough_s: No further window is timed once the timed ones took this long; a slow solution needs no more.
    """

    untimed: list[Calls]
    timed: list[Calls]
    import_timeout_s: float
    call_timeout_s: float
    enough_s: float


def measure(device: Device, plan: Plan) -> Timing:
    """Run the plan; all of it once more where something ran that should stand still.

    A thread counts as stopped a moment before it is off its core. Where a virtual machine loses that core just then, an
    honest one is seen running on: seldom, and hardly ever twice. Who does it on purpose does it again.

    Raises:
        Invalid: The submission failed, or any element of any output is wrong.
    """
    try:
        return _measure(device, plan)
    except RanOn:
        return _measure(device, plan)


def _measure(device: Device, plan: Plan) -> Timing:
    before_s = calibrate(device, plan.timed[0])
    worker = device.worker(submitted=True)
    try:
        worker.run(Command(None, plan.import_timeout_s))
        for at, calls in enumerate(plan.untimed):
            limit_s = plan.import_timeout_s if at == 0 else plan.call_timeout_s * device.slots
            _window_s(device, worker, calls, limit_s)
        import_s = worker.waited_s
        limit_s = plan.call_timeout_s * device.slots
        windows = [_window_s(device, worker, plan.timed[0], limit_s)]
        # How many follow depends on the first alone: nobody can end the measurement after a lucky one.
        needed = max(_FEWEST_WINDOWS, math.ceil(min(plan.enough_s / windows[0], len(plan.timed))))
        windows += [_window_s(device, worker, calls, limit_s) for calls in plan.timed[1:needed]]
    finally:
        worker.close()
    after_s = calibrate(device, plan.timed[0])
    # The smaller: whoever disturbs a calibration must not gain by it.
    constant_s = min(before_s, after_s)
    return Timing([(window - constant_s) / device.slots for window in windows], (before_s, after_s), import_s)


def _window_s(device: Device, worker: Worker, calls: Calls, limit_s: float) -> float:
    device.prepare(calls)
    worker.check_still()
    elapsed_s = device.window_s(worker, calls, limit_s)
    error = device.first_error(calls)
    worker.check_still()
    if error is not None:
        raise Invalid(*error.split(": ", 1))
    return elapsed_s


def calibrate(device: Device, calls: Calls) -> float:
    """Time a window with a trusted worker, in a process of its own; return what the window has beside its work."""
    worker = device.worker(submitted=False)
    try:
        worker.run(Command(None, 60.0))
        device.rehearse(calls)
        times = [device.window_s(worker, calls, 60.0) - worker.known_s() for _ in range(device.calibrations + 1)]
    except Invalid as error:
        if error.reason == "gpu_busy":
            raise  # by the agent's own processes; the submission has not even started
        raise MachineTrouble(f"the trusted worker failed: {error.message}") from error
    finally:
        worker.close()
    return statistics.median(times[1:])
