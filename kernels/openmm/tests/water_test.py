"""The boxes, and a simulation of the smallest one on the CPU where OpenMM is installed."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

try:
    import numpy
    import openmm  # noqa: F401
except ImportError as error:
    print(f"skipped: OpenMM is not installed: {error}")
    sys.exit(77)

import simulation
import water


class Boxes(unittest.TestCase):
    def test_the_box_is_water_at_its_density(self):
        box = water.read_box()
        self.assertEqual((box.atoms, box.edges), (2685, (3.0, 3.0, 3.0)))
        self.assertAlmostEqual(box.atoms / 3 * 18.015 / 6.02214e23 / 27e-21, 0.99, delta=0.01)  # g/cm3

    def test_copies_come_near_the_number_of_atoms_that_was_asked_for(self):
        self.assertEqual(water.copies_for(1_066_628, 2685), (7, 7, 8))
        self.assertEqual(water.copies_for(23_558, 2685), (2, 2, 2))
        self.assertEqual(water.copies_for(1, 2685), (1, 1, 1))

    def test_no_two_molecules_of_a_larger_box_are_in_the_same_place(self):
        box = water.replicate(water.read_box(), (1, 2, 2))
        self.assertEqual((box.atoms, box.edges), (4 * 2685, (3.0, 6.0, 6.0)))
        self.assertEqual(len(numpy.unique(numpy.round(box.positions[::3] % numpy.array(box.edges), 3), axis=0)), 4 * 895)

    def test_rigid_molecules_have_six_degrees_of_freedom(self):
        self.assertEqual(water.freedoms(2685), 6 * 895)


class Sorting(simulation.Simulation):
    """Stands in for a GPU of so many steps per second, that sorts its atoms for a tenth of a second after every 251."""

    def __init__(self, rate: float):
        self.atoms, self.rate, self.made = 3, rate, 0

    def step(self, steps: int) -> float:
        sorts = (self.made + steps) // 251 - self.made // 251
        self.made += steps
        return steps / self.rate + 0.1 * sorts

    def wait(self) -> float:
        return 1.0

    def energies(self) -> tuple[float, float]:
        return 0.0, 1.0


class Samples(unittest.TestCase):
    def test_all_have_the_same_share_of_sorting_whatever_a_chunk_is(self):
        for chunk in (113, 141, 400, 3157):
            rate = Sorting(2 * chunk).measure(10, chunk, lambda: False, lambda _: None)
            self.assertGreater(len(rate.samples), 1)
            for sample in rate.samples:
                self.assertAlmostEqual(sample, simulation.ns_per_day(251, 251 / (2 * chunk) + 0.1))

    def test_a_device_too_slow_for_a_round_of_sorting_is_measured_by_chunks(self):
        rate = Sorting(4).measure(10, 2, lambda: False, lambda _: None)
        self.assertEqual((rate.steps, len(rate.samples)), (40, 20))

    def test_a_sample_ends_early_when_it_is_told_to_stop(self):
        asked = iter([False, False, True, True])
        rate = Sorting(283).measure(10, 50, lambda: next(asked), lambda _: None)
        self.assertEqual((rate.steps, len(rate.samples)), (100, 1))


class Physics(unittest.TestCase):
    def test_forces_of_the_cpu_agree_with_the_reference_and_damaged_ones_do_not(self):
        exact, found = simulation.forces("Reference", {}), simulation.forces("CPU", {})
        self.assertLess(simulation.difference(found, exact), 2e-5)
        found[1000] *= 1.5
        self.assertGreater(simulation.difference(found, exact), 2e-4)

    def test_a_program_that_is_told_to_end_says_what_it_has(self):
        started = subprocess.Popen([sys.executable, HERE / "openmm_water.py", "--platform", "CPU", "--atoms", "2685", "--small-atoms", "2685", "--seconds", "600"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENMM_CPU_THREADS": "1"})
        for line in started.stderr:
            if "box of" in line:
                break
        started.terminate()
        output, _ = started.communicate(timeout=60)
        document = json.loads(output)
        self.assertEqual(started.returncode, 1)
        self.assertTrue(document["measurements"])
        self.assertIn({"name": "finished", "ok": False}, [{k: check[k] for k in ("name", "ok")} for check in document["checks"]])

    def test_without_gpus_it_says_so(self):
        if Path("/dev/nvidiactl").exists():
            self.skipTest("this machine has GPUs")
        done = subprocess.run([sys.executable, HERE / "openmm_water.py"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 77)
        self.assertIn("no usable GPU", json.loads(done.stdout)["skipped"])


if __name__ == "__main__":
    unittest.main()
