"""What the processes told, as measurements and checks. Nothing here needs torch."""

import math
import os
import statistics
from collections import Counter

from document import Document
from ranks import Told
from shape import Shape

SLOW = 0.97  # a GPU below this share of the others' median is named
WHEN = {"before": "before the training", "after": "after the training"}


def fill(doc: Document, told: list[Told], shape: Shape, products: dict[str, str]) -> None:
    """products: what each part is; GPUs are compared with those of their own kind."""
    describe(doc, told, shape)
    measure_parts(doc, told)
    measure_training(doc, told, shape)
    check_replays(doc, told, products)
    check_weights(doc, told, products)
    check_loss(doc, told)
    check_memory_errors(doc, told)
    check_processes(doc, told)


def describe(doc: Document, told: list[Told], shape: Shape) -> None:
    for name in ("torch", "cuda", "nccl", "cudnn"):
        version = told[0].of("device", name)
        if version:
            doc.parameter(name, version)
    doc.parameter("weights", shape.weights())
    doc.parameter("operationsPerToken", shape.operations_per_token())
    if told[0].of("plan", "sequences"):
        doc.parameter("microBatch", told[0].of("plan", "sequences"))
    for name, series in (("smClockMHz", [each.mhz for each in told]), ("temperatureC", [each.celsius for each in told])):
        readings(doc, name, [statistics.mean(values) if values else None for values in series])
    readings(doc, "powerW", [watts(each) for each in told])


def readings(doc: Document, name: str, values: list) -> None:
    """One value per GPU, "-" where there is none."""
    if any(value is not None for value in values):
        doc.parameter(name, ",".join("-" if value is None else f"{value:.0f}" for value in values))


def joules(told: Told) -> float | None:
    before, after = told.of("train", "joules"), told.of("trained", "joules")
    return after - before if before is not None and after is not None and after > before else None


def watts(told: Told) -> float | None:
    energy = joules(told)
    return energy / sum(told.step_seconds) if energy is not None and told.step_seconds else None


def measure_parts(doc: Document, told: list[Told]) -> None:
    tokens = tokens_per_batch(told)
    rates = {}
    for each in told:
        if each.of("matmul", "teraflops"):
            product = each.events["matmul"]
            doc.value("matmul", "TFLOP/s", "higher", each.part, product["teraflops"], product["samples"], product["spread"])
        if each.of("alone", "seconds") and tokens:
            samples = [tokens / seconds for seconds in each.events["alone"]["seconds"]]
            doc.median("computeRate", "tokens/s", "higher", each.part, samples)
            rates[each.part] = statistics.median(samples)
        if each.of("done", "peak"):
            doc.value("memoryUsed", "GB", "lower", each.part, each.events["done"]["peak"] / 1e9)
    for part, rate in rates.items():
        middle = statistics.median([other for name, other in rates.items() if name != part] or [rate])
        if rate < SLOW * middle:
            doc.note(f"{part} computes {rate:.0f} tokens/s alone, {100 * (1 - rate / middle):.1f} % less than the others' median: they wait for it")


def tokens_per_batch(told: list[Told]) -> int:
    """Of one GPU's step; 0 where it is not known yet."""
    return (told[0].of("plan", "sequences") or 0) * (told[0].of("plan", "sequence") or 0)


def steps_of_all(told: list[Told]) -> list[float]:
    """Of each step that all have told of, the slowest's time."""
    return [max(seconds) for seconds in zip(*(each.step_seconds for each in told))]


def measure_training(doc: Document, told: list[Told], shape: Shape) -> None:
    steps, ranks = steps_of_all(told), len(told)
    if not steps:
        return
    rates = [ranks * tokens_per_batch(told) / seconds for seconds in steps]
    doc.median("trainingRate", "tokens/s", "higher", "node", rates)
    doc.median("tokensPerGpu", "tokens/s", "higher", "node", [rate / ranks for rate in rates])
    teraflops = [rate / ranks * shape.operations_per_token() / 1e12 for rate in rates]
    doc.median("modelRate", "TFLOP/s", "higher", "node", teraflops)
    products = [each.of("matmul", "teraflops") for each in told if each.of("matmul", "teraflops")]
    if products:
        doc.value("modelUtilization", "1", "higher", "node", statistics.median(teraflops) / statistics.mean(products))
    doc.median("stepTime", "s", "lower", "node", steps)
    alone = [statistics.median(each.events["alone"]["seconds"]) for each in told if each.of("alone", "seconds")]
    if len(alone) == ranks:
        doc.value("overheadShare", "1", "lower", "node", 1 - max(alone) / statistics.median(steps))
    energy = [joules(each) for each in told]
    if all(each is not None for each in energy):
        doc.value("tokensPerJoule", "tokens/J", "higher", "node", ranks * tokens_per_batch(told) * len(steps) / sum(energy))


def by_product(told: list[Told], products: dict[str, str]) -> list[list[Told]]:
    """GPUs of one model each: others may add up in another order."""
    groups: dict[str, list[Told]] = {}
    for each in told:
        groups.setdefault(products.get(each.part, ""), []).append(each)
    return list(groups.values())


def difference(values: dict[str, str]) -> str:
    """Who differs from whom, of values that should all be the same; empty where they are."""
    counts = Counter(values.values()).most_common()
    if len(counts) < 2:
        return ""
    most, held = counts[0]
    if held * 2 > len(values):
        odd = [part for part, value in values.items() if value != most]
        verb = "differs" if len(odd) == 1 else "differ"
        return f"{', '.join(odd)} {verb} from the other {held} ({values[odd[0]]} instead of {most})"
    return " and ".join(f"{part} ({value})" for part, value in list(values.items())[:8]) + " differ, and nothing tells which is right"


def check_replays(doc: Document, told: list[Told], products: dict[str, str]) -> None:
    repeated, equal, compared = [], [], 0
    for when in WHEN:
        rounds = min(len(each.replays[when]) for each in told)
        compared += rounds
        for each in told:
            sums = [checksum for _, checksum in each.replays[when][:rounds]]
            wrong = [str(i + 1) for i, value in enumerate(sums) if value != Counter(sums).most_common(1)[0][0]]
            if wrong:
                repeated.append(f"{each.part} computed other gradients or another loss in replay {', '.join(wrong)} of {rounds} {WHEN[when]}")
        for group in by_product(told, products):
            for i in range(rounds):
                text = difference({each.part: each.replays[when][i][1] for each in group})
                if text:
                    equal.append(f"replay {i + 1} of {rounds} {WHEN[when]}, from the same weights and tokens: {text}")
    if not compared:
        return
    doc.check("repeatable", not repeated, "; ".join(repeated)[:1500])
    if len(told) > 1:
        doc.check("gradientsEqual", not equal, "; ".join(equal)[:1500])
    if not repeated and not equal and told[0].replays["before"]:
        loss, checksum = told[0].replays["before"][0]
        doc.parameter("replayLoss", loss)
        doc.fact("gradientChecksum", checksum)


def check_weights(doc: Document, told: list[Told], products: dict[str, str]) -> None:
    if len(told) < 2 or not all("weights" in each.events for each in told):
        return
    texts = [difference({each.part: each.events["weights"]["checksum"] for each in group}) for group in by_product(told, products)]
    wrong = "; ".join(text for text in texts if text)
    doc.check("weightsEqual", not wrong, wrong and f"the weights after the training: {wrong}"[:1500])


def check_loss(doc: Document, told: list[Told]) -> None:
    """Over the whole training: a model that learns nothing was computed wrong."""
    if any("trained" not in each.events for each in told):
        return
    first = statistics.mean(each.losses[0] for each in told)
    last = statistics.mean(statistics.mean(each.losses[-3:]) for each in told)
    doc.parameter("lossFirst", first)
    doc.parameter("lossLast", last)
    falls = last < 0.99 * first  # never for what is no number
    doc.check("lossFalls", falls, "" if falls else f"the loss went from {first:.4g} to {last:.4g}, and should have fallen")


def check_memory_errors(doc: Document, told: list[Told]) -> None:
    counted = {each.part: (each.of("device", "ecc"), each.of("done", "ecc")) for each in told}
    known = {part: after - before for part, (before, after) in counted.items() if before is not None and after is not None}
    if known:
        wrong = [f"{part}: {count} uncorrectable memory errors" for part, count in known.items() if count > 0]
        doc.check("eccUncorrected", not wrong, "; ".join(wrong))


def check_processes(doc: Document, told: list[Told]) -> None:
    """Who came while it trained. Where the driver does not show this program's own process, its list says nothing."""
    own = {each.pid for each in told} | {os.getpid()}
    for each in told:
        seen = each.of("done", "processes") or []
        others = [pid for pid in seen if pid not in own and pid not in (each.of("before", "processes") or [])]
        if each.of("done", "pid") in seen and others:
            doc.check("undisturbed", False, f"{each.part}: {len(others)} other processes came while it trained (pid {others[0]})")
