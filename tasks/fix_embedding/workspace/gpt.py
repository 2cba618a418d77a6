"""GPT-2 in one file: the model, and its weights as safetensors with GPT-2's own key names.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Linear weights are (in, out), as GPT-2 stores them. The token embedding `wte` is the head's weight too.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Config:
    """Size of a GPT; the names are those of the hub's `config.json`."""

    vocab_size: int
    n_positions: int
    n_embd: int
    n_layer: int
    n_head: int
    layer_norm_epsilon: float = 1e-5


class Linear(nn.Module):
    """An affine map with a weight of shape (inputs, outputs)."""

    def __init__(self, inputs: int, outputs: int, std: float = 0.02) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) * std)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., inputs) to (..., outputs)."""
        return functional.linear(x, self.weight.t(), self.bias)


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd, std=0.02 / math.sqrt(2 * config.n_layer))

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, time, width) to the same shape."""
        batch, time, width = x.shape
        split = self.c_attn(x).view(batch, time, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, time, width))


class MLP(nn.Module):
    """The two-layer network of a block."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.c_fc = Linear(config.n_embd, 4 * config.n_embd)
        self.c_proj = Linear(4 * config.n_embd, config.n_embd, std=0.02 / math.sqrt(2 * config.n_layer))

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, time, width) to the same shape."""
        return self.c_proj(functional.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    """One layer: attention and MLP, each on normalised input, each added to the stream."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.mlp = MLP(config)

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, time, width) to the same shape."""
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """A GPT-2; the token embedding is the head's weight too."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.n_positions, config.n_embd)
        self.h = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.ln_f = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.01)

    def features(self, tokens: Tensor) -> Tensor:
        """Return what the head sees: (batch, time, width) from tokens (batch, time), at most `n_positions` of them."""
        x = self.wte(tokens) + self.wpe.weight[: tokens.shape[1]]
        for block in self.h:
            x = block(x)
        return self.ln_f(x)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits (batch, time, vocabulary) of the token after each position."""
        return functional.linear(self.features(tokens), self.wte.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        """Return the mean loss in nats, fp32, of predicting tokens (batch, time + 1) from those before each."""
        logits = self(tokens[:, :-1]).float()
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def save(model: GPT, file: Path, dtype: torch.dtype = torch.float32) -> None:
    """Write a model's weights; `dtype` may be float32, float16 or bfloat16."""
    weights = {name: value.detach().to("cpu", dtype).contiguous() for name, value in model.state_dict().items()}
    # Beside the file, then in its place: loaded weights may be a view of the very file.
    partial = file.with_name(f"{file.name}.partial")
    save_file(weights, partial, metadata={"format": "pt"})
    partial.replace(file)


def load(config: Path, weights: Path, device: str = "cpu") -> GPT:
    """Return the model that `config.json` describes with the weights of a safetensors file, in float32."""
    described = json.loads(config.read_text(encoding="utf-8"))
    sizes = Config(**{name: described[name] for name in Config.__dataclass_fields__ if name in described})
    with torch.device("meta"):
        model = GPT(sizes)
    loaded = {name: value.float() for name, value in load_file(weights, device=device).items()}
    model.load_state_dict({name: loaded[name] for name in model.state_dict()}, assign=True)
    return model
