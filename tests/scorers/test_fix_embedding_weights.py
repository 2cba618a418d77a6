"""The scorer of fix_embedding against independent code: its model, its reader of weights, its arithmetic.

It needs torch, which the host does without: programs run in the Python of the recipes.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rebench_inspect import asset_making, paths
from rebench_inspect.assets import manifest
from rebench_inspect.environments import FIX_EMBEDDING

ROOT = Path(__file__).resolve().parents[2]
BEGIN = """
import json, math, os, sys
from pathlib import Path
import torch
from safetensors.torch import save_file
root, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path[:0] = [str(root / "scorers" / "common"), str(root / "scorers" / "fix_embedding")]
import gpt as trusted, heldout, score, weights
from outcome import Invalid
sizes = dict(vocab_size=50, n_positions=16, n_embd=24, n_layer=2, n_head=3)
size = trusted.Config(**sizes)
def model_of(zone):
    sys.path.insert(0, str(root / zone)); sys.modules.pop("gpt", None)
    import gpt
    torch.manual_seed(0)
    model = gpt.GPT(gpt.Config(**sizes))
    sys.path.pop(0); sys.modules.pop("gpt", None)
    return model
def reason(call):
    try:
        call()
    except Invalid as error:
        return error.reason
"""


@pytest.fixture(scope="session")
def python() -> Path:
    """Return a Python with torch: the recipes' own; CI makes it, others skip with a message."""
    made = paths.cache_folder() / "assets" / "python" / "bin" / "python"
    named = os.environ.get(asset_making.PYTHON_VARIABLE)
    if named or made.is_file() or os.environ.get("REBENCH_REQUIRE_DOCKER") == "1":
        return asset_making.recipe_python(print)
    pytest.skip(f"needs a Python with torch: set {asset_making.PYTHON_VARIABLE}, or run rebench-inspect assets make")


def ran(python: Path, folder: Path, program: str) -> Any:
    """Run a program that leaves `found`, and return that."""
    code = f"{BEGIN}\n{program}\nprint(json.dumps(found))"
    command = [str(python), "-B", "-c", code, str(ROOT), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_three_models_agree(python: Path, tmp_path: Path) -> None:
    """The scorer's model, the agent's and that of the recipes give the same logits and loss from the same weights."""
    program = """
recipe, agent = model_of("sandboxes/recipes"), model_of("tasks/fix_embedding/workspace")
given = {name: value.detach() for name, value in recipe.state_dict().items()}
held = torch.randint(0, 50, (6, 17))
ours = trusted.logits(given, size, held[:, :-1])
found = {
    "names": sorted(trusted.shapes(size)) == sorted(given),
    "shapes": all(tuple(value.shape) == trusted.shapes(size)[name] for name, value in given.items()),
    "recipe": float((recipe(held[:, :-1]) - ours).abs().max()),
    "agent": float((agent(held[:, :-1]) - ours).abs().max()),
    "loss": abs(sum(heldout.losses(given, size, held, 4)) / 6 - float(recipe.loss(held))),
}
"""
    found = ran(python, tmp_path, program)
    assert found["names"]
    assert found["shapes"]
    assert max(found["recipe"], found["agent"], found["loss"]) < 1e-5


def test_a_common_part_of_all_logits_changes_no_loss(python: Path, tmp_path: Path) -> None:
    """Logits of 1e9 leave the loss at that of a uniform guess: sums of exponentials are taken after a shift."""
    program = """
actual = torch.zeros(1, 3, dtype=torch.long)
found = [float(heldout._loss(torch.full((1, 3, 50), value), actual)) for value in (0.0, 1e9)]
found.append(math.log(50))
"""
    zero, large, uniform = ran(python, tmp_path, program)
    assert zero == pytest.approx(uniform, abs=1e-5)
    assert large == pytest.approx(uniform, abs=1e-5)


def test_a_model_that_sees_the_future_is_found_out(python: Path, tmp_path: Path) -> None:
    """The check of causality is no formality: it raises with a mask that masks nothing, and not with the right one."""
    program = """
import numpy as np
given = {name: value.detach() * 3 for name, value in model_of("sandboxes/recipes").state_dict().items()}
held = torch.randint(0, 50, (6, 17))
check = lambda: heldout.check_causal(given, size, held, np.random.default_rng(0))
found = [reason(check)]
real = trusted.functional.scaled_dot_product_attention
trusted.functional.scaled_dot_product_attention = lambda q, k, v, is_causal, scale: real(q, k, v, scale=scale)
found.append(reason(check))
"""
    assert ran(python, tmp_path, program) == [None, "not_causal"]


def test_weights_are_read_as_they_were_written(python: Path, tmp_path: Path) -> None:
    """float32, float16 and bfloat16 files come back as the numbers that safetensors' own reader gives."""
    program = """
expected = trusted.shapes(size)
torch.manual_seed(1)
file, found = folder / "m.safetensors", []
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    made = {name: torch.randn(shape).to(dtype) for name, shape in expected.items()}
    save_file(made, file)
    back = weights.read(file, expected, "cpu")
    found.append(all(torch.equal(back[name], made[name].float()) for name in expected))
"""
    assert ran(python, tmp_path, program) == [True, True, True]


def test_floor_and_flags(python: Path, tmp_path: Path) -> None:
    """1.6 nats is the floor; raw score and error are those of ln(loss - 1.5); better than the original is told."""
    program = """
found = {
    "below": reason(lambda: score.raw_score([1.55, 1.6])),
    "none": reason(lambda: score.raw_score([float("nan")] * 2)),
    "raw": score.raw_score([2.4, 2.6]),
    "flags": [len(score.flags(loss, 4.0, "scoring")) for loss in (4.0, 3.95, 3.85)],
}
"""
    found = ran(python, tmp_path, program)
    assert found["below"] == found["none"] == "impossible_loss"
    assert found["raw"] == pytest.approx([0.0, 0.1])
    assert found["flags"] == [0, 0, 1]


def test_row_and_manifest_agree() -> None:
    """The losses before the damage are measured on the very windows that the scorer measures on."""
    rows = {row.scale: row for row in manifest() if row.name == "model-damaged"}
    for scale in FIX_EMBEDDING.scales:
        assert rows[scale.name].parameters["windows"] == scale.parameters["windows"]
        assert rows[scale.name].parameters["text"] == scale.parameters["text"]


@pytest.mark.docker
def test_what_the_scorer_trusts_is_roots(fix_embedding_image: str) -> None:
    """Root alone can write into the Python that the scorer takes torch from and the assets, and see the private."""
    script = """
set -e
test -z "$(find -L /opt/work /opt/assets \\( ! -user root -o -perm /022 \\) ! -type l -print -quit)"
test "$(find / -xdev -path /proc -prune -o -name '*.safetensors' -print | sort | tr '\\n' ' ')" = \\
    "/opt/assets/model-damaged/model.safetensors /opt/assets/model-small/model.safetensors "
stat -c '%a %U' /opt/rebench/private /opt/rebench/trusted
su_python=/opt/work/bin/python
"$su_python" - <<'END'
import os
os.setgid(10001), os.setuid(10001)
for path in ("/opt/rebench/private", "/opt/rebench/trusted"):
    try:
        os.listdir(path)
        print("open:", path)
    except PermissionError:
        print("closed")
END
"""
    command = ["docker", "run", "--rm", "--network=none", fix_embedding_image, "/bin/sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split("\n")[:4] == ["700 root", "700 root", "closed", "closed"]
