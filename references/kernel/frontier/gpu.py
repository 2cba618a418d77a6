"""Conditional prefix sum in one pass over memory: compiles and launches scan.cu, where the design is described.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

NVRTC, which every CUDA build of PyTorch brings along, compiles the kernel, so no CUDA toolkit is needed. The launch
goes through the driver's C interface, because PyTorch offers no cooperative launch.
"""

import ctypes
import site
import sys
from functools import lru_cache
from pathlib import Path

import torch

SOURCES = ("ptx.cu", "span.cu", "scan.cu")
# 12 warps x 5 vectors of 128 elements make a tile of 30 KiB; 7 tiles are being loaded (nearly all of the shared memory)
# and DEPTH + 1 wait in registers (nearly all of those), which hides the exchange between the blocks.
WARPS, VECS, STAGES, DEPTH = 12, 5, 7, 3
TILE = WARPS * VECS * 128
THREADS = (WARPS + 3) * 32
SHARED_BYTES = STAGES * TILE * 4
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

_driver = ctypes.CDLL("libcuda.so.1")


def _check(result: int, call: str) -> None:
    if result:
        raise RuntimeError(f"{call} failed with code {result}")


def _nvrtc() -> ctypes.CDLL:
    """PyTorch's own NVRTC, from the wheel beside it, or else the system's."""
    major = (torch.version.cuda or "").split(".")[0]
    for folder in (Path(torch.__file__).parent.parent, *map(Path, site.getsitepackages()), *map(Path, sys.path)):
        for found in sorted(folder.glob(f"nvidia/*/lib/libnvrtc.so.{major}*")):
            return ctypes.CDLL(str(found))
    return ctypes.CDLL(f"libnvrtc.so.{major}")


def _compile(architecture: str) -> ctypes.Array[ctypes.c_char]:
    nvrtc, program, size = _nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    source = b"".join(Path(__file__).with_name(name).read_bytes() for name in SOURCES)
    sizes = {"WARPS": WARPS, "VECS": VECS, "STAGES": STAGES, "DEPTH": DEPTH}
    flags = [f"--gpu-architecture={architecture}", "--std=c++17", *(f"-D{key}={value}" for key, value in sizes.items())]
    options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"scan.cu", 0, None, None), "nvrtcCreateProgram")
    if nvrtc.nvrtcCompileProgram(program, len(flags), options):
        _check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)), "nvrtcGetProgramLogSize")
        log = ctypes.create_string_buffer(size.value)
        _check(nvrtc.nvrtcGetProgramLog(program, log), "nvrtcGetProgramLog")
        raise RuntimeError(log.value.decode())
    _check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "nvrtcGetCUBINSize")
    cubin = ctypes.create_string_buffer(size.value)
    _check(nvrtc.nvrtcGetCUBIN(program, cubin), "nvrtcGetCUBIN")
    return cubin


@lru_cache
def _load(device: int) -> tuple[ctypes.c_void_p, ctypes.c_void_p, int]:
    """PyTorch's context on this device, the kernel loaded into it, and how many blocks run at once (one per SM)."""
    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    _check(_driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    _check(_driver.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    properties = torch.cuda.get_device_properties(device)
    cubin = _compile(f"sm_{properties.major}{properties.minor}")
    _check(_driver.cuModuleLoadData(ctypes.byref(module), cubin), "cuModuleLoadData")
    name = b"conditional_prefix_sum"
    _check(_driver.cuModuleGetFunction(ctypes.byref(kernel), module, name), "cuModuleGetFunction")
    _check(_driver.cuFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED_BYTES), "cuFuncSetAttribute")
    return context, kernel, properties.multi_processor_count


@lru_cache(maxsize=64)
def _workspace(device: int, stream: int, blocks: int, tiles: int) -> tuple[torch.Tensor, torch.Tensor]:
    """One summary cell per tile and one call counter per block; `stream` is only part of the key.

    Zeroed only when made: the kernel counts its calls here, and accepts no cell that an earlier call wrote. Calls that
    can overlap (other streams) or that leave some counters behind (other sizes) therefore must not share one.
    """
    del stream
    cells = torch.zeros(tiles * 2, dtype=torch.int64, device=device)
    return cells, torch.zeros(blocks, dtype=torch.int32, device=device)


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write into out[i] the sum of those x[j], j <= i, that an odd number of positive elements precedes."""
    n, device = x.numel(), x.get_device()
    if n == 0:
        return
    with torch.cuda.device(device):
        stream = torch.cuda.current_stream().cuda_stream
        context, kernel, resident = _load(device)
        tiles = -(-n // TILE)
        blocks = min(tiles, resident)
        cells, epochs = _workspace(device, stream, blocks, tiles)
        values = (
            *(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), ctypes.c_longlong(n)),
            *(ctypes.c_void_p(cells.data_ptr()), ctypes.c_void_p(epochs.data_ptr())),
        )
        arguments = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        _check(_driver.cuCtxSetCurrent(context), "cuCtxSetCurrent")  # a thread new to CUDA has none
        launched = _driver.cuLaunchCooperativeKernel(
            kernel, blocks, 1, 1, THREADS, 1, 1, SHARED_BYTES, ctypes.c_void_p(stream), arguments
        )
        _check(launched, "cuLaunchCooperativeKernel")
