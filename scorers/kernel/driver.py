"""The few CUDA driver calls that the scorer needs: a context, its compiled kernels, memory that can be shared.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: every call's result is checked. Not covered: what the kernels compute.
Trusts: the driver, and the compiler (NVRTC) in the scorer's own environment.
"""

import ctypes
import uuid
from ctypes import c_void_p
from pathlib import Path
from typing import Any, NamedTuple

from cuda.bindings import driver, nvrtc  # pyright: ignore[reportMissingImports] - in the GPU image alone
from outcome import MachineTrouble

_POSIX_DESCRIPTOR = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def checked(result: tuple[Any, ...]) -> Any:  # noqa: ANN401 - whatever the driver returns
    """Return what a call returned beside its status.

    Raises:
        MachineTrouble: The status is not success; submitted code cannot cause that in this process's context.
    """
    status, *values = result
    if int(status):
        raise MachineTrouble(f"the GPU driver answered {status}")
    return values[0] if len(values) == 1 else values


class Memory(NamedTuple):
    """An allocation: where this process sees it, its size, and its descriptor where another process may map it."""

    address: int
    size: int
    descriptor: int = -1


class Launch(NamedTuple):
    """A kernel with its arguments, to be launched from C."""

    kernel: int
    grid: tuple[int, int]
    threads: int
    arguments: tuple["ctypes._SimpleCData[Any]", ...]


class Gpu:
    """The visible GPU's context with the scorer's kernels in it; all work goes into one stream, in order."""

    def __init__(self, source: Path) -> None:
        checked(driver.cuInit(0))
        self.device = checked(driver.cuDeviceGet(0))
        # Spinning answers within microseconds; a sleeping thread would add its wake-up to every measured window.
        checked(driver.cuDevicePrimaryCtxSetFlags(self.device, driver.CUctx_flags.CU_CTX_SCHED_SPIN))
        self._context = checked(driver.cuDevicePrimaryCtxRetain(self.device))
        checked(driver.cuCtxSetCurrent(self._context))
        attributes = driver.CUdevice_attribute
        self.multiprocessors: int = self.attribute(attributes.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
        major = self.attribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        minor = self.attribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
        self._module = checked(driver.cuModuleLoadData(_compiled(source, f"sm_{major}{minor}")))
        self._kernels: dict[str, Any] = {}
        self._stream = checked(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))

    def attribute(self, which: object) -> int:
        """Return an attribute of the device."""
        return int(checked(driver.cuDeviceGetAttribute(which, self.device)))

    def name(self) -> str:
        """Return the card's name."""
        return checked(driver.cuDeviceGetName(128, self.device)).split(b"\0")[0].decode()

    def memory(self) -> tuple[int, int]:
        """Return the card's free memory and its whole, in bytes."""
        free, whole = checked(driver.cuMemGetInfo())
        return int(free), int(whole)

    def uuid(self) -> str:
        """Return the device's UUID as NVML writes it."""
        return f"GPU-{uuid.UUID(bytes=bytes(checked(driver.cuDeviceGetUuid(self.device)).bytes))}"

    @property
    def stream(self) -> int:
        """Handle of the stream that all work goes into."""
        return int(self._stream)

    def allocate(self, size: int) -> Memory:
        """Return private memory."""
        return Memory(int(checked(driver.cuMemAlloc(size))), size)

    def allocate_shared(self, size: int) -> Memory:
        """Return memory that a process which inherits the descriptor can map, whatever its user."""
        wanted = driver.CUmemAllocationProp()
        wanted.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        wanted.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        wanted.location.id = int(self.device)
        wanted.requestedHandleTypes = _POSIX_DESCRIPTOR
        handle = checked(driver.cuMemCreate(size, wanted, 0))
        descriptor = int(checked(driver.cuMemExportToShareableHandle(handle, _POSIX_DESCRIPTOR, 0)))
        address = checked(driver.cuMemAddressReserve(size, 0, 0, 0))
        checked(driver.cuMemMap(address, size, 0, handle, 0))
        access = driver.CUmemAccessDesc()
        access.location = wanted.location
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        checked(driver.cuMemSetAccess(address, size, [access], 1))
        checked(driver.cuMemRelease(handle))  # the mappings and the descriptor keep the memory
        return Memory(int(address), size, descriptor)

    def launch(self, name: str, grid: tuple[int, int], threads: int, *arguments: "ctypes._SimpleCData[Any]") -> None:
        """Queue a kernel."""
        self.queue(self.prepared(name, grid, threads, *arguments))

    def queue(self, launch: Launch) -> None:
        """Queue a prepared kernel."""
        values = tuple(argument.value or 0 for argument in launch.arguments), tuple(map(type, launch.arguments))
        grid, threads = launch.grid, launch.threads
        checked(driver.cuLaunchKernel(launch.kernel, *grid, 1, threads, 1, 1, 0, self._stream, values, 0))

    def prepared(
        self, name: str, grid: tuple[int, int], threads: int, *arguments: "ctypes._SimpleCData[Any]"
    ) -> Launch:
        """Return what `launch` would queue."""
        return Launch(int(self._kernel(name)), grid, threads, arguments)

    def _kernel(self, name: str) -> Any:  # noqa: ANN401 - the driver's handle
        if name not in self._kernels:
            self._kernels[name] = checked(driver.cuModuleGetFunction(self._module, name.encode()))
        return self._kernels[name]

    def copy(self, to: c_void_p, source: c_void_p, size: int) -> None:
        """Queue a copy on the card."""
        checked(driver.cuMemcpyDtoDAsync(to.value, source.value, size, self._stream))

    def clear(self, memory: Memory) -> None:
        """Queue zeros."""
        checked(driver.cuMemsetD8Async(memory.address, 0, memory.size, self._stream))

    def upload(self, to: Memory, content: bytes) -> None:
        """Write host bytes to the card after all queued work."""
        self.finish()
        checked(driver.cuMemcpyHtoD(to.address, content, len(content)))

    def download(self, source: int, size: int) -> bytes:
        """Read bytes of the card after all queued work."""
        self.finish()
        content = bytearray(size)
        checked(driver.cuMemcpyDtoH(content, source, size))
        return bytes(content)

    def finish(self) -> None:
        """Wait, spinning, for all queued work."""
        checked(driver.cuStreamSynchronize(self._stream))

    def reset_persisting_cache(self) -> None:
        """Give up lines that an access policy keeps in the L2 cache."""
        checked(driver.cuCtxResetPersistingL2Cache())


def _compiled(source: Path, architecture: str) -> bytes:
    program = checked(nvrtc.nvrtcCreateProgram(source.read_bytes(), source.name.encode(), 0, [], []))
    options = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), options)[0]
    if int(status):
        log = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
        checked(nvrtc.nvrtcGetProgramLog(program, log))
        raise RuntimeError(log.decode())
    cubin = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
    checked(nvrtc.nvrtcGetCUBIN(program, cubin))
    return cubin
