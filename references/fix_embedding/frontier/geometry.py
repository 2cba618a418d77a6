"""A first guess of the order of rows, from two models alone: what each expects after, and before, every token.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

A model that reads one row as its whole text gives a distribution over rows: a table (rows, rows) that needs no order
of them. The small model gives the same table over tokens. Both are pictures of the text's pairs of tokens, so one is
nearly a reordering of the other. Rows and tokens are compared by their entries at anchors: at first groups of similar
frequency (which the tables tell too), then the pairs that are each other's nearest, more and truer ones every round.
"""

import torch
from gpt import GPT
from torch import Tensor
from torch.nn import functional

_FIRST_GROUPS, _GROUP_ROUNDS, _ANCHOR_ROUNDS, _MOST_ANCHORS, _NEIGHBOURS = 32, 3, 16, 6000, 10


@torch.no_grad()
def table(model: GPT) -> Tensor:
    """Return the log-probabilities (first, second) of every token after every single token."""
    alone = torch.arange(model.config.vocab_size, device=model.wte.weight.device).unsqueeze(1)
    return torch.cat([model(part)[:, 0].float().log_softmax(1) for part in alone.split(1024)])


def guess(tokens: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return each token's row by the two tables, and whether the two are each other's nearest.

    Args:
        tokens: Table of the small model, over tokens; used up: the tables of GPT-2's vocabulary take 10 GB each.
        rows: Table of the large model, over rows; used up.
    """
    share = tokens.exp().mean(0)
    places = [found.logsumexp(0).argsort(descending=True).argsort() for found in (tokens, rows)]
    tables = [found.sub_(found.mean(0)) for found in (tokens, rows)]
    likeness = _by_groups(tables, places)
    for _ in range(_ANCHOR_ROUNDS):
        row, is_mutual = nearest(likeness)
        anchors = is_mutual.nonzero().flatten()
        anchors = anchors[share[anchors].argsort(descending=True)[:_MOST_ANCHORS]]
        weight = share[anchors].clamp(min=1e-6) ** 0.25
        ours, theirs = _entries(tables[0], anchors, weight), _entries(tables[1], row[anchors], weight)
        likeness = _unit(ours) @ _unit(theirs).T
    return nearest(likeness)


def nearest(likeness: Tensor) -> tuple[Tensor, Tensor]:
    """Return each token's most similar row and whether it is mutual; whoever is similar to all counts for less."""
    ours = likeness.topk(_NEIGHBOURS, 1).values.mean(1, keepdim=True)
    theirs = likeness.topk(_NEIGHBOURS, 0).values.mean(0, keepdim=True)
    relative = 2 * likeness - ours - theirs
    row = relative.argmax(1)
    return row, relative.argmax(0)[row] == torch.arange(len(row), device=row.device)


def _by_groups(tables: list[Tensor], places: list[Tensor]) -> Tensor:
    """Compare by mean entries over groups of tokens of similar frequency, finer from round to round."""
    count, device = len(tables[0]), tables[0].device
    groups = _FIRST_GROUPS if count > 2048 else _FIRST_GROUPS // 2
    members = [place * groups // count for place in places]
    likeness = torch.zeros(0, device=device)
    for _ in range(_GROUP_ROUNDS):
        described: list[Tensor] = []
        for part, member, place in zip(tables, members, places, strict=True):
            means = functional.one_hot(member, groups).float()
            means /= means.sum(0).clamp(min=1)
            both = _unit(torch.cat([_standard(part @ means), _standard(part.T @ means)], 1))
            described.append(torch.cat([both, 0.3 * _standard(place.float().unsqueeze(1))], 1))
        likeness = -torch.cdist(*described)
        groups *= 2
        ours = places[0] * groups // count
        members = [ours, ours[likeness.argmax(0)]]
    return likeness


def _entries(part: Tensor, anchors: Tensor, weight: Tensor) -> Tensor:
    return torch.cat([_standard(part[:, anchors]) * weight, _standard(part[anchors].T) * weight], 1)


def _standard(values: Tensor) -> Tensor:
    return (values - values.mean(0)) / (values.std(0) + 1e-6)


def _unit(values: Tensor) -> Tensor:
    return functional.normalize(values - values.mean(1, keepdim=True), dim=1)
