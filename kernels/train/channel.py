"""How the processes tell the one that started them what they saw: lines of JSON through one pipe, each written at once, so that they
arrive whole and in order."""

import json
import os

MOST_BYTES = 4096  # PIPE_BUF: so much the kernel writes without interruption


def encode(rank: int, event: str, **fields) -> bytes:
    line = json.dumps({"rank": rank, "event": event, **fields}).encode() + b"\n"
    if len(line) > MOST_BYTES:
        raise ValueError(f"the event {event} has {len(line)} bytes, {MOST_BYTES} are the most")
    return line


class Reader:
    """Puts what was read from the pipe together to events."""

    def __init__(self):
        self._rest = b""

    def feed(self, data: bytes) -> list[dict]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]


class Channel:
    """The writing end, of one rank."""

    def __init__(self, descriptor: int, rank: int):
        self._descriptor = descriptor
        self._rank = rank

    def tell(self, event: str, **fields) -> None:
        os.write(self._descriptor, encode(self._rank, event, **fields))
