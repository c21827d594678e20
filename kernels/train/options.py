"""Options of the program: bounded, with exit code 2 for what is out of bounds."""

import argparse
import math

from document import VERSION
from shape import Shape

ATTENTION = ("cudnn", "flash")
BITFLIPS = ("gradient", "weight")


def integer(low: int, high: int):
    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low} and {high}")
        return value

    read.__name__ = "integer"  # argparse says it of what is none
    return read


def number(low: float, high: float):
    def read(text: str) -> float:
        value = float(text)
        if not (math.isfinite(value) and low <= value <= high):
            raise argparse.ArgumentTypeError(f"{text} is not between {low:g} and {high:g}")
        return value

    read.__name__ = "number"
    return read


def parser() -> argparse.ArgumentParser:
    args = argparse.ArgumentParser(
        prog="train",
        description="Trains a language model of the GPT family for a while, on all GPUs of the node: PyTorch, BF16, synthetic tokens. "
        "Prints one JSON document.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        allow_abbrev=False,
    )
    args.add_argument("--version", action="version", version=f"train {VERSION}")
    args.add_argument("--seconds", type=number(0.1, 86400), default=20, help="how long to train, warm-up and replays not counted")
    args.add_argument("--micro-batch", type=integer(0, 4096), default=0, help="sequences per GPU and step; 0: as many as the memory takes")
    args.add_argument("--sequence", type=integer(16, 65536), default=2048, help="tokens of a sequence")
    args.add_argument("--layers", type=integer(1, 256), default=24, help="layers of the model")
    args.add_argument("--hidden", type=integer(16, 32768), default=2048, help="width of a layer")
    args.add_argument("--heads", type=integer(1, 256), default=16, help="heads of attention; they divide the width")
    args.add_argument("--vocabulary", type=integer(16, 1 << 20), default=50304, help="different tokens")
    args.add_argument("--gpus", type=integer(0, 128), default=0, help="how many GPUs take part; 0: all")
    args.add_argument("--processors", type=integer(0, 64), default=0, help="so many processes on the CPU instead of GPUs, to try the program")
    args.add_argument("--replays", type=integer(2, 10000), default=2, help="how often the same step is repeated and compared, before and after the training")
    args.add_argument("--attention", choices=ATTENTION, default="cudnn", help="whose attention the training uses; replays use flash, which is deterministic")
    args.add_argument("--compile", action="store_true", help="compile the layers by torch.compile, which needs a C compiler")
    args.add_argument("--seed", type=integer(0, 1 << 31), default=20231, help="of weights and tokens")
    args.add_argument("--stall-seconds", type=number(1, 86400), default=180, help="give up when no process has said anything for so long")
    args.add_argument("--inject-bitflip", choices=BITFLIPS, help="damage one bit on the last GPU, which must then be found")
    return args


def parse(argv: list[str]) -> argparse.Namespace:
    args = parser()
    options = args.parse_args(argv)
    if options.hidden % options.heads or options.hidden // options.heads % 8:
        args.error(f"--heads {options.heads} must divide --hidden {options.hidden} into multiples of 8")
    return options


def shape_of(options: argparse.Namespace) -> Shape:
    return Shape(options.layers, options.hidden, options.heads, options.vocabulary, options.sequence)
