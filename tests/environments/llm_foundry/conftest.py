"""The sandbox of scale `test` and the small weights that the tests of llm_foundry share."""

import bench
import numpy as np
import pytest


@pytest.fixture(scope="module")
def sandbox(llm_foundry_image):
    """Start one container of the test scale, which sees the references that were made on this machine."""
    assert llm_foundry_image
    opened = bench.Bench()
    yield opened
    opened.close()


@pytest.fixture
def trained():
    """Return initial and reference weights: three tensors that moved by different amounts, one of them by nothing."""
    draw = np.random.default_rng(0)
    initial = {
        "a": draw.standard_normal((40, 30), dtype=np.float32),
        "b": draw.standard_normal(30, dtype=np.float32),
        "still": draw.standard_normal(30, dtype=np.float32),
    }
    moves = {"a": 0.1, "b": 0.02, "still": 0.0}
    reference = {
        name: (tensor + moves[name] * draw.standard_normal(tensor.shape)).astype(np.float32)
        for name, tensor in initial.items()
    }
    return initial, reference
