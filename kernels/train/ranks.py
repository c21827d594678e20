"""Starts one process per GPU, and gathers what they tell. Whatever becomes of them, what they told is kept."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from channel import Reader

POLL_SECONDS = 0.2
# cuBLAS repeats itself to the last bit only with a workspace of fixed size. NCCL stays on this node.
DEFAULTS = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "NCCL_SOCKET_IFNAME": "lo", "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


@dataclass
class Told:
    """By one rank so far."""

    part: str  # "gpu0"
    pid: int = 0
    events: dict[str, dict] = field(default_factory=dict)  # the last of each kind
    replays: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: {"before": [], "after": []})  # loss and checksum
    losses: list[float] = field(default_factory=list)
    step_seconds: list[float] = field(default_factory=list)
    mhz: list[float] = field(default_factory=list)
    celsius: list[float] = field(default_factory=list)
    count: int = 0  # how often it said something

    def take(self, event: dict) -> None:
        self.count += 1
        self.events[event["event"]] = event
        kind = event["event"]
        if kind == "replay":
            self.replays[event["when"]].append((event["loss"], event["checksum"]))
        elif kind == "warm":
            self.losses.append(event["loss"])
        elif kind == "step":
            self.losses.append(event["loss"])
            self.step_seconds.append(event["seconds"])
            for series, value in ((self.mhz, event["mhz"]), (self.celsius, event["celsius"])):
                if value is not None:
                    series.append(value)

    def of(self, kind: str, name: str):
        return self.events.get(kind, {}).get(name)


@dataclass
class Ending:
    """Why it ended, if not because all was done."""

    skip: str = ""
    check: str = ""
    message: str = ""


class Stop:
    """SIGTERM and SIGINT as something to look at. A second one ends the process at once."""

    def __init__(self):
        self.by = ""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._remember)

    def _remember(self, number, _frame) -> None:
        self.by = signal.Signals(number).name
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_DFL)


class Ranks:
    """tasks: one for each, without what is the same for all."""

    def __init__(self, parts: list[str], tasks: list[dict], say):
        self.told = [Told(part) for part in parts]
        self._say = say
        self._said_at = 0.0
        self._reader = Reader()
        self._pipe, writer = os.pipe()
        environment = {**DEFAULTS, **os.environ}
        self._processes = []
        for task, told in zip(tasks, self.told):
            whole = {**task, "descriptor": writer, "parent": os.getpid()}
            command = [sys.executable, str(Path(__file__).resolve().parent / "rank.py"), json.dumps(whole)]
            # A session of its own: Ctrl-C is for the program, which then says how far it came.
            self._processes.append(subprocess.Popen(command, pass_fds=[writer], env=environment, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True))
            told.pid = self._processes[-1].pid
        os.close(writer)

    def gather(self, stop: Stop, stall_seconds: float) -> Ending:
        """Until all is told, or one fails, or nobody says anything, or somebody stops it. Then no process is left."""
        try:
            return self._gather(stop, stall_seconds)
        finally:
            for process in self._processes:
                process.kill()
            for process in self._processes:
                process.wait()

    def _gather(self, stop: Stop, stall_seconds: float) -> Ending:
        heard = time.monotonic()
        while not stop.by:
            if select.select([self._pipe], [], [], POLL_SECONDS)[0]:
                heard = time.monotonic()
                data = os.read(self._pipe, 1 << 16)
                for event in self._reader.feed(data):
                    ending = self._take(event)
                    if ending:
                        return ending
                if not data or all("done" in told.events for told in self.told):
                    return self._ended()
            elif any(process.poll() not in (None, 0) for process in self._processes):
                return self._ended()
            elif time.monotonic() - heard > stall_seconds:
                return Ending(check="completed", message=stalled(self.told, stall_seconds))
        return Ending()

    def _take(self, event: dict) -> Ending | None:
        told = self.told[event["rank"]]
        told.take(event)
        if event["event"] == "skip":
            return Ending(skip=event["reason"])
        if event["event"] == "fault":
            return Ending(check=event["check"], message=f"{told.part}: {event['message']}")
        if event["rank"] == 0:
            self._progress(event, told)
        return None

    def _progress(self, event: dict, told: Told) -> None:
        if event["event"] == "said":
            self._say(event["text"])
        elif event["event"] == "step" and time.monotonic() - self._said_at >= 1:
            self._said_at, steps = time.monotonic(), told.of("train", "steps")
            self._say(f"step {event['number'] + 1} of {steps}, loss {event['loss']:.3f}, {event['seconds']:.3f} s")

    def _ended(self) -> Ending:
        for process, told in zip(self._processes, self.told):
            if "done" not in told.events:
                try:
                    return Ending(check="completed", message=f"the process of {told.part} {how(process.wait(timeout=5))}, after {last_words(told)}")
                except subprocess.TimeoutExpired:
                    continue
        return Ending()


def how(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def last_words(told: Told) -> str:
    if told.step_seconds:
        return f"step {len(told.step_seconds)}"
    return f"“{told.of('said', 'text')}”" if told.of("said", "text") else "its start"


def stalled(told: list[Told], seconds: float) -> str:
    """Who said least is the one that all others wait for."""
    least = min(each.count for each in told)
    behind = [each for each in told if each.count == least]
    text = f"nothing was heard for {seconds:g} s, after {last_words(behind[0])}"
    if len(behind) < len(told):
        text += f"; the others wait for {', '.join(each.part for each in behind)}"
    return text
