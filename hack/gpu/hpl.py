#!/usr/bin/env python3
"""What hack/gpu/hpl.sh prints of the documents that hpl-gpu and hpl-mxp wrote.

  hpl.py brief DOCUMENT            rate and residual in a few words
  hpl.py table DOCUMENT...         N against TFLOP/s per GPU, spread and phases, as Markdown
  hpl.py ratio ONE OTHER           the rates of two, one over the other
  hpl.py compare SOLUTION OTHER    two files of doubles: exit code 1 where they differ by more than 1e-9 of the largest
"""
import array
import json
import sys

PHASES = ["gemmTime", "panelTime", "trsmTime", "swapTime", "waitTime", "broadcastTime", "solveTime"]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.loads(file.read())


def parts(document, name):
    for measurement in document.get("measurements") or []:
        if measurement["name"] == name:
            return measurement["parts"]
    return []


def value(document, name):
    found = parts(document, name)
    return found[0]["value"] if found else None


def brief(path):
    try:
        document = load(path)
    except (OSError, ValueError):
        return ""
    words = []
    for name in ("hplPerGpu", "hplMxpPerGpu"):
        if (rate := value(document, name)) is not None:
            words.append(f"{rate:.2f} TFLOP/s per GPU")
    words += [check.get("message", "") for check in document.get("checks") or [] if check["name"] == "residual"]
    words += (document.get("notes") or [])[:2]
    return "; ".join(words)


def row(document):
    parameters = document["parameters"]
    rate = parts(document, "hplPerGpu")[0]
    low = rate.get("min", rate["value"])
    cells = [parameters["N"], parameters["NB"], parameters["Q"], f'{value(document, "hplTime"):.2f}', f'{rate["value"]:.2f}', f"{low:.2f}",
             f'{100 * rate.get("spread", 0):.2f}%']
    cells += [f"{max(part['value'] for part in parts(document, phase)):.2f}" if parts(document, phase) else "" for phase in PHASES]
    cells.append(", ".join(f"{part['value']:.1f}" for part in parts(document, "products")))
    cells.append(f'{value(document, "hplPerWatt") or 0:.1f}')
    return cells


def table(paths):
    heads = ["N", "NB", "GPUs", "s", "TFLOP/s per GPU", "lowest", "spread"] + [name.removesuffix("Time") for name in PHASES]
    heads += ["products, TFLOP/s", "GFLOP/s/W"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    documents = []
    for path in paths:
        try:
            documents.append(load(path))
        except ValueError:
            continue  # Netlib's report
    for document in sorted((each for each in documents if parts(each, "hplPerGpu")), key=lambda each: each["parameters"]["N"]):
        print("| " + " | ".join(str(cell) for cell in row(document)) + " |")


def compare(one, other):
    first, second = array.array("d"), array.array("d")
    for path, values in ((one, first), (other, second)):
        with open(path, "rb") as file:
            values.frombytes(file.read())
    largest = max(abs(x) for x in first)
    # Not max(): a value that is not a number must not be lost.
    far = [i for i, (a, b) in enumerate(zip(first, second)) if not abs(a - b) <= 1e-9 * largest]
    most = max((abs(a - b) for a, b in zip(first, second)), default=0)
    print(f"      x differs by {most:.3g} of {largest:.3g} in {len(first)} and {len(second)} elements")
    return 1 if far or len(first) != len(second) else 0


def main():
    match sys.argv[1:]:
        case ["brief", path]:
            print(brief(path))
        case ["table", *paths]:
            table(paths)
        case ["ratio", one, other]:
            rates = [value(load(path), "hplPerGpu") for path in (one, other)]
            print(f"      {rates[0]:.2f} over {rates[1]:.2f} TFLOP/s per GPU: {rates[0] / rates[1]:.4f}")
        case ["compare", one, other]:
            return compare(one, other)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
