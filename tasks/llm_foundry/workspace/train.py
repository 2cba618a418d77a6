"""Trains with llm-foundry and Composer; checkpoints go to `checkpoints/` in the working folder.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import sys
from pathlib import Path

from llmfoundry.command_utils.train import train
from omegaconf import OmegaConf

SIZES = ("d_model", "n_heads", "n_layers", "expansion_ratio", "vocab_size", "no_bias", "learned_pos_emb")


def main(config: str, model: str, work: str) -> None:
    """Fill in what the configuration leaves open, then hand over to llm-foundry."""
    options = OmegaConf.load(config)
    sizes = OmegaConf.load(Path(model, "config.json"))
    options.model.update({name: sizes[name] for name in SIZES}, max_seq_len=sizes.max_seq_len)
    options.tokenizer = {"name": model, "kwargs": {"model_max_length": options.max_seq_len}}
    for loader in (options.train_loader, options.eval_loader):
        loader.dataset.streams = {"rows": {"local": f"{work}/shards/{loader.dataset.pop('split')}"}}
    options.load_path = f"{work}/initial.pt"
    options.load_weights_only = True
    options.save_folder = f"{work}/checkpoints"
    train(options)


if __name__ == "__main__":
    main(*sys.argv[1:])
