#!/usr/bin/env python3
"""Compares gpuquick with the programs whose metrics it measures: runs them by turns, and prints how long each takes, and for each metric that
gpuquick reports its level beside theirs and how much both scatter from run to run. Needs a machine with GPUs; never changes a setting of one.

Usage: hack/gpu/quick.py --bin build/kernels-cuda/bin [--minutes 5] [--out FILE]
"""

import argparse
import collections
import json
import os
import statistics
import sys
import time

from durations import QUICK, spread, values
from measure import machine, run

ALONE = {program: words for program, (words, _, _) in QUICK.items()} | {"gemm": ["--precisions", "fp64,fp32,fp16"]}


def execute(folder, program, words):
    entry = run([os.path.join(folder, program), *words])
    if entry["exitCode"] not in (0, 77):
        sys.exit(f"{program}: exit code {entry['exitCode']}: {entry.get('stderr')}")
    return entry


def measure(folder, minutes):
    """Of as many rounds as fit: seconds by program, values by metric and part of the single programs and of gpuquick, gpuquick's entries."""
    seconds, alone, together, entries = (collections.defaultdict(list) for _ in range(4))
    began = time.monotonic()
    longest = 0.0
    while time.monotonic() - began + longest < minutes * 60:
        start = time.monotonic()
        entry = execute(folder, "gpuquick", [])
        entries["gpuquick"].append(entry)
        seconds["gpuquick"].append(entry["wallSeconds"])
        wanted = values(entry["document"])
        for key, value in wanted.items():
            together[key].append(value)
        for program, words in ALONE.items():
            entry = execute(folder, program, words)
            seconds[program].append(entry["wallSeconds"])
            found = values(entry["document"]) if entry["exitCode"] == 0 else {}
            for key in wanted.keys() & found.keys():
                alone[key].append(found[key])
        longest = max(longest, time.monotonic() - start)
    return seconds, alone, together, entries["gpuquick"]


def report(seconds, alone, together):
    for program, of in seconds.items():
        print(f"{program}: {statistics.median(of):.2f} s ({min(of):.2f} to {max(of):.2f})")
    print(f"the single programs together: {sum(statistics.median(of) for program, of in seconds.items() if program != 'gpuquick'):.2f} s")
    for metric in dict.fromkeys(name for name, _ in together):
        parts = [key for key in together if key[0] == metric and len(alone[key]) == len(together[key]) > 1 and min(together[key]) > 0]
        if not parts:
            continue
        shift = statistics.median(statistics.median(together[key]) / statistics.median(alone[key]) - 1 for key in parts)
        both = [spread([of[key] for key in parts])[0] for of in (alone, together)]
        level = statistics.median(statistics.median(together[key]) for key in parts)
        print(f"  {metric} ({len(parts)}): {level:.5g}, {100 * shift:+.2f}% beside alone, from run to run {100 * both[1]:.3f}% (alone {100 * both[0]:.3f}%)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--out", default="build/gpu-quick.json")
    options = parser.parse_args()
    seconds, alone, together, entries = measure(os.path.abspath(options.bin), options.minutes)
    print(f"{len(entries)} rounds, {machine()}")
    report(seconds, alone, together)
    named = [{f"{metric} {at}": each for (metric, at), each in of.items()} for of in (alone, together)]
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "wallSeconds": seconds, "alone": named[0], "together": named[1],
                   "series": {"gpuquick": {"command": "gpuquick", "runs": entries}}}, file)


if __name__ == "__main__":
    main()
