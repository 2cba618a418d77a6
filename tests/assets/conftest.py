"""The Python of recipes, code that runs in it, and the assets of the private `test` scale, made once."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rebench_inspect import asset_making, assets, paths

SANDBOXES = paths.DATA / "sandboxes"


@pytest.fixture(scope="session")
def recipe_python() -> Path:
    """Return a Python with the recipes' packages: named, or made before; CI makes it, others skip with a message."""
    made = paths.cache_folder() / "assets" / "python" / "bin" / "python"
    if (
        os.environ.get(asset_making.PYTHON_VARIABLE)
        or made.is_file()
        or os.environ.get("REBENCH_REQUIRE_DOCKER") == "1"
    ):
        return asset_making.recipe_python(print)
    pytest.skip(f"needs a Python with torch: set {asset_making.PYTHON_VARIABLE}, or run rebench-inspect assets make")


@pytest.fixture
def settings(recipe_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point this process and its children to the recipes' Python and to an empty cache; return the cache's folder."""
    monkeypatch.setenv(asset_making.PYTHON_VARIABLE, str(recipe_python))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def inside(recipe_python: Path) -> Callable[..., Any]:
    """Return a function that runs code with the recipes' Python, and returns what it assigned to `result`."""

    def run(code: str, **given: Any) -> Any:
        whole = f"import json\ngiven = json.loads({json.dumps(json.dumps(given))})\n{code}\nprint(json.dumps(result))"
        environment = {**os.environ, "PYTHONPATH": str(SANDBOXES), "OMP_NUM_THREADS": "1"}
        command = [str(recipe_python), "-B", "-c", whole]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture(scope="session")
def made(recipe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the assets of the `test` scale and return the cache's folder."""
    cache = tmp_path_factory.mktemp("assets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(asset_making.PYTHON_VARIABLE, str(recipe_python))
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.setenv("OMP_NUM_THREADS", "1")
        asset_making.make(assets.select(assets.manifest(), scale="test"), print)
    return cache
