"""The sandbox of scale `test` that the tests of llm_foundry share."""

import bench
import pytest


@pytest.fixture(scope="module")
def sandbox(llm_foundry_image):
    """Start one container of the test scale, which sees the references that were made on this machine."""
    assert llm_foundry_image
    opened = bench.Bench()
    yield opened
    opened.close()
