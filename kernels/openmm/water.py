"""Boxes of TIP3P water: copies of the equilibrated one that comes with OpenMM, so that a simulation begins at rest."""

from dataclasses import dataclass
from pathlib import Path

import numpy
import openmm

MASSES = (15.99943, 1.007947, 1.007947)  # of O and H, in g/mol
CHARGES = (-0.834, 0.417, 0.417)
SIGMA, EPSILON = 0.31507524065751241, 0.635968  # of O, in nm and kJ/mol
BONDS = ((0, 1, 0.09572), (0, 2, 0.09572), (1, 2, 0.15139006545247014))  # rigid: place, place, nm
CUTOFF, SWITCH = 0.9, 0.8  # nm
PME_TOLERANCE = 5e-4
ATOMS = 3  # of a molecule


@dataclass(frozen=True)
class Box:
    edges: tuple[float, float, float]  # nm
    positions: numpy.ndarray  # nm, one row per atom

    @property
    def atoms(self) -> int:
        return len(self.positions)


def read_box() -> Box:
    """OpenMM's own: 895 molecules in a cube of 3 nm."""
    edges, positions = (), []
    for line in (Path(openmm.__file__).parent / "app/data/tip3p.pdb").read_text(encoding="utf-8").splitlines():
        if line.startswith("CRYST1"):
            edges = tuple(float(word) / 10 for word in line.split()[1:4])
        elif line.startswith(("ATOM", "HETATM")):
            positions.append([float(line[at : at + 8]) / 10 for at in (30, 38, 46)])
    if len(edges) != 3 or not positions or len(positions) % ATOMS:
        raise RuntimeError(f"OpenMM's tip3p.pdb has {len(positions)} atoms and {len(edges)} edges, which is no box of water")
    return Box(edges, numpy.array(positions))


def copies_for(atoms: int, in_one: int) -> tuple[int, int, int]:
    """How many copies along each edge, as equal as can be, come nearest to so many atoms."""
    base = max(1, int((atoms / in_one) ** (1 / 3)))
    shapes = [(edge, *more) for edge in (base, base + 1) for more in ((edge, edge), (edge, edge + 1), (edge + 1, edge + 1))]
    return min(shapes, key=lambda shape: abs(shape[0] * shape[1] * shape[2] * in_one - atoms))


def replicate(box: Box, copies: tuple[int, int, int]) -> Box:
    shifts = numpy.stack(numpy.meshgrid(*(numpy.arange(n) for n in copies), indexing="ij"), axis=-1).reshape(-1, 1, 3) * numpy.array(box.edges)
    positions = (box.positions[numpy.newaxis] + shifts).reshape(-1, 3)
    return Box(tuple(edge * n for edge, n in zip(box.edges, copies)), positions)


def make_system(box: Box, pme: tuple[float, int, int, int] | None = None) -> openmm.System:
    """Rigid molecules, Lennard-Jones between oxygens, PME. `pme`: its parameter (1/nm) and grid; None: by tolerance."""
    system = openmm.System()
    system.setDefaultPeriodicBoxVectors(*(openmm.Vec3(*(edge if i == axis else 0 for i in range(3))) for axis, edge in enumerate(box.edges)))
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(openmm.NonbondedForce.PME)
    force.setCutoffDistance(CUTOFF)
    force.setUseSwitchingFunction(True)
    force.setSwitchingDistance(SWITCH)
    force.setEwaldErrorTolerance(PME_TOLERANCE)
    if pme:
        force.setPMEParameters(*pme)
    for first in range(0, box.atoms, ATOMS):
        for mass, charge in zip(MASSES, CHARGES):
            system.addParticle(mass)
            force.addParticle(charge, SIGMA if charge < 0 else 1.0, EPSILON if charge < 0 else 0.0)
        for one, other, length in BONDS:
            system.addConstraint(first + one, first + other, length)
            force.addException(first + one, first + other, 0.0, 1.0, 0.0)
    system.addForce(force)
    return system


def freedoms(atoms: int) -> int:
    """Of rigid molecules: six each."""
    return 3 * atoms - len(BONDS) * (atoms // ATOMS)
