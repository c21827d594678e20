"""One process of the training: one GPU (or CPU), and what it measures. The program starts it with its task as JSON."""

import ctypes
import json
import os
import signal
import sys
from types import SimpleNamespace

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import gpt
import machine
import sensors
from channel import Channel
from checksum import Checksum, flip_bit
from document import spread
from gpus import CannotRun
from options import shape_of
from shape import micro_batch, needed_bytes

WARM_UP_STEPS = 3
ALONE_STEPS = 5
LEAST_STEPS = 4
TEXTS = 8  # different batches of a rank, again and again
LEARNING_RATE = 3e-4


class NotComparable(Exception):
    """Something else leaves too little of this machine."""


class Rank:
    def __init__(self, task: SimpleNamespace, channel: Channel):
        self.options, self.rank, self.world = task.options, task.rank, task.world
        self.shape = shape_of(self.options)
        self.channel = channel
        self.tell = channel.tell
        self.machine = machine.Cpu() if task.ordinal is None else machine.Cuda(task.ordinal)
        self.device = self.machine.device
        self.sensors = sensors.Sensors(task.uuid) if task.uuid and not sensors.load() else None
        if self.world > 1:
            dist.init_process_group(self.machine.backend, init_method=f"file://{task.store}", rank=self.rank, world_size=self.world,
                                    device_id=self.machine.group_device)

    def run(self) -> None:
        self.tell("device", ecc=self.read("ecc_uncorrected"), **self.machine.describe())
        self.sequences = self.choose_micro_batch()
        self.measure_matmul()
        self.make_model()
        self.checksum = Checksum(self.device)
        self.replay("before")
        self.prepare_training()
        self.train()
        self.replay("after")
        self.tell("weights", checksum=self.checksum.of(self.model.parameters()))
        others = [] if self.sensors is None else self.sensors.processes()
        self.tell("done", pid=os.getpid(), processes=[pid for pid, _ in others][:64], peak=self.machine.peak_bytes(), ecc=self.read("ecc_uncorrected"))

    def read(self, what: str):
        return None if self.sensors is None else getattr(self.sensors, what)()

    def say(self, text: str) -> None:
        self.tell("said", text=text)

    def agree(self, value: int, operation) -> int:
        """The least or the greatest that any rank says."""
        if self.world == 1:
            return value
        held = torch.tensor([value], dtype=torch.int64, device=self.device)
        dist.all_reduce(held, operation)
        return int(held.item())

    def barrier(self) -> None:
        self.agree(0, dist.ReduceOp.MAX)

    def choose_micro_batch(self) -> int:
        free, total = self.machine.memory_bytes()
        sequences = self.options.micro_batch or self.agree(micro_batch(self.shape, total), dist.ReduceOp.MIN)
        if sequences == 0:
            raise CannotRun(f"the model needs {needed_bytes(self.shape, 1) >> 20} MiB of memory for one sequence, a GPU has {total >> 20} MiB")
        needed = needed_bytes(self.shape, sequences)
        if free < needed <= total:
            raise NotComparable(f"{sequences} sequences need {needed >> 20} MiB, and {free >> 20} of {total >> 20} MiB are free: something else holds memory")
        self.tell("plan", sequences=sequences, sequence=self.shape.sequence)
        return sequences

    def measure_matmul(self) -> None:
        """The rate of large products in BF16, with all GPUs at work."""
        self.say("matrix products")
        n, per_sample = self.machine.product_order, self.machine.products_per_sample
        a, b = (torch.randn(n, n, device=self.device, dtype=torch.bfloat16) for _ in range(2))
        out = torch.empty_like(a)
        self.barrier()
        rates, begin = [], self.machine.mark()
        while not rates or self.machine.seconds(begin, mark) < self.machine.product_seconds:
            before = self.machine.mark()
            for _ in range(per_sample):
                torch.mm(a, b, out=out)
            mark = self.machine.mark()
            rates.append(per_sample * 2 * n**3 / self.machine.seconds(before, mark) / 1e12)
        settled = sorted(rates[len(rates) // 2 :])
        self.tell("matmul", teraflops=settled[len(settled) // 2], samples=len(settled), spread=spread(settled))

    def make_model(self) -> None:
        """The same on every rank."""
        with torch.device(self.device):
            self.model = gpt.Gpt(self.shape).to(torch.bfloat16)
        self.model.initialize(torch.Generator(self.device).manual_seed(self.options.seed))
        self.replayed = gpt.tokens(self.shape, self.sequences, self.options.seed).to(self.device)

    def gradients(self, text: torch.Tensor):
        """Loss and gradients of this rank alone: no other takes part."""
        loss = self.model(text)
        return loss, torch.autograd.grad(loss, list(self.model.parameters()))

    def replay(self, when: str) -> None:
        """The same step from the same weights and tokens on every GPU, by deterministic algorithms."""
        self.say(f"replays {when} the training")
        run, attention = self.model.run, self.model.attention
        self.model.run, self.model.attention = list(self.model.blocks), "flash"
        torch.use_deterministic_algorithms(True)
        for repetition in range(self.options.replays):
            loss, gradients = self.gradients(self.replayed)
            if self.damages("gradient") and when == "before" and repetition == self.options.replays - 1:
                flip_bit(gradients[len(gradients) // 2])
            self.tell("replay", when=when, loss=loss.item(), checksum=self.checksum.of([loss, *gradients]))
        torch.use_deterministic_algorithms(False)
        self.model.run, self.model.attention = run, attention

    def damages(self, what: str) -> bool:
        return self.options.inject_bitflip == what and self.rank == self.world - 1

    def prepare_training(self) -> None:
        if self.options.compile:
            self.model.compile_blocks()
        self.model.attention = self.options.attention
        self.whole = self.model
        if self.world > 1:
            self.whole = DistributedDataParallel(self.model, device_ids=self.machine.device_ids, gradient_as_bucket_view=True, bucket_cap_mb=100)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
        seeds = (self.options.seed + 1 + self.rank * TEXTS + i for i in range(TEXTS))
        self.texts = [gpt.tokens(self.shape, self.sequences, seed).to(self.device) for seed in seeds]

    def step(self, number: int) -> torch.Tensor:
        """A whole one. Nothing waits for the GPU: the loss arrives on the host when the step is over."""
        loss = self.whole(self.texts[number % TEXTS])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return self.machine.to_host(loss.detach())

    def train(self) -> None:
        self.say("warm-up, compiling the layers" if self.options.compile else "warm-up")
        seconds = [self.timed(lambda number=number: self.warm_up(number)) for number in range(WARM_UP_STEPS)]
        self.measure_alone()
        steps = self.agree(max(LEAST_STEPS, round(self.options.seconds / seconds[-1])), dist.ReduceOp.MAX)
        self.tell("train", steps=steps, joules=self.read("joules"))
        if self.damages("weight"):
            flip_bit(self.model.blocks[-1].down.weight)
        marks, losses = [self.machine.mark()], []
        for number in range(steps):
            losses.append(self.step(WARM_UP_STEPS + number))
            marks.append(self.machine.mark())
            if number > 0:  # one step behind, so that the GPU always has the next
                self.report_step(marks, losses, number - 1)
        self.report_step(marks, losses, steps - 1)
        self.tell("trained", joules=self.read("joules"))

    def warm_up(self, number: int) -> None:
        loss = self.step(number)
        self.machine.wait()
        self.tell("warm", loss=loss.item())

    def timed(self, work) -> float:
        before = self.machine.mark()
        work()
        return self.machine.seconds(before, self.machine.mark())

    def measure_alone(self) -> None:
        """Forward and backward without the others: nobody waits for anybody, so that a slow GPU shows."""
        self.say("each GPU alone")
        self.barrier()
        seconds = [self.timed(lambda: self.gradients(self.texts[0])) for _ in range(ALONE_STEPS)][1:]
        self.tell("alone", seconds=seconds)
        self.barrier()

    def report_step(self, marks, losses, number: int) -> None:
        seconds = self.machine.seconds(marks[number], marks[number + 1])
        self.tell("step", number=number, seconds=seconds, loss=losses[number].item(), mhz=self.read("clock_mhz"), celsius=self.read("celsius"))


def die_with_parent(parent: int) -> None:
    """No process outlives the one that started it."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


def fault_of(error: Exception) -> tuple[str, str]:
    """The check that an error fails, and what it says."""
    text = str(error).strip().splitlines()
    first = f"{type(error).__name__}: {text[0] if text else 'no reason given'}"[:1000]
    if isinstance(error, NotComparable):
        return "comparable", str(error)
    if "uncorrectable" in str(error).lower():
        return "hardware", first
    return "completed", first


def main() -> None:
    task = json.loads(sys.argv[1], object_hook=lambda held: SimpleNamespace(**held))
    die_with_parent(task.parent)
    os.dup2(2, 1)  # stdout is the document's
    channel = Channel(task.descriptor, task.rank)
    try:
        Rank(task, channel).run()
    except CannotRun as reason:
        channel.tell("skip", reason=str(reason))
    except Exception as error:  # whatever it is, the document says it
        check, message = fault_of(error)
        channel.tell("fault", check=check, message=message)
        os._exit(1)
    os._exit(0)  # nothing is left to be said, and taking NCCL down takes its time


if __name__ == "__main__":
    main()
