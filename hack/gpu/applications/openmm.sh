#!/usr/bin/env bash
# OpenMM on this machine's GPUs: forces beside the reference, a small and a large box of water on each GPU at the same time, and what a
# SIGTERM leaves. 75 s (estimated).
#
# Needs $carried/openmm/site.tar.xz (made by hack/gpu/applications/build/openmm.sh) for this machine's python3, NVRTC, cuFFT, xz.
# Environment: carried, out, gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit
: "${carried:?}" "${out:?}" "${gpus:?}"
. hack/gpu/applications/lib/expect.sh

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tar -xJf "$carried/openmm/site.tar.xz" -C "$work" || exit 1
export PYTHONPATH="$work/site"
find_libraries "$work/site/OpenMM.libs/lib/plugins/libOpenMMCUDA.so" || exit 1
figures=(simulationRate simulationRatePerWatt temperature=285:310 energyDrift=0:0.1 smallSimulationRate smallSimulationRatePerWatt smallTemperature=285:310
  smallEnergyDrift=0:0.1 forceDifference=0:2e-4)
program=(python3 kernels/openmm/openmm_water.py)

expect "openmm-$gpus" 0 '"forces","ok":true' 150 "${figures[*]}" "${program[@]}" --seconds 20
if ((gpus > 1)); then
  expect openmm-1-of-"$gpus" 0 '"forces","ok":true' 150 "${figures[*]}" "${program[@]}" --seconds 10 --gpus 1
fi
expect openmm-stop 1 '"finished","ok":false' 60 smallSimulationRate \
  timeout --preserve-status --signal TERM 20 "${program[@]}" --seconds 40 --gpus 1
((failures == 0))
