"""What becomes of the program when a GPU hangs, with stand-ins for OpenMM and the GPUs."""

import json
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

import openmm_water
from openmm_water import Device, Hung, Together

FOR_EVER = threading.Event()

# The program with two GPUs; gpu1 hangs in its small box, at the step that its argument names.
PROGRAM = f"""
import sys, threading, time
from types import SimpleNamespace as Module
sys.path.insert(0, {str(HERE)!r})
import openmm_water

class Simulation:
    def __init__(self, system, box, platform, properties):
        self.part = properties["part"]
    def hang(self, where):
        if self.part == "gpu1" and where == sys.argv[1]:
            print("hangs", file=sys.stderr, flush=True)
            threading.Event().wait()
    def settle(self, seconds, stop):
        self.hang("settle")
        return 10
    def measure(self, seconds, chunk, stop, tell):
        self.hang("measure")
        while not stop() and sys.argv[2] == "until told":
            time.sleep(0.01)
        return Module(samples=[5.0], atoms=3, temperature=300.0, drift=0.0, steps=10)

class Stopped(Exception):
    pass

sys.modules["simulation"] = Module(Simulation=Simulation, Stopped=Stopped, forces=lambda platform, properties: 0, difference=lambda one, exact: 0.0)
sys.modules["water"] = Module(read_box=lambda: Module(atoms=3), copies_for=lambda atoms, of: 1, replicate=lambda box, copies: box, make_system=lambda box: None)
openmm_water.load_openmm = lambda platform: Module(__version__="none")

def choose(options, doc):
    devices = [openmm_water.Device(f"gpu{{i}}", None) for i in range(2)]
    for device in devices:
        device.properties = {{"part": device.part}}
    return devices

openmm_water.choose = choose
openmm_water.main(sys.argv[3:])
"""


def together(parts: int = 3, stop=lambda: False, stall_seconds: float = 600) -> Together:
    return Together([Device(f"gpu{i}", None) for i in range(parts)], stop, stall_seconds)


class Waiting(unittest.TestCase):
    def test_what_all_return_is_in_their_order(self):
        self.assertEqual(together().run(lambda device, stop: device.part), ["gpu0", "gpu1", "gpu2"])

    def test_what_others_returned_is_kept_when_one_hangs(self):
        kept = []
        with self.assertRaisesRegex(Hung, "^nothing was heard for 0.1 s from gpu1$"):
            together(stall_seconds=0.1).run(lambda device, stop: FOR_EVER.wait() if device.part == "gpu1" else device.part, kept.extend)
        self.assertEqual(kept, ["gpu0", None, "gpu2"])

    def test_what_others_returned_is_kept_when_one_fails(self):
        def work(device, _):
            if device.part == "gpu1":
                raise RuntimeError("no memory")
            return device.part

        kept = []
        with self.assertRaisesRegex(RuntimeError, "no memory"):
            together().run(work, kept.extend)
        self.assertEqual(kept, ["gpu0", None, "gpu2"])

    def test_one_that_goes_on_asking_whether_to_stop_does_not_hang(self):
        def work(device, stop):
            for _ in range(20):
                stop()
                FOR_EVER.wait(0.02)
            return device.part

        self.assertEqual(together(1, stall_seconds=0.3).run(work), ["gpu0"])

    def test_a_large_box_may_be_set_up_for_longer(self):
        class Simulation:
            def __init__(self, *_):
                FOR_EVER.wait(0.4)

            def settle(self, *_):
                return 10

            def measure(self, *_):
                return 5

        water = SimpleNamespace(read_box=lambda: SimpleNamespace(atoms=3), copies_for=lambda atoms, of: atoms,
                                replicate=lambda box, copies: SimpleNamespace(atoms=copies), make_system=lambda box: None)
        kept = []
        with mock.patch.dict(sys.modules, simulation=SimpleNamespace(Simulation=Simulation), water=water):
            openmm_water.simulate(together(2, stall_seconds=0.1), 20_000_000, 1, "CUDA", kept.extend)
            self.assertEqual(kept, [(5, None), (5, None)])
            with self.assertRaisesRegex(Hung, "^nothing was heard for 0.1 s from gpu0, gpu1$"):
                openmm_water.simulate(together(2, stall_seconds=0.1), 20_000, 1, "CUDA", kept.extend)

    def test_a_report_leaves_out_who_has_no_result(self):
        doc = openmm_water.Document("openmm")
        rate = SimpleNamespace(samples=[5.0], atoms=3, temperature=300.0, drift=0.0)
        openmm_water.report([None, (rate, 200.0)], together(2).devices, openmm_water.LARGE, doc)
        self.assertEqual([part["at"] for part in doc.measurements["simulationRate"]["parts"]], ["gpu1"])


class Program(unittest.TestCase):
    def document(self, *arguments: str, stop: bool) -> dict:
        started = subprocess.Popen([sys.executable, "-B", "-c", PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if stop:
            for line in started.stderr:
                if line == "hangs\n":
                    break
            started.terminate()
        output, _ = started.communicate(timeout=120)
        self.assertEqual(started.returncode, 1)
        return json.loads(output)

    def failed(self, document: dict) -> dict:
        return {check["name"]: check["message"] for check in document["checks"] if not check["ok"]}

    def test_a_gpu_that_hangs_is_named_after_the_stall_limit(self):
        document = self.document("measure", "at once", "--stall-seconds", "1", stop=False)
        self.assertEqual(self.failed(document), {"completed": "nothing was heard for 1 s from gpu1"})
        rates = {each["name"]: [part["at"] for part in each["parts"]] for each in document["measurements"]}
        self.assertEqual(rates["smallSimulationRate"], ["gpu0"])

    def test_a_gpu_that_hangs_is_named_after_a_stop(self):
        for where in ("settle", "measure"):
            document = self.document(where, "until told", stop=True)
            failed = self.failed(document)
            self.assertEqual(set(failed), {"completed", "finished"})
            self.assertEqual(failed["completed"], "not back 3 s after the stop: gpu1")
            self.assertEqual("smallSimulationRate" in {each["name"] for each in document["measurements"]}, where == "measure")


if __name__ == "__main__":
    unittest.main()
