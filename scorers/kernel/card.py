"""Facts about the card: its peak bandwidth, its state for the record, and which processes hold it.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: a floor that no honest kernel is below; who keeps the card busy. Not covered: programs of other containers are
seen only by their effect. Trusts: the driver and NVML.
"""

import os
from typing import Any

import pynvml  # pyright: ignore[reportMissingImports] - in the GPU image alone

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


def holders() -> dict[int, int]:
    """Return the processes that have the driver's device files open, with their users; this one is left out."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            files = (os.readlink(f"/proc/{name}/fd/{number}") for number in os.listdir(f"/proc/{name}/fd"))
            if any(file.startswith("/dev/nvidia") for file in files):
                found[int(name)] = os.stat(f"/proc/{name}").st_uid
        except OSError:
            continue  # it ended meanwhile
    return found


class Monitor:
    """Clocks, temperature, power and throttle reasons, for the record; where NVML does not answer, without them."""

    def __init__(self) -> None:
        pynvml.nvmlInit()
        self._card = pynvml.nvmlDeviceGetHandleByIndex(0)

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
            "gpu_processes": len(holders()),
        }

    def identity(self) -> dict[str, Any]:
        """Return what stays: for the fingerprint."""
        return {
            "gpu_uuid": self._ask("nvmlDeviceGetUUID"),
            "driver": pynvml.nvmlSystemGetDriverVersion(),
            "max_sm_clock_mhz": self._ask("nvmlDeviceGetMaxClockInfo", pynvml.NVML_CLOCK_SM),
            "power_limit_w": (self._ask("nvmlDeviceGetEnforcedPowerLimit") or 0) / 1e3,
        }
