"""Converts the last Composer checkpoint to the Hugging Face format.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import shutil
import sys
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM


def main(model: str, checkpoints: str, output: str) -> None:
    """Load the newest checkpoint into the model's class and save that as one file."""
    newest = Path(checkpoints, "latest-rank0.pt").resolve()
    state = torch.load(newest, map_location="cpu", weights_only=False)["state"]["model"]
    trained = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(model), torch_dtype=torch.float32)
    trained.load_state_dict({name.removeprefix("model."): tensor for name, tensor in state.items()})
    trained.save_pretrained(output, safe_serialization=True, max_shard_size="16GB")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path(model, name), output)


if __name__ == "__main__":
    main(*sys.argv[1:])
