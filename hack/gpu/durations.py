#!/usr/bin/env python3
"""Tells how long the programs of the quick suite have to measure: runs them at several lengths by turns, and prints for each metric how much its
level moves with the length, and how much it scatters from run to run. Needs a machine with GPUs; never changes a setting of one.

Usage: hack/gpu/durations.py --bin build/kernels-cuda/bin [--scales 1,0.5,0.25] [--minutes 8] [--out FILE]
"""

import argparse
import collections
import json
import os
import statistics
import sys
import time

from measure import machine, run

# What the catalogue gives each program, and the option that says how long it samples.
QUICK = {
    "gpustream": ([], "--budget-seconds", 0.3),
    "p2p": ([], "--budget-seconds", 0.1),
    "hostlink": ([], "--budget-seconds", 0.3),
    "collectives": (["--sizes", "8,8589934592"], "--budget-seconds", 0.5),
    "gemm": ([], "--seconds", 1.5),
}


def values(document):
    """Value of each part, by metric and part."""
    found = {}
    for measurement in document["measurements"]:
        for part in measurement["parts"]:
            found[measurement["name"], part["at"]] = part["value"]
    return found


def spread(series):
    """Standard deviation of what is common to all parts of a run, and of what is a part's own, as shares. series: one list of values a part."""
    levels = [statistics.mean(part) for part in series]
    shares = [[value / level - 1 for value in part] for part, level in zip(series, levels)]
    common = [statistics.mean(of_run) for of_run in zip(*shares)]
    own = [share - shift for part in shares for share, shift in zip(part, common)]
    rest = max(1, (len(series) - 1) * (len(common) - 1))
    return statistics.stdev(common), (sum(each * each for each in own) / rest) ** 0.5


def measure(folder, scales, minutes):
    """walls[program, scale] and found[program, scale][metric, part] of as many rounds as fit."""
    walls, found = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
    began = time.monotonic()
    rounds, longest = 0, 0.0
    while time.monotonic() - began + longest < minutes * 60:
        start = time.monotonic()
        for scale in scales if rounds % 2 == 0 else reversed(scales):
            for program, (words, option, seconds) in QUICK.items():
                entry = run([os.path.join(folder, program), *words, option, f"{seconds * scale:g}"])
                if entry["exitCode"] == 77:
                    continue
                if entry["exitCode"] != 0:
                    sys.exit(f"{program} at {scale:g} of its length: exit code {entry['exitCode']}: {entry.get('stderr')}")
                walls[program, scale].append(entry["wallSeconds"])
                for key, value in values(entry["document"]).items():
                    found[program, scale][key].append(value)
        rounds, longest = rounds + 1, max(longest, time.monotonic() - start)
    return rounds, walls, found


def report(scales, walls, found):
    """Prints the seconds of each program, and level and spread of each metric at each length."""
    for program in QUICK:
        seconds = [f"{statistics.median(walls[program, scale]):.2f}" for scale in scales if walls[program, scale]]
        if not seconds:
            continue
        print(f"{program}: seconds {' '.join(seconds)}")
        whole = found[program, scales[0]]
        for metric in dict.fromkeys(name for name, _ in whole):
            parts = [key for key in whole if key[0] == metric and min(whole[key]) > 0]
            if not parts:
                continue
            line = []
            for scale in scales:
                of = found[program, scale]
                parts = [key for key in parts if len(of[key]) == len(whole[key])]
                shift = statistics.median(statistics.median(of[key]) / statistics.median(whole[key]) - 1 for key in parts)
                line.append("%+.2f%% run %.3f%% own %.3f%%" % (100 * shift, *(100 * each for each in spread([of[key] for key in parts]))))
            print(f"  {metric} ({len(parts)}): " + " | ".join(line))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--scales", default="1,0.5,0.25")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--out", default="build/gpu-durations.json")
    options = parser.parse_args()
    scales = [float(scale) for scale in options.scales.split(",")]
    rounds, walls, found = measure(os.path.abspath(options.bin), scales, options.minutes)
    print(f"{rounds} rounds, {machine()}")
    report(scales, walls, found)
    with open(options.out, "w", encoding="utf-8") as file:
        series = {f"{program} {scale:g}": {f"{metric} {at}": each for (metric, at), each in of.items()} for (program, scale), of in found.items()}
        json.dump({"machine": machine(), "rounds": rounds, "wallSeconds": {f"{p} {s:g}": w for (p, s), w in walls.items()}, "values": series}, file)


if __name__ == "__main__":
    main()
