"""This scorer's files as modules: another environment's have the same names."""

import importlib.util
import sys
from pathlib import Path

SCORERS = Path(__file__).parents[3] / "scorers"


def loaded(name):
    """Import a file of this scorer under a name of its own."""
    for folder in (SCORERS / "common", SCORERS / "common" / "shim"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(f"llm_foundry_{name}", SCORERS / "llm_foundry" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


score, weights, model = loaded("score"), loaded("weights"), loaded("model")
from outcome import Invalid  # noqa: E402, F401 - importable since the line above
