"""The loss on rows by torch, which the scorer's own arithmetic is compared with; runs in a sandbox."""

import torch


def mean(network, rows):
    """Return the mean loss of a causal model over the trained tokens of rows `(tokens, first trained)`."""
    losses = []
    for tokens, start in rows:
        with torch.no_grad():
            logits = network(torch.tensor([tokens])).logits[0]
        found = torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(tokens[1:]), reduction="none")
        losses += found[max(start, 1) - 1 :].tolist()
    return sum(losses) / len(losses)
