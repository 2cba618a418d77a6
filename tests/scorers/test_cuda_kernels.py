"""The GPU judge's arithmetic is the CPU judge's: its device functions are compiled for the CPU and compared.

What only a GPU can show (the scan over blocks, comparison, sharing) was checked on an H200; see docs/measurements.
"""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

KERNEL = Path(__file__).resolve().parents[2] / "scorers" / "kernel"
KINDS = ["small", "full range", "positive", "negative", "zeros", "runs", "alternating"]
BEGIN, END = 'extern "C" __global__ void fill(', "// What a run of elements does"
WRAPPERS = """
extern "C" void generate(int* x, i64 n, u64 seed, int kind) {
  for (i64 i = 0; i < n; i++) x[i] = element(seed, kind, i);
}
extern "C" void scan(const int* x, int* out, i64 n) {
  Step state = {0, 0, 0};
  for (i64 i = 0; i < n; i++) state = then(state, step_of(x[i], true)), out[i] = (int)state.even;
}
extern "C" void scan_in_parts(const int* x, int* out, i64 n, i64 part) {
  Step before = {0, 0, 0};
  for (i64 first = 0; first < n; first += part) {
    Step inside = {0, 0, 0};
    for (i64 i = first; i < n && i < first + part; i++)
      inside = then(inside, step_of(x[i], true)), out[i] = (int)then(before, inside).even;
    before = then(before, inside);
  }
}
"""


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def built(folder: Path, name: str, text: str) -> ctypes.CDLL:
    source, library = folder / name, folder / f"{name}.so"
    source.write_text(text, encoding="utf-8")
    subprocess.run(["g++", "-std=c++17", "-O1", "-fwrapv", "-shared", "-fPIC", source, "-o", library], check=True)
    return ctypes.CDLL(str(library))


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The GPU judge's functions of single elements, and the CPU judge."""
    folder = tmp_path_factory.mktemp("judges")
    cuda = (KERNEL / "prefix_sum.cu").read_text(encoding="utf-8")
    elements, scan = cuda[: cuda.index(BEGIN)], cuda[cuda.index(END) : cuda.index("constexpr int THREADS")]
    return (
        built(folder, "gpu.cpp", "#define __device__ static\n" + elements + scan + WRAPPERS),
        built(folder, "cpu.cpp", 'extern "C" {\n' + (KERNEL / "prefix_sum.c").read_text(encoding="utf-8") + "}\n"),
    )


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_both_judges_draw_the_same_inputs(judges: tuple[ctypes.CDLL, ctypes.CDLL], kind: int) -> None:
    """Seed, kind and index alone decide an element, on either device."""
    n, seed = 20_000, ctypes.c_uint64(0xDEADBEEFCAFE + kind)
    ours, theirs = np.zeros(n, np.int32), np.zeros(n, np.int32)
    judges[0].generate(pointer(ours), ctypes.c_int64(n), seed, kind)
    judges[1].fill(pointer(theirs), ctypes.c_int64(n), seed, kind)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
@pytest.mark.parametrize("part", [1, 7, 4096])
def test_both_judges_expect_the_same_outputs(judges: tuple[ctypes.CDLL, ctypes.CDLL], kind: int, part: int) -> None:
    """Steps compose: scanned at once or part by part, they give what the plain loop gives."""
    n = 20_000
    x, wanted = np.zeros(n, np.int32), np.zeros(n, np.int32)
    judges[1].fill(pointer(x), ctypes.c_int64(n), ctypes.c_uint64(part), kind)
    judges[1].expect(pointer(x), pointer(wanted), ctypes.c_int64(n))
    for function, extra in (("scan", ()), ("scan_in_parts", (ctypes.c_int64(part),))):
        got = np.full(n, -1, np.int32)
        getattr(judges[0], function)(pointer(x), pointer(got), ctypes.c_int64(n), *extra)
        np.testing.assert_array_equal(got, wanted)
