"""Fixtures of the whole suite: where Docker is needed, and the images of environments at the `test` scale."""

import os

import pytest

from rebench_inspect import images, machine_made
from rebench_inspect.environments import FIX_EMBEDDING, KERNEL, LLM_FOUNDRY, Environment


@pytest.fixture(scope="session")
def kernel_image() -> str:
    """Build (or find) the image of the kernel environment."""
    return _built(KERNEL)


@pytest.fixture(scope="session")
def fix_embedding_image() -> str:
    """Build (or find) the image of fix_embedding, with its assets of the `test` scale."""
    return _built(FIX_EMBEDDING)


@pytest.fixture(scope="session")
def llm_foundry_image() -> str:
    """Build (or find) the image of llm_foundry at `test`, and make what is made once on each machine."""
    image = _built(LLM_FOUNDRY)
    machine_made.make(LLM_FOUNDRY, LLM_FOUNDRY.scale("test"), print)
    return image


def _built(environment: Environment) -> str:
    """Return the image of an environment; without Docker say so, or fail where CI requires it."""
    if not images.docker_running():
        message = "needs a running Docker Engine (../shared/start-docker, or your system's)"
        if os.environ.get("REBENCH_REQUIRE_DOCKER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return images.build(environment, environment.scale("test"), report=print)


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep this machine's anchors out of the tests, and Inspect's control server out of their way."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("INSPECT_EVAL_CTL_SERVER", "false")
