"""What the GPUs themselves count while a script runs: energy and busy time, for the record and for a flag.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: weights that nobody computed: energy below what the arithmetic takes. Not covered: which process used it; the
agent's processes are halted. Trusts: the driver.
"""

import importlib
import os
from typing import Any


class Meter:
    """Counters of all GPUs that scripts may use; on a machine without any it counts nothing."""

    def __init__(self, hardware: str) -> None:
        """Open the driver's library where the hardware is `cuda`."""
        self._nvml: Any = importlib.import_module("pynvml") if hardware == "cuda" else None
        self._cards: list[Any] = self._opened() if self._nvml else []
        self._began_j, self._busy = self._total_j(), list[int]()

    def _opened(self) -> list[Any]:
        self._nvml.nvmlInit()
        chosen = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
        if chosen and all(name.startswith("GPU-") for name in chosen):
            return [self._nvml.nvmlDeviceGetHandleByUUID(name) for name in chosen]
        numbers = map(int, chosen) if chosen else range(self._nvml.nvmlDeviceGetCount())
        return [self._nvml.nvmlDeviceGetHandleByIndex(number) for number in numbers]

    def _ask(self, name: str) -> list[Any]:
        """Ask every card; one that does not count such a thing makes the answer empty."""
        try:
            return [getattr(self._nvml, name)(card) for card in self._cards]
        except self._nvml.NVMLError:
            return []

    def _total_j(self) -> float | None:
        counted = self._ask("nvmlDeviceGetTotalEnergyConsumption") if self._cards else []
        return sum(counted) / 1000 if counted else None

    def look(self) -> None:
        """Note how busy the GPUs are at this moment."""
        if self._cards:
            self._busy += [rates.gpu for rates in self._ask("nvmlDeviceGetUtilizationRates")]

    def read(self) -> tuple[float | None, float | None]:
        """Return the energy in joules since the beginning, and the mean share of busy moments in percent."""
        now = self._total_j()
        energy_j = None if now is None or self._began_j is None else now - self._began_j
        return energy_j, sum(self._busy) / len(self._busy) if self._busy else None

    def describe(self) -> dict[str, Any]:
        """Return the cards' names, memory and driver, for the fingerprint."""
        if not self._cards:
            return {}
        memory = self._nvml.nvmlDeviceGetMemoryInfo(self._cards[0]).total
        return {
            "gpu": self._nvml.nvmlDeviceGetName(self._cards[0]),
            "gpus": len(self._cards),
            "gpu_memory_gib": round(memory / (1 << 30), 1),
            "driver": self._nvml.nvmlSystemGetDriverVersion(),
        }
