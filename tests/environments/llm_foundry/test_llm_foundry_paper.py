"""The scale `paper` on a small stand-in: a Llama of two layers and two processes on a CPU instead of four GPUs."""

import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import bench
import numpy as np
import pytest
from parts import loaded

from rebench_inspect import bundle, cases
from rebench_inspect.environments import LLM_FOUNDRY

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[2]
LAYOUT = bench.LAYOUT
PLACES = f"{LAYOUT.assets}/foundry", f"{LAYOUT.root}/private/foundry"
CONFIG = {"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "rms_norm_eps": 1e-6}
SMALL = {
    "max_seq_len": "256",
    "num_workers": "1",
    "lr": "1.0e-3",
    "max_duration": "14ba",
    "eval_interval": "7ba",
    "save_interval": "7ba",
    "global_train_batch_size": "16",
    "precision": "fp32",
}
"""Options of the stand-in in place of the paper's; 14 steps of 16 rows are two epochs and a bit."""

llama = loaded("llama")


def start():
    """Return the paper's starting files at the stand-in's size."""
    files = bundle.workspace_files("llm_foundry", LLM_FOUNDRY.scale("paper"))
    text = files["finetune.yaml"].decode()
    for name, value in SMALL.items():
        text = re.sub(rf"(?m)^(\s*{name}:) [^$\n]+$", rf"\g<1> {value}", text)
    return {**files, "finetune.yaml": text.encode(), "finetune.sh": on_two_cores(files["finetune.sh"])}


def on_two_cores(script):
    """Return a script that starts two processes of one thread each: the launcher counts GPUs, and here are none."""
    own = re.sub(r" OMP_NUM_THREADS=\d+", "", script.decode())
    return own.replace("export ", "export LOCAL_WORLD_SIZE=2 OMP_NUM_THREADS=1 ", 1).encode()


@pytest.fixture(scope="module")
def sandbox(llm_foundry_image):
    """Start a container of the test scale and put the stand-in in its assets' place."""
    assert llm_foundry_image
    opened = bench.Bench(variants=2, public_reference=0, tokens=1000, file_gib=1, processes=256)
    opened.scale = LLM_FOUNDRY.scale("paper")
    opened.changed = {f"trusted/starting/{name}": content for name, content in start().items()}
    opened.unpack("root", "/root", {"tiny_llama.py": (HERE / "tiny_llama.py").read_bytes()})
    opened.shell("root", f"rm -rf {' '.join(PLACES)}; /opt/work/bin/python /root/tiny_llama.py {' '.join(PLACES)}")
    opened.shell("root", f"chmod -R a+rX {PLACES[0]}")
    yield opened
    opened.close()


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_reference_trains_what_the_start_trains(sandbox):
    """With two processes each, the scorer accepts the reference on another instance and with other options."""
    files = bundle.solution_files(CHECKOUT / "references" / "llm_foundry" / "reference")
    sandbox.install({**files, "finetune.sh": on_two_cores(files["finetune.sh"])})
    verdict = sandbox.score()
    assert verdict["outcome"] == "scored", verdict
    found = verdict["measurements"]["trials"][0]
    assert found["whole"] < 1e-5
    assert found["worst"] < 1e-4
    assert abs(found["loss"] - found["reference_loss"]) < 1e-5
    assert verdict["measurements"]["options"]["whole"] < 1e-5


TORCH_LOSS = {"torch_loss.py": (Path(__file__).parent / "torch_loss.py").read_bytes()}
LOSSES = """
import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

sys.path.insert(0, sys.argv[1])
import llama
import torch_loss

folder = Path(sys.argv[2]) / "model"
network = AutoModelForCausalLM.from_pretrained(folder).eval()
rows = [([256, 9, 200, 31, 7, 257], 2), (list(range(0, 250, 2)), 4), ([3, 4], 0)]
weights = {name: tensor.numpy() for name, tensor in load_file(folder / "model.safetensors").items()}
config = json.loads((folder / "config.json").read_text())
own = llama.loss(weights, rows, llama.shape(config))
plain = llama.loss(weights, rows, llama.shape({**config, "rope_scaling": None}))
print("LOSSES", own, plain, torch_loss.mean(network, rows))
"""


@pytest.mark.docker
def test_loss_is_that_of_transformers(sandbox):
    """The scorer's arithmetic gives the loss of the hub's own class; without the scaling of positions it does not."""
    source = (CHECKOUT / "scorers" / "llm_foundry" / "llama.py").read_bytes()
    sandbox.shell("agent", "mkdir -p /tmp/losses")
    sandbox.unpack("agent", "/tmp/losses", {"llama.py": source, "losses.py": LOSSES.encode(), **TORCH_LOSS})
    words = sandbox.shell("agent", f"/opt/work/bin/python /tmp/losses/losses.py /tmp/losses {PLACES[0]}").split()
    own, plain, theirs = map(float, words[words.index("LOSSES") + 1 :][:3])
    assert own == pytest.approx(theirs, abs=1e-5)
    assert abs(plain - theirs) > 1e-3


def test_loss_of_certain_weights():
    """With logits of zero the loss is ln(vocabulary), with a head of its own or the embedding's."""
    zeros = {"model.embed_tokens.weight": np.zeros((50, 8), np.float32), "model.norm.weight": np.ones(8, np.float32)}
    rows = [([1, 2, 3], 1), ([4, 5], 0)]
    for head in ({}, {"lm_head.weight": np.zeros((50, 8), np.float32)}):
        assert llama.loss({**zeros, **head}, rows, llama.shape(CONFIG)) == pytest.approx(math.log(50))


def test_scaled_positions_are_nearer():
    """A factor of 4 turns position 8 as position 2 is turned without it; float32 stays float32."""
    numbers = np.random.default_rng(0).standard_normal((1, 1, 8), dtype=np.float32).repeat(9, 1)
    plain, scaled = (
        llama._turned(numbers, llama.shape({**CONFIG, "rope_scaling": scaling}))
        for scaling in (None, {"type": "linear", "factor": 4.0})
    )
    assert scaled[0, 8] == pytest.approx(plain[0, 2], abs=1e-6)
    assert scaled.dtype == np.float32


@pytest.mark.parametrize(
    "other",
    [{"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, {"hidden_act": "gelu"}, {"attention_bias": True}],
)
def test_other_kinds_are_refused(other):
    """What the arithmetic does not cover is an error, not another number."""
    with pytest.raises(ValueError, match="not covered"):
        llama.shape({**CONFIG, **other})


def test_parameters_of_layers_are_counted(tmp_path, monkeypatch):
    """The least arithmetic counts a Llama's layers, neither its embedding nor its head."""
    for name in ("llama", "model", "score", "weights", "gpu", "program", "variants"):
        monkeypatch.setitem(sys.modules, name, loaded(name))
    trial, weights = loaded("trial"), loaded("weights")
    names = {"model.layers.0.mlp.up_proj.weight": (3, 4), "lm_head.weight": (9, 9), "model.embed_tokens.weight": (9, 9)}
    (tmp_path / "foundry" / "model").mkdir(parents=True)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in names.items()}
    weights.write(tmp_path / "foundry" / "model" / weights.FILE, tensors)
    job = SimpleNamespace(assets=str(tmp_path), parameters={"tokens": 10, "peak_flops_per_s": 2.0})
    assert trial.floor_s(job) == 6 * 10 * 12 / 2


def test_the_row_lacks_the_frontier():
    """The frontier knows MPT alone, so no case at `paper` is laid over it or compared with it."""
    found = cases.load(LLM_FOUNDRY, LLM_FOUNDRY.scale("paper"))
    assert [case.name for case in found if case.kind == "solution"] == ["starting", "reference"]
    assert "frontier" not in {name for case in found for name in (case.base, case.honest)}
    start = next(case for case in found if case.name == "starting")
    assert b"hf_causal_lm" in start.files["finetune.yaml"]
