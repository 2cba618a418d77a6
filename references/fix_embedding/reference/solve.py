"""Reference: the embedding as a learned linear image of the small model's, then all weights are trained on.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

The small model knows which token is which; the large one's body knows what it expects of an embedding. A matrix between
the two, learned through the frozen body, gives an embedding that the body can work with.
"""

from pathlib import Path

import data
import evaluate
import gpt
import numpy as np
import torch
import training

OUTPUT = Path(__file__).resolve().parent / "fixed_model.safetensors"


def main() -> None:
    """Make `fixed_model.safetensors`."""
    torch.manual_seed(0)
    rng, device = np.random.default_rng(0), "cuda" if torch.cuda.is_available() else "cpu"
    model = gpt.load(data.DAMAGED / "config.json", data.DAMAGED / "model.safetensors", device)
    small = gpt.load(data.SMALL / "config.json", data.SMALL / "model.safetensors", device).wte.weight.detach()
    steps = training.plan(model.config.n_embd)
    model.wte.weight.data = training.learned_map(model, small, steps, rng)
    print(f"after the map: dev loss {evaluate.dev_loss(model, 64):.3f}", flush=True)
    training.train(model, steps, rng)
    print(f"after training: dev loss {evaluate.dev_loss(model, 64):.3f}", flush=True)
    gpt.save(model, OUTPUT)


if __name__ == "__main__":
    main()
