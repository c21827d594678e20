"""A 64-bit checksum of tensors by all their bits. It is a sum of integers, which no order of addition changes."""

import torch

CHUNK = 1 << 24
_ODD = -0x61C8864680B583EB  # 2^64 over the golden ratio, as a signed number
_MASK = (1 << 64) - 1
_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class Checksum:
    """Every element counts by its place, with an odd factor: a single flipped bit always changes the sum."""

    def __init__(self, device: torch.device):
        self._factors = (torch.arange(CHUNK, device=device, dtype=torch.int64) * 2 + 1) * _ODD
        self._device = device

    def of(self, tensors) -> str:
        total = torch.zeros((), dtype=torch.int64, device=self._device)
        for tensor in tensors:
            bits = tensor.detach().contiguous().view(-1).view(_INTEGERS[tensor.element_size()])
            for chunk in bits.split(CHUNK):
                total = total * _ODD + (chunk.to(torch.int64) * self._factors[: chunk.numel()]).sum()
        return f"{int(total.item()) & _MASK:016x}"


def flip_bit(tensor: torch.Tensor) -> None:
    """The lowest bit of the element in the middle."""
    with torch.no_grad():
        bits = tensor.view(_INTEGERS[tensor.element_size()])
        bits[tuple(size // 2 for size in tensor.shape)] ^= 1
