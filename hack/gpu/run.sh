#!/usr/bin/env bash
# Builds, tests and measures the GPU programs on this machine's GPUs and writes one JSON file.
#
# Usage: hack/gpu/run.sh [options]
#   --bin DIR           use the programs in DIR instead of building them
#   --out FILE          where the JSON goes (default: build/gpu-measurements.json)
#   --repetitions N     of each program outside the quick suite (default 5; long ones fewer)
#   --quick N           repetitions of the quick suite (default 20; 0: none)
#   --skip-tests        measure only
#   --programs A,B      only these (default: all that are there)
# hack/gpu/table.py makes the table of docs/catalogue-gpu.md from such files.
# Needs: bash, python3, nvidia-smi. It never changes a setting of a GPU.
set -euo pipefail
cd "$(dirname "$0")/../.."

bin="" out=build/gpu-measurements.json repetitions=5 quick=20 tests=yes programs=""
while (($# > 0)); do
  case "$1" in
    --bin) bin="$2"; shift 2 ;;
    --out) out="$2"; shift 2 ;;
    --repetitions) repetitions="$2"; shift 2 ;;
    --quick) quick="$2"; shift 2 ;;
    --programs) programs="$2"; shift 2 ;;
    --skip-tests) tests=no; shift ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
done

if [[ -z "$bin" ]]; then
  capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -u | tr -d . | paste -sd ';')"
  make --no-print-directory kernels CUDA_ARCHITECTURES="$capability" >&2
  bin=build/kernels-cuda/bin
fi
if [[ "$tests" == yes ]]; then
  kernels/tests/gpu.sh "$bin" >&2
fi
mkdir -p "$(dirname "$out")"
exec python3 hack/gpu/measure.py --bin "$bin" --out "$out" --repetitions "$repetitions" --quick "$quick" \
  ${programs:+--programs "$programs"}
