"""The result document (schema assay.dev/result/v1), as kernels/common/document.hpp writes it."""

import json
import math
import statistics
import time
from pathlib import Path

EXIT_MEASURED, EXIT_FAILED, EXIT_CANNOT_RUN = 0, 1, 77


def _version() -> str:
    """What the image was built from."""
    try:
        return (Path(__file__).resolve().parent / "VERSION").read_text(encoding="utf-8").strip() or "dev"
    except OSError:
        return "dev"


VERSION = _version()


def rounded(value: float) -> float:
    return float(f"{value:.6g}")


def spread(samples: list[float]) -> float:
    """1.4826 MAD / median; 0 for fewer than two samples."""
    if len(samples) < 2:
        return 0.0
    middle = statistics.median(samples)
    deviation = 1.4826 * statistics.median(abs(sample - middle) for sample in samples)
    return deviation / abs(middle) if deviation else 0.0


class Document:
    """Measurements, checks and what else there is to say. The clock of elapsedSeconds starts here."""

    def __init__(self, benchmark: str):
        self.started = time.monotonic()
        self.benchmark = benchmark
        self.parameters: dict[str, object] = {}
        self.measurements: dict[str, dict] = {}
        self.checks: dict[str, dict] = {}
        self.notes: list[str] = []
        self.devices: list[dict] = []
        self.facts: list[dict] = []
        self.skipped = ""

    def elapsed_seconds(self) -> float:
        return time.monotonic() - self.started

    def parameter(self, name: str, value) -> None:
        """A setting, as it was used; None for a number that is not finite."""
        if isinstance(value, float):
            value = rounded(value) if math.isfinite(value) else None
        self.parameters[name] = value

    def value(self, name: str, unit: str, better: str, at: str, value: float, samples: int = 1, scatter: float = 0.0) -> None:
        """A part of a measurement. What is not finite is left out, and fails."""
        if not (math.isfinite(value) and math.isfinite(scatter)):
            self.note(f"{name} at {at} is not a finite number and was left out")
            self.check("finiteValues", False, f"{name} at {at}")
            return
        measurement = self.measurements.setdefault(name, {"name": name, "unit": unit, "better": better, "parts": []})
        measurement["parts"].append({"at": at, "value": rounded(value), "samples": samples, "spread": rounded(round(scatter, 5))})

    def median(self, name: str, unit: str, better: str, at: str, samples: list[float]) -> None:
        """The median of samples; nothing where there are none."""
        if samples:
            finite = all(math.isfinite(sample) for sample in samples)
            self.value(name, unit, better, at, statistics.median(samples) if finite else math.nan, len(samples), spread(samples) if finite else 0.0)

    def check(self, name: str, ok: bool, message: str = "") -> None:
        """A name that comes again is the same check: ok only where it always was."""
        known = self.checks.setdefault(name, {"name": name, "ok": True, "message": ""})
        known["ok"] = known["ok"] and ok
        known["message"] = "; ".join(text for text in (known["message"], message) if text)

    def note(self, text: str) -> None:
        self.notes.append(text[:512])

    def device(self, index: int, uuid: str, product: str) -> None:
        self.devices.append({"index": index, "uuid": uuid, "product": product})

    def fact(self, name: str, value) -> None:
        self.facts.append({"name": name, "value": value})

    def skip(self, reason: str) -> None:
        self.skipped = reason or "no reason given"

    def finish(self) -> tuple[str, int]:
        """The document as one line, and the exit code that goes with it."""
        code = EXIT_CANNOT_RUN
        if not self.skipped:
            if not self.measurements and all(check["ok"] for check in self.checks.values()):
                self.check("measured", False, "no value was measured")
            all_ok = self.measurements and all(check["ok"] for check in self.checks.values())
            code = EXIT_MEASURED if all_ok else EXIT_FAILED
        return self._render(), code

    def _render(self) -> str:
        head: dict[str, object] = {"schema": "assay.dev/result/v1", "benchmark": self.benchmark, "version": VERSION}
        if self.skipped:
            head["skipped"] = self.skipped
        if self.parameters:
            head["parameters"] = self.parameters
        if not self.skipped:
            head["measurements"] = list(self.measurements.values())
            if self.checks:
                head["checks"] = [{k: v for k, v in check.items() if v != ""} for check in self.checks.values()]
        for key, held in (("notes", self.notes), ("device", self.devices), ("facts", self.facts)):
            if held:
                head[key] = held
        head["elapsedSeconds"] = rounded(self.elapsed_seconds())
        return json.dumps(head, separators=(",", ":"), allow_nan=False)
