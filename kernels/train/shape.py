"""The arithmetic of the model: how many weights, operations and bytes. Nothing here needs torch."""

from dataclasses import dataclass

BF16_BYTES = 2


@dataclass(frozen=True)
class Shape:
    """A decoder of the GPT family: linear layers without biases, an output layer that shares the embedding's weights."""

    layers: int
    hidden: int
    heads: int
    vocabulary: int
    sequence: int

    def matrix_weights(self) -> int:
        """Weights that every token is multiplied with: per layer 3 h^2 (query, key, value), h^2 (projection), 8 h^2 (MLP)."""
        return 12 * self.layers * self.hidden**2 + self.vocabulary * self.hidden

    def weights(self) -> int:
        """All of them: positions and the scales of the normalizations too."""
        return self.matrix_weights() + self.sequence * self.hidden + (2 * self.layers + 1) * self.hidden

    def operations_per_token(self) -> int:
        """Forward and backward: 6 per weight of a matrix, and 6 L h s of attention, whose mask leaves half of 12 L h s."""
        return 6 * self.matrix_weights() + 6 * self.layers * self.hidden * self.sequence

    def state_bytes(self) -> int:
        """Weights, gradients and AdamW's two moments in BF16, and once more the gradients where replays keep theirs."""
        return 5 * BF16_BYTES * self.weights()

    def bytes_per_token(self) -> int:
        """What is kept from the forward to the backward: 16 h values per layer, and the loss's copies of the logits in FP32."""
        return 16 * BF16_BYTES * self.hidden * self.layers + 14 * self.vocabulary


def micro_batch(shape: Shape, memory_bytes: int) -> int:
    """The largest power of two of sequences that a GPU of this memory takes; 0: not even one."""
    room = 0.9 * memory_bytes - shape.state_bytes()
    sequences = int(room // (shape.bytes_per_token() * shape.sequence)) if room > 0 else 0
    return 1 << (sequences.bit_length() - 1) if sequences > 0 else 0


def needed_bytes(shape: Shape, sequences: int) -> int:
    return shape.state_bytes() + sequences * shape.sequence * shape.bytes_per_token()
