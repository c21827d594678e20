"""A simulation on one device: its forces beside exact ones, its rate, temperature and energy."""

import time
from dataclasses import dataclass, field

import numpy
import openmm

import water

STEP_PS = 0.002
KELVIN = 300.0
GAS_CONSTANT = 8.31446261815324e-3  # kJ/mol/K
CONSTRAINT_TOLERANCE = 1e-6
CHUNK_SECONDS = 0.5  # between two looks at whether to stop
SORT_EVERY = 251  # steps: then OpenMM's GPU platforms sort the atoms anew, on the host, which takes 11 % of the large box's time on an H200
SEED = 20181
CHECK_PME = (3.1, 30, 30, 30)  # the same on each platform, so that only arithmetic differs


class Stopped(Exception):
    """Somebody asked for an end."""


@dataclass
class Rate:
    """Of one box on one device."""

    atoms: int
    steps: int = 0
    seconds: float = 0.0
    samples: list[float] = field(default_factory=list)  # ns/day
    temperature: float = 0.0
    drift: float = 0.0  # kJ/mol/ps per atom


def ns_per_day(steps: int, seconds: float) -> float:
    return steps * STEP_PS / 1e3 / seconds * 86400


def sample_steps(chunk: int, seconds: float) -> int:
    """Whole rounds of sorting, so that each sample has its share of it. A chunk where one round takes all of the time there is, or more."""
    if SORT_EVERY / chunk * CHUNK_SECONDS > seconds:
        return chunk
    return SORT_EVERY * max(1, round(chunk / SORT_EVERY))


def make_context(system: openmm.System, box: water.Box, platform: str, properties: dict[str, str]) -> openmm.Context:
    integrator = openmm.VerletIntegrator(STEP_PS)
    integrator.setConstraintTolerance(CONSTRAINT_TOLERANCE)
    context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(box.positions)
    return context


def forces(platform: str, properties: dict[str, str]) -> numpy.ndarray:
    """Of the smallest box, in kJ/mol/nm."""
    box = water.read_box()
    context = make_context(water.make_system(box, CHECK_PME), box, platform, properties)
    return context.getState(getForces=True).getForces(asNumpy=True)._value


def difference(one: numpy.ndarray, exact: numpy.ndarray) -> float:
    """Of forces, as a share of their size: both as root mean squares."""
    return float(numpy.sqrt(((one - exact) ** 2).sum() / (exact**2).sum()))


class Simulation:
    """Constant energy, from 300 K on."""

    def __init__(self, system: openmm.System, box: water.Box, platform: str, properties: dict[str, str]):
        self.atoms = box.atoms
        self.context = make_context(system, box, platform, properties)
        self.context.applyConstraints(CONSTRAINT_TOLERANCE)
        self.context.setVelocitiesToTemperature(KELVIN, SEED)

    def energies(self) -> tuple[float, float]:
        """All of it, and the part that is motion, in kJ/mol. Waits for the device."""
        state = self.context.getState(getEnergy=True)
        moving = state.getKineticEnergy()._value
        return state.getPotentialEnergy()._value + moving, moving

    def wait(self) -> float:
        """Until the device is done. Gives the energy of motion, which is little work."""
        return self.context.getState(getEnergy=True, groups=0).getKineticEnergy()._value

    def step(self, steps: int) -> float:
        begin = time.perf_counter()
        self.context.getIntegrator().step(steps)
        self.wait()
        return time.perf_counter() - begin

    def settle(self, seconds: float, stop) -> int:
        """Warms up for so long. Gives the steps of a chunk."""
        steps, spent = 10, 0.0
        while True:
            took = self.step(steps)
            spent += took
            steps = max(1, min(4 * steps, int(steps * CHUNK_SECONDS / took)))
            if stop():
                raise Stopped
            if spent >= seconds:
                return steps

    def sample(self, steps: int, chunk: int, stop) -> tuple[int, float]:
        """Steps that were made, which are fewer where it is told to stop, and their seconds."""
        made, spent = 0, 0.0
        while True:
            now = min(chunk, steps - made)
            spent += self.step(now)
            made += now
            if made == steps or stop():
                return made, spent

    def measure(self, seconds: float, chunk: int, stop, tell) -> Rate:
        """What is there when it is told to stop counts too."""
        rate, motions, wanted = Rate(self.atoms), [], sample_steps(chunk, seconds)
        before, _ = self.energies()
        while rate.seconds < seconds and not stop():
            steps, took = self.sample(wanted, chunk, stop)
            rate.steps += steps
            rate.seconds += took
            motions.append(self.wait())
            if steps == wanted or not rate.samples:
                rate.samples.append(ns_per_day(steps, took))
                tell(rate)
        after, _ = self.energies()
        if motions:
            rate.temperature = 2 * sum(motions) / len(motions) / (water.freedoms(self.atoms) * GAS_CONSTANT)
            rate.drift = abs(after - before) / self.atoms / (rate.steps * STEP_PS)
        return rate
