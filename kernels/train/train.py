#!/usr/bin/env python3
"""Trains a GPT for a while on all GPUs of this node, and prints one result document on stdout. kernels/README.md says what it measures and
what it compares. This process needs no torch: it starts one process for each GPU, and speaks for them whatever becomes of them."""

import argparse
import shutil
import sys
import tempfile

import gpus
import ranks
import report
import sensors
from document import EXIT_FAILED, Document
from options import parse, shape_of

BUSY_PERCENT = 5  # of somebody else, before this program began


def say(text: str) -> None:
    print(f"train: {text}", file=sys.stderr, flush=True)


def choose(options: argparse.Namespace) -> list[gpus.Gpu]:
    """The GPUs to train on; none for a trial on the CPU."""
    if options.processors:
        return []
    found = gpus.visible()
    if options.gpus > len(found):
        raise RuntimeError(f"--gpus {options.gpus} asks for more GPUs than are visible: {len(found)}")
    return found[: options.gpus or len(found)]


def look_for_neighbours(doc: Document, parts: list[str], chosen: list[gpus.Gpu]) -> list[list[int]]:
    """Who is on the GPUs before this program is: check `undisturbed`. Gives their pids."""
    problem = sensors.load() if chosen else ""
    if problem:
        doc.note(f"no power, clocks or neighbours are known: {problem}")
    if problem or not chosen:
        return [[] for _ in parts]
    busy, pids = [], []
    for part, gpu in zip(parts, chosen):
        of_gpu = sensors.Sensors(gpu.uuid)
        percent = of_gpu.busy_percent() or 0
        pids.append([pid for pid, _ in of_gpu.processes()])
        if percent > BUSY_PERCENT:
            busy.append(f"{part} was busy {percent} % of the time before this program began")
        elif pids[-1]:
            doc.note(f"{part}: another process was there (pid {pids[-1][0]}) and did not use it")
    doc.check("undisturbed", not busy, "; ".join(busy))
    return pids


def tasks_for(options: argparse.Namespace, chosen: list[gpus.Gpu], store: str) -> list[dict]:
    world = len(chosen) or options.processors
    placed = [(gpu.ordinal, gpu.uuid) for gpu in chosen] or [(None, "")] * world
    return [{"options": vars(options), "rank": i, "world": world, "ordinal": ordinal, "uuid": uuid, "store": store} for i, (ordinal, uuid) in enumerate(placed)]


def measure(options: argparse.Namespace, doc: Document, stop: ranks.Stop) -> None:
    chosen = choose(options)
    parts = [f"gpu{i}" for i in range(len(chosen))] or [f"processor{i}" for i in range(options.processors)]
    for index, gpu in enumerate(chosen):
        doc.device(index, gpu.uuid, gpu.product)
    for name in ("layers", "hidden", "heads", "vocabulary", "sequence", "attention", "compile", "seed", "seconds"):
        doc.parameter(name, getattr(options, name))
    before = look_for_neighbours(doc, parts, chosen)
    folder = tempfile.mkdtemp(prefix="assay-train-")
    try:
        started = ranks.Ranks(parts, tasks_for(options, chosen, f"{folder}/store"), say)
        for told, pids in zip(started.told, before):
            told.events["before"] = {"processes": pids}
        ending = started.gather(stop, options.stall_seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if ending.skip:
        raise gpus.CannotRun(ending.skip)
    report.fill(doc, started.told, shape_of(options), {part: gpu.product for part, gpu in zip(parts, chosen)})
    if ending.check:
        doc.check(ending.check, False, ending.message)
        say(ending.message)


def main(argv: list[str]) -> int:
    options = parse(argv)
    stop, doc = ranks.Stop(), Document("train")
    try:
        measure(options, doc, stop)
    except gpus.CannotRun as reason:
        say(f"cannot run here: {reason}")
        doc.skip(str(reason))
    except Exception as error:  # whatever it is, the document says it
        say(str(error))
        doc.check("completed", False, f"{type(error).__name__}: {error}"[:1000])
    if stop.by and not doc.skipped:
        text = f"stopped by {stop.by} after {doc.elapsed_seconds():.1f} s, before all was measured"
        say(text)
        doc.check("finished", False, text)
    line, code = doc.finish()
    try:
        print(line, flush=True)
    except OSError:
        return EXIT_FAILED
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
