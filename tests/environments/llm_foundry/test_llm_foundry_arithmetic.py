"""Arithmetics that must agree: the scorer's loss and LLM Foundry's, the frontier's padded batches and plain ones."""

from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]

TORCH_LOSS = {"torch_loss.py": (Path(__file__).parent / "torch_loss.py").read_bytes()}
LOSSES = """
import sys

import torch
from llmfoundry.models.mpt import MPTConfig, MPTForCausalLM
from safetensors.torch import load_file

sys.path.insert(0, sys.argv[1])
import model
import torch_loss

folder = "/opt/assets/foundry/model"
weights = load_file(folder + "/model.safetensors")
config = MPTConfig.from_pretrained(folder, attn_config={"attn_impl": "torch"})
network = MPTForCausalLM(config).eval()
network.load_state_dict(weights)
rows = [([5, 9, 200, 31, 7, 0], 2), ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0], 4), ([3, 4], 0)]
own = model.loss({name: tensor.numpy() for name, tensor in weights.items()}, rows, config.n_heads)
print("LOSSES", own, torch_loss.mean(network, rows))
"""


@pytest.mark.docker
def test_loss_is_that_of_llm_foundry(sandbox):
    """The scorer's own arithmetic gives the loss that LLM Foundry's model gives."""
    source = (CHECKOUT / "scorers" / "llm_foundry" / "model.py").read_bytes()
    sandbox.shell("agent", "mkdir -p /tmp/losses")
    sandbox.unpack("agent", "/tmp/losses", {"model.py": source, "losses.py": LOSSES.encode(), **TORCH_LOSS})
    command = "GIT_PYTHON_REFRESH=quiet /opt/work/bin/python /tmp/losses/losses.py /tmp/losses"
    words = sandbox.shell("agent", f"{command}; rm -r /tmp/losses").split()
    own, theirs = map(float, words[words.index("LOSSES") + 1 :][:2])
    assert own == pytest.approx(theirs, abs=1e-4)


SHAPES = """
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

sys.path.insert(0, sys.argv[1])
import frontier

folder = Path("/opt/assets/foundry")
rows = frontier.samples(folder, folder / "model", {"seed": 3, "max_seq_len": 256})
batches = [rows[at : at + 16] for at in range(0, 80, 16)]
widest = frontier.Shape(*(max(sizes) for sizes in zip(*map(frontier.shape_of, batches))))
weights = {name: each.requires_grad_() for name, each in load_file(folder / "model" / "model.safetensors").items()}
model = frontier.Model(2, torch.float32)
worst = 0.0
for batch in batches:
    found = []
    for shape in (frontier.shape_of(batch), widest):
        loss = frontier.loss_of(weights, frontier.packed(batch, shape), shape, model)
        found.append(torch.autograd.grad(loss, list(weights.values())))
    worst = max(worst, *((one - other).norm().item() / one.norm().item() for one, other in zip(*found)))
print("WORST", worst)
"""


@pytest.mark.docker
def test_gpu_batches_of_one_shape_train_the_same(sandbox):
    """What fills a batch up to the common shape of a CUDA graph changes no gradient."""
    frontier = (CHECKOUT / "references" / "llm_foundry" / "frontier" / "finetune.py").read_bytes()
    sandbox.shell("agent", "mkdir -p /tmp/shapes")
    sandbox.unpack("agent", "/tmp/shapes", {"frontier.py": frontier, "shapes.py": SHAPES.encode()})
    words = sandbox.shell("agent", "/opt/work/bin/python /tmp/shapes/shapes.py /tmp/shapes; rm -r /tmp/shapes").split()
    assert float(words[words.index("WORST") + 1]) < 1e-5
