"""The course of a measurement around a worker that runs while it should stand still; both sides are stand-ins."""

from typing import Any

import pytest
from windows import Calls, Plan, measure
from worker import RanOn

PLAN = Plan(untimed=[], timed=[Calls([8], [0])] * 3, import_timeout_s=1, call_timeout_s=1, enough_s=1)


class Worker:
    """Stands still, or does not."""

    waited_s = 0.0

    def __init__(self, runs_on: bool) -> None:
        self.runs_on = runs_on

    def run(self, _command: object) -> float:
        """Do nothing."""
        return 0.0

    def known_s(self) -> float:
        """Return the work in a window: none."""
        return 0.0

    def check_still(self) -> None:
        """Complain as the real one does."""
        if self.runs_on:
            raise RanOn("would_not_stop", "It ran on.")

    def close(self) -> None:
        """Nothing to end."""


class Device:
    """Every call takes a second; the first submitted workers run on."""

    slots, calibrations = 1, 1

    def __init__(self, running_on: int) -> None:
        self.submitted, self.running_on = 0, running_on

    def worker(self, submitted: bool) -> Worker:
        """Return the next worker."""
        self.submitted += submitted
        return Worker(submitted and self.submitted <= self.running_on)

    def window_s(self, *_: object) -> float:
        """Return a second for a submission, nothing for the calibration before it."""
        return float(self.submitted > 0)

    def first_error(self, _calls: Calls) -> None:
        """All is right."""

    rehearse = prepare = first_error


def measured(device: Any) -> list[float]:
    return measure(device, PLAN).per_call_s


@pytest.mark.parametrize("running_on", [0, 1])
def test_one_look_at_a_running_process_accuses_nobody(running_on: int) -> None:
    """An honest worker may be seen on its way off a core that the machine took away; everything is measured anew."""
    device = Device(running_on)
    assert len(measured(device)) == 3
    assert device.submitted == running_on + 1


def test_running_on_twice_is_an_answer() -> None:
    """Who wakes himself up does it again, and has no third chance."""
    device = Device(running_on=9)
    with pytest.raises(RanOn):
        measured(device)
    assert device.submitted == 2
