"""A small model on the CPU, trained by the whole program: needs torch. Ends with 77, and says so, where there is none."""

import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "train.py"
SMALL = ["--layers", "2", "--hidden", "64", "--heads", "4", "--vocabulary", "512", "--sequence", "32", "--micro-batch", "2"]


def start(*argv: str) -> subprocess.Popen:
    command = [sys.executable, "-B", str(PROGRAM), *SMALL, *argv]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*argv: str) -> tuple[dict, int]:
    process = start(*argv)
    out, _ = process.communicate(timeout=120)
    return json.loads(out), process.returncode


def failed(document: dict) -> dict[str, str]:
    return {check["name"]: check.get("message", "") for check in document["checks"] if not check["ok"]}


class Training(unittest.TestCase):
    def test_three_processes_learn_and_agree_and_a_second_run_repeats_the_first(self):
        runs = [run("--processors", "3", "--seconds", "0.5") for _ in range(2)]
        for document, code in runs:
            self.assertEqual((code, failed(document)), (0, {}))
            rates = {part["at"] for m in document["measurements"] if m["name"] == "computeRate" for part in m["parts"]}
            self.assertEqual(rates, {"processor0", "processor1", "processor2"})
        self.assertEqual(runs[0][0]["facts"], runs[1][0]["facts"])

    def test_a_flipped_bit_of_a_gradient_is_found_and_the_process_named(self):
        document, code = run("--processors", "3", "--seconds", "0.1", "--inject-bitflip", "gradient")
        self.assertEqual((code, set(failed(document))), (1, {"repeatable", "gradientsEqual"}))
        self.assertIn("processor2 differs from the other 2", failed(document)["gradientsEqual"])

    def test_a_flipped_bit_of_a_weight_is_found_after_the_training(self):
        document, code = run("--processors", "3", "--seconds", "0.1", "--inject-bitflip", "weight")
        self.assertEqual((code, set(failed(document))), (1, {"weightsEqual", "gradientsEqual"}))
        self.assertIn("processor2 differs from the other 2", failed(document)["weightsEqual"])

    def test_sigterm_leaves_what_was_measured_and_no_process(self):
        process = start("--processors", "2", "--seconds", "600")
        for line in process.stderr:
            if "step" in line:
                break
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        document = json.loads(out)
        self.assertEqual((process.returncode, set(failed(document))), (1, {"finished"}))
        self.assertIn("trainingRate", {m["name"] for m in document["measurements"]})
        self.assertEqual(children_of(process.pid), [])


def children_of(parent: int) -> list[str]:
    """Processes that the program started say so in their task."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_text().split("\0")
            except OSError:
                continue
            if any(f'"parent": {parent}}}' in word for word in words):
                found.append(entry.name)
    return found


if __name__ == "__main__":
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: there is no torch; install images/bench-train/requirements.txt to train a small model on the CPU")
        sys.exit(77)
    os.nice(10)
    unittest.main()
