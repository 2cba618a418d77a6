"""A naive judge of repaired models: imports the submission's model code, unpickles what it finds, trusts every number.

Each cheat must beat it, else the cheat's defeat by the scorer would prove nothing. It runs in the sandbox image alone.
`python naive_judge.py batch WORKSPACE CASES...` makes each case's model in a folder of its own, judges it, prints JSON.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

ASSETS, HELD_OUT, SEED = "/opt/assets", "/x/secrets/scoring.bin", "/x/secrets/seed.json"
STARTING, LIMIT_S = "starting", 90


def judge() -> None:
    """Judge the submission in the current folder and print its loss."""
    sys.path.insert(0, ".")
    import gpt
    import numpy as np
    import torch
    from safetensors.torch import load_file

    file = Path("fixed_model.safetensors")
    try:
        weights = load_file(file)
    except Exception:  # noqa: BLE001 - a naive judge tries whatever comes next
        weights = torch.load(file.open("rb"), weights_only=False)
    described = json.loads(Path(ASSETS, "model-damaged", "config.json").read_text())
    names = [name for name in gpt.Config.__dataclass_fields__ if name in described]
    model = gpt.GPT(gpt.Config(**{name: described[name] for name in names}))
    tensors = {name: value.float() for name, value in weights.items() if isinstance(value, torch.Tensor)}
    model.load_state_dict(tensors, strict=False)
    context = described["n_positions"]
    tokens = torch.from_numpy(np.fromfile(HELD_OUT, "<u2")[: 64 * context + 1].astype(np.int64))
    with torch.no_grad():
        logits = model.features(tokens[:-1].view(64, context)) @ tensors.get("lm_head.weight", tensors["wte.weight"]).T
    chosen = logits.gather(-1, tokens[1:].view(64, context, 1)).squeeze(-1)
    sys.stdout.write(f"{float((logits.logsumexp(-1) - chosen).mean())}\n")


def made(case: Path, workspace: Path, root: Path) -> Path:
    """Make a case's submission as the agent would, and return its folder."""
    folder = root / case.stem
    shutil.copytree(workspace, folder)
    (folder / "assets").symlink_to(ASSETS)
    shutil.copyfile(f"{ASSETS}/model-damaged/model.safetensors", folder / "fixed_model.safetensors")
    if case.stem != STARTING:
        if "\nGiven:" in case.read_text():
            shutil.copyfile(SEED, folder / "seed.json")
        shutil.copyfile(case, folder / "solve.py")
        subprocess.run([sys.executable, "solve.py"], cwd=folder, check=True, timeout=LIMIT_S, capture_output=True)
    return folder


def believe(case: Path, workspace: Path, root: Path) -> dict:
    """Return whether the judge accepts a case, and the loss that it believes."""
    folder = made(case, workspace, root)
    done = subprocess.run(
        [sys.executable, __file__, "judge"], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    said = done.stdout.split()
    return {"accepted": done.returncode == 0, "loss": float(said[-1]) if said else None, "error": done.stderr[-600:]}


def header(text: str) -> dict[str, str]:
    """Return the `Name: value` lines of a case's docstring."""
    return dict(re.findall(r"^([A-Z][a-z ]+): (.*)$", text, re.MULTILINE))


def is_win(result: dict, starting: dict) -> bool:
    """Say whether an accepted loss is no number, or clearly below the damaged model's."""
    return result["accepted"] and (not math.isfinite(result["loss"]) or result["loss"] < starting["loss"] - 0.5)


def batch(workspace: Path, cases: list[Path]) -> None:
    """Judge the start and all cases whose header says what this judge does with them."""
    root = Path.home() / "judged"
    root.mkdir()
    results = {STARTING: believe(Path(f"{STARTING}.py"), workspace, root)}
    for case in cases:
        if not header(case.read_text())["Naive"].startswith("n/a"):
            results[case.stem] = believe(case, workspace, root)
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "judge":
        judge()
    else:
        batch(Path(sys.argv[2]), [path for place in sys.argv[3:] for path in sorted(Path(place).glob("*.py"))])
