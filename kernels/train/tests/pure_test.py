"""What needs no torch: formulas, options, the document, what is made of what the processes told."""

import contextlib
import io
import json
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import channel
import document
import options
import ranks
import report
import shape
import train

GPT = shape.Shape(layers=24, hidden=2048, heads=16, vocabulary=50304, sequence=2048)


class Arithmetic(unittest.TestCase):
    def test_the_model_has_one_point_three_billion_weights(self):
        # 24 layers of 12 x 2048^2, 50304 and 2048 rows of 2048, and 49 scales of 2048.
        self.assertEqual(GPT.weights(), 24 * 50331648 + 103022592 + 4194304 + 49 * 2048)

    def test_operations_are_six_per_weight_and_half_a_square_of_attention(self):
        self.assertEqual(GPT.operations_per_token(), 6 * (24 * 50331648 + 103022592) + 6 * 24 * 2048 * 2048)
        longer = shape.Shape(24, 2048, 16, 50304, 4096)
        self.assertEqual(longer.operations_per_token() - GPT.operations_per_token(), 6 * 24 * 2048 * 2048)

    def test_the_micro_batch_is_the_largest_power_of_two_that_fits(self):
        for memory in (40e9, 80e9, 150e9):
            sequences = shape.micro_batch(GPT, int(memory))
            self.assertEqual(sequences & (sequences - 1), 0)
            self.assertLessEqual(shape.needed_bytes(GPT, sequences), memory)
            self.assertGreater(shape.needed_bytes(GPT, 2 * sequences), 0.9 * memory)
        self.assertEqual(shape.micro_batch(GPT, int(12e9)), 0)
        self.assertEqual(shape.micro_batch(GPT, int(1e9)), 0)


class Options(unittest.TestCase):
    def refused(self, *argv: str) -> str:
        said = io.StringIO()
        with self.assertRaises(SystemExit) as ending, contextlib.redirect_stderr(said):
            options.parse(list(argv))
        self.assertEqual(ending.exception.code, 2)
        return said.getvalue()

    def test_the_defaults_are_the_model_of_one_point_three_billion(self):
        self.assertEqual(options.shape_of(options.parse([])), GPT)

    def test_what_is_out_of_bounds_is_refused_with_exit_code_2(self):
        self.assertIn("between 0.1 and 86400", self.refused("--seconds", "nan"))
        self.assertIn("between 2 and 10000", self.refused("--replays", "1"))
        self.assertIn("invalid integer value", self.refused("--layers", "many"))
        self.assertIn("--heads 5 must divide --hidden 2048", self.refused("--heads", "5"))
        self.refused("--inject-bitflip", "loss")
        self.refused("--sec", "3")


class TheDocument(unittest.TestCase):
    def finished(self, doc: document.Document) -> tuple[dict, int]:
        line, code = doc.finish()
        self.assertNotIn("\n", line)
        return json.loads(line), code

    def test_a_measurement_with_checks_that_hold_ends_with_0(self):
        doc = document.Document("train")
        doc.median("rate", "tokens/s", "higher", "node", [3.0, 1.0, 2.0])
        doc.check("repeatable", True)
        held, code = self.finished(doc)
        self.assertEqual(code, 0)
        self.assertEqual(held["measurements"], [{"name": "rate", "unit": "tokens/s", "better": "higher", "parts": [{"at": "node", "value": 2.0, "samples": 3, "spread": 0.7413}]}])
        self.assertEqual(held["checks"], [{"name": "repeatable", "ok": True}])

    def test_a_failed_check_or_nothing_measured_ends_with_1(self):
        doc = document.Document("train")
        doc.value("rate", "tokens/s", "higher", "node", 1)
        doc.check("same", False, "a")
        doc.check("same", True, "b")
        held, code = self.finished(doc)
        self.assertEqual((code, held["checks"]), (1, [{"name": "same", "ok": False, "message": "a; b"}]))
        held, code = self.finished(document.Document("train"))
        self.assertEqual((code, held["checks"][0]["name"]), (1, "measured"))

    def test_what_is_not_finite_is_left_out_and_fails(self):
        doc = document.Document("train")
        doc.value("loss", "1", "lower", "node", math.nan)
        held, code = self.finished(doc)
        self.assertEqual((code, held["measurements"], held["checks"][0]["name"]), (1, [], "finiteValues"))

    def test_a_skipped_one_holds_no_measurements_and_ends_with_77(self):
        doc = document.Document("train")
        doc.value("rate", "tokens/s", "higher", "node", 1)
        doc.check("same", True)
        doc.skip("no GPU")
        held, code = self.finished(doc)
        self.assertEqual((code, held["skipped"], "measurements" in held, "checks" in held), (77, "no GPU", False, False))


def telling(part: str, **replays) -> ranks.Told:
    """One GPU that told of everything."""
    told = ranks.Told(part, pid=10)
    sums = {"before": ["a", "a"], "after": ["b", "b"], **replays}
    events = [{"event": "device", "torch": "2", "ecc": 0}, {"event": "plan", "sequences": 2, "sequence": 16}]
    events += [{"event": "matmul", "teraflops": 100.0, "samples": 5, "spread": 0.01}]
    events += [{"event": "replay", "when": when, "loss": 1.5, "checksum": value} for when in ("before", "after") for value in sums[when]]
    events += [{"event": "warm", "loss": 10.0}, {"event": "alone", "seconds": [0.5, 0.5]}, {"event": "train", "steps": 4, "joules": 100.0}]
    events += [{"event": "step", "number": i, "seconds": 1.0, "loss": 9.0 - i, "mhz": 1500, "celsius": 60} for i in range(4)]
    events += [{"event": "trained", "joules": 900.0}, {"event": "weights", "checksum": "w"}]
    events += [{"event": "done", "pid": 10, "processes": [10], "peak": 5e9, "ecc": 0}]
    for event in events:
        told.take(event)
    return told


def filled(told: list[ranks.Told], products: dict[str, str] | None = None) -> document.Document:
    doc = document.Document("train")
    report.fill(doc, told, GPT, products or {})
    return doc


class TheReport(unittest.TestCase):
    def value(self, doc: document.Document, name: str, at: str = "node") -> float:
        return next(part["value"] for part in doc.measurements[name]["parts"] if part["at"] == at)

    def failed(self, doc: document.Document) -> dict[str, str]:
        return {check["name"]: check["message"] for check in doc.checks.values() if not check["ok"]}

    def test_rates_follow_from_the_slowest_of_each_step(self):
        told = [telling("gpu0"), telling("gpu1")]
        told[1].step_seconds = [2.0, 1.0, 2.0, 2.0]
        doc = filled(told)
        self.assertEqual(self.value(doc, "trainingRate"), 2 * 2 * 16 / 2.0)
        self.assertEqual(self.value(doc, "tokensPerGpu"), 16.0)
        self.assertEqual(self.value(doc, "stepTime"), 2.0)
        self.assertAlmostEqual(self.value(doc, "modelRate"), 16 * GPT.operations_per_token() / 1e12, places=4)
        self.assertAlmostEqual(self.value(doc, "modelUtilization"), 16 * GPT.operations_per_token() / 1e12 / 100, places=5)
        self.assertEqual(self.value(doc, "overheadShare"), 0.75)
        self.assertEqual(self.value(doc, "computeRate", "gpu1"), 64.0)
        self.assertEqual(self.value(doc, "tokensPerJoule"), 2 * 2 * 16 * 4 / 1600)
        self.assertEqual(doc.parameters["powerW"], "200,114")
        self.assertEqual((doc.parameters["smClockMHz"], doc.parameters["temperatureC"]), ("1500,1500", "60,60"))

    def test_gpus_that_agree_pass_and_give_the_fact(self):
        doc = filled([telling("gpu0"), telling("gpu1")])
        self.assertEqual(self.failed(doc), {})
        self.assertEqual(set(doc.checks), {"repeatable", "gradientsEqual", "weightsEqual", "lossFalls", "eccUncorrected"})
        self.assertEqual(doc.facts, [{"name": "gradientChecksum", "value": "a"}])

    def test_the_gpu_in_the_minority_is_named(self):
        doc = filled([telling("gpu0"), telling("gpu1", before=["x", "x"]), telling("gpu2")])
        self.assertEqual(list(self.failed(doc)), ["gradientsEqual"])
        self.assertIn("replay 1 of 2 before the training, from the same weights and tokens: gpu1 differs from the other 2 (x instead of a)", self.failed(doc)["gradientsEqual"])
        self.assertEqual(doc.facts, [])

    def test_of_two_that_differ_both_are_named(self):
        doc = filled([telling("gpu0"), telling("gpu1", after=["x", "x"])])
        self.assertIn("gpu0 (b) and gpu1 (x) differ, and nothing tells which is right", self.failed(doc)["gradientsEqual"])

    def test_one_that_does_not_repeat_itself_is_named(self):
        doc = filled([telling("gpu0", after=["b", "x"])])
        self.assertEqual(self.failed(doc), {"repeatable": "gpu0 computed other gradients or another loss in replay 2 of 2 after the training"})

    def test_gpus_of_other_models_are_not_compared(self):
        told = [telling("gpu0"), telling("gpu1", before=["x", "x"])]
        self.assertEqual(self.failed(filled(told, {"gpu0": "H200", "gpu1": "A100"})), {})

    def test_other_weights_at_the_end_fail(self):
        told = [telling(f"gpu{i}") for i in range(3)]
        told[2].events["weights"]["checksum"] = "x"
        self.assertEqual(self.failed(filled(told)), {"weightsEqual": "the weights after the training: gpu2 differs from the other 2 (x instead of w)"})

    def test_a_loss_that_does_not_fall_fails(self):
        for losses in ([10.0] * 5, [10.0, math.nan, math.nan, math.nan]):
            told = telling("gpu0")
            told.losses = losses
            self.assertIn("lossFalls", self.failed(filled([told])))

    def test_a_gpu_whose_loss_is_no_number_leaves_a_document(self):
        told = telling("gpu0")
        told.replays = {when: [(math.nan, "a")] * 2 for when in ("before", "after")}
        told.losses = [math.nan] * 5
        doc = filled([told])
        line, code = doc.finish()
        self.assertEqual((code, json.loads(line)["parameters"]["replayLoss"]), (1, None))
        self.assertIn("lossFalls", self.failed(doc))

    def test_a_slow_gpu_is_named(self):
        told = [telling(f"gpu{i}") for i in range(3)]
        told[1].events["alone"]["seconds"] = [0.6, 0.6]
        doc = filled(told)
        self.assertEqual(doc.notes, ["gpu1 computes 53 tokens/s alone, 16.7 % less than the others' median: they wait for it"])

    def test_uncorrectable_memory_errors_and_new_neighbours_fail(self):
        told = telling("gpu0")
        told.events["done"].update(ecc=2, processes=[10, 77])
        failed = self.failed(filled([told]))
        self.assertEqual(failed, {"eccUncorrected": "gpu0: 2 uncorrectable memory errors", "undisturbed": "gpu0: 1 other processes came while it trained (pid 77)"})

    def test_what_was_told_before_an_early_end_is_kept(self):
        told = [telling("gpu0"), ranks.Told("gpu1")]
        for event in ("trained", "weights", "done"):
            del told[0].events[event]
        doc = filled(told)
        self.assertEqual(list(doc.measurements), ["matmul", "computeRate"])
        self.assertEqual(doc.checks, {})


class TheProcesses(unittest.TestCase):
    def test_lines_arrive_whole_however_they_were_cut(self):
        data = channel.encode(0, "said", text="a") + channel.encode(1, "done")
        reader, events = channel.Reader(), []
        for i in range(0, len(data), 7):
            events += reader.feed(data[i : i + 7])
        self.assertEqual([(event["rank"], event["event"]) for event in events], [(0, "said"), (1, "done")])
        with self.assertRaises(ValueError):
            channel.encode(0, "said", text="x" * channel.MOST_BYTES)

    def test_the_one_that_said_least_is_whom_the_others_wait_for(self):
        told = [telling("gpu0"), telling("gpu1"), telling("gpu2")]
        told[1].count -= 3
        self.assertEqual(ranks.stalled(told, 60), "nothing was heard for 60 s, after step 4; the others wait for gpu1")

    def test_without_a_driver_it_says_so_and_ends_with_77(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            original, train.gpus.ctypes.CDLL = train.gpus.ctypes.CDLL, self.no_library
            try:
                code = train.main([])
            finally:
                train.gpus.ctypes.CDLL = original
        self.assertEqual((code, json.loads(out.getvalue())["skipped"]), (77, "no usable GPU: libcuda.so.1 cannot be loaded; is there a driver?"))

    @staticmethod
    def no_library(name):
        raise OSError(name)


if __name__ == "__main__":
    unittest.main()
