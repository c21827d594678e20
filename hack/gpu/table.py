#!/usr/bin/env python3
"""Makes the tables of docs/catalogue-gpu.md from files that run.sh wrote, as Markdown on stdout.

Usage: table.py FILE[:SERIES,SERIES...] ...     (gzipped or not; without names: every series)
"""

import gzip
import json
import statistics
import sys

REPETITIONS = 5

# An NVIDIA H200 (SXM): the vendor's data sheet, dense rates; memory is what the driver's clock and bus width give; options per
# second of one GPU are the limits that kernels/README.md works out. Shares of a team's rate are of all its GPUs' peaks.
PEAKS = {"hbm": 4814, "nvlink": 450, "nvlink2": 900, "pcie": 63, "fp64": 67, "fp32": 67, "tf32": 494.5, "bf16": 989.5,
         "fp16": 989.5, "fp8": 1979, "fp64Vector": 34, "options32": 1.33e6, "options64": 283e3}

# What other tools reached, on machines with four GPUs. What depends on their number is compared on such machines only.
FOUR_GPUS = ("nccl-tests", "nvbandwidth, all GPUs")
ALL = "all GPUs"  # the part of the largest team: 4gpu on a machine with four

# series, measurement, part (None: every part), peak, figure of another tool, that tool
ROWS = [
    ("p2p", "writeBandwidth", None, "nvlink", 396, "nvbandwidth"),
    ("p2p", "readBandwidth", None, "nvlink", 394, "nvbandwidth"),
    ("p2p", "bidirectionalBandwidth", None, "nvlink2", 784, "nvbandwidth"),
    ("p2p", "smReadBandwidth", None, "nvlink", 376, "nvbandwidth"),
    ("p2p", "smWriteBandwidth", None, "nvlink", 370, "nvbandwidth"),
    ("p2p", "smBidirectionalBandwidth", None, "nvlink2", None, None),
    ("p2p", "concurrentBandwidth", None, "nvlink2", None, None),
    ("p2p", "bisectionBandwidth", None, None, None, None),
    ("p2p", "hostStagedBandwidth", None, None, 38.5, "p2pBandwidthLatencyTest"),
    ("p2p", "hostStagedBidirectionalBandwidth", None, None, 53, "p2pBandwidthLatencyTest"),
    ("p2p", "copyLatency", None, None, 2.2, "p2pBandwidthLatencyTest"),
    ("p2p", "copyLaunchedLatency", None, None, None, None),
    ("p2p", "hostStagedLatency", None, None, 16, "p2pBandwidthLatencyTest"),
    ("p2p", "loadLatency", None, None, 826, "nvbandwidth"),
    ("hostlink", "hostToDeviceBandwidth", None, "pcie", 55.6, "nvbandwidth"),
    ("hostlink", "deviceToHostBandwidth", None, "pcie", 55.4, "nvbandwidth"),
    ("hostlink", "bothWaysBandwidth", None, None, None, None),
    ("hostlink", "concurrentHostToDeviceBandwidth", None, "pcie", 49, "nvbandwidth, all GPUs"),
    ("hostlink", "concurrentDeviceToHostBandwidth", None, "pcie", 37.5, "nvbandwidth, all GPUs"),
    ("hostlink", "concurrentBothWaysBandwidth", None, None, None, None),
    ("hostlink", "pageableHostToDeviceBandwidth", None, None, None, None),
    ("hostlink", "pageableDeviceToHostBandwidth", None, None, None, None),
    ("hostlink", "hostLoadLatency", None, None, 1166, "nvbandwidth"),
    ("gpustream", "hbmCopy", None, "hbm", 4040, "BabelStream"),
    ("gpustream", "hbmMul", None, "hbm", None, None),
    ("gpustream", "hbmAdd", None, "hbm", None, None),
    ("gpustream", "hbmTriad", None, "hbm", 4381, "BabelStream"),
    ("gpustream", "hbmDot", None, "hbm", 4447, "BabelStream"),
    ("gpustream", "hbmTriadFp32", None, "hbm", None, None),
    ("gpustream", "hbmDotFp32", None, "hbm", None, None),
    ("gpustream", "l2Read", None, None, None, None),
    # Files of before 2026-11-22 have the fastest algorithm as gemm and cuBLAS's own choice as gemm-direct; now they are gemm-lt and gemm.
] + [(series, name, None, name, cublas, "cuBLAS, same run")
     for series, cublas in (("gemm", "gemm-direct"), ("gemm-lt", "gemm")) for name in ("fp64", "fp32", "tf32", "bf16", "fp16")] + [
    ("gemm", "fp8", None, "fp8", None, None),
    ("collectives", "allReduceBusBandwidth", "8GiB", "nvlink", 365, "nccl-tests"),
    ("collectives", "allGatherBusBandwidth", "8GiB", "nvlink", 350, "nccl-tests"),
    ("collectives", "reduceScatterBusBandwidth", "8GiB", "nvlink", 352, "nccl-tests"),
    ("collectives", "allToAllBusBandwidth", "8GiB", "nvlink", 354, "nccl-tests"),
    ("collectives", "sendRecvBusBandwidth", "8GiB", "nvlink", 366, "nccl-tests"),
    ("collectives", "broadcastBusBandwidth", "8GiB", "nvlink", 362, "nccl-tests"),
    ("collectives", "allReduceLatency", "8B", None, None, None),
    ("collectives", "allReduceLaunchedLatency", "8B", None, None, None),
    ("collectives-ring", "allReduceRingBusBandwidth", "8GiB", "nvlink", 365, "nccl-tests"),
    ("collectives-mpi", "allReduceBusBandwidth", "8GiB", "nvlink", 365, "nccl-tests"),
    ("gpustream-best", "hbmTriad", None, "hbm", 4381, "BabelStream"),
    ("gpustream-best", "hbmDot", None, "hbm", 4447, "BabelStream"),
    ("burn", "burn", None, "bf16", None, None),
    ("burn", "throughputSpread", None, None, None, None),
    ("nbody", "nbodyPerGpu", None, "fp64Vector", None, None),
    ("nbody", "nbody", "1gpu", "fp64Vector", None, None),
    ("nbody", "nbody", ALL, "fp64Vector", None, None),
    ("nbody", "scalingEfficiency", ALL, None, None, None),
    ("montecarlo", "optionsPerGpuFp32", None, "options32", None, None),
    ("montecarlo", "optionsFp32", ALL, "options32", None, None),
    ("montecarlo", "scalingEfficiencyFp32", ALL, None, None, None),
    ("montecarlo", "optionsPerGpuFp64", None, "options64", None, None),
    ("montecarlo", "optionsFp64", ALL, "options64", None, None),
    ("montecarlo", "scalingEfficiencyFp64", ALL, None, None, None),
    ("reduction", "reductionPerGpu", None, "hbm", None, None),
    ("reduction", "reduction", ALL, "hbm", None, None),
    ("reduction", "scalingEfficiency", ALL, None, None, None),
    ("scan", "scanPerGpu", None, "hbm", None, None),
    ("scan", "scan", ALL, "hbm", None, None),
    ("scan", "scalingEfficiency", ALL, None, None, None),
    ("md", "pairForcesPerGpu", None, "fp64Vector", None, None),
    ("md", "md", "1gpu", "fp64Vector", None, None),
    ("md", "md", ALL, "fp64Vector", None, None),
    ("md", "atomSteps", ALL, None, None, None),
    ("md", "scalingEfficiency", ALL, None, None, None),
]


def load(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def values(data, series, name, part):
    """Per repetition, the values of the measurement's parts; None where it was not measured."""
    found = []
    unit = better = None
    for run in data["series"].get(series, {"runs": []})["runs"]:
        for measurement in (run["document"] or {}).get("measurements", []):
            if measurement["name"] != name:
                continue
            unit, better = measurement["unit"], measurement["better"]
            parts = [entry["value"] for entry in measurement["parts"] if part in (None, entry["at"])]
            if parts:
                found.append(parts)
    return (found, unit, better) if found else None


def number(value):
    return f"{value:.0f}" if 1000 <= value < 1e6 else f"{value:.4g}".replace("e+0", "e").replace("e+", "e")


def figures(repetitions):
    return [statistics.median(parts) for parts in repetitions[:REPETITIONS]]


def row(data, series, name, part, peak, other, tool):
    gpus = len(data["machine"]["gpus"])
    team = gpus if part == ALL else 1
    if part == ALL and (part := f"{gpus}gpu") == "1gpu" and (series, name, "1gpu") in [spec[:3] for spec in ROWS]:
        return None  # the row of one GPU says it
    measured = values(data, series, name, part)
    if measured is None:
        return None
    repetitions, unit, better = measured
    medians = figures(repetitions)
    figure = statistics.median(medians)
    flat = [value for parts in repetitions[:REPETITIONS] for value in parts]
    spread = f"{100 * (max(medians) - min(medians)) / figure:.2f}%" if len(medians) > 1 else ""
    if isinstance(other, str):
        reference = values(data, other, name, part)
        other = statistics.median(figures(reference[0])) if reference else None
    if tool in FOUR_GPUS and gpus != 4:
        other = None
    ratio = None if other is None else figure / other if better == "higher" else other / figure
    share = f"{100 * figure / (PEAKS[peak] * team):.1f}% of {number(PEAKS[peak] * team)}" if peak else ""
    theirs = f"{tool.partition(',')[0]} {number(other)}" if other is not None else ""
    return (f"| `{data['series'][series]['command']}` | `{name}`{' ' + part if part else ''} | {number(figure)}{'' if unit == '1' else ' ' + unit} | "
            f"{number(min(flat))}-{number(max(flat))} | {len(medians)} | {spread} | {share} | "
            f"{theirs} | {'' if ratio is None else f'{ratio:.3f}'} |")


def heading(data):
    machine = data["machine"]
    document = next(iter(data["series"].values()))["runs"][0]["document"]
    return (f"{len(machine['gpus'])} x {machine['gpus'][0]}, driver {machine['driver']}, "
            f"CUDA {document['parameters']['cuda']}, {machine['date']}")


def table(path, wanted):
    data = load(path)
    data["series"] = {name: series for name, series in data["series"].items() if not wanted or name in wanted}
    print(f"\n### {heading(data)}: `{path.rpartition('/')[2]}`\n")
    print("| command | measurement | figure | over all parts | runs | spread | of peak | other tool | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line in filter(None, (row(data, *spec) for spec in ROWS)):
        print(line)
    print("\n| command | wall seconds, median (largest) |\n|---|---|")
    for series in data["series"].values():
        walls = [run["wallSeconds"] for run in series["runs"]]
        print(f"| `{series['command']}` | {statistics.median(walls):.1f} ({max(walls):.1f}) |")
    if not wanted and (suite := data.get("quickSuiteSeconds")):
        print(f"| the quick suite, all of it | {statistics.median(suite):.1f} ({max(suite):.1f}) |")


def main():
    for argument in sys.argv[1:]:
        path, _, wanted = argument.partition(":")
        table(path, [name for name in wanted.split(",") if name])


if __name__ == "__main__":
    main()
