#!/usr/bin/env bash
# GROMACS on this machine's GPUs: boxes of 331,776 and 3,183,624 atoms on one GPU and on two, with the physics checked, and what a SIGTERM leaves.
# 55 s with one GPU, 100 s with two (estimates); of that, 30 s make the large box.
#
# Needs $carried/gromacs/gromacs.tar.xz (made by hack/gpu/applications/build/gromacs.sh), cuFFT, python3, xz. Environment: bin, carried, out, gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit
: "${bin:?}" "${carried:?}" "${out:?}" "${gpus:?}"
. hack/gpu/applications/lib/expect.sh

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tar -xJf "$carried/gromacs/gromacs.tar.xz" -C "$work" || exit 1
export PATH="$work/gromacs/bin:$PATH" GMXDATA="$work/gromacs/share/gromacs" LD_LIBRARY_PATH="$work/gromacs/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
find_libraries "$work/gromacs/bin/gmx" && find_libraries "$work"/gromacs/lib/libgromacs.so.* || exit 1
figures=(simulationRate simulationRatePerWatt temperature=294:308 energyDrift=0:0.5 loadImbalance pmeShare pmeForceRatio)

# simulate NAME EDGE SECONDS GPUS RANKS-PER-GPU
simulate() {
  expect "$1" 0 '"constraints","ok":true' 120 "${figures[*]}" \
    "$bin/gromacs-gpu" --edge "$2" --seconds "$3" --gpus "$4" --ranks-per-gpu "$5" --input "$work/$2.tpr"
}

for box in 8:6:332k 17:10:3184k; do
  IFS=: read -r edge seconds size <<<"$box"
  simulate "gromacs-$size-1" "$edge" "$seconds" 1 1
  ((gpus > 1)) || continue
  simulate "gromacs-$size-2" "$edge" "$seconds" 2 1
  simulate "gromacs-$size-2-shared" "$edge" "$seconds" 2 2
  for layout in 2 2-shared; do scaling "gromacs-$size-1" "gromacs-$size-$layout" simulationRate; done
done
# Half of the time is not counted, so there is no rate yet.
expect gromacs-stop 1 '"finished","ok":false' 40 temperature=294:308 \
  timeout --foreground --preserve-status --signal TERM 8 "$bin/gromacs-gpu" --edge 8 --seconds 120 --gpus 1 --input "$work/8.tpr"
((failures == 0))
