#!/usr/bin/env python3
"""Simulates boxes of water by OpenMM for a while, one on each GPU of this node at the same time, and prints one result document on stdout.
kernels/README.md says what it measures and what it compares."""

import argparse
import os
import signal
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent / "train"))  # what programs in Python share

import gpus
import sensors
from document import EXIT_FAILED, VERSION, Document
from options import integer, number

FORCES_DIFFER = 2e-4  # by more, and they are wrong: single precision differs by a tenth of it
BUSY_PERCENT = 5  # of somebody else, before this program began
SETTLE_SHARE = 0.5  # of the time, that is not counted
LOOK_SECONDS = 0.2  # between two looks at who is back
SET_UP_ATOMS = 2_000_000  # of all devices together, that are set up within --stall-seconds; more get longer
STOP_SECONDS = 3  # who has not come back by then is not waited for; SIGKILL comes two seconds later


def say(text: str) -> None:
    print(f"openmm: {text}", file=sys.stderr, flush=True)


def parse(argv: list[str]) -> argparse.Namespace:
    args = argparse.ArgumentParser(prog="openmm", description=__doc__.split(", and")[0], allow_abbrev=False,
                                   formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    args.add_argument("--version", action="version", version=f"openmm {VERSION}")
    args.add_argument("--atoms", type=integer(1000, 20_000_000), default=1_066_628, help="of the large box; copies of one with 2685 come near it")
    args.add_argument("--small-atoms", type=integer(1000, 20_000_000), default=23_558, help="of the small box")
    args.add_argument("--seconds", type=number(0.1, 86400), default=20, help="how long to simulate the large box, and a quarter of it the small one; "
                      "the first half of each is not counted")
    args.add_argument("--gpus", type=integer(0, 64), default=0, help="use the first so many GPUs; 0: all")
    args.add_argument("--platform", choices=("CUDA", "CPU", "Reference"), default="CUDA", help="CPU and Reference: to try the program without GPUs")
    args.add_argument("--stall-seconds", type=number(1, 86400), default=180, help="give up on a device of which nothing was heard for so long; "
                      f"longer while more than {SET_UP_ATOMS} atoms are set up on all devices together")
    return args.parse_args(argv)


class Stop:
    """SIGTERM and SIGINT as a request; a second one ends the process."""

    def __init__(self):
        self.by = ""
        for number_ in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number_, self._ask)

    def _ask(self, number_, _frame) -> None:
        self.by = signal.Signals(number_).name
        signal.signal(number_, signal.SIG_DFL)

    def __call__(self) -> bool:
        return bool(self.by)


class Device:
    """A part of the document, and what OpenMM calls it."""

    def __init__(self, part: str, gpu: gpus.Gpu | None):
        self.part, self.gpu = part, gpu
        self.properties = {} if gpu is None else {"DeviceIndex": str(gpu.ordinal), "Precision": "mixed"}
        self.sensors = sensors.Sensors(gpu.uuid) if gpu and not sensors.load() else None

    def read(self, what: str):
        return None if self.sensors is None else getattr(self.sensors, what)()


def choose(options: argparse.Namespace, doc: Document) -> list[Device]:
    if options.platform != "CUDA":
        return [Device("node", None)]
    found = gpus.visible()
    if options.gpus > len(found):
        raise RuntimeError(f"--gpus {options.gpus} asks for more GPUs than are visible: {len(found)}")
    devices = [Device(f"gpu{i}", gpu) for i, gpu in enumerate(found[: options.gpus or len(found)])]
    for index, device in enumerate(devices):
        doc.device(index, device.gpu.uuid, device.gpu.product)
    if devices[0].sensors is None:
        doc.note(f"no power, clocks or neighbours are known: {sensors.load()}")
        return devices
    busy = [(device.part, percent) for device in devices if (percent := device.read("busy_percent") or 0) > BUSY_PERCENT]
    doc.check("undisturbed", not busy, "; ".join(f"{part} was busy {percent} % of the time before this program began" for part, percent in busy))
    return devices


class Hung(Exception):
    """Devices that do not return; the driver may hold their threads for ever."""


class Together:
    """The same work on every device, one thread each; all begin at the same time. OpenMM leaves the interpreter to others while it computes."""

    def __init__(self, devices: list[Device], stop, stall_seconds: float):
        self.devices, self.stop, self.stall_seconds = devices, stop, stall_seconds

    def run(self, work, keep=lambda results: None, patience: float = 1) -> list:
        """Work is given the device, and asks whether to stop: a device that has neither asked nor returned for too long is not waited for.
        `keep` gets what there is, whatever became of the others: None for those. `patience` makes the time longer for work that cannot ask."""
        results, errors, heard = [None] * len(self.devices), [], [time.monotonic()] * len(self.devices)

        def of(i: int) -> None:
            def stop() -> bool:
                heard[i] = time.monotonic()
                return self.stop()

            try:
                results[i] = work(self.devices[i], stop)
            except Exception as error:  # told by who waits
                errors.append(error)

        threads = [threading.Thread(target=of, args=(i,), daemon=True) for i in range(len(self.devices))]
        for thread in threads:
            thread.start()
        why = self._wait(threads, heard, patience * self.stall_seconds)
        keep(list(results))
        if why:
            raise Hung(why)
        if errors:
            raise errors[0]
        return results

    def _wait(self, threads: list[threading.Thread], heard: list[float], stall_seconds: float) -> str:
        """Until all have returned, or no other will. Says which have not, and for how long."""
        stopped_at = None
        while alive := [i for i, thread in enumerate(threads) if thread.is_alive()]:
            now = time.monotonic()
            if stopped_at is None and self.stop():
                stopped_at = now
            parts = ", ".join(self.devices[i].part for i in alive)
            if stopped_at is not None and now - stopped_at > STOP_SECONDS:
                return f"not back {STOP_SECONDS} s after the stop: {parts}"
            if all(now - heard[i] > stall_seconds for i in alive):
                return f"nothing was heard for {stall_seconds:g} s from {parts}"
            threads[alive[0]].join(LOOK_SECONDS)
        return ""


def compare_forces(together: Together, platform: str, doc: Document) -> None:
    import simulation

    say("forces, beside those of OpenMM's reference")
    exact = simulation.forces("Reference", {})
    wrong = []
    for device, share in zip(together.devices, together.run(lambda device, _: simulation.difference(simulation.forces(platform, device.properties), exact))):
        doc.value("forceDifference", "1", "lower", device.part, share)
        if not share <= FORCES_DIFFER:
            wrong.append(f"{device.part}: the forces differ from the reference by {share:.2g} of their size, allowed are {FORCES_DIFFER:g}")
    doc.check("forces", not wrong, "; ".join(wrong))


def set_up_patience(atoms: int, devices: int) -> float:
    """A set-up takes longer with more atoms, and the devices' threads wait for each other: they share the interpreter."""
    return max(1, atoms * devices / SET_UP_ATOMS)


def simulate(together: Together, atoms: int, seconds: float, platform: str, keep) -> None:
    """`keep` gets the rates of the devices, with the watts that each drew."""
    import simulation
    import water

    one = water.read_box()
    box = water.replicate(one, water.copies_for(atoms, one.atoms))
    say(f"a box of {box.atoms} atoms")
    system = water.make_system(box)
    simulations = dict(zip((device.part for device in together.devices),
                           together.run(lambda device, _: simulation.Simulation(system, box, platform, device.properties),
                                        patience=set_up_patience(box.atoms, len(together.devices)))))
    if together.stop():
        raise simulation.Stopped
    chunks = dict(zip(simulations, together.run(lambda device, stop: simulations[device.part].settle(seconds * SETTLE_SHARE, stop))))

    def measure(device: Device, stop):
        before, begin = device.read("joules"), time.perf_counter()
        rate = simulations[device.part].measure(seconds * (1 - SETTLE_SHARE), chunks[device.part], stop,
                                                lambda rate: say(f"{device.part}: {rate.steps} steps, {rate.samples[-1]:.4g} ns/day"))
        after = device.read("joules")
        return rate, None if before is None or after is None else (after - before) / (time.perf_counter() - begin)

    together.run(measure, keep)


class Names(NamedTuple):
    """Of the measurements and parameters of one box."""

    rate: str
    per_watt: str
    temperature: str
    drift: str
    atoms: str


LARGE = Names("simulationRate", "simulationRatePerWatt", "temperature", "energyDrift", "atoms")
SMALL = Names("smallSimulationRate", "smallSimulationRatePerWatt", "smallTemperature", "smallEnergyDrift", "smallAtoms")


def report(results, devices: list[Device], names: Names, doc: Document) -> None:
    """None is the result of a device that failed."""
    watts = []
    for device, result in zip(devices, results):
        rate, of_gpu = result or (None, None)
        watts.append("-" if of_gpu is None else f"{of_gpu:.0f}")
        if rate is None or not rate.samples:
            continue
        doc.parameter(names.atoms, rate.atoms)
        doc.median(names.rate, "ns/day", "higher", device.part, rate.samples)
        doc.value(names.temperature, "K", "lower", device.part, rate.temperature)
        doc.value(names.drift, "kJ/mol/ps", "lower", device.part, rate.drift)
        if of_gpu:
            doc.value(names.per_watt, "ns/day/W", "higher", device.part, statistics.median(rate.samples) / of_gpu)
    if set(watts) != {"-"}:
        doc.parameter(f"{names.rate}PowerW", ",".join(watts))


def check_memory(devices: list[Device], before: list[int | None], doc: Document) -> None:
    after = [device.read("ecc_uncorrected") for device in devices]
    known = [(device.part, new - old) for device, old, new in zip(devices, before, after) if old is not None and new is not None]
    if known:
        bad = [f"{part}: {count} uncorrected errors of memory" for part, count in known if count > 0]
        doc.check("eccUncorrected", not bad, "; ".join(bad))


def load_openmm(platform: str):
    try:
        import openmm
    except ImportError as error:
        raise gpus.CannotRun(f"OpenMM cannot be loaded: {error}") from error
    names = [openmm.Platform.getPlatform(i).getName() for i in range(openmm.Platform.getNumPlatforms())]
    if platform not in names:
        why = "; ".join(openmm.Platform.getPluginLoadFailures()) or f"it has only {', '.join(names)}"
        raise gpus.CannotRun(f"OpenMM has no platform {platform}: {why}"[:1000])
    return openmm


def measure(options: argparse.Namespace, doc: Document, stop: Stop) -> None:
    devices = choose(options, doc)
    openmm = load_openmm(options.platform)
    doc.parameter("openmm", openmm.__version__)
    doc.parameter("platform", options.platform)
    doc.parameter("seconds", options.seconds)
    before = [device.read("ecc_uncorrected") for device in devices]
    together = Together(devices, stop, options.stall_seconds)
    compare_forces(together, options.platform, doc)
    for names, atoms, seconds in ((SMALL, options.small_atoms, options.seconds / 4), (LARGE, options.atoms, options.seconds)):
        if not stop():
            simulate(together, atoms, seconds, options.platform, lambda results, names=names: report(results, devices, names, doc))
    check_memory(devices, before, doc)


def main(argv: list[str]) -> int:
    options = parse(argv)
    stop, doc = Stop(), Document("openmm")
    try:
        measure(options, doc, stop)
    except gpus.CannotRun as reason:
        say(f"cannot run here: {reason}")
        doc.skip(str(reason))
    except Hung as error:  # after a stop too
        say(str(error))
        doc.check("completed", False, str(error))
    except Exception as error:  # whatever it is, the document says it; a stop is told below
        if not stop():
            say(str(error))
            doc.check("completed", False, f"{type(error).__name__}: {error}"[:1000])
    if stop() and not doc.skipped:
        text = f"stopped by {stop.by} after {doc.elapsed_seconds():.1f} s, before all was measured"
        say(text)
        doc.check("finished", False, text)
    line, code = doc.finish()
    try:
        print(line, flush=True)
    except OSError:
        code = EXIT_FAILED
    sys.stdout.flush()
    os._exit(code)  # a thread of a simulation that hangs keeps nobody


if __name__ == "__main__":
    main(sys.argv[1:])
