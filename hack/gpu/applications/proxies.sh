#!/usr/bin/env bash
# Tries and times the proxies spectral, stencil-gpu and pic on this machine's GPUs, about 60 s: both precisions, sizes, scaling over 1, 2 ... GPUs,
# flipped bits, one process per GPU, and the end by a signal; beside gpustream's copy rate. Needs our programs in $bin, python3 and NCCL; mpirun
# for three cases, which are skipped without it. hack/gpu/applications.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit
: "${bin:?}" "${out:?}" "${gpus:?}"
out="$out/proxies"
mkdir -p "$out"
. hack/gpu/applications/lib/expect.sh
# shellcheck disable=SC2034  # read by expect
also=("waveError*" "energyDrift*" "momentumDrift*" "errorOfBound*" powerW smClockMHz memoryClockMHz)

intact='"dataIntegrity","ok":true'
damaged='"dataIntegrity","ok":false'
rates="timePerStep scalingEfficiency memoryRatePerGpu operationRatePerGpu"
spectral="elementSteps $rates" stencil="cellSteps $rates" pic="particleSteps $rates"

precisions() {
  expect spectral 0 "$intact" 30 "$spectral" "$bin/spectral" --seconds 0.5
  expect spectral-fp64 0 "$intact" 30 "$spectral" "$bin/spectral" --precision fp64 --seconds 0.5
  expect stencil 0 "$intact" 30 "$stencil" "$bin/stencil-gpu" --seconds 0.5
  expect stencil-fp64 0 "$intact" 30 "$stencil" "$bin/stencil-gpu" --precision fp64 --seconds 0.5
  expect pic 0 "$intact" 30 "$pic" "$bin/pic" --seconds 0.5
}

# Elements and cells that fill neither packs nor tiles, and rows of cells that are no whole vectors.
shapes() {
  expect spectral-odd 0 "$intact" 30 "$spectral" "$bin/spectral" --edge 11 --layers 9 --seconds 0.1
  expect stencil-odd 0 "$intact" 30 "$stencil" "$bin/stencil-gpu" --nx 333 --nz 17 --rows 101 --seconds 0.1
  expect stencil-partial 0 "$intact" 30 "$stencil" "$bin/stencil-gpu" --nx 332 --nz 17 --rows 101 --seconds 0.1
}

sizes() {
  expect spectral-40-layers 0 "$intact" 30 "$spectral" "$bin/spectral" --layers 40 --gpus 1 --seconds 0.3
  expect pic-128 0 "$intact" 30 "$pic" "$bin/pic" --edge 128 --per-cell 8 --gpus 1 --seconds 0.3
  expect pic-32 0 "$intact" 30 "$pic" "$bin/pic" --edge 32 --per-cell 256 --gpus 1 --seconds 0.3
}

bitflips() {
  expect spectral-bitflip 1 "$damaged" 30 "$spectral" "$bin/spectral" --seconds 0.1 --inject-bitflip
  expect stencil-bitflip 1 "$damaged" 30 "$stencil" "$bin/stencil-gpu" --rows 64 --seconds 0.1 --inject-bitflip
  expect pic-bitflip 1 "$damaged" 30 "$pic" "$bin/pic" --seconds 0.1 --inject-bitflip
}

mpi() {
  if ! command -v mpirun >/dev/null; then
    echo "skip  one process per GPU: no mpirun here"
    return
  fi
  local run=(mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$gpus")
  expect spectral-mpi 0 "$intact" 30 "$spectral" "${run[@]}" "$bin/spectral-mpi" --seconds 0.5
  expect stencil-mpi 0 "$intact" 30 "$stencil" "${run[@]}" "$bin/stencil-gpu-mpi" --seconds 0.5
  expect pic-mpi 0 "$intact" 30 "$pic" "${run[@]}" "$bin/pic-mpi" --seconds 0.5
}

find_libraries "$bin/spectral" || exit
expect copy 0 "$intact" 30 hbmCopy "$bin/gpustream" --precisions fp64
precisions
shapes
sizes
mpi
bitflips
expect stop 1 '"finished","ok":false' 30 elementSteps timeout --preserve-status --signal TERM 5 "$bin/spectral" --seconds 60
((failures == 0)) || { echo "$failures failed"; exit 1; }
