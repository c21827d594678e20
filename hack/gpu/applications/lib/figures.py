#!/usr/bin/env python3
"""Figures of result documents.

figures.py show ALSO DOCUMENT METRIC[=LOW:HIGH]...   prints those that are there, or all where none is named, and the checks that failed; fails
                                                     where the first, or one with bounds, is missing or out of them. ALSO: names of parameters
                                                     to print beside them, `notes` and `facts`, with commas between
figures.py scaling ONE MANY METRIC                   prints the speedup
"""
import fnmatch
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def measured(document):
    return {measurement["name"]: measurement for measurement in document.get("measurements") or []}


def text(measurement):
    parts = measurement["parts"]
    several = len(parts) > 1
    values = " ".join((f"{part['at']}=" if several else "") + f"{part['value']:.6g}" for part in parts)
    spread = max(part.get("spread", 0) for part in parts)
    return f"{measurement['name']} {values} {measurement['unit']}" + (f" (spread {100 * spread:.2g}%)" if spread else "")


def beside(document, names):
    parameters = document.get("parameters") or {}
    texts = [f"{name} {value}" for name, value in parameters.items() if any(fnmatch.fnmatch(name, wanted) for wanted in names)]
    if "facts" in names:
        texts += [f"{fact['name']} {fact['value']}" for fact in document.get("facts") or []]
    if "notes" in names:
        texts += document.get("notes") or []
    return texts


def show(also, path, *metrics):
    document = load(path)
    found, texts, complaints = measured(document), [], []
    for position, metric in enumerate(metrics or found):
        name, _, bounds = metric.partition("=")
        if name not in found:
            if position == 0 or bounds:
                complaints.append(f"no {name}")
            continue
        texts.append(text(found[name]))
        if bounds:
            low, high = (float(bound) for bound in bounds.split(":"))
            values = [part["value"] for part in found[name]["parts"]]
            complaints += [f"{name} {value:.6g} is not within {bounds}" for value in values if not low <= value <= high]
    texts += [f"{check['name']}: {check.get('message', 'failed')}" for check in document.get("checks") or [] if not check["ok"]]
    print("; ".join(complaints + texts + beside(document, also.split(","))))
    return not complaints


def scaling(one, many, metric):
    first, second = (measured(load(path))[metric]["parts"][0]["value"] for path in (one, many))
    print(f"      {metric}: {second:.6g} beside {first:.6g}, {second / first:.3f} times as much")
    return True


def main():
    mode, *rest = sys.argv[1:]
    try:
        good = show(*rest) if mode == "show" else scaling(*rest)
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        print(f"no figures: {error!r}")
        good = False
    sys.exit(0 if good else 1)


main()
