"""Facts about the card: its peak bandwidth, its state for the record, and which processes hold it.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: a floor that no honest kernel is below; who keeps the card busy. Not covered: programs of other containers are
seen only by their effect. Trusts: the driver and NVML.
"""

import subprocess
from typing import Any

import pynvml  # pyright: ignore[reportMissingImports] - in the GPU image alone
from outcome import MachineTrouble

PEAK_GB_S = {
    "T4": 320,
    "L4": 300,
    "A10": 600,
    "A10G": 600,
    "A100-PCIE-40GB": 1555,
    "A100-SXM4-40GB": 1555,
    "A100 80GB PCIe": 1935,
    "A100-SXM4-80GB": 2039,
    "H100 80GB HBM3": 3352,
    "H100 PCIe": 2039,
    "H100 NVL": 3938,
    "H200": 4917,
    "B200": 8000,
}
"""Memory bandwidth by part of the card's name: clock times bus width where that is above the datasheet's number."""


def peak_gb_s(name: str) -> int | None:
    """Return the peak bandwidth of a card, None where it is not in the table."""
    words = f" {name} "
    for part, peak in PEAK_GB_S.items():
        if f" {part} " in words or words.endswith(f"-{part} "):
            return peak
    return None


_LOOK = """
import os, sys
def is_open(folder):
    try:
        return any(os.readlink(f"{folder}/{name}").startswith("/dev/nvidia") for name in os.listdir(folder))
    except FileNotFoundError:
        return False
    except OSError:
        return True
for name in filter(str.isdigit, os.listdir("/proc")):
    try:
        status = open(f"/proc/{name}/status").read()
        if int(status.partition("\\nUid:")[2].split()[0]) == os.getuid() and int(name) != os.getpid():
            threads = os.listdir(f"/proc/{name}/task")
            if any(is_open(f"/proc/{name}/task/{thread}/fd") for thread in threads):
                sys.exit(1)
    except (OSError, IndexError):
        pass
"""


def is_held_by(uid: int | None, python: str) -> bool:
    """Say whether a process of this user has the driver's files open; one that hides its files counts.

    Root in a container without further rights cannot see which files other users have open: the user himself can.
    """
    if uid is None:
        return False
    done = subprocess.run([python, "-I", "-B", "-c", _LOOK], check=False, env={}, user=uid, group=uid, extra_groups=[])
    return done.returncode != 0


class Monitor:
    """Clocks, temperature, power and throttle reasons, for the record; where NVML does not answer, without them."""

    def __init__(self, uuid: str) -> None:
        try:
            pynvml.nvmlInit()
            self._card = pynvml.nvmlDeviceGetHandleByUUID(uuid)
            self._driver = pynvml.nvmlSystemGetDriverVersion()
        except pynvml.NVMLError as error:
            raise MachineTrouble(f"the GPU's monitor does not answer: {error}") from error

    def _ask(self, name: str, *arguments: object) -> Any:  # noqa: ANN401 - whatever NVML returns
        try:
            return getattr(pynvml, name)(self._card, *arguments)
        except pynvml.NVMLError:
            return None

    def state(self) -> dict[str, Any]:
        """Return what changes from moment to moment."""
        power_mw = self._ask("nvmlDeviceGetPowerUsage")
        return {
            "sm_clock_mhz": self._ask("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_SM),
            "memory_clock_mhz": self._ask("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_MEM),
            "temperature_c": self._ask("nvmlDeviceGetTemperature", pynvml.NVML_TEMPERATURE_GPU),
            "power_w": None if power_mw is None else power_mw / 1e3,
            "throttle_reasons": self._ask("nvmlDeviceGetCurrentClocksThrottleReasons"),
        }

    def identity(self) -> dict[str, Any]:
        """Return what stays: for the fingerprint."""
        return {
            "gpu_uuid": self._ask("nvmlDeviceGetUUID"),
            "driver": self._driver,
            "max_sm_clock_mhz": self._ask("nvmlDeviceGetMaxClockInfo", pynvml.NVML_CLOCK_SM),
            "power_limit_w": (self._ask("nvmlDeviceGetEnforcedPowerLimit") or 0) / 1e3,
        }
