#!/usr/bin/env bash
# Measures this machine's GPUs without Kubernetes: kubectl assay local with the programs of this checkout. Writes a report and the saved run
# into a folder, and measures once more against that past.
#
# Usage: hack/gpu/local.sh [SUITE [OUT]]    (default: quick build/gpu-local)
# Needs bin/kubectl-assay and build/kernels-cuda/bin (make bin/kubectl-assay kernels); build/kernels/bin, if it is there, gives the CPU programs.
set -euo pipefail
cd "$(dirname "$0")/../.."

suite="${1:-quick}" out="${2:-build/gpu-local}"
mkdir -p "$out"

measure() { # name, further flags
  local code=0
  bin/kubectl-assay local --suite "$suite" --name "$1" --programs build/kernels-cuda/bin --programs build/kernels/bin \
    --to "$out/$1.jsonl" -o wide "${@:2}" | tee "$out/$1.txt" || code=$?
  echo "local.sh: $1 ended with exit code $code"
  return "$code"
}

code=0
measure first || code=$?
[[ -e "$out/first.jsonl" ]] || exit "$code"
measure second --past "$out/first.jsonl" || code=$?
bin/kubectl-assay report -f "$out/first.jsonl" -o json >"$out/first.json"
exit "$code"
