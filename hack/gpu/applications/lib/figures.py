#!/usr/bin/env python3
"""Figures of result documents.

figures.py show DOCUMENT METRIC[=LOW:HIGH]...   prints those that are there; fails where the first, or one with bounds, is missing or beyond them
figures.py scaling ONE MANY METRIC              prints the speedup
"""
import json
import sys


def values(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return {m["name"]: ([p["value"] for p in m["parts"]], m["unit"]) for m in document.get("measurements", [])}


def show(path, metrics):
    found, texts, complaints = values(path), [], []
    for position, metric in enumerate(metrics):
        name, _, bounds = metric.partition("=")
        if name not in found:
            if position == 0 or bounds:
                complaints.append(f"no {name}")
            continue
        numbers, unit = found[name]
        texts.append(f"{name} {' '.join(f'{value:.5g}' for value in numbers)} {unit}")
        if bounds:
            low, high = (float(bound) for bound in bounds.split(":"))
            complaints += [f"{name} {value:.5g} is not within {bounds}" for value in numbers if not low <= value <= high]
    print(", ".join(complaints + texts))
    return not complaints


def scaling(one, many, metric):
    first, second = (values(path)[metric][0][0] for path in (one, many))
    print(f"      {metric}: {second:.5g} beside {first:.5g}, {second / first:.3f} times as much")
    return True


def main():
    mode, *rest = sys.argv[1:]
    try:
        good = show(rest[0], rest[1:]) if mode == "show" else scaling(*rest)
    except (OSError, ValueError, KeyError, IndexError) as error:
        print(f"no figures: {error!r}")
        good = False
    sys.exit(0 if good else 1)


main()
