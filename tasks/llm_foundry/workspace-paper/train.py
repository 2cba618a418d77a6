"""Trains with llm-foundry and Composer, one process a GPU; checkpoints go to `checkpoints/` in the working folder.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import sys

from llmfoundry.command_utils.train import train
from omegaconf import OmegaConf


def main(config: str, model: str, work: str) -> None:
    """Fill in what the configuration leaves open, then hand over to llm-foundry."""
    options = OmegaConf.load(config)
    options.model.pretrained_model_name_or_path = model
    settings = {"model_max_length": options.max_seq_len, "padding_side": "right"}
    options.tokenizer = {"name": model, "kwargs": settings}
    for loader in (options.train_loader, options.eval_loader):
        loader.dataset.streams = {"rows": {"local": f"{work}/shards/{loader.dataset.pop('split')}"}}
    options.save_folder = f"{work}/checkpoints"
    train(options)


if __name__ == "__main__":
    main(*sys.argv[1:])
