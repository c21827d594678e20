"""The model: a decoder of the GPT family with learned positions, pre-normalization and no biases."""

import math

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from shape import Shape

BACKENDS = {"cudnn": [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], "flash": [SDPBackend.FLASH_ATTENTION]}


class Block(nn.Module):
    """One layer: attention and MLP, each beside a residual."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.heads = shape.heads
        self.norm1 = nn.LayerNorm(shape.hidden, bias=False)
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden, bias=False)
        self.projection = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.norm2 = nn.LayerNorm(shape.hidden, bias=False)
        self.up = nn.Linear(shape.hidden, 4 * shape.hidden, bias=False)
        self.down = nn.Linear(4 * shape.hidden, shape.hidden, bias=False)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        batch, sequence, hidden = x.shape
        q, k, v = (part.view(batch, sequence, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.projection(y.transpose(1, 2).reshape(batch, sequence, hidden))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attend(self.norm1(x))
        return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """Gives the loss of predicting each next token. `run` are the layers as they are called, which may be compiled."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.tokens = nn.Embedding(shape.vocabulary, shape.hidden)
        self.positions = nn.Embedding(shape.sequence, shape.hidden)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.hidden, bias=False)
        self.run = list(self.blocks)
        self.attention = "flash"

    @torch.no_grad()
    def initialize(self, generator: torch.Generator) -> None:
        """GPT-2's: N(0, 0.02), less where a layer adds to the residual."""
        for name, weight in self.named_parameters():
            if weight.dim() < 2:
                weight.fill_(1)
                continue
            adds_up = name.endswith(("projection.weight", "down.weight"))
            weight.normal_(0, 0.02 / (math.sqrt(2 * self.shape.layers) if adds_up else 1), generator=generator)

    def compile_blocks(self) -> None:
        self.run = [torch.compile(block) for block in self.blocks]

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """text: one token more than the sequence is long."""
        inputs, targets = text[:, :-1], text[:, 1:]
        x = self.tokens(inputs) + self.positions.weight[: inputs.shape[1]]
        if x.is_cuda:
            with sdpa_kernel(BACKENDS[self.attention], set_priority=True):
                x = self.through_layers(x)
        else:
            x = self.through_layers(x)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        return functional.cross_entropy(logits.view(-1, self.shape.vocabulary).float(), targets.reshape(-1))

    def through_layers(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.run:
            x = block(x)
        return x


def tokens(shape: Shape, sequences: int, seed: int) -> torch.Tensor:
    """Texts whose tokens are as frequent as words are (Zipf): the model learns that at once, so that the loss falls. Made on the CPU, where
    a seed gives the same everywhere."""
    uniform = torch.rand(sequences, shape.sequence + 1, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (torch.exp(uniform * math.log(shape.vocabulary)) - 1).long().clamp_(0, shape.vocabulary - 1)
