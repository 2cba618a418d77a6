"""The worker's view of buffers on the GPU: maps the scorer's allocation and waits for the device.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Plain driver calls, so that the trusted worker needs no PyTorch and starts at once.
"""

import ctypes
from pathlib import Path
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
        self._ends = ctypes.CDLL(str(Path(__file__).with_name("window.so")))
        context, handle = ctypes.c_void_p(), ctypes.c_ulonglong()
        self._address, self._events = ctypes.c_ulonglong(), (ctypes.c_void_p(), ctypes.c_void_p())
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
        for event in self._events:
            self._call("cuEventCreate", ctypes.byref(event), 0)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with CUDA error {status}")

    def _places(self, slot: int) -> tuple[int, int]:
        return tuple(self._address.value + at * self._slot_bytes for at in (slot, self._slots + slot))

    def pairs(self, table: list[tuple[int, int]]) -> list[tuple[Any, Any]]:
        """Return input and output of every call; nothing runs on the GPU for that."""
        import torch

        return [
            tuple(torch.as_tensor(_Array(place, elements), device="cuda") for place in self._places(slot))
            for slot, elements in table
        ]

    def settle(self, done: ctypes.c_void_p | None = None, sequence: int = 0) -> None:
        """Wait for all streams of this context, then answer in the word `done`; see window.c.

        What a submission runs elsewhere it must wait for itself.
        """
        query, synchronise = self._cuda.cuStreamQuery, self._cuda.cuCtxSynchronize
        status = self._ends.settle(query, synchronise, done, ctypes.c_uint(sequence))
        if status:
            raise RuntimeError(f"CUDA error {status} while the calls ran")

    def known(self, table: list[tuple[int, int]], done: ctypes.c_void_p | None, sequence: int) -> int:
        """What the trusted worker does instead of calls: copies of as many bytes. Return their time on the card, ns."""
        self._call("cuEventRecord", self._events[0], None)
        for slot, elements in table:
            source, to = map(ctypes.c_ulonglong, self._places(slot))
            self._call("cuMemcpyDtoDAsync_v2", to, source, ctypes.c_size_t(4 * elements), None)
        self._call("cuEventRecord", self._events[1], None)
        self.settle(done, sequence)
        elapsed_ms = ctypes.c_float()
        self._call("cuEventElapsedTime", ctypes.byref(elapsed_ms), *self._events)
        return round(elapsed_ms.value * 1e6)
