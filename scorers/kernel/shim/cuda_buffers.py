"""The worker's view of buffers on the GPU: maps the scorer's allocation and waits for the device.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Plain driver calls, so that the trusted worker needs no PyTorch and starts at once.
"""

import ctypes
import time
from typing import Any

_POSIX_DESCRIPTOR, _DEVICE, _READ_WRITE, _SPIN = 1, 1, 3, 1


class _Access(ctypes.Structure):
    _fields_ = (("location_type", ctypes.c_int), ("location_id", ctypes.c_int), ("flags", ctypes.c_int))


class _Array:
    """An address in the form that PyTorch and others take over without a copy."""

    def __init__(self, address: int, elements: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (elements,),
            "typestr": "<i4",
            "data": (address, False),
            "strides": None,
            "version": 2,
        }


class CudaBuffers:
    """The shared arena, mapped into this process's primary context (the one that PyTorch uses)."""

    def __init__(self, arena: int, slots: int, slot_bytes: int) -> None:
        self._slots, self._slot_bytes = slots, slot_bytes
        self._cuda = ctypes.CDLL("libcuda.so.1")
        context, handle = ctypes.c_void_p(), ctypes.c_ulonglong()
        self._address, self._own = ctypes.c_ulonglong(), ctypes.c_ulonglong()
        size = ctypes.c_size_t(2 * slots * slot_bytes)
        access = _Access(_DEVICE, 0, _READ_WRITE)
        self._call("cuInit", 0)
        self._call("cuDevicePrimaryCtxSetFlags_v2", 0, _SPIN)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self._call("cuCtxSetCurrent", context)
        shared = ctypes.c_void_p(arena)
        self._call("cuMemImportFromShareableHandle", ctypes.byref(handle), shared, _POSIX_DESCRIPTOR)
        self._call(
            "cuMemAddressReserve", ctypes.byref(self._address), size, ctypes.c_size_t(0), ctypes.c_ulonglong(0), 0
        )
        self._call("cuMemMap", self._address, size, ctypes.c_size_t(0), handle, ctypes.c_ulonglong(0))
        self._call("cuMemSetAccess", self._address, size, ctypes.byref(access), ctypes.c_size_t(1))
        self._call("cuMemAlloc_v2", ctypes.byref(self._own), ctypes.c_size_t(4))

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with CUDA error {status}")

    def pairs(self, table: list[tuple[int, int]]) -> list[tuple[Any, Any]]:
        """Return input and output of every call; nothing runs on the GPU for that."""
        import torch

        return [
            tuple(
                torch.as_tensor(_Array(self._address.value + at * self._slot_bytes, elements), device="cuda")
                for at in (slot, self._slots + slot)
            )
            for slot, elements in table
        ]

    def settle(self) -> None:
        """Wait for all streams of this context; what a submission runs elsewhere it must wait for itself."""
        self._call("cuCtxSynchronize")

    def idle(self, pause_s: float) -> None:
        """What the trusted worker does instead of calls: the least work that makes the GPU switch to this process.

        Then it pauses as long as calls would take, since what both sides run next is slower when it was not used for
        some milliseconds; the scorer subtracts the pause.
        """
        self._call("cuMemsetD32Async", self._own, 0, ctypes.c_size_t(1), None)
        self.settle()
        until = time.perf_counter() + pause_s
        while time.perf_counter() < until:
            pass
        self.settle()
