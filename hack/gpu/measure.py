#!/usr/bin/env python3
"""Runs the GPU programs again and again and collects their documents into one JSON file (see run.sh)."""

import argparse
import datetime
import json
import os
import subprocess
import sys
import time

QUICK = ("p2p", "hostlink", "gpustream", "gemm", "collectives")

# name: command line. The name is how a series is found again in the table. The quick programs are repeated as a suite, so
# that every repetition starts from the state that the suite leaves the GPUs in.
SERIES = {
    "inventory": ["inventory"],
    "p2p": ["p2p"],
    "hostlink": ["hostlink"],
    "hostlink-sweep": ["hostlink", "--modes", "concurrent", "--sweep"],
    "gpustream": ["gpustream"],
    "gpustream-best": ["gpustream", "--statistic", "best", "--precisions", "fp64"],
    "gemm": ["gemm"],
    "p2p-2": ["p2p", "--gpus", "2"],
    "gpustream-1": ["gpustream", "--gpus", "1"],
    "gemm-1": ["gemm", "--gpus", "1"],
    "collectives-2": ["collectives", "--gpus", "2"],
    "gemm-lt": ["gemm", "--library", "lt"],
    "collectives": ["collectives"],
    "collectives-ring": ["collectives", "--ring"],
    "collectives-mpi": ["mpirun", "--allow-run-as-root", "-n", "{gpus}", "collectives-mpi"],
    "burn": ["burn", "--seconds", "30"],
    "nbody": ["nbody"],
    "montecarlo": ["montecarlo"],
    "reduction": ["reduction"],
    "scan": ["scan"],
    "md": ["md"],
    "pic": ["pic"],
    "hpl-gpu": ["hpl-gpu", "--seconds", "10"],
    "hpl-gpu-full": ["hpl-gpu"],
    "hpl-gpu-cluster": ["mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", "{gpus}", "hpl-gpu-mpi", "--seconds", "60"],
    "hpl-mxp": ["hpl-mxp"],
}
# Long series are repeated less often.
REPETITIONS = {"inventory": 1, "burn": 1, "collectives-mpi": 2, "nbody": 3, "p2p-2": 2, "gpustream-1": 2, "gemm-1": 2, "collectives-2": 2,
               "gemm-lt": 3, "hostlink-sweep": 2, "hpl-gpu-full": 2, "hpl-gpu-cluster": 2}


def query(field):
    text = subprocess.run(["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader"],
                          capture_output=True, text=True, check=True).stdout
    return [line.strip() for line in text.splitlines()]


def machine():
    return {
        "date": datetime.date.today().isoformat(),
        "gpus": query("name"),
        "driver": query("driver_version")[0],
        "powerLimitW": query("power.limit"),
        "cpus": os.cpu_count(),
        "kernel": os.uname().release,
    }


def command_of(words, folder, gpus):
    words = [word.format(gpus=gpus) for word in words]
    program = next(word for word in words if os.path.exists(os.path.join(folder, word)))
    return [os.path.join(folder, word) if word == program else word for word in words]


def run(command):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    wall = time.monotonic() - start
    line = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    entry = {"exitCode": done.returncode, "wallSeconds": round(wall, 3), "document": json.loads(line) if line else None}
    if done.returncode != 0:
        entry["stderr"] = done.stderr[-2000:]
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quick", type=int, default=20)
    parser.add_argument("--programs", default="")
    options = parser.parse_args()
    folder = os.path.abspath(options.bin)
    wanted = [name for name in options.programs.split(",") if name] or list(SERIES)
    result = {"machine": machine(), "series": {}}
    gpus = len(result["machine"]["gpus"])

    def save():
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(result, file, separators=(",", ":"))

    failed = False
    for name in (name for name in wanted if name not in QUICK):
        words = SERIES[name]
        if not any(os.path.exists(os.path.join(folder, word)) for word in words):
            continue
        command = command_of(words, folder, gpus)
        runs = []
        for _ in range(min(options.repetitions, REPETITIONS.get(name, options.repetitions))):
            runs.append(run(command))
            failed = failed or runs[-1]["exitCode"] not in (0, 77)
        result["series"][name] = {"command": " ".join(words).format(gpus=gpus), "runs": runs}
        walls = " ".join(f"{entry['wallSeconds']:.1f}" for entry in runs)
        print(f"{name}: exit codes {sorted({entry['exitCode'] for entry in runs})}, seconds {walls}", file=sys.stderr)
        save()

    quick = [name for name in QUICK if name in wanted]
    for number in range(options.quick):
        start = time.monotonic()
        for name in quick:
            entry = run(command_of(SERIES[name], folder, gpus))
            failed = failed or entry["exitCode"] not in (0, 77)
            series = result["series"].setdefault(name, {"command": " ".join(SERIES[name]), "runs": []})
            series["runs"].append(entry)
        suite = time.monotonic() - start
        result.setdefault("quickSuiteSeconds", []).append(round(suite, 2))
        print(f"quick suite {number + 1}/{options.quick}: {suite:.1f} s", file=sys.stderr)
        save()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
