#!/usr/bin/env bash
# Runs the application benchmarks on this machine's GPUs and checks what they print: every piece of hack/gpu/applications, or those named.
#
# Usage: hack/gpu/applications.sh [--bin DIR] [--carried DIR] [--out DIR] [PIECE...]
#   --bin DIR      our programs (default: build/kernels-cuda/bin)
#   --carried DIR  applications that were built elsewhere, one folder for each piece (default: build/applications)
#   --out DIR      where documents and logs go (default: build/gpu-applications)
# A piece says in its head what it needs and how long it takes. A failed piece does not keep the next from running.
set -uo pipefail
cd "$(dirname "$0")/../.."

export bin=build/kernels-cuda/bin carried=build/applications out=build/gpu-applications gpus
pieces=()
while (($# > 0)); do
  case "$1" in
    --bin) bin="$2"; shift 2 ;;
    --carried) carried="$2"; shift 2 ;;
    --out) out="$2"; shift 2 ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *) pieces+=("$1"); shift ;;
  esac
done
[[ ${#pieces[@]} -gt 0 ]] || mapfile -t pieces < <(basename -s .sh hack/gpu/applications/*.sh)
gpus="$(nvidia-smi -L | wc -l)"
mkdir -p "$out"
failed=()
for piece in "${pieces[@]}"; do
  started=$SECONDS
  echo "--- $piece"
  hack/gpu/applications/"$piece".sh || failed+=("$piece")
  echo "--- $piece took $((SECONDS - started)) s"
done
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}"; exit 1; }
