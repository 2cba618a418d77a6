"""The task's definition: the start, the references and a compiled control agree with five lines of Python."""

import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sandbox_python
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

CHECKOUT = Path(__file__).parents[3]
IMPLEMENTATIONS = {
    "starting": "tasks/kernel/workspace-cpu",
    "reference": "references/kernel/reference",
    "frontier": "references/kernel/frontier",
    "numba": "tests/environments/kernel/controls/numba_warm.py",
    "threaded_c": "tests/environments/kernel/controls/threaded_c.py",
    "torch_threads": "tests/environments/kernel/controls/torch_threads.py",
}
LEAST, MOST = -(2**31), 2**31 - 1
RANGES = [(-10, 9), (LEAST, MOST), (1, MOST), (LEAST, -1), (0, 0), (-1, 1), (MOST - 3, MOST)]
BORDERS = [size + by for size in (16, 1 << 14, 1 << 15, 1 << 17, 1 << 18) for by in (-1, 0, 1)]
"""Sizes around a vector, the frontier's stripe, two of them, the reference's chunk, two of them."""

PROGRAM = """
import importlib.util, io, os, sys, numpy as np, torch
here = sys.argv[2] if sys.argv[2].endswith(".py") else sys.argv[2] + "/solution.py"
sys.path.insert(0, os.path.dirname(here))
spec = importlib.util.spec_from_file_location("submitted", here)
spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
answers = {}
for name, case in np.load(sys.argv[1] + "/cases.npz").items():
    x = torch.from_numpy(case.copy())
    out = torch.randint(-(2**31), 2**31, x.shape, dtype=torch.int32)
    module.prefix_sum(x, out)
    answers[name] = out.numpy()
    assert np.array_equal(x.numpy(), case), "the input was changed"
stream = io.BytesIO()
np.savez(stream, **answers)
sys.stdout.buffer.write(stream.getvalue())
"""


def loop(x):
    """Return the definition's output, with the definition's words."""
    total, positives_before, out = 0, 0, []
    for value in x.tolist():
        total += value if positives_before % 2 else 0
        positives_before += value > 0
        out.append((total + 2**31) % 2**32 - 2**31)
    return np.array(out, np.int32)


@st.composite
def inputs(draw):
    """Draw an input: a size and a kind of values."""
    size = draw(st.one_of(st.integers(0, 70), st.integers(0, 5000)))
    low, high = draw(st.sampled_from(RANGES))
    return np.random.default_rng(draw(st.integers(0, 2**32))).integers(low, high, size, np.int32, endpoint=True)


@cache
def cases() -> dict[str, np.ndarray]:
    """Return named inputs: drawn ones, small ones by hand, all kinds at every border."""
    drawn = []

    @settings(max_examples=80, derandomize=True, database=None, phases=[Phase.generate], deadline=None)
    @given(inputs())
    def collect(x):
        drawn.append(x)

    collect()
    found = {f"drawn-{at}": x for at, x in enumerate(drawn)}
    for values in ([], [7], [-7], [0], [LEAST, 1, LEAST], [1, 1, 1]):
        found[f"small-{values}"] = np.array(values, np.int32)
    random = np.random.default_rng(0)
    for size in BORDERS:
        found[f"random-{size}"] = random.integers(-10, 10, size, np.int32)
        found[f"wrapping-{size}"] = random.integers(LEAST, MOST, size, np.int32, endpoint=True)
        found[f"positive-{size}"] = random.integers(1, MOST, size, np.int32, endpoint=True)
        found[f"negative-{size}"] = -found[f"positive-{size}"]
        # A single positive element before, on, and after a border: everything after it counts.
        found[f"one-positive-{size}"] = np.where(np.arange(size) == max(size - 2, 0), 5, -3).astype(np.int32)
    return found


@cache
def expected() -> dict[str, np.ndarray]:
    """Return the loop's output of every case."""
    return {name: loop(x) for name, x in cases().items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the cases, readable by the sandbox's user."""
    path = tmp_path_factory.mktemp("cases")
    path.chmod(0o755)
    np.savez(path / "cases.npz", **cases())
    return path


@pytest.mark.docker
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_implementation_agrees_with_the_loop(name, folder):
    """Every honest implementation gives the definition's output for every case, and leaves the input alone."""
    arguments = ["-c", PROGRAM.replace("{", "{{").replace("}", "}}"), "{cases}", "{checkout}/" + IMPLEMENTATIONS[name]]
    answers = np.load(io.BytesIO(sandbox_python.run(arguments, {"cases": folder, "checkout": CHECKOUT}, 120.0)))
    assert set(answers.files) == set(cases())
    wrong = [case for case in answers.files if not np.array_equal(answers[case], expected()[case])]
    assert not wrong


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(inputs())
@example(np.array([], np.int32))
@example(np.array([MOST, MOST, 1, MOST], np.int32))
def test_loop_is_the_formula(x):
    """The loop is out[i] = sum of x[j] for j <= i with an odd number of positive x[l], l < j, in 32 bits."""
    odd = (np.cumsum(x > 0) - (x > 0)) % 2
    formula = np.cumsum(x.astype(np.int64) * odd)
    assert np.array_equal(loop(x), formula.astype(np.int32))


@given(inputs(), st.integers(0, 5000))
@settings(deadline=None)
def test_prefix_of_the_output_is_the_output_of_the_prefix(x, length):
    """Nothing depends on later elements, so a submission may be checked at any size."""
    assert np.array_equal(loop(x)[:length], loop(x[:length]))
